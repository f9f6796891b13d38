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

// A row is added to the cotangent where that is, so that a loop over rows does not touch all of them in each iteration.
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
constexpr unsigned linear_operands(const ops::dynamic_update_slice&) { return 0b11; }
constexpr value transposed(const ops::dynamic_update_slice& op, const auto& at, value ct, int i) {
  const tensor_type row = at.x(1).type();
  return i == 1 ? with_indices(ops::dynamic_slice{row.shape}, at, 2, {ct}, row)
                : with_indices(op, at, 2, {ct, at.to().zeros(row)}, ct.type());
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
// With the updates added to the operand, multiplied with it, or in place of its elements.
enum class updating { adds, scales, writes, extremum, other };
constexpr value scatter(const ops::scatter& op, value operand, value indices, value updates, updating how) {
  builder& to = *operand.to;
  const tensor_type type = operand.type(), scalar = type.with_shape({}), arguments[] = {scalar, scalar};
  const int body = region_with(to, {arguments, 2}, [&](builder& inside, int first) {
    const value old = inside.at(first), update = inside.at(first + 1);
    const value scaled = how == updating::scales ? old * update : update;
    return std::array<int, 1>{{how == updating::adds ? (old + update).id : scaled.id}};
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

constexpr value transposed(const ops::gather& op, const auto& at, value ct, int) {
  const tensor_type type = at.x(0).type();
  const value inside = clamped_indices(at.x(1), op.dimension_numbers.windows(), type.shape, op.slice_sizes);
  return scatter(scatter_of(op.dimension_numbers), at.to().zeros(type), inside, ct, updating::adds);
}

constexpr updating updating_of(const auto& at) {
  const graph& g = at.g();
  const int region = region_of(at);
  if (at.operand_count() != 3 || at.x(0).type().element != at.y().type().element) return updating::other;
  if (is_region_of<ops::add>(g, region)) return updating::adds;
  if (is_region_of<ops::multiply>(g, region) && !at.is_active(2)) return updating::scales;
  if (is_region_of_second(g, region)) return updating::writes;
  const bool is_ordered = is_float(at.y().type().element);
  const bool extremum = is_region_of<ops::minimum>(g, region) || is_region_of<ops::maximum>(g, region);
  return is_ordered && extremum ? updating::extremum : updating::other;
}
// Elements that one update each changes are read, combined with it, and written.
constexpr bool decomposes(const ops::scatter&, const auto& at) { return updating_of(at) == updating::other; }
constexpr void decomposed(const ops::scatter& op, const auto& at, value* y) {
  if (at.operand_count() != 3 || !op.unique_indices || !works_by_element(at.g(), region_of(at)))
    return at.refuse("grad_scatter",
                     "updates of one tensor that are neither added, written, minima nor maxima have a rule if "
                     "unique_indices says that no two meet, and if their body works element by element");
  const value x = convert(at.x(0), at.y().type().element), updates = convert(at.x(2), x.type().element);
  const value read = gather_with_zeros(gather_of(op, x.rank(), updates.shape()), x, at.x(1), updates.shape());
  const int arguments[] = {read.id, updates.id};
  int written = -1;
  apply_body(at.to(), region_of(at), {arguments, 2}, updates.shape(), &written);
  y[0] = scatter(op, x, at.x(1), at.to().at(written), updating::writes);
}
constexpr bool linearizes(const ops::scatter&, const auto& at) { return updating_of(at) == updating::extremum; }
constexpr void pullback(const ops::scatter& op, const auto& at) {
  const updating kind = updating_of(at);
  const value indices = at.x(1);
  const value ct = at.ct();
  const tensor_type updates = at.x(2).type();
  const scatter_dimension_numbers& n = op.scatter_dimension_numbers;
  const ops::gather reading = gather_of(op, ct.rank(), updates.shape);
  if (kind == updating::scales) return at.give(0, scatter(op, ct, indices, at.x(2), kind));
  const bool adds = kind == updating::adds;
  if (at.is_active(0)) at.give(0, adds ? ct : scatter(op, ct, indices, at.to().zeros(updates), updating::writes));
  if (!at.is_active(2)) return;
  const value read = gather_with_zeros(reading, ct, indices, updates.shape);
  if (adds) return at.give(2, read);
  // Of the updates of one element the last is kept: its number is found there.
  const ints batch = ints::range(updates.rank()).without(n.update_window_dims);
  const ints batch_shape = updates.shape.select(batch);
  const tensor_type line = type_of(dtype::i32, {batch_shape.product()});
  const value numbers = broadcast(reshape(iota(at.to(), 0, line) + 1, batch_shape), batch, updates.shape);
  const value written = scatter(op, at.to().zeros(type_of(dtype::i32, ct.shape())), indices, numbers, updating::writes);
  at.give(2, where(equal(gather_with_zeros(reading, written, indices, updates.shape), numbers), read));
}
constexpr void pushforward(const ops::scatter& op, const auto& at) {
  const updating kind = updating_of(at);
  if (kind == updating::extremum) {
    // The elements and updates that reach the result share its tangent.
    const value x = at.x(0), more = at.x(2), indices = at.x(1), of_operand = where(equal(x, at.y()), like(x, 1));
    const value reached = gather_with_zeros(gather_of(op, x.rank(), more.shape()), at.y(), indices, more.shape());
    const value of_updates = where(equal(more, reached), like(more, 1));
    return at.set(0, scatter(op, at.tangent(0) * of_operand, indices, at.tangent(2) * of_updates, updating::adds) /
                         scatter(op, of_operand, indices, of_updates, updating::adds));
  }
  const value updates = kind == updating::scales ? at.x(2) : at.tangent(2);
  at.set(0, scatter(op, at.tangent(0), at.x(1), updates, kind));
}

// The elements stand where the second result says.
constexpr void pushforward(const ops::top_k&, const auto& at) {
  const int rank = at.x(0).rank();
  const ints batch = ints::range(rank - 1);
  ops::gather reading;
  reading.dimension_numbers = {{}, {rank - 1}, batch, batch, {rank - 1}, rank};
  reading.slice_sizes = ints::filled(rank, 1);
  at.set(0, gather(reading, at.dx(0), at.y(1), at.y().shape()));
}

constexpr void decomposed(const ops::torch_index_select& op, const auto& at, value* y) {
  const value x = at.x(0), index = at.x(1);
  const int batches = int(op.batch_dims), dim = int(op.dim), more = index.rank() - batches;
  ops::gather reading;
  gather_dimension_numbers& n = reading.dimension_numbers;
  for (int d = batches; d < x.rank(); ++d)
    if (d != dim) n.offset_dims.push(d < dim ? d : d - 1 + more);
  n.collapsed_slice_dims = n.start_index_map = ints{op.dim};
  n.operand_batching_dims = n.start_indices_batching_dims = ints::range(batches);
  n.index_vector_dim = index.rank();
  for (int d = 0; d < x.rank(); ++d) reading.slice_sizes.push(d < batches || d == dim ? 1 : x.shape()[d]);
  y[0] = gather(reading, x, index, at.y().shape());
}

// Slices that operands describe: as gathers, along one dimension after the other.

// The elements along a dimension that stand at these indices, which are inside.
constexpr value take(value x, index_t dimension, value indices) {
  ops::gather reading;
  const ints along{dimension};
  reading.dimension_numbers = {ints::range(x.rank()).without(along), along, {}, {}, along, 1};
  reading.slice_sizes = x.type().with_size(dimension, 1).shape;
  return gather(reading, x, indices, x.type().with_size(dimension, indices.shape()[0]).shape);
}
// Element d of an operand that lists sizes, in each element of a line of `count`.
constexpr value listed(value list, index_t d, index_t count) {
  if (num_bits(list.type().element) < 32) list = convert(list, dtype::i32);
  return broadcast(reshape(slice(list, {d}, {d + 1}, {1}), {}), {}, {count});
}
constexpr void decomposed(const ops::real_dynamic_slice&, const auto& at, value* y) {
  const ints shape = at.y().shape();
  y[0] = at.x(0);
  for (int d = 0; d < shape.size && shape.product() > 0; ++d) {
    const value start = listed(at.x(1), d, shape[d]), step = listed(at.x(3), d, shape[d]);
    y[0] = take(y[0], d, start + iota(at.to(), 0, start.type()) * step);
  }
  if (shape.product() == 0) y[0] = at.to().zeros(at.y().type());
}
// Where an element of x is read, and else the number: `low` in front of x and `interior` between its elements.
constexpr value pad_by(value x, value with, value low, value interior, const ints& shape) {
  builder& to = *x.to;
  value is_read;
  if (x.shape().product() == 0 || shape.product() == 0) return broadcast(with, {}, shape);
  for (int d = 0; d < shape.size; ++d) {
    const value place = iota(to, 0, listed(low, d, shape[d]).type()) - listed(low, d, shape[d]);
    const value step = listed(interior, d, shape[d]) + 1, index = apply_to(ops::divide{}, place, step);
    const index_t size = x.shape()[d];
    const value inside =
        both(both(compare(place, comparison_direction::GE, like(place, 0)), less(index, like(index, double(size)))),
             equal(index * step, place));
    is_read = is_read ? both(is_read, broadcast(inside, {d}, shape)) : broadcast(inside, {d}, shape);
    x = take(x, d,
             apply_to(ops::minimum{}, apply_to(ops::maximum{}, index, like(index, 0)), like(index, double(size - 1))));
  }
  const value outside = broadcast(with, {}, shape);
  return is_read ? select(is_read, x, outside) : x;
}
constexpr void decomposed(const ops::dynamic_pad&, const auto& at, value* y) {
  y[0] = pad_by(at.x(0), at.x(1), at.x(2), at.x(4), at.y().shape());
}
constexpr void decomposed(const ops::dynamic_gather& op, const auto& at, value* y) {
  ops::gather reading;
  const gather_dimension_numbers& n = reading.dimension_numbers = op.dimension_numbers;
  reading.indices_are_sorted = op.indices_are_sorted;
  for (int d = 0, offset = 0; d < at.x(0).rank(); ++d) {
    const bool is_one = n.collapsed_slice_dims.contains(d) || n.operand_batching_dims.contains(d);
    reading.slice_sizes.push(is_one ? 1 : at.y().shape()[n.offset_dims[offset++]]);
  }
  y[0] = gather(reading, at.x(0), at.x(1), at.y().shape());
}
// The padding of the images is written as theirs.
constexpr void decomposed(const ops::dynamic_conv& op, const auto& at, value* y) {
  const convolution_dimension_numbers& n = op.dimension_numbers;
  value x = at.x(0), low = at.x(2);
  const dtype index = num_bits(low.type().element) < 32 ? dtype::i32 : low.type().element;
  const tensor_type line = type_of(index, {x.rank()});
  value edges = at.to().zeros(line), between = edges;
  ints shape = x.shape();
  low = convert(low, index);
  for (int s = 0; s < n.input_spatial_dimensions.size; ++s) {
    const index_t d = n.input_spatial_dimensions[s];
    const index_t window =
        dilated_size(at.x(1).type().dim(n.kernel_spatial_dimensions[s]), step_of(op.rhs_dilation, s));
    const index_t results =
        dilated_size(at.y().type().dim(n.output_spatial_dimensions[s]), step_of(op.window_strides, s));
    shape.set(d, results > 0 ? results + window - 1 : 0);
    const value here = convert(equal(iota(at.to(), 0, line), at.to().integers(d, line)), index);
    edges = edges + here * broadcast(reshape(slice(low, {s, 0}, {s + 1, 1}, {1, 1}), {}), {}, line.shape);
    between = between + here * at.to().integers(step_of(op.lhs_dilation, s) - 1, line);
  }
  x = pad_by(x, at.to().zeros(x.type().with_shape({})), edges, between, shape);
  ops::convolution plain = op.with_padding({});
  plain.lhs_dilation = {};
  y[0] = at.to().emit(plain, {x, at.x(1)}, at.y().type());
}
}  // namespace tenon::gradients
