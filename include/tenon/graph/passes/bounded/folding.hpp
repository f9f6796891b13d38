// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/bounded/regions.hpp>

namespace tenon::passes {

// Ops that combine elements by their regions, in windows or along dimensions: sums, sorting, scans, scatters.
class sized_folding : public size_keeper {
 public:
  constexpr explicit sized_folding(bounded_progress& progress) : size_keeper(progress), regions_(progress) {}

  constexpr bool rewrite(const ops::reduce& op) {
    const int n = node_.operand_count / 2, rank = operand_type(0).rank();
    dimension_sizes all, kept, folded;
    int axis = 0;
    for (int d = 0; d < rank; ++d) {
      for (int i = 0; i < n; ++i) all.at[d] = agree(all.at[d], code(i, d), d, operand_type(0).dim(d));
      (op.dimensions.contains(d) ? folded.at[d] : kept.at[axis++]) = all.at[d];
    }
    if (regions_.marks_elements(node_)) {
      operand_list values = collected(n);
      values.push(mask_or_truth(operand_type(0).shape, folded));
      for (int i = 0; i < n; ++i) values.push(operand(n + i));
      values.push(constant(type_of(dtype::i1), 1));
      return give_each(write_marked(values, result_type().shape), kept);
    }
    operand_list values = collected();
    if (const int mask = mask_within(operand_type(0).shape, folded); mask >= 0) {
      index_t bits = 0;
      neutral_bits(facts_of_body(from_, node_).neutral, operand_type(0).element, bits);
      values.at[0] = keep(mask, operand(0), constant(operand_type(0).with_shape({}), bits));
    }
    return give_each(write_again(values), kept);
  }

  // Behind the elements there is padding, which has the initial value in any case.
  constexpr bool rewrite(const ops::reduce_window& op) {
    const int n = node_.operand_count / 2, rank = operand_type(0).rank();
    dimension_sizes all, under;
    for (int d = 0; d < rank; ++d) {
      for (int i = 0; i < n; ++i) all.at[d] = pinned(agree(all.at[d], code(i, d), d, operand_type(0).dim(d)));
      const ops::window_axis axis = op.window().axis(operand_type(0).shape, d);
      if (all.at[d] < 0 || is_single(axis)) continue;
      under.at[d] = all.at[d];
      all.at[d] = resolved(window_count({all.at[d], 0}, axis), d, result_type(), false);
    }
    operand_list values;
    const int mask = mask_within(operand_type(0).shape, under);
    for (int i = 0; i < n; ++i) values.push(keep(mask, operand(i), operand(n + i)));
    for (int i = 0; i < n; ++i) values.push(operand(n + i));
    return give_each(write_again(values), all);
  }
  // Where an operand may be smaller under windows, what they select is found by a reduce_window that is told which
  // elements count and carries their positions along, and scattered there. Windows that select nothing have position
  // -1.
  constexpr bool rewrite(const ops::select_and_scatter& op) {
    const int rank = result_type().rank();
    const ints &shape = operand_type(0).shape, &windows_shape = operand_type(1).shape;
    dimension_sizes sizes, under, windows;
    for (int d = 0; d < rank; ++d) {
      const ops::window_axis axis = op.window().axis(shape, d);
      if (is_single(axis)) {
        sizes.at[d] = windows.at[d] = agree(code(0, d), code(1, d), d, shape[d]);
      } else if (is_dynamic(0, d)) {
        sizes.at[d] = under.at[d] = code(0, d);
        windows.at[d] = value_of(window_count({sizes.at[d], 0}, axis));
        agree(windows.at[d], code(1, d), d, windows_shape[d]);
      } else {
        sizes.at[d] = pinned(code(0, d));
        windows.at[d] = exactly(code(1, d), d, windows_shape[d]);
      }
    }
    if (!regions_.marks_elements(node_)) return give_each(write_again(), sizes);
    const list<int> bodies = from_.regions_of(node_);
    const int select = memory_.regions.data[bodies.data[0]], scatter = memory_.regions.data[bodies.data[1]];
    const index_t count = shape.product(), places_count = windows_shape.product();
    const tensor_type number = type_of(dtype::i64), mark = type_of(dtype::i1);
    const int none = constant(number, -1);
    const int inputs[] = {
        operand(0),       reshape(counting(count), shape), mask_within(shape, under), zero_like(operand(0)), none,
        constant(mark, 0)};
    const tensor_type selected[] = {type_of_target(operand(0)).with_shape(windows_shape),
                                    number.with_shape(windows_shape), mark.with_shape(windows_shape)};
    const ops::reduce_window find{op.window_dimensions, op.window_strides, {}, {}, op.padding};
    const int found = add_with_bodies(find, {inputs, 6}, {&select, 1}, {selected, 3});
    const int there = conjunction(found + 2, mask_within(windows_shape, windows));
    const int places = reshape(keep(there, found + 1, none), {places_count});
    ops::scatter put;
    put.scatter_dimension_numbers.inserted_window_dims = {0};
    put.scatter_dimension_numbers.scatter_dims_to_operand_dims = {0};
    put.scatter_dimension_numbers.index_vector_dim = 1;
    const int updates[] = {broadcast(operand(2), {count}), places, reshape(operand(1), {places_count})};
    const tensor_type flat = static_result().with_shape({count});
    return give_each(reshape(add_with_bodies(put, {updates, 3}, {&scatter, 1}, {&flat, 1}), shape), sizes);
  }

  // Padding is the least there is, and comes last among equal ones; there are at least k others.
  constexpr bool rewrite(const ops::top_k& op) {
    const tensor_type type = type_of_target(operand(0));
    const int last = type.rank() - 1, width = num_bits(type.element);
    dimension_sizes sizes = sizes_of(0), sorted;
    int value = operand(0);
    if (is_dynamic(0, last)) {
      check(size_relation::AT_MOST, last, {-1, op.k}, size(0, last));
      sorted.at[last] = sizes.at[last];
      index_t least = 0;
      if (is_float(type.element))
        least = index_t(~std::uint64_t{0} >> (64 - width));
      else if (is_signed_integer(type.element))
        least = -index_t((std::uint64_t{1} << (width - 1)) - 1) - 1;
      value = keep(mask_within(type.shape, sorted), value, constant(type.with_shape({}), least));
    }
    sizes.at[last] = dimension_size::full;
    return give_each(write_again({&value, 1}), sizes);
  }

  // Iterations beyond the size leave the carries as they are.
  constexpr bool rewrite(const ops::scan& op) {
    const int inputs = int(op.operand_segment_sizes[0]), along = int(op.dimension);
    int turns = dimension_size::unset;
    index_t bound = 0;
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < operand_type(i).rank(); ++d)
        if (i < inputs && d == along)
          turns = agree(turns, code(i, d), d, bound = operand_type(i).dim(d));
        else if (is_dynamic(i, d))
          return refuse(d, sized_body);
    operand_list values = collected(inputs);
    ops::scan marked = op;
    if (regions_.marks_elements(node_)) {
      values.push(reshape(below({turns, 0}, bound), ints::filled(along, 1) + ints{bound}));
      marked.operand_segment_sizes.set(0, inputs + 1);
    }
    for (int i = inputs; i < node_.operand_count; ++i) values.push(operand(i));
    const int body = memory_.regions.data[from_.regions_of(node_).data[0]];
    tensor_type types[operand_list::most];
    if (node_.result_count > operand_list::most) return refuse(-1);
    for (int r = 0; r < node_.result_count; ++r) types[r] = static_result(r);
    const int results = add_with_bodies(marked, values, {&body, 1}, {types, node_.result_count});
    for (int r = 0; r < node_.result_count; ++r) {
      dimension_sizes sizes;
      for (int& each : sizes.at) each = dimension_size::full;
      if (r < op.result_segment_sizes[0]) sizes.at[along] = turns;
      give(r, results + r, sizes);
    }
    return true;
  }
  static constexpr const char* sized_body =
      "the body would have to know the size of this dimension: give the dimension a static size first";

  // Padding comes last, whatever the comparator says of it.
  constexpr bool rewrite(const ops::sort& op) {
    const int rank = operand_type(0).rank(), n = node_.operand_count;
    const int along = int(op.dimension < 0 ? op.dimension + rank : op.dimension);
    dimension_sizes all, sorted;
    for (int d = 0; d < rank; ++d)
      for (int i = 0; i < n; ++i) all.at[d] = agree(all.at[d], code(i, d), d, operand_type(0).dim(d));
    all.at[along] = pinned(all.at[along]);
    if (!regions_.marks_elements(node_)) return give_each(write_again(), all);
    sorted.at[along] = all.at[along];
    operand_list values = collected();
    values.push(mask_or_truth(operand_type(0).shape, sorted));
    return give_each(write_marked(values, operand_type(0).shape), all);
  }

  // Updates that are padding are marked, and leave the input as it is.
  constexpr bool rewrite(const ops::scatter& op) {
    const scatter_dimension_numbers& numbers = op.scatter_dimension_numbers;
    const int n = node_.operand_count / 2, rank = operand_type(0).rank(), update_rank = operand_type(n + 1).rank();
    dimension_sizes sizes, updates;
    for (int d = 0; d < rank; ++d)
      for (int i = 0; i < n; ++i) sizes.at[d] = agree(sizes.at[d], code(i, d), d, operand_type(0).dim(d));
    for (int d = 0; d < update_rank; ++d)
      for (int i = 0; i < n; ++i)
        updates.at[d] = agree(updates.at[d], code(n + 1 + i, d), d, operand_type(n + 1).dim(d));
    int axis = 0;
    for (int d = 0; d < update_rank; ++d) {
      if (numbers.update_window_dims.contains(d)) continue;
      if (axis == numbers.index_vector_dim) ++axis;
      updates.at[d] = agree(updates.at[d], code(n, axis), d, operand_type(n + 1).dim(d));
      if (const int k = numbers.scatter_indices_batching_dims.find(axis); k >= 0) {
        const int along = int(numbers.input_batching_dims[k]);
        updates.at[d] = agree(updates.at[d], sizes.at[along], along, operand_type(0).dim(along));
      }
      ++axis;
    }
    const ints inside = ints::range(rank).without(numbers.inserted_window_dims + numbers.input_batching_dims);
    for (int k = 0; k < inside.size; ++k) {
      const int d = int(inside[k]), u = int(numbers.update_window_dims[k]);
      const extent window = extent_of(updates.at[u], operand_type(n + 1).dim(u));
      const extent room = extent_of(sizes.at[d], operand_type(0).dim(d));
      if (canonical(updates.at[u]) != canonical(sizes.at[d]) && !(window.is_known() && room.is_known()))
        check(size_relation::AT_MOST, u, window, room);
    }
    if (!regions_.marks_elements(node_)) return give_each(write_again(), sizes);
    operand_list values = collected(n);
    values.push(truth(operand_type(0).shape));
    for (int i = n; i < node_.operand_count; ++i) values.push(operand(i));
    values.push(mask_or_truth(operand_type(n + 1).shape, updates));
    return give_each(write_marked(values, operand_type(0).shape), sizes);
  }

 private:
  // With a result more: which elements count.
  constexpr int write_marked(list<int> values, const ints& shape) {
    const tensor_type mark = type_of(dtype::i1, shape);
    return write_again(values, {&mark, 1});
  }

  sized_regions regions_;
};

}  // namespace tenon::passes
