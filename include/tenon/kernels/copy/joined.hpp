// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace tenon::kernels {

// An op whose operands stand one behind the other along its `dimension`.
template <class Op>
concept joins_operands = Op::joins_operands;

// to[r * row] = from[r * piece] for pieces of so many bytes, of which few are known while compiling.
template <int Bytes>
void copy_column(std::byte* to, index_t row, const std::byte* from, index_t piece, index_t rows) {
  if constexpr (Bytes <= 16) {
    if (piece != Bytes) return copy_column<Bytes + 1>(to, row, from, piece, rows);
    for (index_t r = 0; r < rows; ++r) std::memcpy(to + r * row, from + r * Bytes, Bytes);
  } else {
    for (index_t r = 0; r < rows; ++r) copy_row(to + r * row, from + r * piece, piece);
  }
}

// to[r * operands + i] = from[i][r]: single elements of each operand in turn, which become shuffles.
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

}  // namespace tenon::kernels
