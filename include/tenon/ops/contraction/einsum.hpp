// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/einsum_plan.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>
#include <tenon/ops/contraction/product_rules.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// Sums of products, written as in "ab,bc->ac". Left out of the specification in favour of dot_general.
struct einsum {
  static constexpr std::string_view name = "einsum";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr std::string_view no_maps = "its text has to be read: einsum is a product, a transposition and sums";
  name_id einsum_config{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("einsum_config", self.einsum_config); }

  // Where the text is not known, the result's type is the declared one.
  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) const {
    rule("einsum_i1", "lhs: tensor", rule.is(lhs, kinds::any));
    rule("einsum_i2", "rhs: tensor", rule.is(rhs, kinds::any));
    const std::string_view config = rule.name_of(einsum_config.id);
    if (config.empty()) {
      rule("einsum_c1", "the result's type is written where einsum_config is not known", !rule.declared.empty());
      return rule.declared[0];
    }
    const ints shapes[] = {lhs.shape, rhs.shape};
    const einsum_plan plan(config, shapes, 2);
    rule("einsum_c1", "einsum_config names the dimensions of both operands and those of the result", plan.valid);
    check_product_shape(rule, "einsum_c2", "shape(result) = the sizes that einsum_config gives it", plan.result);
    const tensor_type result = product_type(rule, lhs, plan.result);
    rule("einsum_c3", "element_type(lhs) = element_type(rhs), and that of the result is of the same kind",
         lhs.element == rhs.element && kind_of(result.element) == kind_of(lhs.element));
    return result;
  }

  // For the kernel, which copies a part of an operand at a time.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results,
                                  const type_details* details) const {
    return product(operands, details).scratch_bytes(operands[0].element, results[0].element);
  }

  constexpr product_dimensions product(list<tensor_type> operands, const type_details* details) const {
    const ints shapes[] = {operands.data[0].shape, operands.data[1].shape};
    const einsum_plan plan(details != nullptr ? details->name_of(einsum_config.id) : std::string_view{}, shapes, 2);
    product_dimensions sizes;
    if (!plan.valid) {
      sizes.batch.sizes.dropped = 1;
      return sizes;
    }
    const ints strides = strides_of(plan.result);
    for (int i = 0; i < plan.result.size; ++i) {
      const index_t lhs = plan.operands[0].along_result[i], rhs = plan.operands[1].along_result[i];
      (lhs == 0 ? sizes.columns : rhs == 0 ? sizes.rows : sizes.batch).push(plan.result[i], lhs, rhs, strides[i]);
    }
    for (int i = 0; i < plan.summed.size; ++i)
      sizes.inner.push(plan.summed[i], plan.operands[0].along_summed[i], plan.operands[1].along_summed[i], 0);
    return sizes;
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const ints shapes[] = {e.operand_types[0].shape, e.operand_types[1].shape};
    const einsum_plan plan(e.details != nullptr ? e.details->name_of(einsum_config.id) : std::string_view{}, shapes, 2);
    if (!plan.valid) fail("einsum: einsum_config is not known");
    const T* const lhs = e.operand<T>(0);
    const T* const rhs = e.operand<T>(1);
    with_accumulator<T>(e.result_types[0].element, [&]<class A>() {
      index_t position = 0;
      for_each_offset(
          plan.result,
          [&](index_t from, index_t with) {
            A sum{};
            for_each_offset(
                plan.summed,
                [&](index_t i, index_t k) {
                  sum = multiply_add(convert_to<A>(lhs[from + i]), convert_to<A>(rhs[with + k]), sum);
                },
                plan.operands[0].along_summed, plan.operands[1].along_summed);
            store_sum(e.result_types.data[0].element, e.results.data[0], position++, sum);
          },
          plan.operands[0].along_result, plan.operands[1].along_result);
    });
  }
};

}  // namespace tenon::ops
