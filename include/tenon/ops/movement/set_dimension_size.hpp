// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/shape_operand.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// The first `size` elements along `dimension`. Not in the specification. Where the size is not known while compiling,
// the dimension of the result is bounded by that of the operand; where it is known, it may be written as bounded, too.
struct set_dimension_size {
  static constexpr std::string_view name = "set_dimension_size";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true;
  index_t dimension = 0;

  static constexpr bool attributes(auto& self, auto visit) { return visit("dimension", self.dimension); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& size) const {
    rule("set_dimension_size_i1", "operand: tensor or quantized tensor",
         rule.is(operand, kinds::any | kinds::quantized));
    rule("set_dimension_size_i2", "size: 0-dimensional tensor of type si32", size == type_of(dtype::i32));
    rule("set_dimension_size_c1", "0 <= dimension < rank(operand)", 0 <= dimension && dimension < operand.rank());
    tensor_type result = operand;
    const bool is_known = rule.constants[1].size == 1;
    const index_t known = is_known ? rule.constants[1][0] : 0;
    rule("set_dimension_size_c2", "0 <= size <= dim(operand, dimension)",
         0 <= known && known <= operand.dim(dimension));
    if (is_known && (rule.declared.empty() || !rule.declared[0].is_bounded(dimension))) {
      result.shape.set(dimension, known);
    } else if (!rule.declared.empty()) {
      rule("set_dimension_size_c2", "size <= dim(result, dimension)", known <= rule.declared[0].dim(dimension));
      rule("set_dimension_size_c2", "0 <= dim(result, dimension) <= dim(operand, dimension)",
           0 <= rule.declared[0].dim(dimension) && rule.declared[0].dim(dimension) <= operand.dim(dimension));
      result.shape.set(dimension, rule.declared[0].dim(dimension));
      result.bounded = rule.declared[0].bounded;
    } else {
      result.bound(dimension);
    }
    return rule.result("set_dimension_size_c3", "type(result) = type(operand) except dim(result, dimension)", result);
  }

  // The elements stay where they are; the size says which of them count.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type>, list<tensor_type> results) {
    return operand == 1 ? indexing::scalar_map(results[0].shape) : indexing::identity_map(results[0].shape);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    const ints& shape = e.result_types.data[0].shape;
    ints computed = shape;
    computed.set(dimension, read_index(e.operand_types.data[1].element, e.operands.data[1]));
    expect_result_shape(e, name, computed);
    copy_strided<T>(shape, e.results.data[0], whole_tensor(shape), e.operands.data[0],
                    whole_tensor(e.operand_types.data[0].shape));
  }
};

}  // namespace tenon::ops

namespace tenon {

// set_dimension_size<0>(x, size): x with the first `size` of its elements along a dimension; size is a tensor<i32>. Any
// element type; the size of the result is known when it runs.
template <index_t Dimension, class Operand, class Size>
constexpr auto set_dimension_size(Operand&& operand, Size&& size,
                                  op_check<ops::set_dimension_size{Dimension}, result_types<>, Operand, Size> = {}) {
  return apply<ops::set_dimension_size{Dimension}>(static_cast<Operand&&>(operand), static_cast<Size&&>(size));
}

}  // namespace tenon
