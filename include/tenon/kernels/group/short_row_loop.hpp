// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/kernels/group/nest_lanes.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tenon::kernels {

// The code of a nest whose rows are shorter than a vector, with folds or without: neighbouring rows lie in the lanes,
// and place after place of them is worked on. Folds combine elements in the order of their rows, as fold.hpp does.
template <class Group>
class short_row_loop : nest_passes<Group> {
  using T = element_t<Group::program.element>;
  static constexpr const loop_nest& nest = Group::program;
  // No more lanes than there are rows.
  static constexpr index_t lanes = index_t(hn::MaxLanes(hn::ScalableTag<T>()));
  static constexpr index_t rows = nest.sizes.size < 2 ? 1 : nest.sizes.at[nest.sizes.size - 2];
  using D = lanes_for<T, rows>;
  using code = nest_lanes<Group, T, D>;
  using base = nest_passes<Group>;
  using base::places, base::root, base::root_is_row;
  template <int N>
  using node_element = typename code::template node_element<N>;
  template <int I>
  using input_element = typename code::template input_element<I>;
  using result_element = typename code::result_element;
  using all_places = std::make_integer_sequence<int, places>;
  using all_nodes = std::make_integer_sequence<int, nest.node_count>;

  static constexpr index_t width = index_t(hn::MaxLanes(D())), row = code::row;
  static constexpr int along_rows = code::last_dimension, across_rows = along_rows - 1;

 public:
  static constexpr bool is_supported() {
    if constexpr (HWY_HAVE_SCALABLE || across_rows < 0 || nest.node_count == 0)
      return false;
    else
      return row < lanes && 2 * rows >= lanes && nest.transposed_axis < 0 && nest.joined.empty() &&
             !nest.reads_by_index() && code::inputs_fit() && base::template have_vectors<code>(all_nodes());
  }
  static constexpr index_t count() { return nest.count(); }
  static constexpr index_t unit() {
    constexpr index_t worthwhile = tuning::shared_elements, all = row * rows;
    return (worthwhile + all - 1) / all * all;
  }

  static void run(group_memory memory, index_t first, index_t last, char* scratch) {
    row_walk<Group> walk(first / row);
    for (index_t done = first / row; done < last / row;) {
      // Ranges that are handed out may begin and end anywhere between rows.
      const index_t left = rows - done % rows, some = std::min({left, width, last / row - done});
      run_block(memory, walk.offsets, done, some, scratch, std::make_integer_sequence<int, nest.input_count>());
      for (index_t r = 0; r < some; ++r) walk.step();
      done += some;
    }
  }

 private:
  template <class E>
  using tag_of = typename code::template tag_of<E>;
  template <class E>
  using lanes_of = lanes_of<E, tag_of<E>>;

  // A block of rows: where each input of its first row lies, and what has one element of each row.
  template <class>
  struct values_of_nodes;
  template <int N>
  struct value_of_node {
    std::conditional_t<nest.gives_rows(N), lanes_of<node_element<N>>, std::integral_constant<int, N>> value;
  };
  template <int... N>
  struct values_of_nodes<std::integer_sequence<int, N...>> : value_of_node<N>... {};
  template <class... E>
  struct block {
    std::tuple<const E*...> from;
    group_memory memory;
    char* scratch;
    index_t done;      // rows in front of the block
    std::size_t some;  // rows of it
    values_of_nodes<all_nodes> rows;

    template <int N>
    HWY_INLINE auto& of_rows() {
      return static_cast<value_of_node<N>&>(rows).value;
    }
  };

  template <int... I>
  static HWY_INLINE void run_block(group_memory memory, const index_t* offsets, index_t done, index_t some,
                                   char* scratch, std::integer_sequence<int, I...>) {
    block<input_element<I>...> at{
        {code::template start_of<I>(memory) + offsets[I]...}, memory, scratch, done, std::size_t(some), {}};
    run_passes<0>(at);
    if constexpr (root_is_row)
      store_lanes(at.template of_rows<root>(), tag_of<result_element>(), code::start_of_result(memory) + done, at.some,
                  std::size_t(width));
  }
  template <int Pass, class Block>
  static HWY_INLINE void run_passes(Block& at) {
    settle<Pass, 0>(at, all_places());
    if constexpr (Pass < nest.pass_count) {
      base::for_each_node(
          [&](auto n) HWY_ATTR {
            if constexpr (base::folds_in(Pass, n))
              at.template of_rows<n>() = repeat_element(
                  tag_of<node_element<n>>(),
                  *reinterpret_cast<const node_element<n>*>(code::address(at.memory, nest.nodes[n].init)));
          },
          all_nodes());
      for (index_t k = 0; k < row; ++k) run_place<Pass, 0>(at, k);
      base::for_each_node(
          [&](auto n) HWY_ATTR {
            if constexpr (base::folds_in(Pass, n))
              keep_of_rows<n>(at);
            else if constexpr (base::computed_in(Pass, n))
              hand_out<n>(at);
          },
          all_nodes());
      run_passes<Pass + 1>(at);
    }
  }

  // Computes what has one element per row and is known before a pass.
  template <int Pass, int N, class Block, int... Place>
  static HWY_INLINE void settle(Block& at, std::integer_sequence<int, Place...> all) {
    if constexpr (N < nest.node_count) {
      constexpr loop_nest::node node = nest.nodes[N];
      if constexpr (node.per_row && !node.folds && node.pass == Pass) {
        at.template of_rows<N>() =
            code::template apply<N>(D(), operand<Place, base::template is_operand<N>(Place)>(at, 0)...);
        keep_of_rows<N>(at);
      }
      settle<Pass, N + 1>(at, all);
    }
  }
  template <int N, class Block>
  static HWY_INLINE void keep_of_rows(Block& at) {
    if constexpr (nest.nodes[N].value >= 0)
      store_lanes(at.template of_rows<N>(), tag_of<node_element<N>>(), code::template stored<N>(at.memory, at.done),
                  at.some, std::size_t(width));
  }

  // Element k of the rows, of an input or of what has one element per row; nothing of use for other values.
  template <int Place, bool Wanted, class Block>
  static HWY_INLINE auto operand(Block& at, [[maybe_unused]] index_t k) {
    if constexpr (!Wanted)
      return D();
    else if constexpr (Place < nest.input_count)
      return load<Place>(std::get<std::size_t(Place)>(at.from), k, at.some);
    else if constexpr (nest.gives_rows(Place - nest.input_count))
      return at.template of_rows<Place - nest.input_count>();
    else
      return D();
  }
  template <int I, class E>
  static HWY_INLINE auto load(const E* from, index_t k, std::size_t some) {
    constexpr loop_nest::input input = nest.inputs[I];
    constexpr index_t stride = input.strides.at[across_rows];
    constexpr bool fills_vectors = has_lanes<E> && sizeof(E) == sizeof(T);
    const tag_of<E> d;
    from += k * input.strides.at[along_rows];
    if constexpr (stride == 0) {
      return repeat_element(d, *from);
    } else if constexpr (stride == 1) {
      return load_lanes(d, from, some, std::size_t(width));
    } else {
      E taken[std::size_t(width)]{};
      if constexpr (fills_vectors) {
        if (some == std::size_t(width)) {
          for (index_t r = 0; r < width; ++r) taken[r] = from[r * stride];
          return load_lanes(d, taken, std::size_t(width), std::size_t(width));
        }
      }
      for (std::size_t r = 0; r < some; ++r) taken[r] = from[index_t(r) * stride];
      return load_lanes(d, taken, std::size_t(width), std::size_t(width));
    }
  }

  // Computes the elements k of a pass. The values of the places before `Place` are known.
  template <int Pass, int Place, class Block, class... V>
  static HWY_INLINE void run_place(Block& at, index_t k, const V&... values) {
    if constexpr (Place < places) {
      constexpr int which = base::operand_at(Place), N = which < 0 ? 0 : which;
      if constexpr (which < 0 || nest.gives_rows(N)) {
        if constexpr (which >= 0 && base::folds_in(Pass, N)) {
          using body = op_of_kind<nest.nodes[N].key.body>;
          using E = node_element<N>;
          auto& total = at.template of_rows<N>();
          total = apply_op<body, E, E>(no_attributes<body>(), tag_of<E>(), total,
                                       pick<code::position_of(nest.nodes[N].operands[0])>(values...));
          run_place<Pass, Place + 1>(at, k, values..., D());
        } else {
          run_place<Pass, Place + 1>(at, k, values..., operand<Place, base::reads(Pass, which)>(at, k));
        }
      } else if constexpr (base::computed_in(Pass, N)) {
        using E = node_element<N>;
        const auto value = code::template apply<N>(D(), values...);
        if constexpr (is_written<N>)
          store_lanes(value, tag_of<E>(), kept<N>(at) + k * width, std::size_t(width), std::size_t(width));
        run_place<Pass, Place + 1>(at, k, values..., value);
      } else if constexpr (nest.nodes[N].kept >= 0 && base::reads(Pass, which)) {
        using E = node_element<N>;
        run_place<Pass, Place + 1>(
            at, k, values..., load_lanes(tag_of<E>(), kept<N>(at) + k * width, std::size_t(width), std::size_t(width)));
      } else {
        run_place<Pass, Place + 1>(at, k, values..., D());
      }
    }
  }

  // Elements of the block of a node, place after place of its rows: for later passes, or to be handed out.
  template <int N>
  static constexpr bool is_written = nest.nodes[N].kept >= 0 || nest.nodes[N].value >= 0 || N == root;
  template <int N, class Block>
  static HWY_INLINE node_element<N>* kept(Block& at) {
    return reinterpret_cast<node_element<N>*>(at.scratch + nest.nodes[N].kept);
  }
  template <int N, class Block>
  static HWY_INLINE void hand_out(Block& at) {
    if constexpr (nest.nodes[N].value >= 0) turn<N>(at, code::template stored<N>(at.memory, at.done * row));
    if constexpr (N == root) turn<N>(at, code::start_of_result(at.memory) + at.done * row);
  }
  // to[r * row + k] = element k of row r of the block.
  template <int N, class Block>
  static HWY_INLINE void turn(Block& at, node_element<N>* to) {
    using E = node_element<N>;
    const E* const from = kept<N>(at);
    if constexpr (has_lanes<E> && (row == 2 || row == 3 || row == 4) && sizeof(E) == sizeof(T)) {
      if (at.some == std::size_t(width)) {
        const tag_of<E> d;
        const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + width);
        if constexpr (row == 2)
          return hn::StoreInterleaved2(a, b, d, to);
        else if constexpr (row == 3)
          return hn::StoreInterleaved3(a, b, hn::LoadU(d, from + 2 * width), d, to);
        else
          return hn::StoreInterleaved4(a, b, hn::LoadU(d, from + 2 * width), hn::LoadU(d, from + 3 * width), d, to);
      }
    }
    for (std::size_t r = 0; r < at.some; ++r)
      for (index_t k = 0; k < row; ++k) to[index_t(r) * row + k] = from[k * width + index_t(r)];
  }
};

}  // namespace tenon::kernels
