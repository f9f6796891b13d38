// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#get_dimension_size
struct get_dimension_size {
  static constexpr std::string_view name = "get_dimension_size";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true;
  index_t dimension = 0;

  static constexpr bool attributes(auto& self, auto visit) { return visit("dimension", self.dimension); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    rule("get_dimension_size_i1", "operand: tensor or quantized tensor",
         rule.is(operand, kinds::any | kinds::quantized));
    rule("get_dimension_size_c1", "0 <= dimension < rank(operand)", 0 <= dimension && dimension < operand.rank());
    return rule.result("get_dimension_size_o1", "result: 0-dimensional tensor of type si32", type_of(dtype::i32));
  }

  // The type of the operand says it.
  static constexpr indexing::indexing_map reads(int, int, list<tensor_type> operands, list<tensor_type> results) {
    return indexing::nothing_map(results[0].shape, operands[0].shape);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    *e.result<std::int32_t>() = std::int32_t(e.operand_types.data[0].dim(dimension));
  }
};

}  // namespace tenon::ops

namespace tenon {

// get_dimension_size<1>(x): the size of a dimension, a tensor<i32>; below a bound it is known when the program runs.
template <index_t Dimension, class Operand>
constexpr auto get_dimension_size(Operand&& operand,
                                  op_check<ops::get_dimension_size{Dimension}, result_types<>, Operand> = {}) {
  return apply<ops::get_dimension_size{Dimension}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
