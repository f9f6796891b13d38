// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/lanes/static_lanes.hpp>

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
  // Vectors of all values have as many lanes. Masks are those of the first type.
  using wide = hn::ScalableTag<lane>;

  static constexpr bool is_supported() {
    if constexpr (!program.fills_vectors || !has_lanes<lane>)
      return false;
    else
      return lanes::are_supported(std::make_integer_sequence<int, program.node_count>{});
  }
  // Whether it takes totals and as many elements of the same types, and gives totals.
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
  static HWY_INLINE void with_constants(D d, const Give& give, std::integer_sequence<int, C...>, V... arguments) {
    compute_nodes<0>(d, give, arguments...,
                     constant<program.argument_count + C>(
                         d, Source::template constant<program.inputs[program.argument_count + C]>)...);
  }
  template <int I, class D, class T>
  static HWY_INLINE auto constant(D, T element) {
    return lanes::template repeat<I>(tag_of<T, D>(), element);
  }
  template <int N, class D, class Give, class... V>
  static HWY_INLINE void compute_nodes(D d, const Give& give, V... values) {
    if constexpr (N == program.node_count)
      give_results(give, std::make_integer_sequence<int, yield_count>{}, values...);
    else
      compute_nodes<N + 1>(d, give, values..., lanes::template apply<N>(d, values...));
  }
  template <class Give, int... Y, class... V>
  static HWY_INLINE void give_results(const Give& give, std::integer_sequence<int, Y...>, V... values) {
    give(pick<lanes::position_of(program.results[Y])>(values...)...);
  }
};

}  // namespace tenon::kernels
