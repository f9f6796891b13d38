// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/op.hpp>

namespace tenon {

// The size of a padded dimension; below zero where negative padding takes more away than there is.
constexpr index_t padded_size(index_t size, index_t low, index_t high, index_t interior) {
  using indexing::saturating_add, indexing::saturating_multiply;
  return saturating_add(saturating_add(size, saturating_multiply(size > 1 ? size - 1 : 0, interior)),
                        saturating_add(low, high));
}

// A tensor that has a box of another one somewhere inside and is else filled with a number; written from its first
// element to its last. Behind `axis` neither side has more than the box.
template <class Bytes>
struct padded_box {
  ints shape, first, count;  // of the box: its first indices and how many there are
  ints steps, from_steps;
  Bytes value;
  int axis;

  void write(Bytes* to, const Bytes* from, int at = 0) const {
    if (at == axis) return write_rows(to, from, 1, 0);
    const index_t step = steps.at[at], before = first.at[at], inside = count.at[at];
    fill_row(to, value, before * step);
    to += before * step;
    if (at + 1 == axis)
      write_rows(to, from, inside, from_steps.at[at]);
    else
      for (index_t i = 0; i < inside; ++i) write(to + i * step, from + i * from_steps.at[at], at + 1);
    fill_row(to + inside * step, value, (shape.at[at] - before - inside) * step);
  }

 private:
  // Not a part of `write`, which compilers write out for each dimension.
  [[gnu::noinline]] void write_rows(Bytes* to, const Bytes* from, index_t rows, index_t from_row) const {
    const index_t step = steps.at[axis], before = first.at[axis] * step, inside = count.at[axis] * step;
    const index_t row = shape.at[axis] * step, behind = row - before - inside;
    for (index_t r = 0; r < rows; ++r, to += row, from += from_row) {
      if (before > 0) fill_row(to, value, before);
      copy_scattered_row(to + before, from, inside * index_t(sizeof(Bytes)));
      if (behind > 0) fill_row(to + before + inside, value, behind);
    }
  }
};

// Puts those elements of operand 0 into result 0 that it has room for, element i of an axis at low + i *
// (interior + 1), and fills the rest with the element at operand 1.
template <class T>
void pad_elements(const evaluation& e, const ints& low, const ints& interior) {
  using indexing::saturating_add, indexing::saturating_multiply;
  const ints &shape = e.result_types.data[0].shape, &operand = e.operand_types.data[0].shape;
  const box_in_memory whole = whole_tensor(shape);
  box_in_memory to = whole_tensor(shape), from = whole_tensor(operand);
  ints kept, begin;
  bool is_dense = true;
  for (int i = 0; i < shape.size; ++i) {
    const index_t step = saturating_add(interior[i], 1);
    const auto in_steps = [step](index_t distance) { return step == 1 ? distance : distance / step; };
    const index_t first = low[i] >= 0 ? 0 : in_steps(-(low[i] + 1)) + 1;
    const index_t room = saturating_add(shape[i] - 1, indexing::saturating_negate(low[i]));
    const index_t last = room < 0 ? -1 : in_steps(room) < operand[i] ? in_steps(room) : operand[i] - 1;
    kept.push(last < first ? 0 : last - first + 1);
    begin.push(last < first ? 0 : saturating_add(low[i], saturating_multiply(first, step)));
    if (last < first) continue;
    to.base += begin[i] * whole.strides[i];
    from.base += first * from.strides[i];
    to.strides.set(i, last > first ? whole.strides[i] * step : 0);
    is_dense = is_dense && (last == first || step == 1);
  }
  const bool is_box = is_dense && kept.product() > 0;
  if (is_box && kept != shape) {
    int axis = shape.size - 1;
    while (axis > 0 && operand[axis] == shape[axis] && kept[axis] == shape[axis]) --axis;
    using bytes = bytes_like<T>;
    // Of short rows it takes less time to write some twice.
    constexpr index_t shortest = 128;
    if (shape[axis] * whole.strides[axis] * index_t(sizeof(bytes)) >= shortest) {
      const padded_box<bytes> box{shape, begin, kept, whole.strides, from.strides, *e.operand<bytes>(1), axis};
      return box.write(e.result<bytes>(), e.operand<bytes>(0) + from.base);
    }
  }
  if (!is_box || kept != shape)
    copy_strided<T>(shape, e.results.data[0], whole, e.operands.data[1], {0, ints::filled(shape.size, 0)});
  copy_strided<T>(kept, e.results.data[0], to, e.operands.data[0], from);
}

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#pad
struct pad {
  static constexpr std::string_view name = "pad";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true;
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

  template <class T>
  void evaluate(const evaluation& e) const {
    pad_elements<T>(e, edge_padding_low, interior_padding);
  }
};

}  // namespace tenon::ops

namespace tenon {

template <ints EdgePaddingLow, ints EdgePaddingHigh, ints InteriorPadding, class Operand, class PaddingValue>
constexpr auto pad(Operand&& operand, PaddingValue&& padding_value) {
  return apply<ops::pad{EdgePaddingLow, EdgePaddingHigh, InteriorPadding}>(static_cast<Operand&&>(operand),
                                                                           static_cast<PaddingValue&&>(padding_value));
}

}  // namespace tenon
