// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/contraction.hpp>

#include <string_view>

// Gradients of LAPACK's calls for matrices of three diagonals.
namespace tenon::gradients {

// The results of a call again, of other operands.
constexpr int call_again(const ops::custom_call& op, const auto& at, list<int> operands) {
  growing_list<tensor_type> types;
  for (int r = 0; r < at.node.result_count; ++r) types.push(at.y(r).type());
  return at.to().emit_with_regions(op, operands, {}, types.all());
}

// Rows that stand `by` behind where they stood, and zeros.
constexpr value moved_along(value x, int dimension, index_t by) {
  const ints none = ints::filled(x.rank(), 0);
  ints low = none, high = none;
  low.set(dimension, by), high.set(dimension, -by);
  return pad(x, low, high, none);
}
// Of gtsv, T X = B: a diagonal, times the rows of X that it meets: below, on and above the main one.
constexpr value rows_met(const auto& at, int diagonal) {
  const value x = at.y(3);
  return diagonal == 1 ? x : moved_along(x, x.rank() - 2, 1 - diagonal);
}
// T dX = dB - dT X.
constexpr void push_tridiagonal(const ops::custom_call& op, const auto& at) {
  value moved = at.dx(3);
  for (int i = 0; i < 3; ++i) {
    if (!at.dx(i)) continue;
    const ints shape = at.y(3).shape();
    moved = moved - broadcast(at.dx(i), ints::range(shape.size - 1), shape) * rows_met(at, i);
    at.set(i, at.dx(i));
  }
  const int operands[] = {at.x(0).id, at.x(1).id, at.x(2).id, moved.id};
  if (moved) at.set(3, at.to().at(call_again(op, at, {operands, 4}) + 3));
}
// The transpose of T has its diagonals below and above in each other's place, moved by an element.
constexpr void pull_tridiagonal(const ops::custom_call& op, const auto& at) {
  for (int i = 0; i < 3; ++i) at.give(i, at.ct(i));
  if (!at.ct(3)) return;
  const int last = at.x(0).rank() - 1;
  const int operands[] = {moved_along(at.x(2), last, 1).id, at.x(1).id, moved_along(at.x(0), last, -1).id, at.ct(3).id};
  const value ct = at.to().at(call_again(op, at, {operands, 4}) + 3);
  at.give(3, ct);
  for (int i = 0; i < 3; ++i)
    if (at.is_active(i)) at.give(i, -sum(ct * rows_met(at, i), {last + 1}));
}

constexpr bool is_tridiagonal(std::string_view name) { return same_text(name, "gtsv"); }

}  // namespace tenon::gradients
