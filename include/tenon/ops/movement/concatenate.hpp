// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/tensor_op.hpp>

#include <cstddef>
#include <cstring>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#concatenate
struct concatenate {
  static constexpr std::string_view name = "concatenate";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true, joins_operands = true;
  index_t dimension = 0;

  static constexpr bool attributes(auto& self, auto visit) { return visit("dimension", self.dimension); }

  constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) const {
    rule("concatenate_c3", "0 < size(inputs)", inputs.size > 0);
    const tensor_type first = inputs[0];
    rule("concatenate_c4", "0 <= dimension < rank(inputs[0])", 0 <= dimension && dimension < first.rank());
    ints shape = first.shape;
    for (int i = 0; i < inputs.size; ++i) {
      const tensor_type& input = inputs.data[i];
      rule("concatenate_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(input, kinds::any | kinds::per_tensor_quantized));
      rule("concatenate_c1", "same(element_type(inputs...))", input.with_shape({}) == first.with_shape({}));
      rule("concatenate_c2", "same(shape(inputs...)) except dim(inputs..., dimension)",
           input.shape.without({dimension}) == first.shape.without({dimension}));
      if (i > 0) shape.set(dimension, indexing::saturating_add(shape[dimension], input.dim(dimension)));
    }
    rule.result_element("concatenate_c5", "element_type(result) = element_type(inputs[0])", first);
    rule.result_shape("concatenate_c6", "dim(result, dimension) = dim(inputs[0], dimension) + ..., as the inputs else",
                      shape);
    results.push(first.with_shape(shape));
  }

  // Result elements whose index along `dimension` lies within an operand's part read that operand.
  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    index_t offset = 0;
    for (const tensor_type& before : operands.part(0, operand)) offset += before.dim(dimension);
    return indexing::concatenate_map(result.shape, dimension, offset, operands[operand].dim(dimension));
  }

  constexpr batch_dimensions batches(list<tensor_type>) const { return {int(dimension)}; }

  // Row by row, a piece of each operand after the other. Programs run kernels/copy/joined_and_padded.hpp.
  template <class T>
  void evaluate(const evaluation& e) const {
    const ints& shape = e.result_types.data[0].shape;
    std::byte* to = e.result<std::byte>();
    index_t rows = shape.product() == 0 ? 0 : 1;
    for (int axis = 0; axis < dimension; ++axis) rows *= shape.at[axis];
    for (index_t r = 0; r < rows; ++r)
      for (int i = 0; i < e.operands.size; ++i) {
        const std::size_t bytes = std::size_t(e.operand_types.data[i].size() / rows) * sizeof(T);
        if (bytes > 0) std::memcpy(to, e.operand<std::byte>(i) + std::size_t(r) * bytes, bytes);
        to += bytes;
      }
  }
};

}  // namespace tenon::ops

namespace tenon {

// concatenate<0>(x, y, ...): operands one behind the other along a dimension. Any element type, the same for all; other
// dimensions are the same, this one is their sum.
template <index_t Dimension, class... Inputs,
          class Rules = rules_kept_by<op_call<ops::concatenate{Dimension}>, Inputs...>>
constexpr auto concatenate(Inputs&&... inputs) {
  return apply<ops::concatenate{Dimension}>(static_cast<Inputs&&>(inputs)...);
}
template <index_t Dimension, class... Inputs,
          class Rule = call_broken_by<op_call<ops::concatenate{Dimension}>, Inputs...>>
void concatenate(Inputs&&...) = delete;

}  // namespace tenon
