// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/tensor_op.hpp>

namespace tenon {

// The size of a padded dimension; below zero where negative padding takes more away than there is.
constexpr index_t padded_size(index_t size, index_t low, index_t high, index_t interior) {
  return indexing::saturating_add(
      indexing::saturating_add(size, indexing::saturating_multiply(size > 1 ? size - 1 : 0, interior)),
      indexing::saturating_add(low, high));
}

// How far the first element moves by axis, and how many places lie between neighbours.
struct padding_sizes {
  ints low, interior;
};

// Result elements are the one at operand 1, but for those that element i of operand 0 stands at: low + i * (interior +
// 1) along each axis. Programs run kernels/copy/joined_and_padded.hpp.
template <class T>
void pad_elements(const core::evaluation& e, const padding_sizes& padding) {
  const ints &shape = e.result_types.data[0].shape, strides = strides_of(shape);
  for (index_t i = 0; i < shape.product(); ++i) e.result<T>()[i] = *e.operand<T>(1);
  index_t number = 0;
  for_each_index(e.operand_types.data[0].shape, [&](const ints& index) {
    const T& element = e.operand<T>(0)[number++];
    index_t to = 0;
    for (int i = 0; i < shape.size; ++i) {
      const index_t step = indexing::saturating_add(padding.interior[i], 1);
      const index_t at = indexing::saturating_add(padding.low[i], indexing::saturating_multiply(index[i], step));
      if (at < 0 || at >= shape[i]) return;
      to += at * strides[i];
    }
    e.result<T>()[to] = element;
  });
}

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#pad
struct pad {
  static constexpr std::string_view name = "pad";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true, pads = true;
  ints edge_padding_low, edge_padding_high, interior_padding;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("edge_padding_low", self.edge_padding_low) && visit("edge_padding_high", self.edge_padding_high) &&
           visit("interior_padding", self.interior_padding);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& padding_value) const {
    const int rank = operand.rank();
    rule("pad_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("pad_i2", "padding_value: 0-dimensional tensor or per-tensor quantized tensor",
         rule.is(padding_value, kinds::any | kinds::per_tensor_quantized) && padding_value.rank() == 0);
    rule("pad_c1", "element_type(operand) = element_type(padding_value) = element_type(result)",
         operand.with_shape({}) == padding_value.with_shape({}));
    rule.result_element("pad_c1", "element_type(operand) = element_type(padding_value) = element_type(result)",
                        operand);
    rule("pad_c2", "size(edge_padding_low) = size(edge_padding_high) = size(interior_padding) = rank(operand)",
         edge_padding_low.size == rank && edge_padding_high.size == rank && interior_padding.size == rank &&
             edge_padding_low.dropped + edge_padding_high.dropped + interior_padding.dropped == 0);
    ints shape;
    for (int i = 0; i < rank; ++i) {
      rule("pad_c3", "0 <= interior_padding", interior_padding[i] >= 0);
      const index_t size = padded_size(operand.dim(i), edge_padding_low[i], edge_padding_high[i], interior_padding[i]);
      rule("pad_c4", "0 <= shape(result)", size >= 0);
      shape.push(size);
    }
    rule.result_shape("pad_c4",
                      "shape(result) = shape(operand) + edge_padding_low + max(shape(operand) - 1, 0) * "
                      "interior_padding + edge_padding_high",
                      shape);
    return operand.with_shape(shape);
  }

  // Result elements outside of the domain of the first map read the padding value.
  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    if (operand == 1) return indexing::scalar_map(result.shape);
    return indexing::pad_map(result.shape, operands[0].shape, edge_padding_low, interior_padding);
  }

  constexpr batch_dimensions batches(list<tensor_type> operands) const {
    int count = 0;
    const auto is_plain = [&](int d) {
      return (edge_padding_low[d] | edge_padding_high[d] | interior_padding[d]) == 0;
    };
    while (count < operands[0].rank() && is_plain(count)) ++count;
    return {count, 1};
  }

  padding_sizes padding(const evaluation&) const { return {edge_padding_low, interior_padding}; }
  template <class T>
  void evaluate(const evaluation& e) const {
    pad_elements<T>(e, padding(e));
  }
};

}  // namespace tenon::ops

namespace tenon {

// pad<low, high, interior>(x, value): so many values before the first element along each axis, after the last, and
// between two; negative numbers before and after take elements away. Any element type, that of value, which has no
// dimensions; sizes grow by low + high + interior * (size - 1).
template <ints EdgePaddingLow, ints EdgePaddingHigh, ints InteriorPadding, class Operand, class PaddingValue>
constexpr auto pad(
    Operand&& operand, PaddingValue&& padding_value,
    op_check<ops::pad{EdgePaddingLow, EdgePaddingHigh, InteriorPadding}, result_types<>, Operand, PaddingValue> = {}) {
  return apply<ops::pad{EdgePaddingLow, EdgePaddingHigh, InteriorPadding}>(static_cast<Operand&&>(operand),
                                                                           static_cast<PaddingValue&&>(padding_value));
}

}  // namespace tenon
