// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/elementwise.hpp>
#include <tenon/kernels/group/loop_nest.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

template <int I, class First, class... Rest>
HWY_INLINE auto pick(First first, Rest... rest) {
  if constexpr (I == 0)
    return first;
  else
    return pick<I - 1>(rest...);
}

// Every second lane of two vectors, where one shuffle gives them.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
template <class T>
inline constexpr bool shuffles_once = sizeof(T) >= 4;
template <class D>
HWY_INLINE hn::Vec<D> odd_lanes(D d, hn::Vec<D> high, hn::Vec<D> low) {
  return hn::ConcatOdd(d, high, low);
}
template <class D>
HWY_INLINE hn::Vec<D> even_lanes(D d, hn::Vec<D> high, hn::Vec<D> low) {
  return hn::ConcatEven(d, high, low);
}
#else
template <class T>
inline constexpr bool shuffles_once = false;
#endif

// Elements 0, 2, 4, ..., `count` of them, which are loaded from the one in front of them on if that `IsOdd`: where
// others lie in between, both are loaded once. Reads nothing behind the last of them if that `IsExact`.
template <bool IsOdd, bool IsExact, class D, class T>
HWY_INLINE hn::Vec<D> load_every_other(D d, const T* from, std::size_t count) {
  if constexpr (shuffles_once<T>) {
    const std::size_t w = hn::Lanes(d);
    const T* const begin = from - (IsOdd ? 1 : 0);
    if constexpr (IsExact) {
      const std::size_t all = 2 * count - (IsOdd ? 0 : 1);
      const auto low = load_first(d, begin, all < w ? all : w);
      const auto high = all > w ? load_first(d, begin + w, all - w) : hn::Zero(d);
      return IsOdd ? odd_lanes(d, high, low) : even_lanes(d, high, low);
    } else {
      return IsOdd ? odd_lanes(d, hn::LoadU(d, begin + w), hn::LoadU(d, begin))
                   : even_lanes(d, hn::LoadU(d, begin + w), hn::LoadU(d, begin));
    }
  } else {
    constexpr std::size_t most = hn::MaxLanes(d);
    HWY_ALIGN T taken[most] = {};
    for (std::size_t k = 0; k < count && k < most; ++k) taken[k] = from[2 * k];
    return hn::Load(d, taken);
  }
}

// Highway 1.0 reverses no bytes: they are turned pair by pair, and then within pairs.
template <class D>
HWY_INLINE hn::Vec<D> reversed_lanes(D d, hn::Vec<D> value) {
  if constexpr (sizeof(hn::TFromD<D>) > 1 || hn::MaxLanes(D()) == 1) {
    return hn::Reverse(d, value);
  } else {
    const hn::Repartition<std::uint16_t, D> pairs;
    const auto turned = hn::Reverse(pairs, hn::BitCast(pairs, value));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(turned), hn::ShiftRight<8>(turned)));
  }
}

// Elements 0, Stride, 2 * Stride, ... after `i` of these. Reads nothing in front of `from` or behind the last of them.
template <index_t Stride, class D, class T>
HWY_INLINE hn::Vec<D> load_apart(D d, const T* from, index_t i, std::size_t count, std::size_t lanes) {
  from += i * Stride;
  if (count < lanes || (Stride > 0 && i == 0)) {
    constexpr std::size_t most = hn::MaxLanes(d);
    HWY_ALIGN T gathered[most] = {};
    for (std::size_t k = 0; k < count && k < most; ++k) gathered[k] = from[index_t(k) * Stride];
    return hn::Load(d, gathered);
  }
  if constexpr (Stride == -1) {
    return reversed_lanes(d, hn::LoadU(d, from - (index_t(lanes) - 1)));
  } else {
    // The wanted elements come last of each few, so that nothing behind the last one is read.
    from -= Stride - 1;
    if constexpr (Stride == 2 && shuffles_once<T>) {
      return odd_lanes(d, hn::LoadU(d, from + lanes), hn::LoadU(d, from));
    } else if constexpr (Stride == 2) {
      hn::Vec<D> a, b;
      hn::LoadInterleaved2(d, from, a, b);
      return b;
    } else if constexpr (Stride == 3) {
      hn::Vec<D> a, b, c;
      hn::LoadInterleaved3(d, from, a, b, c);
      return c;
    } else {
      hn::Vec<D> a, b, c, e;
      hn::LoadInterleaved4(d, from, a, b, c, e);
      return e;
    }
  }
}

}  // namespace detail

// Of larger results a core's share of the last cache would keep little.
inline constexpr index_t most_cached_bytes = index_t(8) * 1024 * 1024;

// What the loops over a nest have in common. `Group` has `nest`, a constant, and `words()`, the attributes in its
// graph; D is the vectors' tag.
template <class Group, class T, class D>
struct nest_lanes {
  static constexpr const loop_nest& nest = Group::nest;
  static constexpr int last_dimension = nest.sizes.size - 1;

  template <int N>
  using op_of = op_of_kind<nest.nodes[N].key.kind>;
  template <int I>
  using input_element = element_t<nest.inputs[I].element>;
  template <int N>
  using node_element = element_t<nest.nodes[N].key.result>;
  template <int N>
  using taken_element = element_t<nest.nodes[N].key.element>;
  // Whether an op is on booleans alone.
  template <int N>
  static constexpr bool takes_truths = std::is_same_v<taken_element<N>, bool>;
  using result_element = node_element<(nest.node_count > 0 ? nest.node_count - 1 : 0)>;

  // The distance of neighbours along a row, where it lies or in its block.
  template <int I>
  static constexpr index_t stride_of = last_dimension < 0          ? 0
                                       : nest.inputs[I].block >= 0 ? 1
                                                                   : nest.inputs[I].strides.at[last_dimension];
  template <int I>
  static constexpr bool repeats = stride_of<I> == 0;

  // Whether an op that is no fold has a form for vectors.
  template <int N>
  static constexpr bool supports_node() {
    constexpr loop_nest::node node = nest.nodes[N];
    using E = taken_element<N>;
    using R = node_element<N>;
    constexpr int arity = detail::element_arity<op_of<N>, E, R>();
    if constexpr (arity == 0 || arity != node.operand_count)
      return false;
    else if constexpr (takes_truths<N> && std::is_same_v<R, bool>)
      return has_numbers() || detail::truths_apply<op_of<N>, E, R>();
    else if constexpr (takes_truths<N>)
      return std::is_same_v<R, T> && detail::conversion_applies<op_of<N>, E, R>();
    else
      return detail::lanes_apply<op_of<N>, T, R>(std::make_index_sequence<std::size_t(arity)>{});
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
  template <class E>
  static HWY_INLINE auto repeat(D d, const E& element) {
    if constexpr (std::is_same_v<E, bool>)
      return hn::FirstN(d, element ? hn::Lanes(d) : 0);
    else
      return hn::Set(d, element);
  }
  template <int I, class E>
  static HWY_INLINE auto repeat_input(D d, const E* from) {
    if constexpr (repeats<I>)
      return repeat(d, *from);
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

  // The result of node N, given those of the inputs and of the nodes before: the values from `Begin` on.
  template <int N, int Begin = 0, class... V>
  static HWY_INLINE auto apply(D d, V... values) {
    return apply_to<N, Begin>(d, std::make_index_sequence<nest.nodes[N].operand_count>{}, values...);
  }
  static constexpr int position_of_operand(int operand) { return operand < 0 ? ~operand : nest.input_count + operand; }

  // Where an element of another result than the last one lies.
  template <int N>
  static node_element<N>* stored(void* const* pointers, index_t at) {
    return reinterpret_cast<node_element<N>*>(address(pointers, nest.nodes[N].stored)) + at;
  }

  // Larger results pass the caches by, unless they are written a line here and there, which memory takes better in the
  // order that caches make of it.
  static constexpr bool is_large = nest.count() > most_cached_bytes / index_t(sizeof(T)) && nest.across < 0 &&
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

  template <int N, int Begin, std::size_t... I, class... V>
  static HWY_INLINE auto apply_to(D d, std::index_sequence<I...>, V... values) {
    return apply_op<N>(d, detail::pick<position_of_operand(nest.nodes[N].operands[I]) + Begin>(values...)...);
  }
  template <int N, class... V>
  static HWY_INLINE auto apply_op(D d, V... operands) {
    constexpr const index_t* words = Group::words() + nest.nodes[N].words;
    if constexpr (!takes_truths<N>) {
      constexpr op_of<N> self = read_attributes<op_of<N>>(words);
      const auto value = detail::lanes_of_op<node_element<N>>(self, d, operands...);
      if constexpr (nest.nodes[N].key.result == dtype::i1)
        return value;
      else
        return rounded(value);
    } else if constexpr (nest.nodes[N].key.result == dtype::i1) {
      constexpr unsigned table = detail::table_of_op<int(sizeof...(V))>(read_attributes<op_of<N>>(words));
      return detail::mask_by_table<table>(d, operands...);
    } else {
      return detail::converted_lanes<bool, T>(d, d, operands...);
    }
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
