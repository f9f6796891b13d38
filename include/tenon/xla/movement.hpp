// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

namespace tenon::xla {

// New dimensions on the left.
constexpr XlaOp Broadcast(XlaOp operand, const ints& broadcast_sizes) {
  ints dimensions;
  for (int i = 0; i < operand.type().rank(); ++i) dimensions.push(broadcast_sizes.size + i);
  return detail::record_as(operand.type().with_shape(broadcast_sizes + operand.type().shape),
                           ops::broadcast_in_dim{dimensions}, operand);
}
constexpr XlaOp BroadcastInDim(XlaOp operand, const ints& out_dim_size, const ints& broadcast_dimensions) {
  return detail::record_as(operand.type().with_shape(out_dim_size), ops::broadcast_in_dim{broadcast_dimensions},
                           operand);
}
constexpr XlaOp Reshape(XlaOp operand, const ints& dimensions) {
  return detail::record_as(operand.type().with_shape(dimensions), ops::reshape{}, operand);
}
// Neighbouring dimensions, in order, become one.
constexpr XlaOp Collapse(XlaOp operand, const ints& dimensions) {
  const ints& shape = operand.type().shape;
  bool follow = dimensions.within(0, shape.size);
  for (int i = 1; i < dimensions.size; ++i) follow = follow && dimensions[i] == dimensions[i - 1] + 1;
  if (!detail::check("xla_collapse", "dimensions are neighbours, in order", follow, operand)) return operand;
  if (dimensions.size <= 1) return operand;
  ints collapsed;
  for (int i = 0; i < shape.size; ++i) {
    if (i == dimensions[0]) collapsed.push(shape.select(dimensions).product());
    if (!dimensions.contains(i)) collapsed.push(shape[i]);
  }
  return Reshape(operand, collapsed);
}
constexpr XlaOp Transpose(XlaOp operand, const ints& permutation) {
  return detail::record(ops::transpose{permutation}, operand);
}
constexpr XlaOp Slice(XlaOp operand, const ints& start_indices, const ints& limit_indices, const ints& strides) {
  return detail::record(ops::slice{start_indices, limit_indices, strides}, operand);
}
constexpr XlaOp SliceInDim(XlaOp operand, std::int64_t start_index, std::int64_t limit_index, std::int64_t stride,
                           std::int64_t dimno) {
  const ints& shape = operand.type().shape;
  if (!detail::check("xla_slice_in_dim", "0 <= dimno < rank(operand)", 0 <= dimno && dimno < shape.size, operand))
    return operand;
  ints start = ints::filled(shape.size, 0), limit = shape, strides = ints::filled(shape.size, 1);
  start.set(dimno, start_index);
  limit.set(dimno, limit_index);
  strides.set(dimno, stride);
  return Slice(operand, start, limit, strides);
}
template <int Count>
constexpr XlaOp ConcatInDim(XlaBuilder*, const XlaOp (&operands)[Count], std::int64_t dimension) {
  return detail::record_all(ops::concatenate{dimension}, operands);
}
constexpr XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& config) {
  return detail::record(ops::pad{config.edge_padding_low, config.edge_padding_high, config.interior_padding}, operand,
                        padding_value);
}
constexpr XlaOp Rev(XlaOp operand, const ints& dimensions) { return detail::record(ops::reverse{dimensions}, operand); }

}  // namespace tenon::xla
