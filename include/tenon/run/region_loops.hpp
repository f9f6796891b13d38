// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/region_lanes.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

// The loops that ops run a region in: over elements side by side, over places that totals take in turn, over indices,
// and over the turns of a scan.
template <class Source, int Region>
class region_loops : public region_lanes<Source, Region> {
  using code = region_lanes<Source, Region>;
  using code::argument_count;
  using code::g;
  using code::region;
  using code::yield_count;
  using typename code::single;
  template <int Value>
  using type_of_value = typename code::template type_of_value<Value>;

 public:
  using typename code::wide;

  static void apply(const void* const* arguments, void* const* results, index_t count) {
    apply_to(arguments, results, count, std::make_integer_sequence<int, argument_count>{},
             std::make_integer_sequence<int, yield_count>{});
  }

  // So many vectors of totals are worked on together that none is waited for. Where they begin anew, the last ones
  // overlap those before.
  template <class D>
  static void fold_one(void* const* totals, const void* const* initial, const void* const* places, index_t place_count,
                       index_t count) {
    using T = type_of_value<region.arguments>;
    const D d;
    const index_t w = index_t(hn::Lanes(d));
    T* const to = static_cast<T*>(totals[0]);
    const T* const first = initial != nullptr ? static_cast<const T*>(initial[0]) : nullptr;
    const auto begin = [&](const T* at, index_t some) HWY_ATTR
        __attribute__((always_inline)) { return first != nullptr ? code::repeat(d, *first) : code::load(d, at, some); };
    index_t i = 0;
    while (i + 8 * w <= count) {
      T* const at = to + i;
      auto a = begin(at, w), b = begin(at + w, w), c = begin(at + 2 * w, w), e = begin(at + 3 * w, w);
      auto f = begin(at + 4 * w, w), h = begin(at + 5 * w, w), j = begin(at + 6 * w, w), k = begin(at + 7 * w, w);
      for (index_t p = 0; p < place_count; ++p) {
        const T* const from = static_cast<const T*>(places[p]) + i;
        a = code::combined(d, a, code::load(d, from, w)), b = code::combined(d, b, code::load(d, from + w, w));
        c = code::combined(d, c, code::load(d, from + 2 * w, w)),
        e = code::combined(d, e, code::load(d, from + 3 * w, w));
        f = code::combined(d, f, code::load(d, from + 4 * w, w)),
        h = code::combined(d, h, code::load(d, from + 5 * w, w));
        j = code::combined(d, j, code::load(d, from + 6 * w, w)),
        k = code::combined(d, k, code::load(d, from + 7 * w, w));
      }
      code::store(d, a, at, w), code::store(d, b, at + w, w), code::store(d, c, at + 2 * w, w),
          code::store(d, e, at + 3 * w, w);
      code::store(d, f, at + 4 * w, w), code::store(d, h, at + 5 * w, w), code::store(d, j, at + 6 * w, w);
      code::store(d, k, at + 7 * w, w);
      i += 8 * w;
      if (first != nullptr && i < count && i + 8 * w > count) i = count - 8 * w;
    }
    for (; i < count; i += w) {
      const index_t some = count - i < w ? count - i : w;
      auto a = begin(to + i, some);
      for (index_t p = 0; p < place_count; ++p)
        a = code::combined(d, a, code::load(d, static_cast<const T*>(places[p]) + i, some));
      code::store(d, a, to + i, some);
    }
  }
  template <class D>
  static void fold_two(void* const* totals, const void* const* initial, const void* const* places, index_t place_count,
                       index_t count) {
    using T = type_of_value<region.arguments>;
    using U = type_of_value<region.arguments + 1>;
    const D d;
    const index_t w = index_t(hn::Lanes(d));
    T* const first = static_cast<T*>(totals[0]);
    U* const second = static_cast<U*>(totals[1]);
    const bool is_first = initial != nullptr;
    const auto begin = [&]<class E>(const E* at, int which, index_t some) HWY_ATTR __attribute__((always_inline)) {
      return is_first ? code::repeat(d, *static_cast<const E*>(initial[which])) : code::load(d, at, some);
    };
    const auto take = [&](auto& a, auto& b, index_t p, index_t at, index_t some) HWY_ATTR
        __attribute__((always_inline)) {
          code::compute(
              d, [&](auto u, auto v) HWY_ATTR __attribute__((always_inline)) { a = u, b = v; }, a, b,
              code::load(d, static_cast<const T*>(places[2 * p]) + at, some),
              code::load(d, static_cast<const U*>(places[2 * p + 1]) + at, some));
        };
    index_t i = 0;
    while (i + 4 * w <= count) {
      auto a = begin(first + i, 0, w), c = begin(first + i + w, 0, w);
      auto e = begin(first + i + 2 * w, 0, w), h = begin(first + i + 3 * w, 0, w);
      auto b = begin(second + i, 1, w), f = begin(second + i + w, 1, w);
      auto j = begin(second + i + 2 * w, 1, w), k = begin(second + i + 3 * w, 1, w);
      for (index_t p = 0; p < place_count; ++p) {
        take(a, b, p, i, w), take(c, f, p, i + w, w);
        take(e, j, p, i + 2 * w, w), take(h, k, p, i + 3 * w, w);
      }
      code::store(d, a, first + i, w), code::store(d, c, first + i + w, w);
      code::store(d, e, first + i + 2 * w, w), code::store(d, h, first + i + 3 * w, w);
      code::store(d, b, second + i, w), code::store(d, f, second + i + w, w);
      code::store(d, j, second + i + 2 * w, w), code::store(d, k, second + i + 3 * w, w);
      i += 4 * w;
      if (is_first && i < count && i + 4 * w > count) i = count - 4 * w;
    }
    for (; i < count; i += w) {
      const index_t some = count - i < w ? count - i : w;
      auto a = begin(first + i, 0, some);
      auto b = begin(second + i, 1, some);
      for (index_t p = 0; p < place_count; ++p) take(a, b, p, i, some);
      code::store(d, a, first + i, some), code::store(d, b, second + i, some);
    }
  }

  // Row after row, in the order in which they come from memory.
  template <class D>
  static void fold_rows(void* const* totals, const void* const* elements, index_t step, index_t rows, index_t count) {
    fold_rows_of(D(), totals, elements, step, rows, count, std::make_integer_sequence<int, yield_count>{});
  }

  static void fold_at(void* result, const placing_indices& positions, const void* elements, index_t step, index_t count,
                      index_t run) {
    using T = type_of_value<region.arguments>;
    T* const to = static_cast<T*>(result);
    const T* const from = static_cast<const T*>(elements);
    if (run == 1)
      return positions.are_narrow ? fold_at_indices<std::int32_t>(to, positions, from, step, count)
                                  : fold_at_indices<index_t>(to, positions, from, step, count);
    const wide d;
    const index_t w = index_t(hn::Lanes(d));
    for (index_t k = 0; k < count; ++k) {
      const index_t at = positions.exact(k);
      if (at < 0) continue;
      T* const row = to + at;
      const T* const next = from + k * step;
      const auto take = [&](index_t i, index_t some) HWY_ATTR __attribute__((always_inline)) {
        code::store(d, code::combined(d, code::load(d, row + i, some), code::load(d, next + i, some)), row + i, some);
      };
      index_t i = 0;
      for (; i + w <= run; i += w) take(i, w);
      if (i < run) take(i, run - i);
    }
  }

  // Of `Inputs` inputs and one carry.
  template <int Inputs>
  static void take_turns(const void* const* arguments, void* const* results, index_t turns, index_t count,
                         bool is_reverse) {
    static_assert(argument_count == Inputs + 1);
    constexpr std::make_integer_sequence<int, Inputs> inputs;
    constexpr std::make_integer_sequence<int, yield_count - 1> outputs;
    const index_t width = index_t(hn::Lanes(wide()));
    if (count == 1)
      take_turns_of(single(), arguments, results, turns, count, is_reverse, inputs, outputs);
    else if (count <= width)
      take_turns_of(wide(), arguments, results, turns, count, is_reverse, inputs, outputs);
    else
      take_long_turns(arguments, results, turns, count, is_reverse, inputs, outputs);
  }

 private:
  template <class Index, class T>
  static void fold_at_indices(T* to, const placing_indices& positions, const T* from, index_t step, index_t count) {
    const single one;
    const Index* const indices = static_cast<const Index*>(positions.indices);
    const offset_or_outside offset_of{positions.last, positions.stride};
    to += positions.first;
    for (index_t k = 0; k < count; ++k) {
      if (!offset_of.is_inside(indices[k])) continue;
      T* const at = to + offset_of(indices[k]);
      code::store(one, code::combined(one, code::repeat(one, *at), code::repeat(one, from[k * step])), at, 1);
    }
  }

  template <class D, int... I>
  static HWY_INLINE void fold_rows_of(D d, void* const* totals, const void* const* elements, index_t step, index_t rows,
                                      index_t count, std::integer_sequence<int, I...>) {
    const index_t w = index_t(hn::Lanes(d));
    // Copies, as what is written might otherwise be where they lie.
    const std::tuple to{static_cast<type_of_value<region.arguments + I>*>(totals[I])...};
    std::tuple from{static_cast<const type_of_value<region.arguments + I>*>(elements[I])...};
    const auto take = [&](index_t i, index_t some) HWY_ATTR __attribute__((always_inline)) {
      code::compute(
          d,
          [&](auto... values) HWY_ATTR
          __attribute__((always_inline)) { (code::store(d, values, std::get<I>(to) + i, some), ...); },
          code::load(d, std::get<I>(to) + i, some)..., code::load(d, std::get<I>(from) + i, some)...);
    };
    // Many vectors are written out. Their totals stay in registers where there are enough; elsewhere one row comes
    // after the other, for each load to come a row after its last one: so processors know what to fetch ahead. What is
    // left over of rows comes behind.
    constexpr bool holds = HWY_TARGET <= HWY_AVX3;
    constexpr std::make_integer_sequence<int, sizeof...(I) == 1 ? 16 : sizeof...(I) == 2 ? 8 : 4> written_out;
    const index_t together = index_t(written_out.size()) * w, whole = count / together * together;
    if constexpr (holds) {
      for (index_t i = 0; i < whole; i += together)
        fold_held(d, std::tuple{std::get<I>(to) + i...}, std::tuple{std::get<I>(from) + i...}, step, rows,
                  std::integer_sequence<int, I...>(), written_out);
    } else {
      const auto take_many = [&]<int... K>(index_t i, std::integer_sequence<int, K...>) HWY_ATTR
          __attribute__((always_inline)) { (take(i + K * w, w), ...); };
      for (index_t row = 0; row < rows; ++row, ((std::get<I>(from) += step), ...))
        for (index_t i = 0; i < whole; i += together) take_many(i, written_out);
      ((std::get<I>(from) -= rows * step), ...);
    }
    for (index_t row = 0; row < rows && whole < count; ++row, ((std::get<I>(from) += step), ...)) {
      index_t i = whole;
      for (; i + w <= count; i += w) take(i, w);
      if (i < count) take(i, count - i);
    }
  }
  template <class V, int Count>
  struct held_vectors {
    V at[std::size_t(Count)];
  };
  // to[i][k] takes from[i][r * step + k] of one row r after the other, for as many vectors as there are K.
  template <class D, class To, class From, int... I, int... K>
  static HWY_INLINE void fold_held(D d, To to, From from, index_t step, index_t rows, std::integer_sequence<int, I...>,
                                   std::integer_sequence<int, K...>) {
    const index_t w = index_t(hn::Lanes(d));
    const auto load = [=](const auto* at) HWY_ATTR __attribute__((always_inline)) {
      return held_vectors<decltype(code::load(d, at, w)), int(sizeof...(K))>{{code::load(d, at + K * w, w)...}};
    };
    std::tuple held{load(std::get<I>(to))...};
    const auto take = [&]<int At>() HWY_ATTR __attribute__((always_inline)) {
      code::compute(
          d,
          [&](auto... values) HWY_ATTR __attribute__((always_inline)) { ((std::get<I>(held).at[At] = values), ...); },
          std::get<I>(held).at[At]..., code::load(d, std::get<I>(from) + At * w, w)...);
    };
    for (index_t row = 0; row < rows; ++row, ((std::get<I>(from) += step), ...)) (take.template operator()<K>(), ...);
    const auto store = [=](auto* at, const auto& vectors) HWY_ATTR
        __attribute__((always_inline)) { (code::store(d, vectors.at[K], at + K * w, w), ...); };
    (store(std::get<I>(to), std::get<I>(held)), ...);
  }

  template <int... A, int... Y>
  static HWY_INLINE void apply_to(const void* const* arguments, void* const* results, index_t count,
                                  std::integer_sequence<int, A...>, std::integer_sequence<int, Y...>) {
    apply_from(count, std::integer_sequence<int, Y...>{},
               std::tuple{static_cast<type_of_value<g.yields_of(region)[Y]>*>(results[Y])...},
               static_cast<const type_of_value<region.arguments + A>*>(arguments[A])...);
  }
  template <int... Y, class Targets, class... T>
  static HWY_INLINE void apply_from(index_t count, std::integer_sequence<int, Y...>, const Targets& to,
                                    const T*... from) {
    const wide d;
    const index_t width = index_t(hn::Lanes(d));
    const auto apply_at = [&](index_t i, index_t some) HWY_ATTR __attribute__((always_inline)) {
      code::compute(
          d,
          [&](auto... results) HWY_ATTR
          __attribute__((always_inline)) { (code::store(d, results, std::get<Y>(to) + i, some), ...); },
          code::load(d, from + i, some)...);
    };
    index_t i = 0;
    for (; i + width <= count; i += width) apply_at(i, width);
    if (i < count) apply_at(i, count - i);
  }

  // The carry stays in one vector.
  template <class D, int... I, int... O>
  static HWY_INLINE void take_turns_of(D d, const void* const* arguments, void* const* results, index_t turns,
                                       index_t count, bool is_reverse, std::integer_sequence<int, I...>,
                                       std::integer_sequence<int, O...>) {
    constexpr int inputs = sizeof...(I), outputs = sizeof...(O);
    using carried = type_of_value<region.arguments + inputs>;
    const auto read_at = [&]<class T>(const T* from) HWY_ATTR __attribute__((always_inline)) {
      if constexpr (hn::MaxLanes(D()) == 1)
        return code::repeat(d, *from);
      else
        return code::load(d, from, count);
    };
    auto carry = read_at(static_cast<const carried*>(arguments[inputs]));
    index_t at = is_reverse ? (turns - 1) * count : 0;
    for (index_t turn = 0; turn < turns; ++turn, at += is_reverse ? -count : count)
      code::compute(
          d,
          [&](auto... given) HWY_ATTR __attribute__((always_inline)) {
            carry = detail::pick<outputs>(given...);
            (code::store(d, detail::pick<O>(given...), target<O>(results) + at, count), ...);
          },
          read_at(static_cast<const type_of_value<region.arguments + I>*>(arguments[I]) + at)..., carry);
    code::store(d, carry, static_cast<carried*>(results[outputs]), count);
  }
  // Which output is what the carry becomes, too; -1: none.
  template <int Outputs>
  static constexpr int carried_output() {
    for (int i = 0; i < Outputs; ++i)
      if (g.yields_of(region)[i] == g.yields_of(region)[Outputs]) return i;
    return -1;
  }
  // The carry lies in the output that it equals, or else where its last value goes.
  template <int... I, int... O>
  static HWY_INLINE void take_long_turns(const void* const* arguments, void* const* results, index_t turns,
                                         index_t count, bool is_reverse, std::integer_sequence<int, I...>,
                                         std::integer_sequence<int, O...>) {
    constexpr int inputs = sizeof...(I), outputs = sizeof...(O), holder = carried_output<outputs>();
    using carried = type_of_value<region.arguments + inputs>;
    carried* const last = static_cast<carried*>(results[outputs]);
    const wide d;
    const index_t width = index_t(hn::Lanes(d));
    // Copies, as what is written might otherwise be where they lie.
    const std::tuple from{static_cast<const type_of_value<region.arguments + I>*>(arguments[I])...};
    const std::tuple to{target<O>(results)...};
    const auto take = [=](const carried* carry, index_t at, index_t i, index_t some) HWY_ATTR
        __attribute__((always_inline)) {
          code::compute(
              d,
              [&](auto... given) HWY_ATTR __attribute__((always_inline)) {
                if constexpr (holder < 0) code::store(d, detail::pick<outputs>(given...), last + i, some);
                (code::store(d, detail::pick<O>(given...), std::get<O>(to) + at + i, some), ...);
              },
              code::load(d, std::get<I>(from) + at + i, some)..., code::load(d, carry + i, some));
        };
    const carried* carry = static_cast<const carried*>(arguments[inputs]);
    for (index_t turn = 0; turn < turns; ++turn) {
      const index_t at = (is_reverse ? turns - 1 - turn : turn) * count;
      index_t i = 0;
      for (; i + width <= count; i += width) take(carry, at, i, width);
      if (i < count) take(carry, at, i, count - i);
      if constexpr (holder < 0)
        carry = last;
      else
        carry = std::get<std::size_t(holder)>(to) + at;
    }
    for (index_t i = 0; i < count && carry != last; ++i) last[i] = carry[i];
  }
  template <int Y>
  static HWY_INLINE auto* target(void* const* results) {
    return static_cast<type_of_value<g.yields_of(region)[Y]>*>(results[Y]);
  }
};

}  // namespace tenon
