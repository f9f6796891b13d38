// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/trace.hpp>

#include <tenon/numpy/elementwise.hpp>
#include <tenon/ops/control/case.hpp>
#include <tenon/ops/creation/iota.hpp>
#include <tenon/ops/movement/slice.hpp>
#include <tenon/ops/operators.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

using namespace tenon;

namespace {

using f32_2x3 = tensor<f32, 2, 3>;
const f32_2x3 x{{1, 2, 3}, {4, 5, 6}}, y{{6, 5, 4}, {3, 2, 1}};

constexpr auto both = trace([](auto a, auto b) { return results(a + b, a * b); });
constexpr auto untyped = trace([](tracer a, tracer b) { return a + b; });
constexpr auto doubled = trace([](auto a) { return a + a; });

}  // namespace

TEST_CASE("one result is a tensor, several are a tuple") {
  static_assert(std::is_same_v<decltype(doubled(x)), f32_2x3>);
  CHECK(equal(doubled(x), f32_2x3{{2, 4, 6}, {8, 10, 12}}));
  const auto [sum, product] = both(x, y);
  static_assert(std::is_same_v<decltype(product), const f32_2x3>);
  CHECK(equal(sum, f32_2x3::filled(7)));
  CHECK(equal(product, f32_2x3{{6, 10, 12}, {12, 10, 6}}));
}

TEST_CASE("a function is compiled for each choice of argument types") {
  CHECK(equal(doubled(tensor<i8, 2>{100, 1}), tensor<i8, 2>{-56, 2}));
  CHECK(equal(doubled(tensor<f64>(1.5)), tensor<f64>(3)));
  static_assert(doubled.valid<f32_2x3> && !untyped.valid<f32_2x3, tensor<f32, 3, 2>>);
}

TEST_CASE("arguments are tensors, views, expressions and numbers") {
  f32 memory[] = {1, 2, 3, 4, 5, 6};
  CHECK(equal(doubled(tensor_view<f32, 2, 3>(memory)), doubled(x)));
  CHECK(equal(doubled(tensor_view<const f32, 2, 3>(memory)), doubled(x)));
  CHECK(equal(doubled(x + y), f32_2x3::filled(14)));
  CHECK(equal(doubled(3), tensor<i32>(6)));
}

TEST_CASE("results are written where they are wanted") {
  f32_2x3 sum, product;
  both.into(sum, product)(x, y);
  CHECK(equal(sum, f32_2x3::filled(7)));
  CHECK(equal(product, f32_2x3{{6, 10, 12}, {12, 10, 6}}));
  f32 memory[6]{};
  doubled.into(tensor_view<f32, 2, 3>(memory))(x);
  CHECK(memory[5] == 12);
}

TEST_CASE("results may be written over arguments") {
  f32_2x3 a = x, b = y;
  both.into(b, a)(a, b);
  CHECK(equal(b, f32_2x3::filled(7)));
  CHECK(equal(a, f32_2x3{{6, 10, 12}, {12, 10, 6}}));
  f32 memory[] = {1, 2, 3, 4};
  doubled.into(tensor_view<f32, 3>(memory + 1))(tensor_view<f32, 3>(memory));
  CHECK(memory[1] == 2);
  CHECK(memory[2] == 4);
  CHECK(memory[3] == 6);
}

TEST_CASE("the working memory may be the caller's") {
  constexpr auto layer = trace([](auto a) { return softmax(matmul(a, transpose(a))); });
  static_assert(layer.arena_bytes<f32_2x3> > 0 && layer.fused_groups<f32_2x3> > 0);
  arena<layer.arena_bytes<f32_2x3>> memory;
  tensor<f32, 2, 2> z;
  layer.on(memory).into(z)(x);
  CHECK(equal(z, layer(x)));
  z = {};
  layer.into(z).on(memory)(x);
  CHECK(equal(z, layer(x)));
  std::byte too_little[64];
  CHECK_THROWS_AS(layer.on(std::span<std::byte>(too_little, 63)).into(z)(x), error);
}

TEST_CASE("functions within functions become one program") {
  constexpr auto outer = trace([](auto a, auto b) {
    auto [sum, product] = both(a, b);
    return doubled(sum) - product;
  });
  CHECK(equal(outer(x, y), f32_2x3{{8, 4, 2}, {2, 4, 8}}));
  static_assert(outer.fused_groups<f32_2x3, f32_2x3> == 1);
}

TEST_CASE("large arenas do not lie on the stack") {
  using large = tensor<f32, 300, 300>;
  constexpr auto product = trace([](auto a) { return matmul(matmul(a, a), transpose(a)); });
  static_assert(product.arena_bytes<large> > 100000);
  const large identity = [] {
    large result;
    for (int i = 0; i < 300; ++i) result(i, i) = 1;
    return result;
  }();
  CHECK(equal(product(identity), identity));
}

namespace {

template <int First>
constexpr auto two_from() {
  return [] { return slice<ints{First}, ints{First + 2}>(iota<f32, ints{12}>()); };
}

}  // namespace

TEST_CASE("a case of many branches") {
  constexpr auto chosen = trace([](auto index) {
    return case_(index, two_from<0>(), two_from<1>(), two_from<2>(), two_from<3>(), two_from<4>(), two_from<5>(),
                 two_from<6>(), two_from<7>(), two_from<8>(), two_from<9>());
  });
  for (int i = 0; i < 10; ++i) {
    const tensor<f32, 2> two = chosen(tensor<i32>{i});
    CHECK(two(0) == f32(i));
    CHECK(two(1) == f32(i + 1));
  }
  const tensor<f32, 2> last = chosen(tensor<i32>{-1});
  CHECK(last(0) == 9);
}

namespace {
constexpr auto in_place = trace([](auto a) {
  auto b = a;
  b += 1;
  b *= a;
  return b - a;
});
constexpr auto difference = trace([](auto a, auto b) { return a - b; });
}  // namespace
TEST_CASE("traced values change in place, and wrong calls are no calls") {
  CHECK(equal(in_place(tensor<f32, 3>{1, 2, 3}), tensor<f32, 3>{1, 4, 9}));
  using three = tensor<f32, 3>;
  static_assert(std::is_invocable_v<decltype(difference), three, three>);
  static_assert(!std::is_invocable_v<decltype(difference), three>);
  static_assert(!std::is_invocable_v<decltype(difference), three, three, three>);
  static_assert(!std::is_invocable_v<decltype(in_place), std::vector<float>>);
  static_assert(!std::is_invocable_v<decltype(in_place), const char*>);
}
