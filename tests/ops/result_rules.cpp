// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/result_rules.hpp>

#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

namespace {

constexpr tensor_type declared(const tensor_type& written, const tensor_type& like) {
  rules rule;
  rule.declared = {&written, 1};
  return ops::declared_result(rule, "label", like);
}
static_assert(declared(f32_3x2, i32_2x3) == f32_3x2);
static_assert(declared(type_of(dtype::none, {6}), i32_2x3) == type_of(dtype::i32, {6}));
static_assert(declared(type_of(dtype::none, {6}), q8_2x3) == quantized(dtype::i8, 1, {6}));

constexpr bool same(const tensor_type& a, const tensor_type& b, ops::differing but = ops::differing::nothing) {
  rules rule;
  rule.details = &quantized_details;
  return ops::same_elements(rule, a, b, but);
}
// 5 and 8 differ in the dimension alone, 5 and 6 in the scales as well.
constexpr tensor_type axis1_like_axis0 = quantized(dtype::i8, 8, {3, 2});
static_assert(same(f32_2x3, f32_3x2));
static_assert(!same(f32_2x3, f64_2x3));
static_assert(!same(q8_2x3, type_of(dtype::i8, {2, 3})));
static_assert(!same(axis0_2x3, axis1_like_axis0));
static_assert(same(axis0_2x3, axis1_like_axis0, ops::differing::quantization_dimension));
static_assert(!same(axis0_2x3, axis1_2x3, ops::differing::quantization_dimension));
static_assert(same(axis0_2x3, axis1_2x3, ops::differing::quantization_dimension_and_scales));
static_assert(!same(axis0_2x3, q8_2x3, ops::differing::quantization_dimension_and_scales));

constexpr bool sizes_stay(const tensor_type& a, const tensor_type& b) {
  rules rule;
  rule.details = &quantized_details;
  return ops::same_sizes_around(rule, a, b);
}
static_assert(sizes_stay(axis0_2x3, quantized(dtype::i8, 8, {1, 2, 3})));
static_assert(!sizes_stay(axis0_2x3, quantized(dtype::i8, 8, {3, 2})));
static_assert(!sizes_stay(axis0_2x3, quantized(dtype::i8, 8, {1, 2, 4})));
static_assert(!sizes_stay(axis0_2x3, q8_2x3));

TEST_CASE("a type that is not written is missed") {
  rules rule;
  ops::declared_result(rule, "missing");
  CHECK(std::string_view(rule.label) == "missing");
}

}  // namespace
}  // namespace tenon::test
