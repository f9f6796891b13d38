// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tenon/tensors.hpp>

using namespace tenon;

// What is expected was computed by jax.random (JAX 0.10, 64-bit types enabled).
namespace {

constexpr random_key key = random::key(42);

template <class Expected>
bool is(const auto& expression, const Expected& expected) {
  return equal(Expected(expression), expected);
}
template <class T, class... Bits>
bool has_bits(const auto& floats, Bits... bits) {
  return is(bitcast_convert<T>(floats), tensor<T, sizeof...(Bits)>{T(bits)...});
}

TEST_CASE("keys") {
  static_assert(equal(random::key((ui64(1) << 40) + 7), random_key{256, 7}));
  const auto [a, b, c] = random::split<3>(key);
  CHECK(is(a, random_key{1832780943, 270669613}));
  CHECK(is(b, random_key{64467757, 2916123636}));
  CHECK(is(c, random_key{2465931498, 255383827}));
  CHECK(is(random::fold_in(key, 7), random_key{2547012911, 1371500959}));
}

TEST_CASE("bits") {
  constexpr ints shape{2, 3};
  CHECK(is(random::bits<ui8, shape>(key), tensor<ui8, 2, 3>{{162, 217, 249}, {215, 21, 216}}));
  CHECK(is(random::bits<ui32, shape>(key),
           tensor<ui32, 2, 3>{{2098992034, 2919706841, 2646866425}, {2409546199, 1935504149, 2516274904}}));
  CHECK(is(random::bits<ui64, shape>(key)(at<1>, range<1>),
           tensor<ui64, 2>{12687676868490354166u, 11878554724538143822u}));
}

TEST_CASE("floats, to the bit") {
  constexpr ints shape{5};
  CHECK(has_bits<ui32>(random::uniform<f32, shape>(key), 1056585764, 1059981104, 1058915320, 1057988288, 1055308516));
  CHECK(has_bits<ui64>(random::uniform<f64, shape>(key), 4601358860358518916, 4579806337745978368, 4603346652718294810,
                       4604748843769571700, 4604370374266218970));
  CHECK(has_bits<ui16>(random::uniform<bf16, shape>(key), 16162, 16216, 16248, 16214, 15776));
  const tensor<f32, 5> between = random::uniform<f32, shape>(key, -3.7f, 5.1f);
  CHECK(equal(between, tensor<f32, 5>(random::uniform<f32, shape>(key) * (5.1f - -3.7f) + -3.7f)));
}

TEST_CASE("normal numbers") {
  const tensor<f32, 6> expected{-0.02830461598932743f, 0.4671318531036377f,   0.2957029640674591f,
                                0.15354591608047485f,  -0.12403281778097153f, 0.21692314743995667f};
  const tensor<f32, 6> x = random::normal<f32, ints{6}>(key);
  for (index_t i = 0; i < 6; ++i) CHECK(x(i) == doctest::Approx(expected(i)).epsilon(3e-7));
}

TEST_CASE("events and integers") {
  CHECK(is(convert<i32>(random::bernoulli<ints{10}>(key, 0.3f)), tensor<i32, 10>{0, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  constexpr ints shape{6};
  CHECK(is(random::randint<i32, shape>(key, -5, 100), tensor<i32, 6>{94, 49, 76, -1, 84, 19}));
  CHECK(is(random::randint<ui8, shape>(key, 3, 200), tensor<ui8, 6>{107, 88, 158, 60, 90, 52}));
  CHECK(is(random::randint<i64, shape>(key, 0, 1000000000000),
           tensor<i64, 6>{464050701877, 604979476158, 848944880791, 550063542319, 100519646113, 686673082306}));
  CHECK(is(random::randint<i32, shape>(key, 4, 4), tensor<i32, 6>{4, 4, 4, 4, 4, 4}));
}

TEST_CASE("within traced functions") {
  constexpr auto step = trace([](auto k, auto i) {
    const auto [a, b] = random::split(random::fold_in(k, i));
    return results(a, random::uniform<f32, ints{3}>(b) * 2);
  });
  const auto [next, numbers] = step(key, tensor<ui32>(7));
  const auto [a, b] = random::split(evaluate(random::fold_in(key, 7)));
  CHECK(equal(next, a));
  CHECK(is(random::uniform<f32, ints{3}>(b) * 2, numbers));
}

}  // namespace
