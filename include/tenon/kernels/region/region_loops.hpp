// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/lanes/apply_op.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon::kernels {

// A region as a lane program. `Source` has the constant `opened_graph`.
template <class Source, int Region>
struct program_of_region {
  static constexpr lane_program program = lane_program_of(Source::opened_graph, Region);
  static constexpr const index_t* words() { return Source::opened_graph.words.data; }
};

// The executor of a region for the loops that ops run it in, which are in region_loops.hpp and window_lanes.hpp.
// `Source` also has the elements of its constants, `constant<Value>`.
template <class Source, int Region>
class region_lanes : protected static_lanes<program_of_region<Source, Region>> {
  using lanes = static_lanes<program_of_region<Source, Region>>;

 protected:
  using lanes::program;
  static constexpr const graph& g = Source::opened_graph;
  static constexpr graph_region region = g.regions.data[Region];
  static constexpr int argument_count = region.argument_count, yield_count = region.yield_count;

  static constexpr dtype element_of_value(int value) { return g.type_of_value(value).element; }
  template <int Value>
  using type_of_value = element_t<element_of_value(Value)>;
  using lane = element_t<program.fills_vectors ? program.element : dtype::f32>;

 public:
  // Vectors of all values have one lane count. Masks are those of the first type.
  using wide = hn::ScalableTag<lane>;

  static constexpr bool is_supported() {
    if constexpr (!program.fills_vectors || !has_lanes<lane>)
      return false;
    else
      return lanes::are_supported(std::make_integer_sequence<int, program.node_count>{});
  }
  // Whether it takes totals and one element for each of the same type, and gives totals.
  static constexpr bool combines(int totals) {
    if (argument_count != 2 * totals || yield_count != totals) return false;
    for (int i = 0; i < totals; ++i)
      for (int value : {region.arguments + totals + i, g.yields_of(region)[i]})
        if (element_of_value(value) != element_of_value(region.arguments + i)) return false;
    return true;
  }
  static constexpr bool is_scalar() { return g.type_of_value(region.arguments).rank() == 0; }

 protected:
  using single = hn::CappedTag<lane, 1>;
  template <class T, class D>
  using tag_of = tag_of_lanes<T, D>;

  template <class D, class T>
  static HWY_INLINE auto load(D, const T* from, index_t count) {
    const tag_of<T, D> d;
    return load_lanes(d, from, std::size_t(count), hn::Lanes(d));
  }
  template <class D, class V, class T>
  static HWY_INLINE void store(D, V value, T* to, index_t count) {
    const tag_of<T, D> d;
    if constexpr (hn::MaxLanes(D()) == 1 && std::is_same_v<T, bool>)
      *to = hn::AllTrue(d, value);
    else if constexpr (hn::MaxLanes(D()) == 1)
      *to = hn::GetLane(value);
    else
      store_lanes(value, d, to, std::size_t(count), hn::Lanes(d));
  }
  template <class D, class T>
  static HWY_INLINE auto repeat(D, T element) {
    return repeat_element(tag_of<T, D>(), element);
  }

  // Calls give(results...) with what the region gives for these arguments.
  template <class D, class Give, class... V>
  static HWY_INLINE void compute(D d, const Give& give, V... arguments) {
    with_constants(d, give, std::make_integer_sequence<int, program.input_count - program.argument_count>{},
                   arguments...);
  }
  // Of a region that gives one value.
  template <class D, class V>
  static HWY_INLINE V combined(D d, V total, V element) {
    V result = total;
    compute(d, [&](V value) HWY_ATTR __attribute__((always_inline)) { result = value; }, total, element);
    return result;
  }

 private:
  template <class D, class Give, int... C, class... V>
  static HWY_INLINE void with_constants(D d, const Give& give, std::integer_sequence<int, C...>,
                                        const V&... arguments) {
    compute_nodes<0>(d, give, arguments...,
                     constant<program.argument_count + C>(
                         d, Source::template constant<program.inputs[program.argument_count + C]>)...);
  }
  template <int I, class D, class T>
  static HWY_INLINE auto constant(D, T element) {
    return lanes::template repeat<I>(tag_of<T, D>(), element);
  }
  template <int N, class D, class Give, class... V>
  static HWY_INLINE void compute_nodes(D d, const Give& give, const V&... values) {
    if constexpr (N == program.node_count)
      give_results(give, std::make_integer_sequence<int, yield_count>{}, values...);
    else
      compute_nodes<N + 1>(d, give, values..., lanes::template apply<N>(d, values...));
  }
  template <class Give, int... Y, class... V>
  static HWY_INLINE void give_results(const Give& give, std::integer_sequence<int, Y...>, const V&... values) {
    give(pick<lanes::position_of(program.results[Y])>(values...)...);
  }
};

// The loops that ops run a region in: over adjacent elements, over positions that are folded into totals, over
// indices, and over the iterations of a scan.
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

  // For p in order: totals[i][k] = what the region gives for totals[...][k] and places[p * totals + ...][k].
  // Totals begin as *initial[i], or as they are if there are none.
  static void fold(void* const* totals, const void* const* initial, const void* const* places, index_t place_count,
                   index_t count) {
    fold_side_by_side(totals, initial, place_count, count, places_apart{places}, all_totals());
  }
  // For r in order: totals[i][k] = what the region gives for totals[...][k] and elements[...][r * step + k].
  static void fold_rows(void* const* totals, const void* const* elements, index_t step, index_t rows, index_t count) {
    fold_side_by_side(totals, nullptr, rows, count, places_in_rows{elements, step}, all_totals());
  }

  static void fold_at(void* result, const scatter_positions& positions, const void* elements, index_t step,
                      index_t count, index_t run) {
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
    if (count == 0) return;
    if (count == 1)
      take_turns_of(single(), arguments, results, turns, count, is_reverse, inputs, outputs);
    else if (count <= width)
      take_turns_of(wide(), arguments, results, turns, count, is_reverse, inputs, outputs);
    else
      take_long_turns(arguments, results, turns, count, is_reverse, inputs, outputs);
  }

 private:
  template <class Index, class T>
  static void fold_at_indices(T* to, const scatter_positions& positions, const T* from, index_t step, index_t count) {
    const single one;
    const Index* const indices = static_cast<const Index*>(positions.indices);
    const drop_out_of_bounds offset_of{positions.last, positions.stride};
    to += positions.first;
    for (index_t k = 0; k < count; ++k) {
      if (!offset_of.is_inside(indices[k])) continue;
      T* const at = to + offset_of(indices[k]);
      code::store(one, code::combined(one, code::repeat(one, *at), code::repeat(one, from[k * step])), at, 1);
    }
  }

  using all_totals = std::make_integer_sequence<int, yield_count>;
  template <int I>
  using total = type_of_value<region.arguments + I>;

  // Where the elements of a place lie.
  struct places_apart {
    const void* const* places;

    template <int I>
    const total<I>* at(index_t place) const {
      return static_cast<const total<I>*>(places[place * yield_count + I]);
    }
  };
  struct places_in_rows {
    const void* const* elements;
    index_t step;

    template <int I>
    const total<I>* at(index_t place) const {
      return static_cast<const total<I>*>(elements[I]) + place * step;
    }
  };

  // As many vectors of totals stay in registers as there are registers for.
  static constexpr int held = (HWY_TARGET <= HWY_AVX3 ? 16 : 8) / yield_count;
  template <class Places, int... I>
  static HWY_INLINE void fold_side_by_side(void* const* totals, const void* const* initial, index_t place_count,
                                           index_t count, const Places& places, std::integer_sequence<int, I...>) {
    const index_t width = index_t(hn::Lanes(wide())), together = held * width;
    // Copies, as what is written might otherwise be where they lie.
    const std::tuple to{static_cast<total<I>*>(totals[I])...};
    const auto fold_vectors = [&]<int... K>(index_t first, index_t some, std::integer_sequence<int, K...> vectors)
                                  HWY_ATTR
        __attribute__((always_inline)) {
          std::tuple all{begin(std::get<I>(to) + first, initial != nullptr ? initial[I] : nullptr, some, vectors)...};
          for (index_t p = 0; p < place_count; ++p)
            (take(all, places, p, first + K * width, some, std::integral_constant<int, K>(),
                  std::integer_sequence<int, I...>()),
             ...);
          (keep(std::get<I>(all), std::get<I>(to) + first, some, vectors), ...);
        };
    index_t i = 0;
    while (held > 1 && i + together <= count) {
      fold_vectors(i, width, std::make_integer_sequence<int, held>());
      i += together;
      // Where totals begin anew, the last ones overlap those before.
      if (initial != nullptr && i < count && i + together > count) i = count - together;
    }
    for (; i < count; i += width)
      fold_vectors(i, count - i < width ? count - i : width, std::integer_sequence<int, 0>());
  }
  template <class V, int Count>
  struct held_vectors {
    V at[std::size_t(Count)];
  };
  template <class T, int... K>
  static HWY_INLINE auto begin(const T* from, const void* initial, index_t some, std::integer_sequence<int, K...>) {
    const wide d;
    const index_t width = index_t(hn::Lanes(d));
    const auto vector_at = [&](index_t i) HWY_ATTR __attribute__((always_inline)) {
      return initial != nullptr ? code::repeat(d, *static_cast<const T*>(initial)) : code::load(d, from + i, some);
    };
    return held_vectors<decltype(vector_at(0)), int(sizeof...(K))>{{vector_at(K * width)...}};
  }
  template <class All, class Places, int At, int... I>
  static HWY_INLINE void take(All& all, const Places& places, index_t place, index_t first, index_t some,
                              std::integral_constant<int, At>, std::integer_sequence<int, I...>) {
    const wide d;
    code::compute(
        d, [&](auto... values) HWY_ATTR __attribute__((always_inline)) { ((std::get<I>(all).at[At] = values), ...); },
        std::get<I>(all).at[At]..., code::load(d, places.template at<I>(place) + first, some)...);
  }
  template <class Vectors, class T, int... K>
  static HWY_INLINE void keep(const Vectors& vectors, T* to, index_t some, std::integer_sequence<int, K...>) {
    const wide d;
    const index_t width = index_t(hn::Lanes(d));
    (code::store(d, vectors.at[K], to + K * width, some), ...);
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
            carry = pick<outputs>(given...);
            (code::store(d, pick<O>(given...), target<O>(results) + at, count), ...);
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
                if constexpr (holder < 0) code::store(d, pick<outputs>(given...), last + i, some);
                (code::store(d, pick<O>(given...), std::get<O>(to) + at + i, some), ...);
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

}  // namespace tenon::kernels
