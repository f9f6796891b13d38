// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/lifetime.hpp>

#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

[[maybe_unused]] auto sum_of_variables() {
  tensor<f32, 4> a{1, 1, 1, 1}, b{1, 2, 3, 4};
  return a + b;
}
[[maybe_unused]] auto sum_of_large_variables() {
  tensor<f32, 8192> a, b;
  return a + b;
}
template <class X, class Y>
auto sum_of_parameters(const X& x, const Y& y) {
  return x + y * 2;
}
tensor<f32, 4> made() { return {1, 2, 3, 4}; }
tensor<f32, 3, 2> doubled(const tensor<f32, 2, 3>& x) { return transpose(2 * x); }

}  // namespace

static_assert(sizeof(tensor<f32, 16>) == 64);

// Without assertions nothing is remembered.
#ifndef NDEBUG
TEST_CASE("an expression that outlives its tensors is found when it is evaluated") {
  CHECK_THROWS_AS((tensor<f32, 4>(sum_of_variables())), error);
  tensor<f32, 4> x;
  CHECK_THROWS_AS(x = sum_of_variables(), error);
  CHECK_THROWS_AS(x = sum_of_variables() * 2 + x, error);
  tensor<f32, 8192> large;
  CHECK_THROWS_AS(large = sum_of_large_variables(), error);
}
#endif

// Where tensors have been before, other things are now: views, and constants that no constructor has made.
TEST_CASE("other objects may lie where a tensor was") {
  const tensor<f32, 4> x{1, 2, 3, 4};
  for (int i = 0; i < 3; ++i) {
    {
      const tensor<f32, 4> before = x + 1;
    }
    const tensor_view<const f32, 4> view(x.data());
    constexpr tensor<f32, 4> constant{1, 1, 1, 1};
    tensor<f32, 4> y = view + constant;
    CHECK(equal(y, tensor<f32, 4>{2, 3, 4, 5}));
    y = view * constant;
    CHECK(equal(y, x));
  }
}

TEST_CASE("tensors that are alive, or belong to the expression, are not") {
  CHECK(equal(doubled({{1, 2, 3}, {4, 5, 6}}), tensor<f32, 3, 2>{{2, 8}, {4, 10}, {6, 12}}));
  tensor<f32, 4> x{1, 2, 3, 4}, y;
  y = sum_of_parameters(x, x);
  CHECK(equal(y, tensor<f32, 4>{3, 6, 9, 12}));
  auto expression = made() + x;
  y = expression;
  CHECK(equal(y, tensor<f32, 4>{2, 4, 6, 8}));
  // The same place, again and again.
  for (int i = 0; i < 100; ++i) {
    const tensor<f32, 4> z = made() * 2;
    y = z + x;
    const tensor<f32, 4> copy = z;
    y = copy + x;
  }
  CHECK(equal(y, tensor<f32, 4>{3, 6, 9, 12}));
}
