// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan/known_walks.hpp>
#include <tenon/kernels/lanes/load_store.hpp>
#include <tenon/kernels/region/region_loops.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon::kernels {

// Whether the elements of a value of 32 or 64 bits are sums of multiples of their indices, which the program says.
constexpr bool counted_value(const graph& g, int value, ints& multiples) {
  const tensor_type& type = g.type_of_value(value);
  if (!is_dense_tensor(type) || !is_integer(type.element) || num_bits(type.element) < 32) return false;
  const ints strides = strides_of(type.shape);
  strided_access all;
  if (!planning::known_walks(g, type.size()).find(value, {type.shape, strides, 0}, all) || all.base != 0) return false;
  multiples = {};
  for (int d = 0; d < type.rank(); ++d) {
    const index_t size = type.shape.at[d];
    strided_access line;
    if (!planning::known_walks(g, size).find(value, {{size}, {strides.at[d]}, 0}, line)) return false;
    if (line.sizes.size > 1) return false;
    multiples.push(line.sizes.empty() ? 0 : line.strides.at[0]);
  }
  return true;
}

// Folds of windows as loops over vectors of results, unrolled over the window: its offsets, the strides, and the
// operands that are counted instead of read are constants.
template <class Source, int Node, int Region>
class window_lanes : region_lanes<Source, Region> {
  using code = region_lanes<Source, Region>;
  using code::g;
  static constexpr graph_node node = g.nodes.data[Node];
  static constexpr int inputs = node.operand_count / 2;
  static constexpr int most_inputs = 4;
  static constexpr index_t most_places = 16;
  using tag = typename code::wide;

  template <int I>
  using element = typename code::template type_of_value<code::region.arguments + I>;

  // Windows over all dimensions but the last ones of a single element.
  struct layout {
    int rank = 0;
    ops::window_axis axes[max_rank]{};
    ints outer;                   // results in front of a row
    index_t row = 1, places = 1;  // results in a row, places in a window
    index_t strides[most_inputs][max_rank]{};
    index_t offsets[most_inputs][most_places]{};
    bool counted[most_inputs]{};
    bool fits = false;
  };
  static constexpr layout at = [] {
    layout all;
    const list<int> operands = g.operands_of(node);
    const ints& shape = g.type_of_value(operands[0]).shape;
    const ops::window_attributes window = read_attributes<op_of_kind<node.kind>>(g.words.data + node.words).window();
    all.rank = shape.size;
    const auto is_single = [&](int i) {
      const ops::window_axis axis = window.axis(shape, i);
      return axis.size == 1 && axis.window == 1 && axis.low == 0 && axis.high == 0;
    };
    while (all.rank > 1 && is_single(all.rank - 1)) --all.rank;
    if (all.rank == 0 || inputs > most_inputs || g.type_of_value(node.results).size() == 0) return all;
    for (int i = 0; i < all.rank; ++i) {
      all.axes[i] = window.axis(shape, i);
      if (all.axes[i].low != 0 || all.axes[i].high != 0 || all.axes[i].base_dilation != 1) return all;
      if (all.axes[i].window > most_places) return all;
      all.places *= all.axes[i].window;
      if (all.places > most_places) return all;
      if (i < all.rank - 1) all.outer.push(all.axes[i].count());
    }
    const ops::window_axis& last = all.axes[all.rank - 1];
    all.row = last.count();
    if (last.stride > 2) return all;
    for (int k = 0; k < inputs; ++k) {
      // Bodies may be of wider elements than operands.
      if (g.type_of_value(operands[k]) != g.type_of_value(code::region.arguments + k).with_shape(shape)) return all;
      const ints dense = strides_of(shape);
      ints counts;
      all.counted[k] = counted_value(g, operands[k], counts);
      for (int i = 0; i < all.rank; ++i) all.strides[k][i] = all.counted[k] ? counts.at[i] : dense.at[i];
      for (index_t p = 0; p < all.places; ++p) {
        index_t rest = p;
        for (int i = all.rank - 1; i >= 0; --i) {
          all.offsets[k][p] += rest % all.axes[i].window * all.axes[i].window_dilation * all.strides[k][i];
          rest /= all.axes[i].window;
        }
      }
    }
    all.fits = true;
    return all;
  }();
  static constexpr index_t stride = at.axes[at.rank > 0 ? at.rank - 1 : 0].stride;

  // A maximal run of equally strided rows and its outer rank.
  struct run_of_rows {
    index_t rows = 1;
    int left = 0;
    index_t steps[most_inputs]{};
  };
  static constexpr run_of_rows together = [] {
    run_of_rows run;
    run.left = at.outer.size;
    while (run.left > 0) {
      const int i = run.left - 1;
      bool goes_on = true;
      for (int k = 0; k < inputs && run.rows > 1; ++k)
        goes_on = goes_on && at.axes[i].stride * at.strides[k][i] == run.rows * run.steps[k];
      if (!goes_on && at.outer.at[i] > 1) break;
      if (run.rows == 1)
        for (int k = 0; k < inputs; ++k) run.steps[k] = at.axes[i].stride * at.strides[k][i];
      run.rows *= at.outer.at[i];
      --run.left;
    }
    return run;
  }();

 public:
  static constexpr bool is_supported() { return code::is_scalar() && code::combines(inputs) && at.fits; }
  // Whether input k is counted, and not read. A region of one op may be folded by other code.
  static constexpr bool counts(int k) {
    return is_supported() && (inputs > 1 || code::program.node_count > 1) && at.counted[k];
  }

  static void run(const void* const* operands, const void* const* initial, void* const* results) {
    run_all(operands, initial, results, std::make_integer_sequence<int, inputs>{});
  }

 private:
  template <int... I>
  static HWY_INLINE void run_all(const void* const* operands, const void* const* initial, void* const* results,
                                 std::integer_sequence<int, I...> all) {
    const tag d;
    const index_t w = index_t(hn::Lanes(d));
    index_t index[max_rank]{}, first[inputs]{}, result = 0;
    const auto from = std::tuple{static_cast<const element<I>*>(operands[I])...};
    const auto to = std::tuple{static_cast<element<I>*>(results[I])...};
    const auto totals = std::tuple{*static_cast<const element<I>*>(initial[I])...};
    for (bool more = true; more;) {
      index_t starts[inputs] = {first[I]...};
      for (index_t r = 0; r < together.rows; ++r, result += at.row) {
        // Behind the last element there may be nothing to read.
        const bool is_last = stride > 1 && r == together.rows - 1;
        index_t i = 0;
        for (; is_last ? i + w < at.row : i + w <= at.row; i += w)
          fold_vector<false>(d, from, to, totals, starts, result, i, w, all);
        if (i < at.row) fold_vector<true>(d, from, to, totals, starts, result, i, at.row - i, all);
        ((starts[I] += together.steps[I]), ...);
      }
      more = false;
      for (int axis = together.left - 1; axis >= 0 && !more; --axis) {
        ((first[I] += at.axes[axis].stride * at.strides[I][axis]), ...);
        more = ++index[axis] < at.outer.at[axis];
        if (more) break;
        ((first[I] -= at.axes[axis].stride * at.strides[I][axis] * at.outer.at[axis]), ...);
        index[axis] = 0;
      }
    }
  }
  // Results i, i + 1, ... of a row.
  template <bool IsExact, class From, class To, class Totals, int... I>
  static HWY_INLINE void fold_vector(tag d, const From& from, const To& to, const Totals& totals, const index_t* starts,
                                     index_t result, index_t i, index_t some, std::integer_sequence<int, I...> all) {
    const auto give = [&](auto... values) HWY_ATTR
        __attribute__((always_inline)) { (store_result<I>(d, values, std::get<I>(to) + result + i, some), ...); };
    take_places<0, IsExact>(d, from, starts, i, some, give, all, code::repeat(d, std::get<I>(totals))...);
  }
  // Unused results are not computed.
  static constexpr bool is_wanted(int result) {
    for (int i = 0; i < g.operands.size; ++i)
      if (g.operands.data[i] == node.results + result) return true;
    for (const graph_region& region : g.regions)
      for (int value : g.yields_of(region))
        if (value == node.results + result) return true;
    return false;
  }
  template <int I, class V, class T>
  static HWY_INLINE void store_result(tag d, V value, T* to, index_t some) {
    if constexpr (is_wanted(I)) code::store(d, value, to, some);
  }
  // Place after place, from P on.
  template <int P, bool IsExact, class From, class Give, int... I, class... V>
  static HWY_INLINE void take_places(tag d, const From& from, const index_t* starts, index_t i, index_t some,
                                     const Give& give, std::integer_sequence<int, I...> all, V... totals) {
    if constexpr (P == at.places)
      give(totals...);
    else
      code::compute(
          d,
          [&](auto... next) HWY_ATTR
          __attribute__((always_inline)) { take_places<P + 1, IsExact>(d, from, starts, i, some, give, all, next...); },
          totals..., load_under<P, I, IsExact>(d, std::get<I>(from), starts[I], i, some)...);
  }
  // Loads the elements at offset P of those windows; `IsExact`: none beyond the last of them.
  template <int P, int I, bool IsExact, class T>
  static HWY_INLINE auto load_under(tag d, const T* from, index_t start, index_t i, index_t some) {
    constexpr index_t offset = at.offsets[I][P];
    if constexpr (at.counted[I]) {
      const typename code::template tag_of<T, tag> numbers;
      constexpr index_t step = stride * at.strides[I][at.rank - 1];
      // The offset is added last, as the rest is the same for all places.
      const auto first = hn::Set(numbers, T(start + i * step));
      if constexpr (step == 0)
        return hn::Add(first, hn::Set(numbers, T(offset)));
      else
        return hn::Add(hn::Add(first, hn::Mul(hn::Iota(numbers, T(0)), hn::Set(numbers, T(step)))),
                       hn::Set(numbers, T(offset)));
    } else if constexpr (stride == 1) {
      return code::load(d, from + start + offset + i, IsExact ? some : index_t(hn::Lanes(d)));
    } else if constexpr (std::is_same_v<T, bool>) {
      constexpr index_t most = index_t(hn::MaxLanes(tag()));
      bool taken[most]{};
      for (index_t k = 0; k < some && k < most; ++k) taken[k] = from[start + offset + 2 * (i + k)];
      return code::load(d, static_cast<const bool*>(taken), index_t(hn::Lanes(d)));
    } else {
      return load_every_other<(offset % 2 != 0), IsExact>(typename code::template tag_of<T, tag>(),
                                                          from + start + offset + 2 * i, std::size_t(some));
    }
  }
};

}  // namespace tenon::kernels
