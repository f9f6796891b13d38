// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/kernels/group/nest_lanes.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace tenon::kernels {

// The code of a nest with folds: row by row, and of each row one pass after another. Short rows are taken as many at
// once as vectors have lanes: what has one element per row is then a vector. Folds combine elements in the order in
// which fold.hpp does.
template <class Group>
class row_reduction_loop : nest_passes<Group> {
  using T = element_t<Group::program.element>;
  static constexpr const loop_nest& nest = Group::program;
  // As in fold.hpp; of shorter rows, which are combined one by one, vectors are no wider than these.
  using widest = hn::CappedTag<T, 256 / sizeof(T)>;
  using D = std::conditional_t<(nest.row() < index_t(hn::MaxLanes(widest()))), lanes_for<T, nest.row()>, widest>;
  using code = nest_lanes<Group, T, D>;
  using base = nest_passes<Group>;
  using base::places, base::root, base::root_is_row;
  static constexpr index_t at_once = 4, width = index_t(hn::MaxLanes(D()));
  // In front of the vectors that fold.hpp takes at once, elements are combined one by one.
  static constexpr bool is_short = code::row < at_once * index_t(hn::MaxLanes(widest()));
  static constexpr index_t rows_at_once = is_short ? width : 1;

 public:
  static constexpr bool is_supported() {
    if constexpr (HWY_HAVE_SCALABLE)
      return false;
    else
      return !nest.has_wide_strides && code::inputs_fit() && base::template have_vectors<code>(all_nodes()) &&
             (HWY_TARGET == HWY_SCALAR || keep_order(all_nodes()));
  }
  static constexpr index_t count() { return nest.count(); }
  static constexpr index_t unit() { return code::row; }

  static void run(group_memory memory, index_t first, index_t last, char* scratch) {
    row_walk<Group> walk(first / code::row);
    for (index_t done = first; done < last; done += rows_at_once * code::row)
      run_rows(memory, walk, done, is_short ? std::min((last - done) / code::row, width) : 1, scratch, all_inputs());
    if constexpr (code::is_large) hwy::FlushStream();
  }

 private:
  using all_inputs = std::make_integer_sequence<int, nest.input_count>;
  using all_nodes = std::make_integer_sequence<int, nest.node_count>;
  using result_element = typename code::result_element;
  template <int N>
  using node_element = typename code::template node_element<N>;

  // In vectors of another length floats would be combined in another order.
  template <int... N>
  static constexpr bool keep_order(std::integer_sequence<int, N...>) {
    return ((!nest.nodes[N].folds || sizeof(node_element<N>) == sizeof(T) || std::is_integral_v<node_element<N>>) &&
            ...);
  }

  // Where a row is read, written and kept.
  template <class... E>
  struct row_places {
    std::tuple<const E*...> from;
    group_memory memory;
    char* scratch;
    index_t number;  // of the row among those that are taken at once
    index_t done;    // elements in front of the row
    result_element* to;
    bool passes_caches;
  };
  // The rows that are taken at once, and what has one element of each.
  template <class... E>
  struct row_state {
    row_places<E...> at[std::size_t(rows_at_once)];
    index_t rows;
    alignas(64) unsigned char elements[nest.node_count + 1][16 * rows_at_once];

    template <int N>
    node_element<N>* elements_of() {
      return reinterpret_cast<node_element<N>*>(elements[N]);
    }
  };

  // Of a fold: the totals of the vectors that are taken at once.
  static constexpr index_t left = code::row % (at_once * width);
  template <int N>
  struct fold_totals {
    using element = node_element<N>;
    using body = op_of_kind<nest.nodes[N].key.body>;
    using tag = typename code::template tag_of<element>;
    using vector = lanes_of<element, tag>;

    vector four[at_once];

    static HWY_INLINE vector combine(vector total, vector value) {
      return apply_op<body, element, element>(no_attributes<body>(), tag(), total, value);
    }
    // In the first lanes.
    static HWY_INLINE vector combine_first(vector total, vector value, std::size_t count) {
      const vector combined = combine(total, value);
      if constexpr (std::is_same_v<element, bool>) {
        const auto first = hn::FirstN(D(), count);
        return hn::Or(hn::And(first, combined), hn::AndNot(first, total));
      } else {
        return hn::IfThenElse(hn::FirstN(tag(), count), combined, total);
      }
    }
    HWY_INLINE element total(element init) const {
      const vector all = combine(combine(four[0], four[1]), combine(four[2], four[3]));
      if constexpr (sizeof(element) == sizeof(T) && !std::is_same_v<element, bool>) {
        init = combine_elements<body>(init, combine_halves<body>(tag(), all));
      } else {
        HWY_ALIGN element elements[width];
        store_lanes(all, tag(), elements, std::size_t(width), std::size_t(width));
        for (element each : elements) init = combine_elements<body>(init, each);
      }
      return init;
    }
  };
  // Of a fold of short rows: their elements.
  template <int N>
  struct short_rows {
    using element = node_element<N>;
    using body = op_of_kind<nest.nodes[N].key.body>;
    using tag = typename code::template tag_of<element>;
    static constexpr index_t row_width = (code::row + width - 1) / width * width;

    HWY_ALIGN element at[row_width * rows_at_once];

    // totals[r] = fold(init, at[r * row_width + k] for all k), with rows in lanes where elements fill vectors.
    HWY_INLINE void fold(element init, element* totals, index_t rows) const {
      if constexpr (nest.sizes.size > 1 && sizeof(element) == sizeof(T) && !std::is_same_v<element, bool>) {
        using bytes = bytes_like<element>;
        HWY_ALIGN element turned[code::row * width];
        copy_box(reinterpret_cast<bytes*>(turned), width, reinterpret_cast<const bytes*>(at), 1, row_width, code::row,
                 width);
        auto all = repeat_element(tag(), init);
        for (index_t k = 0; k < code::row; ++k)
          all = fold_totals<N>::combine(all,
                                        load_lanes(tag(), turned + k * width, std::size_t(width), std::size_t(width)));
        store_lanes(all, tag(), totals, std::size_t(width), std::size_t(width));
      } else {
        for (index_t r = 0; r < rows; ++r) {
          totals[r] = init;
          for (index_t k = 0; k < code::row; ++k) totals[r] = combine_elements<body>(totals[r], at[r * row_width + k]);
        }
      }
    }
  };
  struct no_totals {};
  template <int N>
  using totals_of_fold = std::conditional_t<is_short, short_rows<N>, fold_totals<N>>;
  template <int Pass, int N>
  struct totals_of_node : std::conditional_t<base::folds_in(Pass, N), totals_of_fold<N>, no_totals> {};
  template <int Pass, class>
  struct totals_of_pass;
  template <int Pass, int... N>
  struct totals_of_pass<Pass, std::integer_sequence<int, N...>> : totals_of_node<Pass, N>... {};

  template <int... I>
  static HWY_INLINE void run_rows(group_memory memory, row_walk<Group>& walk, index_t done, index_t rows, char* scratch,
                                  std::integer_sequence<int, I...>) {
    result_element* const to = code::start_of_result(memory) + (root_is_row ? done / code::row : done);
    row_state<typename code::template input_element<I>...> state;
    state.rows = rows;
    for (index_t r = 0; r < rows; ++r) {
      auto& at = state.at[r];
      at.from = {code::template begin_row<I>(memory, walk.offsets[I], scratch, r)...};
      at.memory = memory;
      at.scratch = scratch;
      at.number = r;
      at.done = done + r * code::row;
      at.to = to + r * (root_is_row ? 1 : code::row);
      at.passes_caches = code::passes_caches(memory, at.to, at.done);
      walk.step();
    }
    run_passes<0>(state);
    if constexpr (root_is_row) std::copy_n(state.template elements_of<root>(), rows, to);
  }
  template <int Pass, class State>
  static HWY_INLINE void run_passes(State& state) {
    settle<Pass, 0>(state);
    if constexpr (Pass < nest.pass_count) {
      run_pass<Pass>(state, std::make_integer_sequence<int, places>());
      run_passes<Pass + 1>(state);
    }
  }

  // Computes what has one element per row and is known before a pass.
  template <int Pass, int N, class State>
  static HWY_INLINE void settle(State& state) {
    if constexpr (N < nest.node_count) {
      constexpr loop_nest::node node = nest.nodes[N];
      if constexpr (node.per_row && !node.folds && node.pass == Pass)
        settle_node<N>(state, std::make_integer_sequence<int, places>());
      settle<Pass, N + 1>(state);
    }
  }
  template <int N, class State, int... Place>
  static HWY_INLINE void settle_node(State& state, std::integer_sequence<int, Place...>) {
    const D d;
    using E = node_element<N>;
    E* const to = state.template elements_of<N>();
    if constexpr (is_short) {
      const auto values =
          code::template apply<N>(d, side_by_side<Place, base::template is_operand<N>(Place)>(d, state)...);
      store_lanes(values, typename code::template tag_of<E>(), to, std::size_t(width), std::size_t(width));
    } else {
      const auto value =
          code::template apply<N>(d, repeated<Place, base::template is_operand<N>(Place)>(d, state, 0)...);
      if constexpr (has_lanes<E>)
        *to = hn::GetLane(value);
      else
        store_lanes(value, typename code::template tag_of<E>(), to, 1, hn::MaxLanes(d));
    }
    keep_of_rows<N>(state);
  }
  // Hands out what has one element per row.
  template <int N, class State>
  static HWY_INLINE void keep_of_rows(State& state) {
    if constexpr (nest.nodes[N].value >= 0)
      std::copy_n(state.template elements_of<N>(), state.rows,
                  code::template stored<N>(state.at[0].memory, state.at[0].done / code::row));
  }

  // A vector of what is the same along row r; nothing of use for other values.
  template <int Place, bool Wanted, class State>
  static HWY_INLINE auto repeated(D d, State& state, index_t r) {
    if constexpr (!Wanted)
      return d;
    else if constexpr (Place < nest.input_count)
      return code::template repeat_input<Place>(d, std::get<std::size_t(Place)>(state.at[r].from));
    else if constexpr (nest.gives_rows(Place - nest.input_count))
      return repeat_element(typename code::template tag_of<node_element<Place - nest.input_count>>(),
                            state.template elements_of<Place - nest.input_count>()[r]);
    else
      return d;
  }
  // A vector of what is the same along each of several rows, a row a lane.
  template <int Place, bool Wanted, class State>
  static HWY_INLINE auto side_by_side(D d, State& state) {
    constexpr std::size_t lanes = std::size_t(width);
    if constexpr (!Wanted) {
      return d;
    } else if constexpr (Place < nest.input_count) {
      using E = typename code::template input_element<Place>;
      E taken[lanes]{};
      for (index_t r = 0; r < state.rows; ++r) taken[r] = *std::get<std::size_t(Place)>(state.at[r].from);
      return load_lanes(typename code::template tag_of<E>(), taken, lanes, lanes);
    } else if constexpr (nest.gives_rows(Place - nest.input_count)) {
      using E = node_element<Place - nest.input_count>;
      return load_lanes(typename code::template tag_of<E>(), state.template elements_of<Place - nest.input_count>(),
                        lanes, lanes);
    } else {
      return d;
    }
  }

  template <int Pass, class State, int... Place>
  static HWY_INLINE void run_pass(State& state, std::integer_sequence<int, Place...>) {
    totals_of_pass<Pass, all_nodes> totals;
    const index_t rows = is_short ? state.rows : 1;
    for (index_t r = 0; r < rows; ++r)
      run_row<Pass, Place...>(state.at[r], totals,
                              repeated<Place, base::reads(Pass, base::operand_at(Place))>(D(), state, r)...);
    const auto finish = [&](auto n) HWY_ATTR {
      if constexpr (base::folds_in(Pass, n)) {
        const totals_of_fold<n>& of = totals;
        const auto& init =
            *reinterpret_cast<const node_element<n>*>(code::address(state.at[0].memory, nest.nodes[n].init));
        if constexpr (is_short)
          of.fold(init, state.template elements_of<n>(), state.rows);
        else
          *state.template elements_of<n>() = of.total(init);
        keep_of_rows<n>(state);
      }
    };
    base::for_each_node(finish, all_nodes());
  }
  // `place` by value: a copy stays in registers.
  template <int Pass, int... Place, class Places, class Totals, class... Repeated>
  static HWY_INLINE void run_row(const Places place, Totals& totals, Repeated... repeated_values) {
    index_t count = code::row;
    // As a constant it would make loops unroll beyond what registers hold.
    if constexpr (!is_short) asm("" : "+r"(count));
    const auto vectors_at = [&](index_t i, index_t some, auto sink) HWY_ATTR __attribute__((always_inline)) {
      if constexpr (nest.pass_count > 1 && !is_short) (fetch_next_row<Pass, Place>(place, i), ...);
      compute<Pass, 0>(place, i, std::size_t(some), sink, repeated_values...);
    };
    const auto each_vector = [&](auto sink) HWY_ATTR __attribute__((always_inline)) {
      index_t i = 0;
      for (; i + width <= count; i += width) vectors_at(i, width, sink);
      if constexpr (code::row % width != 0) vectors_at(i, count - i, sink);
    };
    if constexpr (!base::folds_in(Pass)) {
      each_vector([](auto, auto, index_t) {});
    } else if constexpr (is_short) {
      each_vector([&](auto n, auto value, index_t i) HWY_ATTR __attribute__((always_inline)) {
        short_rows<n>& of = totals;
        store_lanes(value, typename short_rows<n>::tag(), of.at + place.number * of.row_width + i, std::size_t(width),
                    std::size_t(width));
      });
    } else {
      const auto group = [&](index_t i, auto begins) HWY_ATTR __attribute__((always_inline)) {
        const auto part = [&](auto k) HWY_ATTR __attribute__((always_inline)) {
          vectors_at(i + k * width, width, [&](auto n, auto value, index_t) HWY_ATTR __attribute__((always_inline)) {
            fold_totals<n>& of = totals;
            if constexpr (begins)
              of.four[k] = value;
            else
              of.four[k] = of.combine(of.four[k], value);
          });
        };
        part(std::integral_constant<int, 0>()), part(std::integral_constant<int, 1>());
        part(std::integral_constant<int, 2>()), part(std::integral_constant<int, 3>());
      };
      group(0, std::true_type());
      index_t i = at_once * width;
      for (; i + at_once * width <= count; i += at_once * width) group(i, std::false_type());
      const auto take_left = [&](auto k) HWY_ATTR __attribute__((always_inline)) {
        constexpr index_t done = k * width, some = left - done < width ? left - done : width;
        if constexpr (some > 0)
          vectors_at(i + done, some, [&](auto n, auto value, index_t) HWY_ATTR __attribute__((always_inline)) {
            fold_totals<n>& of = totals;
            of.four[k] = some == width ? of.combine(of.four[k], value) : of.combine_first(of.four[k], value, some);
          });
      };
      take_left(std::integral_constant<int, 0>()), take_left(std::integral_constant<int, 1>());
      take_left(std::integral_constant<int, 2>()), take_left(std::integral_constant<int, 3>());
    }
  }
  // Each pass over a row asks for its share of the next one, which so comes from memory while there is something to do.
  template <int Pass, int Place, class Places>
  static HWY_INLINE void fetch_next_row(const Places& at, index_t i) {
    if constexpr (Place < nest.input_count) {
      if constexpr (nest.sizes.size > 1 && code::template stride_of<Place> == 1 &&
                    nest.inputs[Place].strides.at[code::last_dimension - 1] == code::row) {
        constexpr std::uintptr_t row = code::row, passes = nest.pass_count;
        const auto next = reinterpret_cast<std::uintptr_t>(std::get<std::size_t(Place)>(at.from)) +
                          (row + Pass * row / passes + std::uintptr_t(i) / passes) * sizeof(T);
        __builtin_prefetch(reinterpret_cast<const void*>(next));
      }
    }
  }
  // Computes the vectors of a pass from element i on. The values of the inputs and nodes from `Place` on come first, as
  // far as they are known, then those of the ones before.
  template <int Pass, int Place, class Places, class Sink, class First, class... Rest>
  static HWY_INLINE void compute(const Places& at, index_t i, std::size_t count, const Sink& sink, const First& first,
                                 const Rest&... rest) {
    if constexpr (Place < places) {
      const D d;
      constexpr std::size_t lanes = hn::MaxLanes(d);
      constexpr int operand = base::operand_at(Place), N = operand < 0 ? 0 : operand;
      const auto go_on = [&](const auto& value) HWY_ATTR
          __attribute__((always_inline)) { compute<Pass, Place + 1>(at, i, count, sink, rest..., value); };
      if constexpr (operand < 0) {
        if constexpr (base::reads(Pass, operand))
          go_on(code::template load<Place>(d, std::get<std::size_t(Place)>(at.from), i, count, lanes, first));
        else
          go_on(first);
      } else if constexpr (base::computed_in(Pass, N)) {
        const auto value = code::template apply<N, places - Place>(d, first, rest...);
        if constexpr (nest.nodes[N].kept >= 0)
          store_lanes(value, typename code::template tag_of<node_element<N>>(), kept<N>(at) + i, count, lanes);
        if constexpr (nest.nodes[N].value >= 0)
          code::store(value, d, code::template stored<N>(at.memory, at.done) + i, count, lanes, at.passes_caches);
        if constexpr (N == root) code::store(value, d, at.to + i, count, lanes, at.passes_caches);
        go_on(value);
      } else if constexpr (base::folds_in(Pass, N)) {
        sink(std::integral_constant<int, N>(),
             pick<code::position_of(nest.nodes[N].operands[0]) + places - Place>(first, rest...), i);
        go_on(d);
      } else if constexpr (nest.nodes[N].kept >= 0 && base::reads(Pass, operand)) {
        go_on(load_lanes(typename code::template tag_of<node_element<N>>(), kept<N>(at) + i, count, lanes));
      } else {
        go_on(first);
      }
    }
  }
  template <int N, class Places>
  static HWY_INLINE node_element<N>* kept(const Places& at) {
    return reinterpret_cast<node_element<N>*>(at.scratch + nest.nodes[N].kept) + at.number * code::row;
  }
};

}  // namespace tenon::kernels
