// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#reshape
struct reshape {
  static constexpr std::string_view name = "reshape";
  static constexpr bool moves_bytes = true, is_view = true;

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    rule("reshape_i1", "operand: tensor or quantized tensor", rule.is(operand, kinds::any | kinds::quantized));
    const tensor_type result = declared_result(rule, "reshape_o1", operand);
    rule("reshape_c1", "element_type(result) = element_type(operand), but for the quantized dimension",
         same_elements(rule, operand, result, differing::quantization_dimension));
    const bool are_sizes = result.shape.within(0, INT64_MAX);
    rule("reshape_c2", "size(operand) = size(result)", !are_sizes || operand.size() == result.size());
    rule("reshape_c2", "every size is written: none is -1", are_sizes);
    if (rule.is_per_axis_quantized(operand))
      rule("reshape_c3", "the sizes before, along and after the quantized dimension stay the same",
           same_sizes_around(rule, operand, result));
    return result;
  }

  // The element at the same row-major position.
  static constexpr indexing::indexing_map reads(int, list<tensor_type> operands, const tensor_type& result) {
    return indexing::reshape_map(result.shape, operands[0].shape);
  }
  static constexpr indexing::indexing_map writes(int, int, list<tensor_type> operands, list<tensor_type> results) {
    return indexing::reshape_map(operands[0].shape, results[0].shape);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    copy_bytes(e.results.data[0], e.operands.data[0], byte_size(e.result_types.data[0]));
  }
};

}  // namespace tenon::ops

namespace tenon {

// reshape<ints{3, 2}>(x): the elements in the same row-major order in another shape of the same size. Any element
// type.
template <ints Shape, class Operand>
constexpr auto reshape(Operand&& operand,
                       op_check<ops::reshape{}, result_types<type_of(dtype::none, Shape)>, Operand> = {}) {
  return apply<ops::reshape{}, result_types<type_of(dtype::none, Shape)>>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
