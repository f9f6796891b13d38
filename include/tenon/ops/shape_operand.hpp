// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/read_index.hpp>
#include <tenon/core/rules.hpp>

// Operands that hold a shape or one number per dimension: one-dimensional tensors of integers.
namespace tenon::ops {

constexpr bool is_shape_operand(const rules& rule, const tensor_type& type) {
  return rule.is(type, kinds::integer) && type.rank() == 1;
}

// Whether the value of the operand is known while compiling.
constexpr bool is_known(const rules& rule, int operand, const tensor_type& type) {
  return is_shape_operand(rule, type) && type.dim(0) <= max_rank && rule.constants[operand].size == type.dim(0);
}

constexpr ints known_value(const rules& rule, int operand) {
  ints result;
  for (index_t value : rule.constants[operand]) result.push(value);
  return result;
}

// The operand says the shape of the result, which is written already: the two must agree, as far as they are known.
constexpr void check_shape_operand(rules& rule, const char* label, int operand, const tensor_type& type,
                                   const tensor_type& result) {
  rule(label, "the operand holds one size for each dimension of the result", type.dim(0) == result.rank());
  if (!is_known(rule, operand, type)) return;
  const ints shape = known_value(rule, operand);
  for (int i = 0; i < shape.size; ++i)
    rule(label, "the operand holds the shape of the result",
         result.is_bounded(i) ? 0 <= shape[i] && shape[i] <= result.dim(i) : shape[i] == result.dim(i));
}

inline ints read_shape_operand(const evaluation& e, int operand) {
  const tensor_type& type = e.operand_types.data[operand];
  return read_indices(e.operands.data[operand], type.element, type.dim(0));
}

// The shape that the program computed must be the one that it promised. Sizes below a bound are not met here:
// graph/passes/bounded.hpp has made the types static, and computes at the bounds.
inline void expect_result_shape(const evaluation& e, std::string_view op, const ints& computed) {
  const tensor_type& result = e.result_types.data[0];
  for (int i = 0; i < result.rank(); ++i)
    if (computed[i] != result.dim(i))
      fail(op, ": dimension ", i, " of the result has size ", computed[i], ", its type says ", result.dim(i),
           result.is_bounded(i) ? " at most" : "");
}

}  // namespace tenon::ops
