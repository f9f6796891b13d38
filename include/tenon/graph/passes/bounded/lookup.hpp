// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/bounded/sizes.hpp>

namespace tenon::passes {

// Ops that find elements at computed places.
class sized_lookup : public size_keeper {
 public:
  using size_keeper::size_keeper;

  // The largest number of an integer type, as i64.
  static constexpr index_t largest(dtype element) {
    const int bits = num_bits(element) - (is_signed_integer(element) ? 1 : 0);
    return bits >= 63 ? INT64_MAX : (index_t{1} << bits) - 1;
  }
  constexpr int limited(int start, const extent& last) {
    const dtype element = type_of_target(start).element;
    return both(ops::minimum{}, start, convert(value_of(least(last, {-1, largest(element)})), element));
  }

  // A slice of this size is taken along dimension d of operand 0: where it may begin at last.
  constexpr extent last_start(int d, const extent& slice) {
    check(size_relation::AT_MOST, d, slice, size(0, d));
    return minus(size(0, d), slice);
  }

  constexpr bool rewrite(const ops::dynamic_slice& op) {
    dimension_sizes sizes;
    operand_list values = collected();
    for (int d = 0; d < result_type().rank(); ++d) {
      sizes.at[d] = dimension_size::full;
      const bool whole = op.slice_sizes[d] == operand_type(0).dim(d);
      if (whole && !is_dynamic(0, d)) sizes.at[d] = code(0, d);
      if (!is_dynamic(0, d)) continue;
      if (whole && result_type().is_bounded(d)) {
        sizes.at[d] = code(0, d);
        values.at[1 + d] = zero_like(operand(1 + d));
      } else {
        values.at[1 + d] = limited(operand(1 + d), last_start(d, {-1, op.slice_sizes[d]}));
      }
    }
    return give_each(write_again(values), sizes);
  }

  // Where the update may be smaller than its bound, the operand is made longer first, so that it fits everywhere, and
  // what its padding was written over comes back afterwards.
  constexpr bool rewrite(const ops::dynamic_update_slice&) {
    const int rank = result_type().rank();
    const tensor_type type = static_result();
    operand_list values = collected();
    ints longer = type.shape;
    int mask = -1;
    for (int d = 0; d < rank; ++d) {
      if (!is_dynamic(0, d) && !is_dynamic(1, d)) continue;
      const extent last = last_start(d, size(1, d));
      int start = limited(operand(2 + d), last);
      if (is_dynamic(1, d)) {
        start = both(ops::maximum{}, start, zero_like(start));
        const index_t room = type.dim(d);
        const int first = convert(start, dtype::i64), places = counting(room);
        const int behind = value_of(plus({first, 0}, size(1, d)));
        const int inside = both(ops::and_{}, compare(comparison_direction::GE, places, broadcast(first, {room})),
                                compare(comparison_direction::LT, places, broadcast(behind, {room})));
        mask = conjunction(mask, spread_along(inside, type.shape, d));
        longer.set(d, 2 * room);
        values.at[0] = add(ops::concatenate{d}, {values.at[0], values.at[0]}, type.with_shape(longer));
      }
      values.at[2 + d] = start;
    }
    int value = add_op(ops::dynamic_update_slice{}, values, type.with_shape(longer));
    if (mask >= 0) {
      const ops::slice front{ints::filled(rank, 0), type.shape, ints::filled(rank, 1)};
      value = choose(mask, add(front, {value}, type), operand(0));
    }
    return give_each(value, sizes_of(0));
  }

  constexpr bool rewrite(const ops::real_dynamic_slice&) {
    const int rank = result_type().rank();
    dimension_sizes sizes;
    int value = operand(0);
    for (int d = 0; d < rank; ++d) {
      const extent start = listed_number(1, d), limit = listed_number(2, d), stride = listed_number(3, d);
      if (operand_type(0).dim(d) == 0) return refuse(d);
      const int end = check(size_relation::AT_MOST, d, limit, size(0, d));
      check(size_relation::AT_MOST, d, start, {end, 0});
      const int step = value_of(most(stride, {-1, 1}));
      check(size_relation::AGREE, d, {step, 0}, stride);
      const index_t room = result_type().dim(d);
      sizes.at[d] = resolved(sliced(start, {end, 0}, {step, 0}), d, result_type(), true);
      const int places = both(ops::multiply{}, counting(room), broadcast(step, {room}));
      value = take(value, d, both(ops::add{}, places, broadcast(start.value, {room})));
    }
    return give_each(value, sizes);
  }

  // ---------- gather

  // The start indices (operand 1), no further than these last ones per entry of the map.
  constexpr int limited_indices(const gather_dimension_numbers& numbers, const extent* last) {
    const int indices = operand(1), count = numbers.start_index_map.size;
    const dtype element = type_of_target(indices).element;
    int limits[max_rank]{};
    for (int k = 0; k < count; ++k) limits[k] = convert(value_of(least(last[k], {-1, largest(element)})), element);
    const bool in_vectors = numbers.index_vector_dim < shape_of(indices).size;
    const int all = in_vectors
                        ? broadcast(listed({limits, count}, element), shape_of(indices), {numbers.index_vector_dim})
                        : broadcast(limits[0], shape_of(indices));
    return both(ops::minimum{}, indices, all);
  }
  // The sizes that the index vectors decide, and those of batching dimensions, which both operands have.
  constexpr dimension_sizes sizes_of_batches(const gather_dimension_numbers& numbers) {
    dimension_sizes sizes;
    int axis = 0;
    for (int d = 0; d < result_type().rank(); ++d) {
      if (numbers.offset_dims.contains(d)) continue;
      if (axis == numbers.index_vector_dim) ++axis;
      sizes.at[d] = code(1, axis);
      if (const int k = numbers.start_indices_batching_dims.find(axis); k >= 0) {
        const int along = int(numbers.operand_batching_dims[k]);
        sizes.at[d] = agree(sizes.at[d], code(0, along), along, operand_type(0).dim(along));
      }
      ++axis;
    }
    return sizes;
  }
  static constexpr ints sliced_dimensions(const gather_dimension_numbers& numbers, int rank) {
    return ints::range(rank).without(numbers.collapsed_slice_dims + numbers.operand_batching_dims);
  }

  constexpr bool rewrite(const ops::gather& op) {
    const gather_dimension_numbers& numbers = op.dimension_numbers;
    const int rank = operand_type(0).rank();
    dimension_sizes sizes = sizes_of_batches(numbers);
    const ints whole = sliced_dimensions(numbers, rank);
    extent last[max_rank];
    bool limits = false;
    for (int d = 0; d < rank; ++d) {
      const int k = whole.find(d), indexed = numbers.start_index_map.find(d);
      const index_t slice = op.slice_sizes[d];
      if (k >= 0) sizes.at[numbers.offset_dims[k]] = dimension_size::full;
      if (indexed >= 0) last[indexed] = {-1, operand_type(0).dim(d) - slice};
      if (numbers.operand_batching_dims.contains(d)) continue;
      const bool carries = k >= 0 && slice == operand_type(0).dim(d) &&
                           (!is_dynamic(0, d) || result_type().is_bounded(numbers.offset_dims[k]));
      if (carries) sizes.at[numbers.offset_dims[k]] = code(0, d);
      if (!is_dynamic(0, d) || carries) continue;
      const extent end = last_start(d, {-1, slice});
      if (indexed < 0) continue;
      last[indexed] = end;
      limits = true;
    }
    const int values[] = {operand(0), limits ? limited_indices(numbers, last) : operand(1)};
    return give_each(write_again({values, 2}), sizes);
  }

  // As gather with slices of the largest size, of which only the beginning counts; for these to be found wherever a
  // smaller one may begin, the operand is made longer.
  constexpr bool rewrite(const ops::dynamic_gather& op) {
    const gather_dimension_numbers& numbers = op.dimension_numbers;
    const int rank = operand_type(0).rank();
    dimension_sizes sizes = sizes_of_batches(numbers);
    const ints whole = sliced_dimensions(numbers, rank);
    extent last[max_rank];
    ops::gather fixed{numbers, ints::filled(rank, 1), op.indices_are_sorted};
    tensor_type longer = type_of_target(operand(0));
    int value = operand(0);
    for (int d = 0; d < rank; ++d) {
      if (numbers.operand_batching_dims.contains(d)) continue;
      const int k = whole.find(d), indexed = numbers.start_index_map.find(d);
      const extent slice = listed_number(2, d);
      if (k >= 0) {
        const int to = int(numbers.offset_dims[k]);
        fixed.slice_sizes.set(d, result_type().dim(to));
        sizes.at[to] = resolved(slice, to, result_type(), true);
      } else {
        exactly(slice.value, d, 1);
      }
      const extent end = last_start(d, slice);
      if (indexed < 0) continue;
      last[indexed] = end;
      longer.shape.set(d, 2 * longer.dim(d));
      value = add(ops::concatenate{d}, {value, value}, longer);
    }
    const int indices = numbers.start_index_map.empty() ? operand(1) : limited_indices(numbers, last);
    return give_each(add(fixed, {value, indices}, static_result()), sizes);
  }
};

}  // namespace tenon::passes
