// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/movement/slice.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/shape_operand.hpp>

namespace tenon::ops {

// slice with limits that the program computes; they must make the shape that the type of the result says. No longer in
// the specification.
struct real_dynamic_slice {
  static constexpr std::string_view name = "real_dynamic_slice";
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true;

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& start_indices,
                                     const tensor_type& limit_indices, const tensor_type& strides) {
    const int rank = operand.rank();
    rule("real_dynamic_slice_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("real_dynamic_slice_i2", "start_indices: 1-dimensional tensor of integer type",
         is_shape_operand(rule, start_indices));
    rule("real_dynamic_slice_i3", "limit_indices: 1-dimensional tensor of integer type",
         is_shape_operand(rule, limit_indices));
    rule("real_dynamic_slice_i4", "strides: 1-dimensional tensor of integer type", is_shape_operand(rule, strides));
    rule("real_dynamic_slice_c2", "size(start_indices) = size(limit_indices) = size(strides) = rank(operand)",
         start_indices.dim(0) == rank && limit_indices.dim(0) == rank && strides.dim(0) == rank);
    const tensor_type result = declared_result(rule, "real_dynamic_slice_o1", operand);
    rule("real_dynamic_slice_c1", "element_type(operand) = element_type(result)",
         operand.with_shape({}) == result.with_shape({}));
    rule("real_dynamic_slice_c5", "rank(result) = rank(operand)", result.rank() == rank);
    if (!is_known(rule, 1, start_indices) || !is_known(rule, 2, limit_indices) || !is_known(rule, 3, strides))
      return result;
    const ints start = known_value(rule, 1), limit = known_value(rule, 2), steps = known_value(rule, 3);
    for (int i = 0; i < rank; ++i) {
      rule("real_dynamic_slice_c3", "0 <= start_indices <= limit_indices <= shape(operand)",
           0 <= start[i] && start[i] <= limit[i] && limit[i] <= operand.dim(i));
      rule("real_dynamic_slice_c4", "0 < strides", steps[i] > 0);
      rule("real_dynamic_slice_c5", "shape(result) = ceil((limit_indices - start_indices) / strides)",
           result.dim(i) == slice_size(start[i], limit[i], steps[i]));
    }
    return result;
  }

  // As slice, with starts and strides that are known when the program runs.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                                list<tensor_type> results) {
    if (operand > 0) return indexing::whole_map(results[0].shape, operands[operand].shape);
    return indexing::real_dynamic_slice_map(results[0].shape, operands[0].shape);
  }
  static constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type>, list<tensor_type> results) {
    const int rank = results[0].rank();
    indexing::indexing_map element = indexing::map_over(results[0].shape);
    element.add_result(element.constant(variable % (rank > 0 ? rank : 1)));
    return {variable < rank ? 1 : 3, element};
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const ints start = read_shape_operand(e, 1), limit = read_shape_operand(e, 2), steps = read_shape_operand(e, 3);
    const ints& operand = e.operand_types.data[0].shape;
    ints computed;
    for (int i = 0; i < operand.size; ++i) {
      if (start[i] < 0 || start[i] > limit[i] || limit[i] > operand[i] || steps[i] <= 0)
        fail("real_dynamic_slice: from ", start[i], " to ", limit[i], " by ", steps[i], " in a dimension of size ",
             operand[i]);
      computed.push(slice_size(start[i], limit[i], steps[i]));
    }
    expect_result_shape(e, name, computed);
    slice_elements<T>(e, computed, start, steps);
  }
};

}  // namespace tenon::ops

namespace tenon {

// As slice, with integers for starts, limits and strides that are known when it runs, one for each dimension. `Shape`
// is what the shape of the result must turn out to be.
template <ints Shape, class Operand, class StartIndices, class LimitIndices, class Strides>
constexpr auto real_dynamic_slice(Operand&& operand, StartIndices&& start_indices, LimitIndices&& limit_indices,
                                  Strides&& strides,
                                  op_check<ops::real_dynamic_slice{}, result_types<type_of(dtype::none, Shape)>,
                                           Operand, StartIndices, LimitIndices, Strides> = {}) {
  return apply<ops::real_dynamic_slice{}, result_types<type_of(dtype::none, Shape)>>(
      static_cast<Operand&&>(operand), static_cast<StartIndices&&>(start_indices),
      static_cast<LimitIndices&&>(limit_indices), static_cast<Strides&&>(strides));
}

}  // namespace tenon
