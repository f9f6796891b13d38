// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/graph.hpp>
#include <tenon/graph/plan.hpp>
#include <tenon/kernels/elementwise.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>

#include <type_traits>
#include <utility>

namespace tenon {

// A fused group as one loop nest, without buffers between its ops: for groups that are known while compiling, of few
// ops, whose elements are all of one type (booleans beside them) and read in order or repeated along the innermost
// dimension. Other groups are done tile by tile. Both apply the
// same vector form of each op to each element.
struct fused_nest {
  static constexpr int most_nodes = 16, most_inputs = 12, most_operands = 3;

  struct input {
    place at;
    dtype element = dtype::none;
    index_t base = 0;
    ints strides;  // along the dimensions of the nest
  };
  struct node {
    kernel_key key;
    int words = 0;                  // of its attributes, in the graph's
    int operands[most_operands]{};  // a node, or one's complement of an input
    int operand_count = 0;
  };

  bool fits = false;
  dtype element = dtype::none;  // of everything but booleans
  ints sizes;
  input inputs[most_inputs]{};
  int input_count = 0;
  node nodes[most_nodes]{};  // the last one gives the result
  int node_count = 0;
  place result;

  constexpr index_t row() const { return sizes.empty() ? 1 : sizes.at[sizes.size - 1]; }
};

namespace detail {

// Cuts the index space of a group so that each of its accesses has one stride along each dimension.
class nest_builder {
 public:
  constexpr nest_builder(const graph& g, const plan& p, const plan_step& step) : g_(g), p_(p), step_(step) {}

  constexpr fused_nest build() {
    nest_.fits =
        step_.count > 0 && step_.row == 1 && step_.across < 0 && !step_.has_op() && !step_.feeds && add_pieces() && cut() && has_rows();
    return nest_;
  }

 private:
  const graph& g_;
  const plan& p_;
  const plan_step& step_;
  fused_nest nest_;
  strided_access accesses_[fused_nest::most_inputs]{};
  index_t cuts_[4 * max_rank]{};  // numbers of elements at which some access begins a new dimension, ascending
  int cut_count_ = 0;

  constexpr int add_input(int value, const strided_access& access) {
    if (nest_.input_count == fused_nest::most_inputs) return -1;
    accesses_[nest_.input_count] = access;
    nest_.inputs[nest_.input_count] = {p_.places[value], g_.type_of_value(value).element, access.base, {}};
    return nest_.input_count++;
  }

  constexpr bool add_pieces() {
    if (step_.micro_count > fused_nest::most_nodes + fused_nest::most_inputs) return false;
    for (int m = 0; m < step_.micro_count; ++m) {
      const plan_micro& micro = p_.micros[step_.first_micro + m];
      const plan_operand& target = p_.operands[micro.first + micro.operand_count];
      int made = 0;
      if (micro.per_row || (micro.does != plan_micro::action::load && micro.does != plan_micro::action::compute))
        return false;
      if (micro.does == plan_micro::action::load) {
        if (target.from == plan_operand::source::memory || micro.gather >= 0) return false;
        const int input = add_input(p_.operands[micro.first].value, p_.accesses[micro.access]);
        if (input < 0) return false;
        made = ~input;
      } else {
        if (nest_.node_count == fused_nest::most_nodes || micro.operand_count > fused_nest::most_operands) return false;
        fused_nest::node& node = nest_.nodes[nest_.node_count];
        node.key = p_.kernels[micro.kernel];
        node.words = g_.nodes[micro.node].words;
        node.operand_count = micro.operand_count;
        if (nest_.element != dtype::none && nest_.element != node.key.element) return false;
        nest_.element = node.key.element;
        for (int i = 0; i < micro.operand_count; ++i) {
          const plan_operand& operand = p_.operands[micro.first + i];
          if (operand.from == plan_operand::source::tile) {
            node.operands[i] = made_at(operand.offset);
          } else {
            const int input = find_input(operand.value);
            if (input < 0) return false;
            node.operands[i] = ~input;
          }
        }
        made = nest_.node_count++;
      }
      if (target.from == plan_operand::source::tile)
        made_at(target.offset) = made;
      else
        nest_.result = p_.places[target.value];
    }
    return true;
  }

  // An operand that is read in order.
  constexpr int find_input(int value) {
    const strided_access in_order = step_.count == 1 ? strided_access{} : strided_access{ints{step_.count}, ints{1}, 0};
    for (int i = 0; i < nest_.input_count; ++i)
      if (nest_.inputs[i].at.base == p_.places[value].base && nest_.inputs[i].at.offset == p_.places[value].offset &&
          accesses_[i].sizes == in_order.sizes && accesses_[i].strides == in_order.strides)
        return i;
    return add_input(value, in_order);
  }

  constexpr bool add_cut(index_t elements) {
    int at = 0;
    while (at < cut_count_ && cuts_[at] < elements) ++at;
    if (at < cut_count_ && cuts_[at] == elements) return true;
    if (cut_count_ == 4 * max_rank) return false;
    for (int i = cut_count_++; i > at; --i) cuts_[i] = cuts_[i - 1];
    cuts_[at] = elements;
    return true;
  }

  constexpr bool cut() {
    add_cut(1), add_cut(step_.count);
    for (int i = 0; i < nest_.input_count; ++i) {
      index_t elements = 1;
      for (int d = accesses_[i].sizes.size - 1; d >= 0; --d)
        if (elements *= accesses_[i].sizes.at[d]; !add_cut(elements)) return false;
    }
    if (cut_count_ - 1 > max_rank) return false;
    for (int d = cut_count_ - 2; d >= 0; --d) {
      if (cuts_[d + 1] % cuts_[d] != 0) return false;
      nest_.sizes.push(cuts_[d + 1] / cuts_[d]);
      for (int i = 0; i < nest_.input_count; ++i) nest_.inputs[i].strides.push(stride_at(accesses_[i], cuts_[d]));
    }
    return true;
  }

  // Distance between neighbours along the dimension that begins after so many elements.
  static constexpr index_t stride_at(const strided_access& access, index_t elements) {
    index_t inner = 1;
    for (int d = access.sizes.size - 1; d >= 0; --d) {
      if (elements < inner * access.sizes.at[d]) return access.strides.at[d] * (elements / inner);
      inner *= access.sizes.at[d];
    }
    return 0;
  }

  constexpr bool has_rows() const {
    const int last = nest_.sizes.size - 1;
    if (last > 0 && nest_.sizes.at[last] < shortest_row_) return false;
    for (int i = 0; i < nest_.input_count && last >= 0; ++i)
      if (const index_t stride = nest_.inputs[i].strides.at[last]; stride != 0 && stride != 1) return false;
    return true;
  }

  // A tile is better where rows are shorter than vectors.
  static constexpr index_t shortest_row_ = 8;
  static constexpr int most_buffers_ = fused_nest::most_nodes + fused_nest::most_inputs;
  index_t buffers_[most_buffers_]{};  // where they begin, in no order
  int made_[most_buffers_]{};         // what lies in them: a node, or one's complement of an input
  int buffer_count_ = 0;

  constexpr int& made_at(index_t offset) {
    int at = 0;
    while (at < buffer_count_ && buffers_[at] != offset) ++at;
    if (at == buffer_count_) buffers_[buffer_count_++] = offset;
    return made_[at];
  }
};

template <int I, class First, class... Rest>
HWY_INLINE auto pick(First first, Rest... rest) {
  if constexpr (I == 0)
    return first;
  else
    return pick<I - 1>(rest...);
}

}  // namespace detail

constexpr fused_nest nest_of(const graph& g, const plan& p, const plan_step& step) {
  return detail::nest_builder(g, p, step).build();
}

// The code of a nest. `Group` has `nest`, a constant, and `words()`, the attributes in its graph.
template <class Group>
class fused_loop {
  static constexpr const fused_nest& nest = Group::nest;
  using T = element_t<nest.element>;

  template <int N>
  using op_of = op_of_kind<nest.nodes[N].key.kind>;

  template <int N>
  static constexpr bool serves_node() {
    constexpr fused_nest::node node = nest.nodes[N];
    using R = element_t<nest.nodes[N].key.result>;
    constexpr int arity = detail::element_arity<op_of<N>, T, R>();
    if constexpr (arity == 0 || arity != node.operand_count)
      return false;
    else
      return detail::lanes_serve<op_of<N>, T, R>(std::make_index_sequence<std::size_t(arity)>{});
  }
  template <int... N>
  static constexpr bool serves_nodes(std::integer_sequence<int, N...>) {
    return (serves_node<N>() && ...);
  }
  static constexpr bool inputs_fit() {
    for (int i = 0; i < nest.input_count; ++i)
      if (nest.inputs[i].element != nest.element && nest.inputs[i].element != dtype::i1) return false;
    return true;
  }

 public:
  // Whether all ops have a form for vectors.
  static constexpr bool serves() {
    if constexpr (!nest.fits || nest.node_count == 0 || !has_lanes<T>)
      return false;
    else
      return inputs_fit() && serves_nodes(std::make_integer_sequence<int, nest.node_count>{});
  }

  // Computes the elements from `first` to `last`, both multiples of a row unless that is all there is.
  static void run(void* const* pointers, index_t first, index_t last) {
    run(pointers, first, last, std::make_integer_sequence<int, nest.input_count>{});
  }

 private:
  using result_element = element_t<nest.nodes[nest.node_count > 0 ? nest.node_count - 1 : 0].key.result>;
  using D = hn::ScalableTag<T>;
  static constexpr int last_dimension = nest.sizes.size - 1;

  template <int I>
  using input_element = element_t<nest.inputs[I].element>;
  template <int I>
  static constexpr bool repeats = last_dimension < 0 || nest.inputs[I].strides.at[last_dimension] == 0;

  static char* address(void* const* pointers, const place& at) {
    return static_cast<char*>(pointers[at.base]) + at.offset;
  }
  template <int I>
  static const input_element<I>* start_of(void* const* pointers) {
    return reinterpret_cast<const input_element<I>*>(address(pointers, nest.inputs[I].at)) + nest.inputs[I].base;
  }

  template <int... I>
  static void run(void* const* pointers, index_t first, index_t last, std::integer_sequence<int, I...>) {
    result_element* const to = reinterpret_cast<result_element*>(address(pointers, nest.result));
    if constexpr (last_dimension <= 0) {
      run_row(to + first, last - first, start_of<I>(pointers) + (repeats<I> ? 0 : first)...);
    } else {
      index_t index[max_rank]{}, offsets[nest.input_count + 1]{};
      index_t rest = first / nest.row();
      for (int d = last_dimension - 1; d >= 0; --d) {
        index[d] = rest % nest.sizes.at[d];
        rest /= nest.sizes.at[d];
        ((offsets[I] += index[d] * nest.inputs[I].strides.at[d]), ...);
      }
      for (index_t done = first; done < last; done += nest.row()) {
        run_row(to + done, nest.row(), start_of<I>(pointers) + offsets[I]...);
        for (int d = last_dimension - 1; d >= 0; --d) {
          ((offsets[I] += nest.inputs[I].strides.at[d]), ...);
          if (++index[d] < nest.sizes.at[d]) break;
          ((offsets[I] -= nest.inputs[I].strides.at[d] * nest.sizes.at[d]), ...);
          index[d] = 0;
        }
      }
    }
  }

  // What is the same along a row is loaded once.
  template <class... E>
  HWY_INLINE static void run_row(result_element* to, index_t count, const E*... from) {
    run_row_of(to, count, std::make_integer_sequence<int, int(sizeof...(E))>{}, from...);
  }
  template <int... I, class... E>
  HWY_INLINE static void run_row_of(result_element* to, index_t count, std::integer_sequence<int, I...>,
                                    const E*... from) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const auto run_on = [&](auto... repeated) HWY_ATTR {
      index_t i = 0;
      for (; i + index_t(lanes) <= count; i += index_t(lanes))
        detail::store_lanes(compute<0>(d, load<I>(d, from + i, lanes, lanes, repeated)...), d, to + i, lanes, lanes);
      if (i < count) {
        const std::size_t left = std::size_t(count - i);
        detail::store_lanes(compute<0>(d, load<I>(d, from + i, left, lanes, repeated)...), d, to + i, left, lanes);
      }
    };
    run_on(repeat<I>(d, from)...);
  }

  template <int I, class E>
  HWY_INLINE static auto repeat(D d, const E* from) {
    if constexpr (!repeats<I>)
      return d;
    else if constexpr (std::is_same_v<E, bool>)
      return hn::FirstN(d, *from ? hn::Lanes(d) : 0);
    else
      return hn::Set(d, *from);
  }
  template <int I, class E, class Repeated>
  HWY_INLINE static auto load(D d, const E* from, std::size_t count, std::size_t lanes, Repeated repeated) {
    if constexpr (repeats<I>)
      return repeated;
    else
      return detail::load_lanes(d, from, count, lanes);
  }

  // The results of the nodes from N on, given the inputs and the results of the nodes before; gives the last one.
  template <int N, class... V>
  HWY_INLINE static auto compute(D d, V... values) {
    if constexpr (N == nest.node_count)
      return detail::pick<int(sizeof...(V)) - 1>(values...);
    else
      return compute<N + 1>(d, values...,
                            apply<N>(d, std::make_index_sequence<nest.nodes[N].operand_count>{}, values...));
  }
  template <int N, std::size_t... I, class... V>
  HWY_INLINE static auto apply(D d, std::index_sequence<I...>, V... values) {
    constexpr op_of<N> self = read_attributes<op_of<N>>(Group::words() + nest.nodes[N].words);
    const auto value = detail::lanes_of_op<element_t<nest.nodes[N].key.result>>(
        self, d, detail::pick<position_of_operand(nest.nodes[N].operands[I])>(values...)...);
    if constexpr (nest.nodes[N].key.result == dtype::i1)
      return value;
    else
      return rounded(value);
  }
  static constexpr int position_of_operand(int operand) { return operand < 0 ? ~operand : nest.input_count + operand; }
};

// Whether there is such a loop for the group.
template <class Group>
constexpr bool serves_as_loop() {
  if constexpr (!Group::nest.fits || Group::nest.node_count == 0 || Group::nest.element == dtype::none)
    return false;
  else if constexpr (!has_lanes<element_t<Group::nest.element>>)
    return false;
  else
    return fused_loop<Group>::serves();
}

}  // namespace tenon
