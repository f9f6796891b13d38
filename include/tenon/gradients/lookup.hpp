// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/reduction.hpp>

// Gradients of what reads and writes at indices.
namespace tenon::gradients {

// The start indices of a dynamic slice, behind its operand and, of an update, what is written.
template <class Op>
constexpr value with_indices(const Op& op, const auto& at, int first, std::initializer_list<value> operands,
                             const tensor_type& type) {
  int all[max_rank + 2]{}, count = 0;
  for (const value& each : operands) all[count++] = each.id;
  for (int i = first; i < at.operand_count() && count < max_rank + 2; ++i) all[count++] = at.x(i).id;
  return at.to().append(op, {all, count}, type);
}

// A row is added to the cotangent where that is, so that a loop over rows does not pass over all of them in each turn.
constexpr void pullback(const ops::dynamic_slice& op, const auto& at) {
  const tensor_type type = at.x(0).type();
  const value before = at.dx(0);
  value row = at.ct();
  if (before) row = row + with_indices(op, at, 1, {before}, row.type());
  const value into = before ? before : at.to().zeros(type);
  at.engine.set(at.x(0).id, with_indices(ops::dynamic_update_slice{}, at, 1, {into, row}, type));
}
constexpr void pushforward(const ops::dynamic_slice& op, const auto& at) {
  at.set(0, with_indices(op, at, 1, {at.dx(0)}, at.y().type()));
}
constexpr void pullback(const ops::dynamic_update_slice& op, const auto& at) {
  const value ct = at.ct();
  const tensor_type row = at.x(1).type();
  if (at.is_active(1)) at.give(1, with_indices(ops::dynamic_slice{row.shape}, at, 2, {ct}, row));
  if (at.is_active(0)) at.give(0, with_indices(op, at, 2, {ct, at.to().zeros(row)}, ct.type()));
}
constexpr void pushforward(const ops::dynamic_update_slice& op, const auto& at) {
  at.set(0, with_indices(op, at, 2, {at.tangent(0), at.tangent(1)}, at.y().type()));
}

// The index vectors moved to where whole windows lie inside.
constexpr value clamped_indices(value indices, const ops::window_numbers& n, const ints& shape, const ints& window) {
  const tensor_type type = indices.type();
  const bool has_vectors = n.index_vector_dim < type.rank();
  const int bits = int(num_bits(type.element)) - (is_unsigned_integer(type.element) ? 0 : 1);
  const index_t largest = bits >= 63 ? INT64_MAX : (index_t(1) << bits) - 1;
  ints last;
  for (index_t d : n.index_map) last.push(shape[d] - window[d] < largest ? shape[d] - window[d] : largest);
  index_t words[max_rank]{};
  for (int i = 0; i < last.size; ++i) words[i] = last.at[i];
  const tensor_type vector = type.with_shape(has_vectors ? ints{last.size} : ints{});
  const value limits = last.size == 0 && !has_vectors ? indices.to->integers(0, vector)
                                                      : indices.to->literal({words, last.size}, vector);
  const value all = broadcast(limits, has_vectors ? ints{n.index_vector_dim} : ints{}, type.shape);
  return apply_to(ops::minimum{}, apply_to(ops::maximum{}, indices, like(indices, 0)), all);
}
constexpr ops::gather gather_of(const ops::scatter& op, int rank, const ints& updates) {
  const scatter_dimension_numbers& n = op.scatter_dimension_numbers;
  ops::gather result;
  result.dimension_numbers = {n.update_window_dims,           n.inserted_window_dims,
                              n.input_batching_dims,          n.scatter_indices_batching_dims,
                              n.scatter_dims_to_operand_dims, n.index_vector_dim};
  result.slice_sizes = ops::window_shape(n.windows(), rank, updates);
  return result;
}
constexpr ops::scatter scatter_of(const gather_dimension_numbers& n) {
  ops::scatter result;
  result.scatter_dimension_numbers = {n.offset_dims,           n.collapsed_slice_dims,
                                      n.operand_batching_dims, n.start_indices_batching_dims,
                                      n.start_index_map,       n.index_vector_dim};
  return result;
}
// With the updates added to the operand, or in place of its elements.
constexpr value scatter(const ops::scatter& op, value operand, value indices, value updates, bool adds) {
  builder& to = *operand.to;
  const tensor_type type = operand.type(), scalar = type.with_shape({}), arguments[] = {scalar, scalar};
  const int body = region_with<1>(to, {arguments, 2}, [&](builder& inside, int first) {
    const value old = inside.at(first), update = inside.at(first + 1);
    return yielded<1>{{adds ? (old + update).id : update.id}};
  });
  const int operands[] = {operand.id, indices.id, updates.id};
  return to.at(to.emit_with_regions(op, {operands, 3}, {body}, {&type, 1}));
}
constexpr value gather(const ops::gather& op, value operand, value indices, const ints& shape) {
  return operand.to->emit(op, {operand, indices}, operand.type().with_shape(shape));
}
// Slices at index vectors as a scatter takes them: elements outside, which are not written, are zero. There is room
// for a window in front and behind.
constexpr value gather_with_zeros(const ops::gather& op, value operand, value indices, const ints& shape) {
  if (num_bits(indices.type().element) < 32) indices = convert(indices, dtype::i32);
  const ops::window_numbers n = op.dimension_numbers.windows();
  const bool has_vectors = n.index_vector_dim < indices.rank();
  const tensor_type vector = indices.type().with_shape(has_vectors ? ints{n.index_map.size} : ints{});
  ints room = ints::filled(operand.rank(), 0);
  index_t low[max_rank]{}, high[max_rank]{}, window[max_rank]{};
  for (int i = 0; i < n.index_map.size; ++i) {
    const index_t d = n.index_map[i], size = op.slice_sizes[d];
    room.set(d, size);
    low[i] = is_unsigned_integer(vector.element) ? 0 : -size, high[i] = operand.type().dim(d), window[i] = size;
  }
  const auto all = [&](const index_t* numbers) {
    const int count = has_vectors || n.index_map.size > 0 ? n.index_map.size : 1;
    return broadcast(indices.to->literal({numbers, count}, vector), has_vectors ? ints{n.index_vector_dim} : ints{},
                     indices.shape());
  };
  const value near = apply_to(ops::minimum{}, apply_to(ops::maximum{}, indices, all(low)), all(high));
  return gather(op, pad(operand, room, room, ints::filled(operand.rank(), 0)), near + all(window), shape);
}

constexpr unsigned linear_operands(const ops::gather&) { return 0b1; }
constexpr value transposed(const ops::gather& op, const auto& at, value ct, int) {
  const tensor_type type = at.x(0).type();
  const value inside = clamped_indices(at.x(1), op.dimension_numbers.windows(), type.shape, op.slice_sizes);
  return scatter(scatter_of(op.dimension_numbers), at.to().zeros(type), inside, ct, true);
}

// One tensor, whose updates are added or take the places of elements.
constexpr bool is_refused(const ops::scatter&, const auto& at, bool& adds) {
  const bool one = at.operand_count() == 3 && at.x(0).type().element == at.y().type().element;
  adds = one && is_region_of<ops::add>(at.g(), region_of(at));
  const bool fits = adds || (one && is_region_of_second(at.g(), region_of(at)));
  if (!fits) at.refuse("grad_scatter", "only updates of one tensor that are added or written have a rule");
  return !fits;
}
constexpr void pullback(const ops::scatter& op, const auto& at) {
  bool adds = false;
  if (is_refused(op, at, adds)) return;
  const value ct = at.ct(), indices = at.x(1);
  const tensor_type updates = at.x(2).type();
  const scatter_dimension_numbers& n = op.scatter_dimension_numbers;
  const ops::gather reading = gather_of(op, ct.rank(), updates.shape);
  if (at.is_active(0)) at.give(0, adds ? ct : scatter(op, ct, indices, at.to().zeros(updates), false));
  if (!at.is_active(2)) return;
  const value read = gather_with_zeros(reading, ct, indices, updates.shape);
  if (adds) return at.give(2, read);
  // Of the updates of one element the last is kept: its number is found there.
  const ints batch = ints::range(updates.rank()).without(n.update_window_dims);
  const ints batch_shape = updates.shape.select(batch);
  const tensor_type line = type_of(dtype::i32, {batch_shape.product()});
  const value numbers = broadcast(reshape(iota(at.to(), 0, line) + 1, batch_shape), batch, updates.shape);
  const value written = scatter(op, at.to().zeros(type_of(dtype::i32, ct.shape())), indices, numbers, false);
  at.give(2, where(equal(gather_with_zeros(reading, written, indices, updates.shape), numbers), read));
}
constexpr void pushforward(const ops::scatter& op, const auto& at) {
  bool adds = false;
  if (is_refused(op, at, adds)) return;
  at.set(0, scatter(op, at.tangent(0), at.x(1), at.tangent(2), adds));
}

// The elements stand where the second result says.
constexpr gather_dimension_numbers lines_of(const ops::top_k&, int rank) {
  const ints batch = ints::range(rank - 1);
  return {{}, {rank - 1}, batch, batch, {rank - 1}, rank};
}
constexpr void pullback(const ops::top_k& op, const auto& at) {
  const tensor_type type = at.x(0).type();
  at.give(0, scatter(scatter_of(lines_of(op, type.rank())), at.to().zeros(type), at.y(1), at.ct(), true));
}
constexpr void pushforward(const ops::top_k& op, const auto& at) {
  ops::gather reading;
  reading.dimension_numbers = lines_of(op, at.x(0).rank());
  reading.slice_sizes = ints::filled(at.x(0).rank(), 1);
  at.set(0, gather(reading, at.dx(0), at.y(1), at.y().shape()));
}

}  // namespace tenon::gradients
