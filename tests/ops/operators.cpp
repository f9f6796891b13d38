// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/tensor.hpp>
#include <tenon/ops/elementwise.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/evaluate.hpp>

#include <doctest/doctest.h>

#include <array>

namespace {

using namespace tenon;

template <class Expression>
auto values_of(const Expression& source) {
  constexpr tensor_type type = Expression::type;
  std::array<element_t<type.element>, std::size_t(type.size())> values{};
  detail::evaluate_into(source, values.data());
  return values;
}

using ints_3 = std::array<i32, 3>;
using unsigned_3 = std::array<ui8, 3>;
using booleans_3 = std::array<bool, 3>;

TEST_CASE("arithmetic operators") {
  const tensor<i32, 3> a{7, -7, 8}, b{2, 2, 3};
  CHECK(values_of(a + b) == ints_3{9, -5, 11});
  CHECK(values_of(a - b) == ints_3{5, -9, 5});
  CHECK(values_of(a * b) == ints_3{14, -14, 24});
  CHECK(values_of(a / b) == ints_3{3, -3, 2});
  CHECK(values_of(a % b) == ints_3{1, -1, 2});
  CHECK(values_of(-a) == ints_3{-7, 7, -8});
  CHECK(values_of(a * 2 + b) == ints_3{16, -12, 19});
  CHECK(values_of(1 - b) == ints_3{-1, -1, -2});
}

TEST_CASE("bitwise operators") {
  const tensor<i32, 3> a{6, -8, 5}, b{3, 1, 2};
  CHECK(values_of(a & b) == ints_3{2, 0, 0});
  CHECK(values_of(a | b) == ints_3{7, -7, 7});
  CHECK(values_of(a ^ b) == ints_3{5, -7, 7});
  CHECK(values_of(~a) == ints_3{-7, 7, -6});
  CHECK(values_of(a << 1) == ints_3{12, -16, 10});
  CHECK(values_of(a >> b) == ints_3{0, -4, 1});
  const tensor<ui8, 3> c{128, 255, 1};
  CHECK(values_of(c >> 7) == unsigned_3{1, 1, 0});
}

TEST_CASE("comparisons") {
  const tensor<f32, 3> a{1, 2, 3}, b{3, 2, 1};
  CHECK(values_of(a == b) == booleans_3{false, true, false});
  CHECK(values_of(a != b) == booleans_3{true, false, true});
  CHECK(values_of(a < b) == booleans_3{true, false, false});
  CHECK(values_of(a <= b) == booleans_3{true, true, false});
  CHECK(values_of(a > b) == booleans_3{false, false, true});
  CHECK(values_of(a >= b) == booleans_3{false, true, true});
  CHECK(values_of(!(a < 2.5f)) == booleans_3{false, false, true});
}

TEST_CASE("tensors without dimensions stand for numbers") {
  const tensor<i32, 3> a{7, -7, 8};
  const tensor<i32> two(2);
  CHECK(values_of(a * two) == ints_3{14, -14, 16});
  CHECK(values_of(two - a) == ints_3{-5, 9, -6});
  CHECK(values_of(maximum(two * 3, a)) == ints_3{7, 6, 8});
  CHECK(values_of(a >= two) == booleans_3{true, false, true});
  CHECK(values_of(select(a > two, a, two)) == ints_3{7, 2, 8});
  CHECK(values_of(select(a > 7, two, -1)) == ints_3{-1, -1, 2});
  CHECK(values_of(clamp(two, a, two * 4)) == ints_3{7, 2, 8});
  CHECK(i32(two + two) == 4);
}

template <class Lhs, class Rhs>
concept addable = requires(Lhs lhs, Rhs rhs) { lhs + rhs; };
struct stranger {};
static_assert(!addable<stranger, stranger> && !addable<tensor<f32, 3>, stranger> && !addable<stranger, int>);
static_assert(!addable<tensor<f32, 3>, tensor<f64>> && !addable<tensor<f32, 3>, tensor<f32, 1>>);

}  // namespace
