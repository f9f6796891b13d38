// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/group/loop_nest.hpp>
#include <tenon/kernels/lanes/static_lanes.hpp>
#include <tenon/kernels/lanes/strided_load.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tenon {

// Of larger results a core's share of the last cache would keep little.
inline constexpr index_t most_cached_bytes = index_t(8) * 1024 * 1024;

// The executor of a group for the loops over its nest, which load and store in its ways. `Group` has `program`, which
// is the nest, and `words()`; D is the tag of vectors of T.
template <class Group, class T, class D>
struct nest_lanes : static_lanes<Group> {
  static constexpr const loop_nest& nest = Group::program;
  static constexpr int last_dimension = nest.sizes.size - 1;

  template <int I>
  using input_element = element_t<nest.inputs[I].element>;
  template <int N>
  using node_element = typename static_lanes<Group>::template node_element<N>;
  template <int N>
  using taken_element = typename static_lanes<Group>::template taken_element<N>;
  using result_element = node_element<(nest.node_count > 0 ? nest.node_count - 1 : 0)>;

  // The distance of neighbours along a row, where it lies or in its block.
  template <int I>
  static constexpr index_t stride_of = last_dimension < 0          ? 0
                                       : nest.inputs[I].block >= 0 ? 1
                                                                   : nest.inputs[I].strides.at[last_dimension];
  template <int I>
  static constexpr bool repeats = stride_of<I> == 0;

  // Whether an op that is no fold has a form for vectors of T and booleans.
  template <int N>
  static constexpr bool is_supported() {
    using E = taken_element<N>;
    using R = node_element<N>;
    if constexpr (!static_lanes<Group>::template is_supported<N>())
      return false;
    else if constexpr (std::is_same_v<E, bool> && std::is_same_v<R, bool>)
      return has_numbers() || HWY_TARGET != HWY_SCALAR;
    else
      return (std::is_same_v<E, T> || std::is_same_v<E, bool>) && (std::is_same_v<R, T> || std::is_same_v<R, bool>);
  }
  static constexpr bool has_numbers() {
    for (int n = 0; n < nest.node_count; ++n)
      if (nest.nodes[n].key.element != dtype::i1 || nest.nodes[n].key.result != dtype::i1) return true;
    return false;
  }
  static constexpr bool inputs_fit() {
    for (int i = 0; i < nest.input_count; ++i)
      if (nest.inputs[i].element != nest.element && nest.inputs[i].element != dtype::i1) return false;
    return true;
  }

  static char* address(void* const* pointers, const place& at) {
    return static_cast<char*>(pointers[at.base]) + at.offset;
  }
  template <int I>
  static const input_element<I>* start_of(void* const* pointers) {
    return reinterpret_cast<const input_element<I>*>(address(pointers, nest.inputs[I].at)) + nest.inputs[I].base;
  }

  // What is the same along a row is loaded once.
  template <int I, class E>
  static HWY_INLINE auto repeat_input(D d, const E* from) {
    if constexpr (repeats<I>)
      return detail::repeat_element(d, *from);
    else
      return d;
  }
  // Elements i, i + 1, ... of a row.
  template <int I, class E, class Repeated>
  static HWY_INLINE auto load(D d, const E* from, index_t i, std::size_t count, std::size_t lanes, Repeated repeated) {
    if constexpr (repeats<I>)
      return repeated;
    else if constexpr (stride_of<I> == 1)
      return loaded_once(detail::load_lanes(d, from + i, count, lanes));
    else
      return detail::load_apart<stride_of<I>>(d, from, i, count, lanes);
  }

  // Where an element of another result than the last one lies.
  template <int N>
  static node_element<N>* stored(void* const* pointers, index_t at) {
    return reinterpret_cast<node_element<N>*>(address(pointers, nest.nodes[N].stored)) + at;
  }

  // Larger results pass the caches by, unless they are written a line here and there, which memory takes better in the
  // order that caches make of it.
  static constexpr bool is_large = nest.count() > most_cached_bytes / index_t(sizeof(T)) && nest.transposed_axis < 0 &&
                                   !HWY_HAVE_SCALABLE;
  // Whether they can where they lie from here on: `to`, and the others from element `at` on.
  static bool passes_caches(void* const* pointers, const result_element* to, index_t at) {
    return is_large && passes_caches(pointers, to, at, std::make_integer_sequence<int, nest.node_count>());
  }
  template <class V, class E>
  static HWY_INLINE void store(V value, D d, E* to, std::size_t count, std::size_t lanes,
                               [[maybe_unused]] bool passes_caches) {
    if constexpr (is_large && std::is_same_v<T, E>)
      if (passes_caches && count == lanes) return hn::Stream(value, d, to);
    detail::store_lanes(value, d, to, count, lanes);
  }

 private:
  template <class E>
  static bool is_aligned(const E* to) {
    return !std::is_same_v<T, E> || reinterpret_cast<std::uintptr_t>(to) % (hn::MaxLanes(D()) * sizeof(T)) == 0;
  }
  template <int... N>
  static bool passes_caches(void* const* pointers, const result_element* to, index_t at,
                            std::integer_sequence<int, N...>) {
    return is_aligned(to) &&
           (... && (nest.nodes[N].value < 0 || nest.gives_rows(N) || is_aligned(stored<N>(pointers, at))));
  }
};

// A walk over the rows of a nest, which keeps where each input is read.
template <int Inputs>
struct row_walk {
  index_t index[max_rank]{}, offsets[Inputs + 1]{};

  // To the row after so many others.
  constexpr void begin(const loop_nest& nest, index_t row) {
    for (int d = nest.sizes.size - 2; d >= 0; --d) {
      index[d] = row % nest.sizes.at[d];
      row /= nest.sizes.at[d];
      for (int i = 0; i < Inputs; ++i) offsets[i] += index[d] * nest.inputs[i].strides.at[d];
    }
  }
  HWY_INLINE void step(const loop_nest& nest) {
    for (int d = nest.sizes.size - 2; d >= 0; --d) {
      for (int i = 0; i < Inputs; ++i) offsets[i] += nest.inputs[i].strides.at[d];
      if (++index[d] < nest.sizes.at[d]) break;
      for (int i = 0; i < Inputs; ++i) offsets[i] -= nest.inputs[i].strides.at[d] * nest.sizes.at[d];
      index[d] = 0;
    }
  }
};

}  // namespace tenon
