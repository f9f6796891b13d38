// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/bounded/movement.hpp>

#include <bit>

namespace tenon::detail {

// Ops that mix elements along a dimension: sums, windows, products, sorting.
class sized_folding : public sized_movement {
 public:
  using sized_movement::sized_movement;

 protected:
  // ---------- bodies

  // The op that the body of the op at hand consists of, on its two arguments; -1 if it is something else.
  constexpr int only_op_of_body(const graph_node& node) const {
    const graph_region& body = from_.regions.data[from_.regions_of(node).data[0]];
    if (body.argument_count != 2 || body.yield_count != 1 || body.last - body.first != 1) return -1;
    const graph_node& only = from_.nodes.data[body.first];
    if (only.operand_count != 2 || only.result_count != 1 || from_.yields_of(body).data[0] != only.results) return -1;
    const list<int> operands = from_.operands_of(only);
    const int a = operands.data[0] - body.arguments, b = operands.data[1] - body.arguments;
    const bool both_arguments = (a == 0 && b == 1) || (a == 1 && b == 0);
    const tensor_type& element = from_.type_of_value(body.arguments);
    const bool as_it_is = element == from_.type_of_value(from_.operands_of(node).data[0]).with_shape({});
    return both_arguments && as_it_is && !element.is_quantized() ? only.kind : -1;
  }

  // The number that an op leaves other numbers alone with; false if it is not known here.
  static constexpr bool neutral(int kind, dtype element, index_t& bits) {
    const bool plain_float =
        element == dtype::f16 || element == dtype::bf16 || element == dtype::f32 || element == dtype::f64;
    const int width = num_bits(element);
    const bool whole = is_integer(element) || is_boolean(element);
    if (kind == kind_of_op<ops::add>) {
      // x + -0 is x for every x.
      bits = plain_float ? index_t(std::uint64_t{1} << (width - 1)) : 0;
      return plain_float || whole;
    }
    if (kind == kind_of_op<ops::multiply>) {
      bits = 1;
      if (plain_float) {
        const auto format = format_of(element);
        bits = index_t(std::uint64_t(format.bias) << format.mantissa_bits);
      }
      return plain_float || whole;
    }
    if (kind == kind_of_op<ops::and_>) return bits = is_boolean(element) ? 1 : -1, whole;
    if (kind == kind_of_op<ops::or_> || kind == kind_of_op<ops::xor_>) return bits = 0, whole;
    const bool highest = kind == kind_of_op<ops::minimum>;
    if (!highest && kind != kind_of_op<ops::maximum>) return false;
    if (is_boolean(element)) return bits = highest ? 1 : 0, true;
    if (is_unsigned_integer(element)) return bits = highest ? index_t(~std::uint64_t{0} >> (64 - width)) : 0, true;
    if (is_integer(element)) {
      const index_t most = index_t((std::uint64_t{1} << (width - 1)) - 1);
      return bits = highest ? most : -most - 1, true;
    }
    if (!plain_float) return false;
    const auto format = format_of(element);
    const std::uint64_t infinity = ((std::uint64_t{1} << (width - 1 - format.mantissa_bits)) - 1)
                                   << format.mantissa_bits;
    bits = index_t(highest ? infinity : infinity | std::uint64_t{1} << (width - 1));
    return true;
  }

  // Whether the body of the node gets one more argument on either side: whether the element counts.
  constexpr bool marks_elements(const graph_node& node) {
    const auto any = [&](int operand, int dimension) {
      return canonical(memory_.sizes.data[from_.operands.data[node.operands + operand] * max_rank + dimension]) >= 0;
    };
    const auto rank_of = [&](int operand) {
      return from_.type_of_value(from_.operands.data[node.operands + operand]).rank();
    };
    if (node.kind == kind_of_op<ops::reduce>) {
      index_t bits = 0;
      bool dynamic = false;
      const ops::reduce op = read_attributes<ops::reduce>(from_.words.data + node.words);
      for (int i = 0; i < node.operand_count / 2; ++i)
        for (index_t d : op.dimensions) dynamic = dynamic || any(i, int(d));
      const dtype element = from_.type_of_value(from_.operands.data[node.operands]).element;
      return dynamic && !neutral(only_op_of_body(node), element, bits);
    }
    if (node.kind == kind_of_op<ops::sort>) {
      const ops::sort op = read_attributes<ops::sort>(from_.words.data + node.words);
      const int along = int(op.dimension < 0 ? op.dimension + rank_of(0) : op.dimension);
      for (int i = 0; i < node.operand_count; ++i)
        if (any(i, along)) return true;
    }
    if (node.kind == kind_of_op<ops::scan>) {
      const auto op = read_attributes<ops::scan>(from_.words.data + node.words);
      for (int i = 0; i < int(op.operand_segment_sizes[0]); ++i)
        if (any(i, int(op.dimension))) return true;
    }
    if (node.kind == kind_of_op<ops::select_and_scatter>) {
      const auto op = read_attributes<ops::select_and_scatter>(from_.words.data + node.words);
      const ints& shape = from_.type_of_value(from_.operands.data[node.operands]).shape;
      for (int d = 0; d < rank_of(0); ++d)
        if (any(0, d) && !is_single(windows_of(op).axis(shape, d))) return true;
    }
    if (node.kind == kind_of_op<ops::scatter>)
      for (int i = node.operand_count / 2; i < node.operand_count; ++i)
        for (int d = 0; d < rank_of(i); ++d)
          if (any(i, d)) return true;
    return false;
  }

  constexpr int truth(const ints& shape) { return broadcast(constant(type_of(dtype::i1), 1), shape); }
  constexpr int mask_or_truth(const ints& shape, const dimension_sizes& sizes) {
    const int mask = mask_within(shape, sizes);
    return mask < 0 ? truth(shape) : mask;
  }

  // ---------- reductions

  constexpr bool size_reduce(const ops::reduce& op) {
    const int n = node_.operand_count / 2, rank = operand_type(0).rank();
    dimension_sizes all, kept, folded;
    int axis = 0;
    for (int d = 0; d < rank; ++d) {
      for (int i = 0; i < n; ++i) all.at[d] = agree(all.at[d], code(i, d), d, operand_type(0).dim(d));
      (op.dimensions.contains(d) ? folded.at[d] : kept.at[axis++]) = all.at[d];
    }
    bool dynamic = false;
    for (int code : folded.at) dynamic = dynamic || code >= 0;
    operand_list values;
    index_t bits = 0;
    int results = 0;
    if (marks_elements(node_)) {
      const ints& shape = operand_type(0).shape;
      for (int i = 0; i < n; ++i) values.push(operand(i));
      values.push(mask_or_truth(shape, folded));
      for (int i = 0; i < n; ++i) values.push(operand(n + i));
      values.push(constant(type_of(dtype::i1), 1));
      const tensor_type mark = type_of(dtype::i1, result_type().shape);
      results = write_again(values, {&mark, 1});
    } else {
      collect(values);
      if (dynamic) {
        neutral(only_op_of_body(node_), operand_type(0).element, bits);
        values.at[0] = keep(mask_within(operand_type(0).shape, folded), operand(0),
                            constant(operand_type(0).with_shape({}), bits));
      }
      results = write_again(values);
    }
    for (int i = 0; i < n; ++i) give(i, results + i, kept);
    return true;
  }

  // Behind the elements there is padding, which has the initial value in any case.
  constexpr bool size_reduce_window(const ops::reduce_window& op) {
    const int n = node_.operand_count / 2, rank = operand_type(0).rank();
    dimension_sizes all, under;
    for (int d = 0; d < rank; ++d) {
      for (int i = 0; i < n; ++i) all.at[d] = firm(agree(all.at[d], code(i, d), d, operand_type(0).dim(d)));
      const window_axis axis = op.window().axis(operand_type(0).shape, d);
      if (all.at[d] < 0 || is_single(axis)) continue;
      under.at[d] = all.at[d];
      all.at[d] = settled(window_count({all.at[d], 0}, axis), d, result_type(), false);
    }
    operand_list values;
    const int mask = mask_within(operand_type(0).shape, under);
    for (int i = 0; i < n; ++i) values.push(keep(mask, operand(i), operand(n + i)));
    for (int i = 0; i < n; ++i) values.push(operand(n + i));
    const int results = write_again(values);
    for (int i = 0; i < n; ++i) give(i, results + i, all);
    return true;
  }
  static constexpr bool is_single(const window_axis& axis) {
    return axis.window == 1 && axis.stride == 1 && axis.base_dilation == 1 && axis.low == 0 && axis.high == 0;
  }
  static constexpr index_t dilated_window(index_t window, index_t dilation) {
    return window <= 0 ? 0 : saturating_add(saturating_multiply(window - 1, dilation), 1);
  }
  constexpr extent window_count(const extent& size, const window_axis& axis) {
    return windows(plus(dilated(size, {-1, axis.base_dilation}), {-1, saturating_add(axis.low, axis.high)}),
                   dilated_window(axis.window, axis.window_dilation), axis.stride);
  }

  static constexpr window_attributes windows_of(const ops::select_and_scatter& op) {
    return {op.window_dimensions, op.window_strides, {}, {}, op.padding};
  }
  // Where an operand may be smaller under windows, what they select is found by a reduce_window that is told which
  // elements count and carries their positions along, and scattered there. Windows that select nothing have position
  // -1.
  constexpr bool size_select_and_scatter(const ops::select_and_scatter& op) {
    const int rank = result_type().rank();
    const ints &shape = operand_type(0).shape, &windows_shape = operand_type(1).shape;
    dimension_sizes sizes, under, windows;
    for (int d = 0; d < rank; ++d) {
      const window_axis axis = windows_of(op).axis(shape, d);
      if (is_single(axis)) {
        sizes.at[d] = windows.at[d] = agree(code(0, d), code(1, d), d, shape[d]);
      } else if (is_dynamic(0, d)) {
        sizes.at[d] = under.at[d] = code(0, d);
        windows.at[d] = value_of(window_count({sizes.at[d], 0}, axis));
        agree(windows.at[d], code(1, d), d, windows_shape[d]);
      } else {
        sizes.at[d] = firm(code(0, d));
        windows.at[d] = exactly(code(1, d), d, windows_shape[d]);
      }
    }
    if (!marks_elements(node_)) {
      give(0, write_again(), sizes);
      return true;
    }
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
    give(0, reshape(add_with_bodies(put, {updates, 3}, {&scatter, 1}, {&flat, 1}), shape), sizes);
    return true;
  }

  // Padding is the least there is, and comes last among equal ones; there are at least k others.
  constexpr bool size_top_k(const ops::top_k& op) {
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
    const int results = write_again({&value, 1});
    for (int i = 0; i < 2; ++i) give(i, results + i, sizes);
    return true;
  }

  // Of turns behind the size, the carries know nothing.
  constexpr bool size_scan(const ops::scan& op) {
    const int inputs = int(op.operand_segment_sizes[0]), along = int(op.dimension);
    int turns = dimension_size::unset;
    index_t bound = 0;
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < operand_type(i).rank(); ++d)
        if (i < inputs && d == along)
          turns = agree(turns, code(i, d), d, bound = operand_type(i).dim(d));
        else if (is_dynamic(i, d))
          return refuse(d, sized_body);
    operand_list values;
    for (int i = 0; i < inputs; ++i) values.push(operand(i));
    ops::scan marked = op;
    if (marks_elements(node_)) {
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
  constexpr bool size_sort(const ops::sort& op) {
    const int rank = operand_type(0).rank(), n = node_.operand_count;
    const int along = int(op.dimension < 0 ? op.dimension + rank : op.dimension);
    dimension_sizes all, sorted;
    for (int d = 0; d < rank; ++d)
      for (int i = 0; i < n; ++i) all.at[d] = agree(all.at[d], code(i, d), d, operand_type(0).dim(d));
    all.at[along] = firm(all.at[along]);
    operand_list values;
    collect(values);
    int results = 0;
    if (marks_elements(node_)) {
      sorted.at[along] = all.at[along];
      values.push(mask_or_truth(operand_type(0).shape, sorted));
      const tensor_type mark = type_of(dtype::i1, operand_type(0).shape);
      results = write_again(values, {&mark, 1});
    } else {
      results = write_again(values);
    }
    for (int i = 0; i < n; ++i) give(i, results + i, all);
    return true;
  }
};

}  // namespace tenon::detail
