// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/value.hpp>

// Gradients of the ops that move elements.
namespace tenon::gradients {

constexpr value transposed(const ops::reshape&, const auto& at, value ct, int) { return reshape(ct, at.x(0).shape()); }
constexpr void decomposed(const ops::dynamic_reshape&, const auto& at, value* y) {
  y[0] = reshape(at.x(0), at.y().shape());
}

constexpr value transposed(const ops::transpose& op, const auto&, value ct, int) {
  ints back = op.permutation;
  for (int i = 0; i < back.size; ++i) back.set(op.permutation[i], i);
  return transpose(ct, back);
}

// The sum over the dimensions that are new, and over those that were of size 1.
constexpr value transposed(const ops::broadcast_in_dim& op, const auto& at, value ct, int) {
  const tensor_type x = at.x(0).type();
  ints summed, kept;
  for (int d = 0; d < ct.rank(); ++d) {
    const int i = op.broadcast_dimensions.find(d);
    if (i < 0 || x.dim(i) != ct.type().dim(d))
      summed.push(d);
    else
      kept.push(i);
  }
  const value total = sum(ct, summed);
  ints order;  // which dimension of the sum each dimension of the operand is, if it is one
  for (int i = 0; i < x.rank(); ++i)
    if (const int d = kept.find(i); d >= 0) order.push(d);
  return reshape(transpose(total, order), x.shape);
}
constexpr void decomposed(const ops::dynamic_broadcast_in_dim& op, const auto& at, value* y) {
  y[0] = broadcast(at.x(0), op.broadcast_dimensions, at.y().shape());
}
constexpr void decomposed(const ops::broadcast&, const auto& at, value* y) {
  ints dimensions;
  for (int d = at.y().rank() - at.x(0).rank(); d < at.y().rank(); ++d) dimensions.push(d);
  y[0] = broadcast(at.x(0), dimensions, at.y().shape());
}

constexpr value transposed(const ops::slice& op, const auto& at, value ct, int) {
  ints high, interior;
  for (int d = 0; d < ct.rank(); ++d) {
    const index_t stride = op.strides.size > 0 ? op.strides[d] : 1, count = ct.type().dim(d);
    const index_t taken = count > 0 ? (count - 1) * stride + 1 : 0;
    high.push(at.x(0).type().dim(d) - op.start_indices[d] - taken), interior.push(stride - 1);
  }
  return pad(ct, op.start_indices, high, interior);
}

constexpr unsigned linear_operands(const ops::pad&) { return 0b11; }
constexpr value transposed(const ops::pad& op, const auto& at, value ct, int i) {
  const tensor_type x = at.x(0).type();
  ints low, high, strides, limit;
  for (int d = 0; d < x.rank(); ++d) {
    low.push(-op.edge_padding_low[d]), high.push(-op.edge_padding_high[d]), strides.push(op.interior_padding[d] + 1);
    limit.push(x.dim(d) > 0 ? (x.dim(d) - 1) * strides[d] + 1 : 0);
  }
  const value of_operand =
      slice(pad(ct, low, high, ints::filled(x.rank(), 0)), ints::filled(x.rank(), 0), limit, strides);
  return i == 0 ? of_operand : sum(ct) - sum(of_operand);
}

constexpr value transposed(const ops::reverse& op, const auto&, value ct, int) { return reverse(ct, op.dimensions); }

constexpr unsigned linear_operands(const ops::concatenate&) { return ~0u; }
constexpr value transposed(const ops::concatenate& op, const auto& at, value ct, int i) {
  ints start = ints::filled(ct.rank(), 0), limit = ct.shape();
  index_t before = 0;
  for (int k = 0; k < i; ++k) before += at.x(k).type().dim(op.dimension);
  start.set(op.dimension, before), limit.set(op.dimension, before + at.x(i).type().dim(op.dimension));
  return slice(ct, start, limit, ints::filled(ct.rank(), 1));
}

}  // namespace tenon::gradients
