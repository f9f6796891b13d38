// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/einsum_plan.hpp>
#include <tenon/ops/contraction/product_rules.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// Sums, diagonals and transposes, written as in "ab->a". Left out of the specification.
struct unary_einsum {
  static constexpr std::string_view name = "unary_einsum";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr std::string_view no_maps = "its text has to be read: it is a transposition and a sum";
  name_id einsum_config{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("einsum_config", self.einsum_config); }

  // Where the text is not known, the result's type is the declared one.
  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("unary_einsum_i1", "operand: tensor", rule.is(operand, kinds::any));
    const std::string_view config = rule.name_of(einsum_config.id);
    if (config.empty()) {
      rule("unary_einsum_c1", "the result's type is written where einsum_config is not known", !rule.declared.empty());
      return rule.declared[0];
    }
    const einsum_plan plan(config, &operand.shape, 1);
    rule("unary_einsum_c1", "einsum_config names the dimensions of the operand and those of the result", plan.valid);
    check_product_shape(rule, "unary_einsum_c2", "shape(result) = the sizes that einsum_config gives it", plan.result);
    const tensor_type result = product_type(rule, operand, plan.result);
    rule("unary_einsum_c3", "element_type(result) is of the same kind as element_type(operand)",
         kind_of(result.element) == kind_of(operand.element));
    return result;
  }

  // For the kernel: whether this is the sum along some dimensions, and which; the others keep their order.
  bool summed_axes(const evaluation& e, ints& axes) const {
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape);
    const einsum_plan plan(e.details != nullptr ? e.details->name_of(einsum_config.id) : std::string_view{}, &shape, 1);
    if (!plan.valid) return false;
    int last = -1;
    for (int axis = 0; axis < shape.size; ++axis) {
      if (shape.at[axis] == 1) continue;
      const int kept = plan.operands[0].along_result.find(strides.at[axis]);
      if (kept < 0 && !plan.operands[0].along_summed.contains(strides.at[axis])) return false;
      if (kept >= 0 && kept < last) return false;
      if (kept < 0)
        axes.push(axis);
      else
        last = kept;
    }
    return shape.product() > 0;
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const einsum_plan plan(e.details != nullptr ? e.details->name_of(einsum_config.id) : std::string_view{},
                           &e.operand_types.data[0].shape, 1);
    if (!plan.valid) fail("unary_einsum: einsum_config is not known");
    const T* const operand = e.operand<T>(0);
    with_accumulator<T>(e.result_types[0].element, [&]<class A>() {
      index_t position = 0;
      for_each_offset(
          plan.result,
          [&](index_t from) {
            A sum{};
            for_each_offset(
                plan.summed,
                [&](index_t i) { sum = multiply_add(convert_to<A>(true), convert_to<A>(operand[from + i]), sum); },
                plan.operands[0].along_summed);
            store_sum(e.result_types.data[0].element, e.results.data[0], position++, sum);
          },
          plan.operands[0].along_result);
    });
  }
};

}  // namespace tenon::ops
