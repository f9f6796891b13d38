// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/baseline_rules.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

constexpr std::string_view broken(const tensor_type* declared, auto check) {
  rules rule;
  rule.details = &quantized_details;
  if (declared != nullptr) rule.declared = {declared, 1};
  check(rule);
  return rule.broken() ? rule.label : "";
}
constexpr std::string_view unary(const tensor_type& operand, const tensor_type* declared = nullptr) {
  return broken(declared, [&](rules& rule) {
    ops::infer_same_baseline(rule, ops::unary_labels{"operand", "types", "result"},
                             ops::accepts::floating_point_or_quantized, operand);
  });
}
constexpr std::string_view binary(const tensor_type& lhs, const tensor_type& rhs) {
  return broken(nullptr, [&](rules& rule) {
    ops::infer_same_baseline(rule, ops::binary_labels{"lhs", "rhs", "types", "result"},
                             ops::accepts::floating_point_or_quantized, lhs, rhs);
  });
}
constexpr std::string_view same(const tensor_type& lhs, const tensor_type& rhs, const tensor_type* declared = nullptr) {
  return broken(declared, [&](rules& rule) {
    ops::infer_same_type(rule, ops::binary_labels{"lhs", "rhs", "types"}, ops::accepts::integer, lhs, rhs);
  });
}

static_assert(unary(f32_2x3).empty() && unary(q8_2x3, &other_scale_2x3).empty() && unary(i32_2x3) == "operand");
static_assert(unary(f32_2x3, &f64_2x3) == "types" && unary(q8_2x3, &axis0_2x3) == "result");
static_assert(binary(f32_2x3, f32_2x3).empty() && binary(i32_2x3, f32_2x3) == "lhs" &&
              binary(f32_2x3, i32_2x3) == "rhs" && binary(f32_2x3, f64_2x3) == "types");
static_assert(same(i32_2x3, i32_2x3, &i32_2x3).empty() && same(i32_2x3, i64_2x3) == "types" &&
              same(i32_2x3, i32_2x3, &i64_2x3) == "types" && same(q8_2x3, q8_2x3) == "lhs");

}  // namespace

TEST_CASE("the result has the declared quantization") {
  rules rule;
  rule.details = &quantized_details;
  rule.declared = {&other_scale_2x3, 1};
  CHECK(ops::infer_result(rule, "types", "", q8_2x3) == other_scale_2x3);
  CHECK_FALSE(rule.broken());
}
