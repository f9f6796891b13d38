// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/dot.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

// Types.

constexpr tensor_type f32_2 = type_of(dtype::f32, {2}), f32_3 = type_of(dtype::f32, {3}),
                      f32_2x2 = type_of(dtype::f32, {2, 2});
static_assert(result_type(ops::dot{}, {f32_3, f32_3}) == f32_scalar);
static_assert(result_type(ops::dot{}, {f32_2x3, f32_3}) == f32_2);
static_assert(result_type(ops::dot{}, {f32_3, f32_3x2}) == f32_2);
static_assert(result_type(ops::dot{}, {f32_2x3, f32_3x2}) == f32_2x2);
static_assert(result_type(ops::dot{}, {f32_2x3, f32_3x2}, {type_of(dtype::f64, {2, 2})}).element == dtype::f64);

// Broken rules.

constexpr std::string_view broken(const tensor_type& lhs, const tensor_type& rhs,
                                  std::initializer_list<tensor_type> declared = {}) {
  return broken_by(ops::dot{}, {lhs, rhs}, declared, {}, &quantized_details);
}
static_assert(broken(token, f32_3) == "dot_i1");
static_assert(broken(f32_2x3, token) == "dot_i2");
static_assert(broken(f32_scalar, f32_3) == "dot_c1");
static_assert(broken(f32_2x3, type_of(dtype::f32, {3, 2, 2})) == "dot_c1");
static_assert(broken(f32_2x3, f32_2) == "dot_c1");
static_assert(broken_by(ops::dot{{precision::HIGH}}, {f32_3, f32_3}) == "dot_c2");
static_assert(broken(f32_2x3, f32_3x2, {f32_2x3}) == "dot_c3");
static_assert(broken(f32_2x3, type_of(dtype::f64, {3})) == "dot_c4");
static_assert(broken(f32_2x3, f32_3, {type_of(dtype::i32, {2})}) == "dot_c4");
static_assert(broken(q8_2x3, quantized(dtype::i8, 2, {3, 2}), {quantized(dtype::i8, 1, {2, 2})}).empty());
static_assert(broken(q8_2x3, quantized(dtype::i8, 2, {3, 2}), {f32_2x2}) == "dot_c4");

template <class T>
std::vector<T> product(const value& lhs, const value& rhs) {
  return evaluate<T>(ops::dot{}, {lhs, rhs}, {result_type(ops::dot{}, {lhs.type, rhs.type})})[0].template as<T>();
}

}  // namespace

TEST_CASE("dot: vectors and matrices") {
  const value matrix = counting<f32>({2, 3}), vector = tensor_of<f32>({3}, {1, 10, 100});
  CHECK(product<f32>(vector, vector) == std::vector<f32>{10101});
  CHECK(product<f32>(matrix, vector) == std::vector<f32>{321, 654});
  CHECK(product<f32>(tensor_of<f32>({2}, {1, 10}), matrix) == std::vector<f32>{41, 52, 63});
  CHECK(product<i32>(counting<i32>({2, 2}), counting<i32>({2, 2})) == std::vector<i32>{7, 10, 15, 22});
}
