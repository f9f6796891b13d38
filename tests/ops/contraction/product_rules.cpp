// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/product_rules.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::core;
using namespace tenon::test;

constexpr ops::quantized_product_labels labels{"quantized", "storage", "expressed", "granularity", "hybrid"};

constexpr std::string_view broken(const tensor_type& lhs, const tensor_type& rhs, const tensor_type& result) {
  rules rule;
  rule.details = &quantized_details;
  ops::check_quantized_product(rule, labels, lhs, rhs, result);
  return rule.broken() ? rule.label : "";
}
static_assert(broken(q8_2x3, q8_2x3, other_scale_2x3).empty() && broken(f32_2x3, q8_2x3, f32_2x3).empty());
static_assert(broken(q8_2x3, f32_2x3, q8_2x3) == "quantized" && broken(q8_2x3, q8_2x3, f32_2x3) == "quantized");
static_assert(broken(q8_2x3, q4_2x3, q8_2x3) == "storage" && broken(q8_2x3, q8_bf16_2x3, q8_2x3) == "expressed");
static_assert(broken(q8_2x3, q8_2x3, axis0_2x3) == "granularity" && broken(f64_2x3, q8_2x3, f64_2x3) == "hybrid");

constexpr tensor_type product_of(const tensor_type& declared) {
  rules rule;
  rule.declared = {&declared, 1};
  return ops::product_type(rule, f16_2x3, {5});
}
static_assert(product_of(f32_2x3) == type_of(dtype::f32, {5}) &&
              product_of(type_of(dtype::none)) == type_of(dtype::f16, {5}));

constexpr bool has_shape(const tensor_type& declared, const ints& shape) {
  rules rule;
  rule.declared = {&declared, 1};
  ops::check_product_shape(rule, "label", "", shape);
  return !rule.broken();
}
static_assert(has_shape(f32_2x3, {2, 3}) && !has_shape(f32_2x3, {3, 2}) && has_shape(with_open_shape(dtype::f32), {7}));
static_assert(!has_shape(with_open_shape(dtype::f32), ints::range(9)));

}  // namespace

TEST_CASE("a product is quantized if any of its types is") {
  CHECK(ops::is_quantized_product(f32_2x3, q8_2x3, f32_2x3));
  CHECK_FALSE(ops::is_quantized_product(f32_2x3, f32_2x3, f32_2x3));
}
