// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/group/nest_lanes.hpp>
#include <tenon/kernels/group/row_reduction_loop.hpp>
#include <tenon/kernels/group/short_row_loop.hpp>
#include <tenon/kernels/words/word_lanes.hpp>

#include <algorithm>

namespace tenon::kernels {

// The code of a nest without folds: each element is computed once, and what is read across is copied box by box.
template <class Group>
class pointwise_loop {
  using T = element_t<Group::program.element>;
  static constexpr const loop_nest& nest = Group::program;
  // No more lanes than a row has elements.
  using D = lanes_for<T, nest.row()>;
  using code = nest_lanes<Group, T, D>;
  static constexpr int last_dimension = code::last_dimension;

 public:
  // Whether all ops have a form for vectors, and rows are no shorter than these: then a tile is better.
  static constexpr bool is_supported() {
    return is_copy ||
           ((last_dimension <= 0 || code::row >= shortest_row) && !nest.has_wide_strides && code::inputs_fit() &&
            nest_passes<Group>::template have_vectors<code>(std::make_integer_sequence<int, nest.node_count>{}));
  }
  // How much there is to do, elements or boxes, and in multiples of what it can be divided.
  static constexpr index_t count() {
    if (nest.transposed_axis < 0) return nest.count();
    index_t boxes = 1;
    for (int d = 0; d < nest.sizes.size; ++d) boxes *= boxes_along(d);
    return boxes;
  }
  static constexpr index_t unit() {
    constexpr index_t worthwhile = tuning::shared_elements;
    if (nest.transposed_axis >= 0) return 1;
    return nest.sizes.size < 2 ? worthwhile : (worthwhile + code::row - 1) / code::row * code::row;
  }

  static void run(group_memory memory, index_t first, index_t last, char* scratch) {
    constexpr std::make_integer_sequence<int, nest.input_count> inputs;
    if constexpr (is_copy)
      copy(memory, first, last, inputs);
    else if constexpr (nest.transposed_axis >= 0)
      run_boxes(memory, first, last, scratch, inputs);
    else
      run_elements(memory, first, last, scratch, inputs);
    if constexpr (code::is_large && !is_copy) hwy::FlushStream();
  }

 private:
  static constexpr index_t shortest_row =
      HWY_HAVE_SCALABLE ? 8 : std::min<index_t>(8, index_t(hn::MaxLanes(hn::ScalableTag<T>())));
  static constexpr bool is_copy = nest.node_count == 0;
  using result_element = typename code::result_element;
  template <int I>
  using input_element = typename code::template input_element<I>;

  template <int... I>
  static void run_elements(group_memory memory, index_t first, index_t last, char* scratch,
                           std::integer_sequence<int, I...>) {
    result_element* const to = code::start_of_result(memory);
    const auto start = [&]<int J>(std::integral_constant<int, J>, index_t offset) HWY_ATTR {
      if constexpr (nest.inputs[J].spread.empty())
        return code::template start_of<J>(memory) + offset;
      else
        return reinterpret_cast<const input_element<J>*>(scratch + nest.inputs[J].block);
    };
    if (first == last) return;
    row_walk<Group> walk(first / code::row);
    (spread<I, false>(memory, walk.offsets[I], scratch), ...);
    if constexpr (last_dimension <= 0) {
      run_row(memory, to + first, last - first,
              start(std::integral_constant<int, I>(), 0) + first * code::template stride_of<I>...);
    } else {
      for (index_t done = first; done < last; done += code::row) {
        (spread<I, true>(memory, walk.offsets[I], scratch), ...);
        run_row(memory, to + done, code::row, start(std::integral_constant<int, I>(), walk.offsets[I])...);
        walk.step();
      }
    }
  }
  // Expands an operand of joined rows: once, or again for each row.
  template <int I, bool Again>
  static void spread(group_memory memory, index_t offset, char* scratch) {
    if constexpr (constexpr loop_nest::input input = nest.inputs[I]; !input.spread.empty() && input.changes() == Again)
      code::template begin_row<I>(memory, offset, scratch);
  }

  static constexpr index_t box_side(int d) {
    return d == last_dimension ? nest.box_row : d == nest.transposed_axis ? nest.box_rows : 1;
  }
  static constexpr index_t boxes_along(int d) { return (nest.sizes.at[d] + box_side(d) - 1) / box_side(d); }

  // Part of the index space, and where its first elements lie.
  struct box {
    index_t rows = 1, row = 1;
    index_t result = 0, offsets[nest.input_count + 1]{};

    constexpr explicit box(index_t number) {
      index_t stride = 1;
      for (int d = last_dimension; d >= 0; --d) {
        const index_t at = number % boxes_along(d) * box_side(d), left = nest.sizes.at[d] - at;
        number /= boxes_along(d);
        if (d == last_dimension) row = left < nest.box_row ? left : nest.box_row;
        if (d == nest.transposed_axis) rows = left < nest.box_rows ? left : nest.box_rows;
        for (int i = 0; i < nest.input_count; ++i) offsets[i] += at * nest.inputs[i].strides.at[d];
        result += at * stride;
        stride *= nest.sizes.at[d];
      }
    }

    constexpr box block_at(index_t first_row) const {
      box block = *this;
      if (block.rows -= first_row; block.rows > nest.block_rows) block.rows = nest.block_rows;
      for (int i = 0; i < nest.input_count; ++i)
        block.offsets[i] += first_row * nest.inputs[i].strides.at[nest.transposed_axis];
      block.result += first_row * result_stride_across();
      return block;
    }
  };
  static constexpr index_t result_stride_across() {
    index_t stride = 1;
    for (int d = last_dimension; d > nest.transposed_axis; --d) stride *= nest.sizes.at[d];
    return stride;
  }

  // The first input, in boxes, where indices say or in order.
  template <int... I>
  static void copy(group_memory memory, index_t first, index_t last, std::integer_sequence<int, I...>) {
    using bytes = bytes_like<input_element<0>>;
    constexpr loop_nest::input input = nest.inputs[0];
    static constexpr strided_access accesses[] = {{nest.sizes, nest.inputs[I].strides, 0}...};
    const auto* const from = reinterpret_cast<const bytes*>(code::template start_of<0>(memory));
    bytes* const to = reinterpret_cast<bytes*>(code::start_of_result(memory));
    if constexpr (nest.transposed_axis >= 0) {
      for (index_t number = first; number < last; ++number) {
        const box whole(number);
        copy_box(to + whole.result, result_stride_across(), from + whole.offsets[0],
                 input.strides.at[nest.transposed_axis], input.strides.at[last_dimension], whole.rows, whole.row);
      }
    } else if constexpr (input.index_count > 0) {
      const index_walk walks[] = {{code::template start_of<I>(memory), nest.inputs[I].element, &accesses[I],
                                   nest.inputs[I].moves, nest.inputs[I].low, nest.inputs[I].high}...};
      const gathered_walk walk{accesses, {walks + 1, input.index_count}, input.run, nullptr};
      if (first < last) copy_gathered(to + first, from, walk, first, last - first);
    } else if (first < last) {
      copy_strided(to + first, from, accesses[0], first, last - first);
    }
  }

  template <int... I>
  static void run_boxes(group_memory memory, index_t first, index_t last, char* scratch,
                        std::integer_sequence<int, I...>) {
    result_element* const to = code::start_of_result(memory);
    for (index_t number = first; number < last; ++number) {
      const box whole(number);
      for (index_t first_row = 0; first_row < whole.rows; first_row += nest.block_rows) {
        const box block = whole.block_at(first_row);
        (copy_across<I>(memory, block, scratch), ...);
        for (index_t r = 0; r < block.rows; ++r) {
          (fetch_below<I>(memory, block, r), ...);
          run_row(memory, to + block.result + r * result_stride_across(), block.row,
                  row_of_block<I>(memory, block, r, scratch)...);
        }
      }
    }
  }
  template <int I>
  static void copy_across(group_memory memory, const box& block, char* scratch) {
    if constexpr (constexpr loop_nest::input input = nest.inputs[I]; input.block >= 0) {
      using bytes = bytes_like<input_element<I>>;
      copy_box(reinterpret_cast<bytes*>(scratch + input.block), nest.box_row,
               reinterpret_cast<const bytes*>(code::template start_of<I>(memory) + block.offsets[I]),
               input.strides.at[nest.transposed_axis], input.strides.at[last_dimension], block.rows, block.row);
    }
  }
  // Rows follow each other too far apart for processors to see where they lead: asks for what the next block reads.
  template <int I>
  HWY_INLINE static void fetch_below(group_memory memory, const box& block, index_t r) {
    if constexpr (constexpr loop_nest::input input = nest.inputs[I];
                  input.block < 0 && input.strides.at[nest.transposed_axis] != 0) {
      const index_t at = block.offsets[I] + (r + nest.block_rows) * input.strides.at[nest.transposed_axis];
      __builtin_prefetch(
          reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(code::template start_of<I>(memory)) +
                                        std::uintptr_t(at) * sizeof(input_element<I>)));
    }
  }
  template <int I>
  static const input_element<I>* row_of_block(group_memory memory, const box& block, index_t r, char* scratch) {
    constexpr loop_nest::input input = nest.inputs[I];
    return input.block >= 0
               ? reinterpret_cast<const input_element<I>*>(scratch + input.block) + r * nest.box_row
               : code::template start_of<I>(memory) + block.offsets[I] + r * input.strides.at[nest.transposed_axis];
  }

  template <class... E>
  HWY_INLINE static void run_row(group_memory memory, result_element* to, index_t count, const E*... from) {
    [&]<int... I>(std::integer_sequence<int, I...> inputs) HWY_ATTR {
      run_row_of(memory, in_register(to), count, inputs, in_register(code::template start_of_row<I>(from...))...);
    }(std::make_integer_sequence<int, int(sizeof...(E))>{});
  }
  template <int... I, class... E>
  HWY_INLINE static void run_row_of(group_memory memory, result_element* to, index_t count,
                                    std::integer_sequence<int, I...>, const E*... from) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const index_t first = to - code::start_of_result(memory);
    const bool passes_caches = code::passes_caches(memory, to, first);
    const auto run_on = [&](const auto&... repeated) HWY_ATTR __attribute__((always_inline)) {
      const auto compute_at = [&](index_t i, std::size_t some) HWY_ATTR __attribute__((always_inline)) {
        // Other results of the group than the last one.
        const auto keep = [&](auto n, auto value) HWY_ATTR __attribute__((always_inline)) {
          if constexpr (nest.nodes[n].value >= 0)
            code::store(value, d, code::template stored<n>(memory, first) + i, some, lanes, passes_caches);
        };
        code::store(compute<0>(d, keep, code::template load_input<I>(d, i, some, lanes, repeated, from...)...), d,
                    to + i, some, lanes, passes_caches);
      };
      index_t i = compute_words<Group, code>(to, count, std::integer_sequence<int, I...>(), from...);
      for (; i + index_t(lanes) <= count; i += index_t(lanes)) compute_at(i, lanes);
      if (i < count) compute_at(i, std::size_t(count - i));
    };
    run_on(code::template repeat_input<I>(d, from)...);
  }

  // The results of the nodes from N on, given the inputs and the results of the nodes before; gives the last one.
  template <int N, class Keep, class... V>
  HWY_INLINE static auto compute(D d, const Keep& keep, const V&... values) {
    if constexpr (N == nest.node_count) {
      return pick<int(sizeof...(V)) - 1>(values...);
    } else {
      const auto value = code::template apply<N>(d, values...);
      keep(std::integral_constant<int, N>(), value);
      return compute<N + 1>(d, keep, values..., value);
    }
  }
};

// The code of a group that has a nest.
template <class Group>
using loop_of_group =
    std::conditional_t<short_row_loop<Group>::is_supported(), short_row_loop<Group>,
                       std::conditional_t<Group::program.has_rows, row_reduction_loop<Group>, pointwise_loop<Group>>>;
// Whether there is such code.
template <class Group>
constexpr bool is_supported_as_loop() {
  if constexpr (!Group::program.fits || Group::program.element == dtype::none)
    return false;
  else if constexpr (!has_lanes<element_t<Group::program.element>>)
    return false;
  else
    return loop_of_group<Group>::is_supported();
}

}  // namespace tenon::kernels
