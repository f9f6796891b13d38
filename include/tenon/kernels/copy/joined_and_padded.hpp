// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/interval.hpp>
#include <tenon/ops/copy_strided.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace tenon::kernels {

// An op whose operands stand one behind the other along its `dimension`.
template <class Op>
concept joins_operands = Op::joins_operands;

// to[r * row] = from[r * piece] for pieces of `Bytes` bytes.
template <int Bytes>
void copy_column(std::byte* to, index_t row, const std::byte* from, index_t piece, index_t rows) {
  if constexpr (Bytes <= 16) {
    if (piece != Bytes) return copy_column<Bytes + 1>(to, row, from, piece, rows);
    for (index_t r = 0; r < rows; ++r) std::memcpy(to + r * row, from + r * Bytes, Bytes);
  } else {
    for (index_t r = 0; r < rows; ++r) copy_row(to + r * row, from + r * piece, piece);
  }
}

// to[r * operands + i] = from[i][r]: interleaves single elements of the operands, which become shuffles.
template <class T, int... I>
void interleave(T* __restrict to, const void* const* from, index_t rows, std::integer_sequence<int, I...>) {
  const T* __restrict const columns[] = {static_cast<const T*>(from[I])...};
  for (index_t r = 0; r < rows; ++r) ((to[r * index_t(sizeof...(I)) + I] = columns[I][r]), ...);
}

// Runs such an op: long rows in the order in which they lie in the result, short ones operand by operand.
template <class Op, class T>
void join_kernel(const evaluation& e) {
  constexpr int most_pieces = 16;
  constexpr index_t shortest_piece = 16, size = sizeof(T);
  const int operands = e.operands.size;
  const index_t dimension = read_attributes<Op>(e.words).dimension;
  const ints& shape = e.result_types.data[0].shape;
  index_t rows = 1, inner = 1;
  for (int axis = 0; axis < shape.size; ++axis) (axis < dimension ? rows : inner) *= shape.at[axis];
  if (rows * inner == 0) return;
  std::byte* to = e.result<std::byte>();
  const auto piece = [&](int i) { return e.operand_types.data[i].size() / rows * size; };
  if (inner == operands && 2 <= operands && operands <= 4) {
    bool are_single = true;
    for (int i = 0; i < operands; ++i) are_single = are_single && piece(i) == size;
    T* const single = e.result<T>();
    if (are_single && operands == 2)
      return interleave(single, e.operands.data, rows, std::make_integer_sequence<int, 2>());
    if (are_single && operands == 3)
      return interleave(single, e.operands.data, rows, std::make_integer_sequence<int, 3>());
    if (are_single) return interleave(single, e.operands.data, rows, std::make_integer_sequence<int, 4>());
  }
  if (operands > most_pieces || inner < operands * shortest_piece) {
    for (int i = 0; i < operands; to += piece(i), ++i)
      copy_column<1>(to, inner * size, e.operand<std::byte>(i), piece(i), rows);
    return;
  }
  const std::byte* from[most_pieces];
  index_t bytes[most_pieces];
  for (int i = 0; i < operands; ++i) from[i] = e.operand<std::byte>(i), bytes[i] = piece(i);
  for (index_t r = 0; r < rows; ++r)
    for (int i = 0; i < operands; ++i) {
      copy_row(to, from[i], bytes[i]);
      from[i] += bytes[i];
      to += bytes[i];
    }
}

// An op that puts operand 0 between copies of the element at operand 1, as its `padding` says.
template <class Op>
concept pads = Op::pads;

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

template <class Op, class Bytes>
void pad_kernel(const evaluation& e) {
  using indexing::saturating_add, indexing::saturating_multiply;
  const auto [low, interior] = read_attributes<Op>(e.words).padding(e);
  const ints &shape = e.result_types.data[0].shape, &operand = e.operand_types.data[0].shape;
  padded_box<Bytes> box{shape, {}, {}, strides_of(shape), strides_of(operand), *e.operand<Bytes>(1), 0};
  const Bytes* inside = e.operand<Bytes>(0);
  int dimensions = 0;
  for (; dimensions < shape.size; ++dimensions) {
    const int d = dimensions;
    if (interior[d] != 0 || low[d] <= -operand[d] || low[d] >= shape[d]) break;
    const index_t before = low[d] > 0 ? low[d] : 0, cut = before - low[d], kept = operand[d] - cut;
    box.first.push(before), box.count.push(kept < shape[d] - before ? kept : shape[d] - before);
    inside += cut * box.from_steps.at[d];
    if (operand[d] != shape[d] || low[d] != 0) box.axis = d;
  }
  // Of several rows of fewer than 128 bytes it takes less time to write some twice.
  if (dimensions > 0 && dimensions == shape.size && box.count.product() > 0)
    if (const index_t row = shape[box.axis] * box.steps.at[box.axis];
        row == shape.product() || row * index_t(sizeof(Bytes)) >= 128)
      return box.write(e.result<Bytes>(), inside);
  const ops::box_in_memory whole = ops::whole_tensor(shape);
  ops::box_in_memory to = ops::whole_tensor(shape), from = ops::whole_tensor(operand);
  ints kept;
  for (int i = 0; i < shape.size; ++i) {
    const index_t step = saturating_add(interior[i], 1);
    const auto in_steps = [step](index_t distance) { return step == 1 ? distance : distance / step; };
    const index_t first = low[i] >= 0 ? 0 : in_steps(-(low[i] + 1)) + 1;
    const index_t room = saturating_add(shape[i] - 1, indexing::saturating_negate(low[i]));
    const index_t last = room < 0 ? -1 : in_steps(room) < operand[i] ? in_steps(room) : operand[i] - 1;
    kept.push(last < first ? 0 : last - first + 1);
    if (last < first) continue;
    to.base += saturating_add(low[i], saturating_multiply(first, step)) * whole.strides[i];
    from.base += first * from.strides[i];
    to.strides.set(i, last > first ? whole.strides[i] * step : 0);
  }
  if (kept != shape)
    ops::copy_strided<Bytes>(shape, e.results.data[0], whole, e.operands.data[1], {0, ints::filled(shape.size, 0)});
  ops::copy_strided<Bytes>(kept, e.results.data[0], to, e.operands.data[0], from);
}

}  // namespace tenon::kernels
