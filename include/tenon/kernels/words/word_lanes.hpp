// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/own_lanes.hpp>
#include <tenon/kernels/lanes/apply_op.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

// Groups of i32, of exact products in i64 and of numbers that are known while compiling, in vectors of four words, for
// processors without lanes of 64 bits.
namespace tenon::kernels {

#if defined(__ARM_FEATURE_MVE)
// Four numbers of i32, or of i64 that an i32 holds.
struct words {
  int32x4_t raw;
};
// Those of which a result takes the lowest byte.
struct word_bytes {
  int32x4_t raw;
};
template <std::int64_t Number>
struct known_words {
  static constexpr std::int64_t number = Number;
  HWY_INLINE operator words() const
    requires(Number == std::int32_t(Number))
  {
    return {__arm_vdupq_n_s32(std::int32_t(Number))};
  }
};
// a * b + Addend in i64
template <std::int64_t Addend>
struct word_products {
  static constexpr std::int64_t addend = Addend;
  int32x4_t a, b;

  // The upper words, with the carry of the lower ones.
  HWY_INLINE int32x4_t upper() const {
    constexpr auto low = std::uint32_t(Addend), half = std::uint32_t{1} << 31;
    int32x4_t sum = low == half ? __arm_vrmulhq_s32(a, b) : __arm_vmulhq_s32(a, b);
    if constexpr (low != 0 && low != half)
      sum = __arm_vaddq_s32(
          sum, int32x4_t(__arm_vshrq_n_u32(__arm_vhaddq_n_u32(uint32x4_t(__arm_vmulq_s32(a, b)), low), 31)));
    return __arm_vaddq_n_s32(sum, std::int32_t(Addend >> 32));
  }
};
struct no_words {};

template <class V>
inline constexpr bool are_words = std::is_convertible_v<V, words>;
template <class V>
inline constexpr std::int64_t distance_of = -1;
template <std::int64_t Number>
inline constexpr std::int64_t distance_of<known_words<Number>> = Number;

template <class R, class V>
HWY_INLINE auto convert_words(V x) {
  if constexpr (!std::is_integral_v<R> || std::is_same_v<R, bool>)
    return no_words();
  else if constexpr (requires { V::number; })
    return known_words<std::int64_t(R(V::number))>();
  else if constexpr (are_words<V> && sizeof(R) == 1)
    return word_bytes{words(x).raw};
  else if constexpr (are_words<V> && (std::is_same_v<R, std::int32_t> || std::is_same_v<R, std::int64_t>))
    return words(x);
  else
    return no_words();
}
template <class Op>
HWY_INLINE auto apply_to_words(words a, words b) {
  if constexpr (std::is_same_v<Op, ops::add>)
    return words{__arm_vaddq_s32(a.raw, b.raw)};
  else if constexpr (std::is_same_v<Op, ops::subtract>)
    return words{__arm_vsubq_s32(a.raw, b.raw)};
  else if constexpr (std::is_same_v<Op, ops::multiply>)
    return words{__arm_vmulq_s32(a.raw, b.raw)};
  else if constexpr (std::is_same_v<Op, ops::maximum>)
    return words{__arm_vmaxq_s32(a.raw, b.raw)};
  else if constexpr (std::is_same_v<Op, ops::minimum>)
    return words{__arm_vminq_s32(a.raw, b.raw)};
  else if constexpr (std::is_same_v<Op, ops::and_>)
    return words{__arm_vandq_s32(a.raw, b.raw)};
  else
    return no_words();
}
// An op on elements of T with results of R; no_words where there is no form for words.
template <class Op, class T, class R, class V, class... More>
HWY_INLINE auto apply_to_words(V x, More... more) {
  constexpr bool all_words = (are_words<V> && ... && are_words<More>);
  constexpr std::int64_t distance =
      std::is_same_v<Op, ops::shift_right_arithmetic> ? (distance_of<More> + ... + 0) : -1;
  if constexpr (std::is_same_v<Op, ops::convert>)
    return convert_words<R>(x);
  else if constexpr (distance >= 32 && distance < 64 && requires { V::addend; })
    return words{x.upper() >> int(distance - 32)};
  else if constexpr (std::is_same_v<Op, ops::add> && requires { word_products<(V::addend + ... + More::number)>(); })
    return word_products<(V::addend + ... + More::number)>{x.a, x.b};
  else if constexpr (std::is_same_v<Op, ops::multiply> && std::is_same_v<T, std::int64_t> && all_words)
    return word_products<0>{words(x).raw, words(more).raw...};
  else if constexpr (!std::is_same_v<T, std::int32_t> || !all_words)
    return no_words();
  else if constexpr (distance >= 0 && distance < 32)
    return words{words(x).raw >> int(distance)};
  else if constexpr (std::is_same_v<Op, ops::clamp>)
    return [](words low, words value, words high)
               HWY_ATTR { return words{__arm_vminq_s32(__arm_vmaxq_s32(low.raw, value.raw), high.raw)}; }(x, more...);
  else if constexpr (sizeof...(More) == 1)
    return apply_to_words<Op>(words(x), words(more)...);
  else
    return no_words();
}

// The code of a group, with the nest and the ops of `Code`.
template <class Group, class Code>
struct word_lanes {
  static constexpr const auto& nest = Group::program;

  static constexpr bool has_one_result() {
    for (int n = 0; n < nest.node_count; ++n)
      if (nest.nodes[n].value >= 0) return false;
    return true;
  }
  template <int I, class E>
  static HWY_INLINE auto load(const E* from, [[maybe_unused]] index_t i) {
    constexpr bool lies_in_rows = !nest.inputs[I].is_index() && !nest.inputs[I].by_element;
    constexpr bool are_neighbours = lies_in_rows && Code::template stride_of<I> == 1;
    if constexpr (std::is_integral_v<E> && requires { requires Group::template is_known<I>; })
      return known_words<std::int64_t(Group::template known_number<I>())>();
    else if constexpr (are_neighbours && std::is_same_v<E, std::int32_t>)
      return words{__arm_vldrwq_s32(from + i)};
    else if constexpr (are_neighbours && std::is_same_v<E, std::int8_t>)
      return words{__arm_vldrbq_s32(from + i)};
    else if constexpr (lies_in_rows && Code::template repeats<I> && std::is_same_v<E, std::int32_t>)
      return words{__arm_vdupq_n_s32(*from)};
    else
      return no_words();
  }
  // The results of the nodes from N on, given the inputs and those before; gives the last one.
  template <int N, class... V>
  static HWY_INLINE auto compute(V... values) {
    if constexpr (N == nest.node_count)
      return pick<int(sizeof...(V)) - 1>(values...);
    else
      return compute<N + 1>(values...,
                            apply<N>(std::make_integer_sequence<int, nest.nodes[N].operand_count>(), values...));
  }
  template <int N, int... I, class... V>
  static HWY_INLINE auto apply(std::integer_sequence<int, I...>, V... values) {
    return apply_to_words<typename Code::template op_of<N>, typename Code::template taken_element<N>,
                          typename Code::template node_element<N>>(
        pick<Code::position_of(nest.nodes[N].operands[I])>(values...)...);
  }
};

// Elements of a row as far as there are whole vectors of words; returns how many.
template <class Group, class Code, int... I, class R, class... E>
HWY_INLINE index_t compute_words(R* to, index_t count, std::integer_sequence<int, I...>, const E*... from) {
  using lanes = word_lanes<Group, Code>;
  using result = decltype(lanes::template compute<0>(lanes::template load<I>(from, 0)...));
  constexpr bool has_bytes = std::is_same_v<result, word_bytes>;
  if constexpr (!lanes::has_one_result() ||
                !(has_bytes || (std::is_same_v<result, words> && std::is_same_v<R, std::int32_t>))) {
    return 0;
  } else {
    const int end = int(count) & ~3;
    for (int i = 0; i < end; i += 4) {
      const result value = lanes::template compute<0>(lanes::template load<I>(from, i)...);
      if constexpr (has_bytes)
        __arm_vstrbq_s32(reinterpret_cast<std::int8_t*>(to) + i, value.raw);
      else
        __arm_vstrwq_s32(to + i, value.raw);
    }
    return end;
  }
}
#else
template <class Group, class Code, class Inputs, class R, class... E>
HWY_INLINE constexpr index_t compute_words(R*, index_t, Inputs, const E*...) {
  return 0;
}
#endif

}  // namespace tenon::kernels
