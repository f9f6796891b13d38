// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/matrices.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

static_assert(ops::stack_size({3, 3}) == 1 && ops::stack_size({4, 2, 3, 3}) == 8 && ops::stack_size({0, 3, 3}) == 0);
static_assert(ops::conjugate(complex<f32>{1, 2}) == complex<f32>{1, -2} && ops::conjugate(1.5f) == 1.5f);

constexpr bool accepts_result(const tensor_type& declared, const tensor_type& like) {
  rules rule;
  rule.details = &quantized_details;
  rule.declared = {&declared, 1};
  ops::matrix_result(rule, "label", "", like);
  return !rule.broken();
}
static_assert(accepts_result(f32_2x3, f32_2x3) && accepts_result(q8_2x3, other_scale_2x3));
static_assert(!accepts_result(f64_2x3, f32_2x3) && !accepts_result(f32_3x2, f32_2x3) &&
              !accepts_result(i32_2x3, i32_2x3) && !accepts_result(axis0_2x3, q8_2x3));

}  // namespace

TEST_CASE("without a declared type the result is like the operand") {
  rules rule;
  CHECK(ops::matrix_result(rule, "label", "", f32_2x3) == f32_2x3);
  CHECK_FALSE(rule.broken());
}
