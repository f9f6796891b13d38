// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/fused_loop.hpp>

#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace tenon;

namespace {

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  return std::memcmp(a.data(), b.data(), std::size_t(byte_size(A::type))) == 0;
}

template <index_t Size>
tensor<f32, Size> numbers(int seed) {
  tensor<f32, Size> result;
  for (index_t i = 0; i < Size; ++i) result.data()[i] = f32((i * 7919 + seed * 104729) % 2003) / 317 - 3;
  return result;
}

constexpr auto products = trace([](auto x, auto a, auto b) { return x * a + b; });
constexpr auto multiply_alone = trace([](auto x, auto a) { return x * a; });
constexpr auto add_alone = trace([](auto x, auto a) { return x + a; });
constexpr auto tanh_alone = trace([](auto x) { return tanh(x); });
constexpr auto chain = trace([](auto x, auto a, auto b) {
  auto y = tanh(x * a + b);
  return select(x < a, y * 0.3f - x, y * a);
});
constexpr auto less_alone = trace([](auto x, auto a) { return x < a; });
constexpr auto select_alone = trace([](auto p, auto a, auto b) { return select(p, a, b); });
constexpr auto scaled_alone = trace([](auto x) { return x * 0.3f; });
constexpr auto subtract_alone = trace([](auto x, auto a) { return x - a; });

template <index_t Size>
void check() {
  const auto x = numbers<Size>(1), a = numbers<Size>(2), b = numbers<Size>(3);
  const auto sum = add_alone(multiply_alone(x, a), b);
  CHECK(same_bits(products(x, a, b), sum));
  const auto y = tanh_alone(sum);
  const auto chosen = select_alone(less_alone(x, a), subtract_alone(scaled_alone(y), x), multiply_alone(y, a));
  CHECK(same_bits(chain(x, a, b), chosen));
}

TEST_CASE("a loop of a whole group gives what its ops give one by one, bit for bit") {
  check<1>();
  check<3>();
  check<16>();
  check<61>();
  check<1000>();
  check<5001>();
}

constexpr auto rows = trace([](auto x, auto b, auto s) {
  return (x + broadcast_in_dim<ints{7, 33}, ints{1}>(b)) * broadcast_in_dim<ints{7, 33}, ints{0}>(s);
});

TEST_CASE("operands that repeat along rows, or with the rows") {
  tensor<f32, 7, 33> x;
  const auto b = numbers<33>(4);
  const auto s = numbers<7>(5);
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = f32(i % 29) / 7;
  const auto y = rows(x, b, s);
  bool same = true;
  for (index_t i = 0; i < 7; ++i)
    for (index_t j = 0; j < 33; ++j) {
      const volatile f32 sum = x.data()[i * 33 + j] + b.data()[j];
      same = same && y.data()[i * 33 + j] == f32(sum * s.data()[i]);
    }
  CHECK(same);
}

}  // namespace
