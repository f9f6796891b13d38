// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/kernels/group/group_tiles.hpp>
#include <tenon/kernels/group/loop_nest.hpp>
#include <tenon/kernels/lanes/apply_op.hpp>
#include <tenon/kernels/lanes/load_store.hpp>
#include <tenon/kernels/tuning.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tenon::kernels {

// The schedule of a nest: which nodes each pass over its rows computes.
template <class Group>
struct nest_passes {
  static constexpr const loop_nest& nest = Group::program;
  static constexpr int root = nest.node_count - 1;
  static constexpr bool root_is_row = nest.node_count > 0 && nest.gives_rows(root);

  static constexpr bool folds_in(int pass, int n) { return nest.nodes[n].folds && nest.nodes[n].pass == pass; }
  static constexpr bool folds_in(int pass) {
    for (int n = 0; n < nest.node_count; ++n)
      if (folds_in(pass, n)) return true;
    return false;
  }
  static constexpr bool computed_in(int pass, int n) {
    return !nest.nodes[n].folds && !nest.nodes[n].per_row && nest.nodes[n].pass == pass;
  }
  // Whether a pass reads this operand.
  static constexpr bool reads(int pass, int operand) {
    for (int n = 0; n < nest.node_count; ++n)
      if (folds_in(pass, n) || computed_in(pass, n))
        for (int i = 0; i < nest.nodes[n].operand_count; ++i)
          if (nest.nodes[n].operands[i] == operand) return true;
    return false;
  }

  // The vectors that a pass takes at a time: values of inputs and nodes, all of them in turn.
  static constexpr int places = nest.input_count + nest.node_count;
  static constexpr int operand_at(int place) { return place < nest.input_count ? ~place : place - nest.input_count; }
  template <int N>
  static constexpr bool is_operand(int place) {
    for (int i = 0; i < nest.nodes[N].operand_count; ++i)
      if (operand_at(place) == nest.nodes[N].operands[i]) return true;
    return false;
  }

  // Whether all nodes can be computed, or folded, in vectors of `Code`, which are those of nest_lanes.
  template <class Code, int... N>
  static constexpr bool have_vectors(std::integer_sequence<int, N...>) {
    return (has_vectors<Code, N>() && ...);
  }

  template <class F, int... N>
  static HWY_INLINE void for_each_node(const F& f, std::integer_sequence<int, N...>) {
    (f(std::integral_constant<int, N>()), ...);
  }

 private:
  template <class Code, int N>
  static constexpr bool has_vectors() {
    constexpr loop_nest::node node = nest.nodes[N];
    if constexpr (!node.folds) {
      return Code::template is_supported<N>();
    } else if constexpr (node.key.body < 0) {
      return false;
    } else {
      using E = typename Code::template node_element<N>;
      constexpr lane_form form = lane_form_of<op_of_kind<node.key.body>, E, E, 2>;
      return form == lane_form::booleans ||
             (form == lane_form::numbers && has_lanes<E> && Code::template has_vectors<E>());
    }
  }
};

// Vectors for `Count` elements: whole ones, or the lanes that are needed, of narrow elements sixteen bytes at least.
template <class T, index_t Count>
constexpr std::size_t lanes_needed() {
  constexpr index_t fewest = sizeof(T) >= 4 ? 1 : 16 / index_t(sizeof(T)), most = 4096;
  return std::bit_ceil(std::size_t(Count < fewest ? fewest : Count < most ? Count : most));
}
template <class T, index_t Count>
using lanes_for = std::conditional_t<(HWY_HAVE_SCALABLE || Count >= index_t(hn::MaxLanes(hn::ScalableTag<T>()))),
                                     hn::ScalableTag<T>, hn::CappedTag<T, lanes_needed<T, Count>()>>;

// The executor of a group for the loops over its nest, which load and store in its ways. `Group` has `program`, which
// is the nest, and `words()`; D is the tag of vectors of T, the widest lanes of the nest.
template <class Group, class T, class D>
struct nest_lanes : static_lanes<Group> {
  static constexpr const loop_nest& nest = Group::program;
  static constexpr int last_dimension = nest.sizes.size - 1;
  static constexpr index_t row = nest.row();

  template <int I>
  using input_element = element_t<nest.inputs[I].element>;
  template <int N>
  using node_element = typename static_lanes<Group>::template node_element<N>;
  template <int N>
  using taken_element = typename static_lanes<Group>::template taken_element<N>;
  using result_element =
      element_t<(nest.node_count > 0 ? nest.nodes[nest.node_count - 1].key.result : nest.inputs[0].element)>;

  // The distance of neighbours along a row, where it lies or in its block.
  template <int I>
  static constexpr index_t stride_of = last_dimension < 0          ? 0
                                       : nest.inputs[I].block >= 0 ? 1
                                                                   : nest.inputs[I].strides.at[last_dimension];
  template <int I>
  static constexpr bool repeats = stride_of<I> == 0 && !nest.inputs[I].by_element;

  // The tag of the vectors of elements of E.
  template <class E>
  using tag_of = tag_of_lanes<E, D>;
  template <class E>
  static constexpr bool is_complex_element = is_complex(dtype_of<E>);
  // Whether elements of E have vectors with the lane count of T.
  template <class E>
  static constexpr bool has_vectors() {
    if constexpr (std::is_same_v<E, bool>)
      return true;
    else if constexpr (is_complex_element<E>)
      return has_complex_lanes<lane_t<E>> && sizeof(lane_t<E>) == sizeof(T);
    else
      return has_lanes<lane_t<E>> && !(HWY_HAVE_SCALABLE && sizeof(lane_t<E>) != sizeof(T));
  }

  // Whether an op that is no fold has a form for such vectors.
  template <int N>
  static constexpr bool is_supported() {
    using E = taken_element<N>;
    using R = node_element<N>;
    if constexpr (!static_lanes<Group>::template is_supported<N>())
      return false;
    else if constexpr (std::is_same_v<E, bool> && std::is_same_v<R, bool>)
      return has_numbers() || HWY_TARGET != HWY_SCALAR;
    else
      return has_vectors<E>() && has_vectors<R>();
  }
  static constexpr bool has_numbers() {
    for (int n = 0; n < nest.node_count; ++n)
      if (nest.nodes[n].key.element != dtype::i1 || nest.nodes[n].key.result != dtype::i1) return true;
    return false;
  }
  static constexpr bool inputs_fit() {
    return []<int... I>(std::integer_sequence<int, I...>) {
      return ((nest.inputs[I].is_index() || has_vectors<input_element<I>>()) && ...);
    }(std::make_integer_sequence<int, nest.input_count>());
  }

  // By value: nothing of the nest stays in a program.
  static HWY_INLINE char* address(group_memory memory, place at) {
    return static_cast<char*>(memory.pointers[at.base]) + at.offset;
  }
  // Where element 0 lies, or would lie.
  template <int I>
  static const input_element<I>* start_of(group_memory memory) {
    constexpr loop_nest::input input = nest.inputs[I];
    const auto start = reinterpret_cast<const input_element<I>*>(address(memory, input.at)) + input.base;
    if constexpr (input.ranged)
      return start - (input.per_row ? memory.kept_from / row : memory.kept_from);
    else
      return start;
  }
  static result_element* start_of_result(group_memory memory) {
    constexpr int last = nest.node_count - 1;
    const auto start = reinterpret_cast<result_element*>(address(memory, nest.result));
    if constexpr (nest.ranged_result)
      return start - (last >= 0 && nest.gives_rows(last) ? memory.kept_from / row : memory.kept_from);
    else
      return start;
  }

  // Where a row begins; of what it reads at several distances, a copy, row `number` of those in the scratch memory.
  template <int I>
  static HWY_INLINE const input_element<I>* begin_row(group_memory memory, index_t offset, char* scratch,
                                                      index_t number = 0) {
    const input_element<I>* const from = start_of<I>(memory) + offset;
    if constexpr (!nest.inputs[I].spread.empty()) {
      using bytes = bytes_like<input_element<I>>;
      static constexpr strided_access access{nest.joined, nest.inputs[I].spread, 0};
      bytes* const to = reinterpret_cast<bytes*>(scratch + nest.inputs[I].block) + number * row;
      copy_strided(to, reinterpret_cast<const bytes*>(from), access, 0, row);
      return reinterpret_cast<const input_element<I>*>(to);
    }
    return from;
  }

  // By how many elements the indices of input I move what is read for element i of a row.
  template <int I, class... From>
  static HWY_INLINE index_t moved_by_indices(index_t i, const From*... from) {
    return [&]<int... J>(std::integer_sequence<int, J...>) {
      return (... + moved_by<nest.inputs[I].first_index + J>(i, from...));
    }(std::make_integer_sequence<int, nest.inputs[I].index_count>());
  }
  // Where a row of input I begins, if its indices are the same along the row.
  template <int I, class... From>
  static HWY_INLINE auto start_of_row(const From*... from) {
    if constexpr (nest.inputs[I].index_count > 0 && !nest.inputs[I].by_element)
      return pick<I>(from...) + moved_by_indices<I>(0, from...);
    else
      return pick<I>(from...);
  }
  template <int I, class... From>
  static HWY_INLINE auto load_input(D d, index_t i, std::size_t count, std::size_t lanes, auto repeated,
                                    const From*... from) {
    if constexpr (nest.inputs[I].is_index()) {
      return 0;
    } else if constexpr (nest.inputs[I].by_element) {
      using E = input_element<I>;
      E taken[hn::MaxLanes(D())]{};
      for (index_t j = 0; j < index_t(count); ++j)
        taken[j] = pick<I>(from...)[(i + j) * stride_of<I> + moved_by_indices<I>(i + j, from...)];
      return loaded_once(load_lanes(tag_of<E>(), taken, count, lanes));
    } else {
      return load<I>(d, pick<I>(from...), i, count, lanes, repeated);
    }
  }

  // Loads of row-invariant inputs are hoisted.
  template <int I, class E>
  static HWY_INLINE auto repeat_input(D d, const E* from) {
    if constexpr (nest.inputs[I].is_index())
      return d;
    else if constexpr (repeats<I>)
      return static_lanes<Group>::template repeat<I>(tag_of<E>(), *from);
    else
      return d;
  }
  // Elements i, i + 1, ... of a row.
  template <int I, class E, class Repeated>
  static HWY_INLINE auto load(D, const E* from, index_t i, std::size_t count, std::size_t lanes, Repeated repeated) {
    if constexpr (repeats<I>)
      return repeated;
    else if constexpr (stride_of<I> == 1)
      return loaded_once(load_lanes(tag_of<E>(), from + i, count, lanes));
    else
      return load_apart<stride_of<I>>(tag_of<E>(), from, i, count, lanes);
  }

  // Where an element of another result than the last one lies.
  template <int N>
  static node_element<N>* stored(group_memory memory, index_t at) {
    return reinterpret_cast<node_element<N>*>(address(memory, nest.nodes[N].stored)) + at;
  }

  // Larger results pass the caches by, unless they are written a line here and there, which memory takes better in the
  // order that caches make of it.
  static constexpr bool is_large =
      nest.count() > tuning::last_cache_bytes / index_t(sizeof(T)) && nest.transposed_axis < 0 && !HWY_HAVE_SCALABLE;
  // Whether they can where they lie from here on: `to`, and the others from element `at` on.
  static bool passes_caches(group_memory memory, const result_element* to, index_t at) {
    return is_large && passes_caches(memory, to, at, std::make_integer_sequence<int, nest.node_count>());
  }
  template <class V, class E>
  static HWY_INLINE void store(V value, D, E* to, std::size_t count, std::size_t lanes,
                               [[maybe_unused]] bool passes_caches) {
    if constexpr (is_large && fills_vectors<E>)
      if (passes_caches && count == lanes) return hn::Stream(value, tag_of<E>(), to);
    store_lanes(value, tag_of<E>(), to, count, lanes);
  }

 private:
  template <int J, class... From>
  static HWY_INLINE index_t moved_by(index_t i, const From*... from) {
    constexpr loop_nest::input index = nest.inputs[J];
    return kept_index(to_index(pick<J>(from...)[i * stride_of<J>]), index.low, index.high) * index.moves;
  }

  template <class E>
  static constexpr bool fills_vectors = has_lanes<E> && sizeof(E) == sizeof(T);
  template <class E>
  static bool is_aligned(const E* to) {
    return !fills_vectors<E> || reinterpret_cast<std::uintptr_t>(to) % (hn::MaxLanes(D()) * sizeof(T)) == 0;
  }
  template <int... N>
  static bool passes_caches(group_memory memory, const result_element* to, index_t at,
                            std::integer_sequence<int, N...>) {
    return is_aligned(to) &&
           (... && (nest.nodes[N].value < 0 || nest.gives_rows(N) || is_aligned(stored<N>(memory, at))));
  }
};

// An iterator over the rows of the nest of a group, with the offset of each input.
template <class Group>
class row_walk {
  static constexpr int inputs = Group::program.input_count, dimensions = Group::program.sizes.size - 1;
  static constexpr std::make_integer_sequence<int, inputs> all{};
  index_t index_[dimensions > 0 ? dimensions : 1]{};

 public:
  index_t offsets[inputs + 1]{};

  // At row number `row`.
  constexpr explicit row_walk(index_t row) { start<dimensions - 1>(row); }
  HWY_INLINE void step() { step_along<dimensions - 1>(); }

 private:
  // Strides are constants: most inputs do not move along most dimensions.
  template <int D, int... I>
  HWY_INLINE constexpr void move(index_t by, std::integer_sequence<int, I...>) {
    ((offsets[I] += by * std::integral_constant<index_t, Group::program.inputs[I].strides.at[D]>::value), ...);
  }
  template <int D>
  constexpr void start(index_t row) {
    if constexpr (D >= 0) {
      constexpr index_t size = Group::program.sizes.at[D];
      index_[D] = D > 0 ? row % size : row;
      move<D>(index_[D], all);
      start<D - 1>(row / size);
    }
  }
  template <int D>
  HWY_INLINE void step_along() {
    if constexpr (D >= 0) move<D>(1, all);
    if constexpr (D > 0)
      if (constexpr index_t size = Group::program.sizes.at[D]; ++index_[D] == size) {
        move<D>(-size, all), index_[D] = 0;
        step_along<D - 1>();
      }
  }
};

}  // namespace tenon::kernels
