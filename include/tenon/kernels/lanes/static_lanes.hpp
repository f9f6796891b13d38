// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/lanes/apply_op.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>

#include <utility>

namespace tenon::kernels {

template <int I, class First, class... Rest>
HWY_INLINE auto pick(First first, Rest... rest) {
  if constexpr (I == 0)
    return first;
  else
    return pick<I - 1>(rest...);
}

// The executor of a lane program that is known while compiling: every value of a block of lanes is a vector, in a
// register if there is one. A block of one lane is scalar code. `Source` has the constants `program`, with nodes and
// inputs, and `words()`, the attributes in its graph.
template <class Source>
struct static_lanes {
  static constexpr const auto& program = Source::program;

  template <int N>
  using op_of = op_of_kind<program.nodes[N].key.kind>;
  template <int N>
  using taken_element = element_t<program.nodes[N].key.element>;
  template <int N>
  using node_element = element_t<program.nodes[N].key.result>;
  template <int N>
  static constexpr lane_form form =
      lane_form_of<op_of<N>, taken_element<N>, node_element<N>, program.nodes[N].operand_count>;

  template <int N>
  static constexpr bool is_one_by_one =
      is_applied_to_each<op_of<N>, taken_element<N>, node_element<N>, program.nodes[N].operand_count>;

  template <int N>
  static constexpr bool is_supported() {
    return element_arity<op_of<N>, taken_element<N>, node_element<N>>() == program.nodes[N].operand_count &&
           (form<N> != lane_form::none || is_one_by_one<N>);
  }
  template <int... N>
  static constexpr bool are_supported(std::integer_sequence<int, N...>) {
    return (is_supported<N>() && ...);
  }

  // Where the value of an operand stands among those of the inputs and the nodes.
  static constexpr int position_of(int operand) { return operand < 0 ? ~operand : program.input_count + operand; }

  // The vector of node N, given those of the inputs and of the nodes before: the values from `Begin` on.
  template <int N, int Begin = 0, class D, class... V>
  static HWY_INLINE auto apply(D d, V... values) {
    return apply_to<N, Begin>(d, std::make_index_sequence<program.nodes[N].operand_count>{}, values...);
  }

  // An element of input I in all lanes of D, which are of its type.
  template <int I, class D, class E>
  static HWY_INLINE auto repeat(D d, const E& element) {
    constexpr int by = node_with_rhs<I, E, D>(std::make_integer_sequence<int, program.node_count>{});
    if constexpr (by < 0)
      return repeat_element(d, element);
    else if constexpr (is_known<I>())
      return op_of<by>::template known_rhs<D, Source::template known_number<I>()>(d);
    else
      return op_of<by>::repeated_rhs(d, element);
  }

 private:
  template <int N, class E, class D>
  static constexpr bool takes_repeated_rhs =
      std::is_same_v<taken_element<N>, E> && kernels::takes_repeated_rhs<op_of<N>, E, D>;
  // Whether input I is a number that is known while compiling.
  template <int I>
  static constexpr bool is_known() {
    if constexpr (requires { Source::template is_known<I>; })
      return Source::template is_known<I>;
    else
      return false;
  }
  // A node that takes input I as a repeated second operand; -1: there is none.
  template <int I, class E, class D, int... N>
  static constexpr int node_with_rhs(std::integer_sequence<int, N...>) {
    int found = -1;
    ((takes_repeated_rhs<N, E, D> && program.nodes[N].operands[1] == ~I ? found = N : 0), ...);
    return found;
  }
  // What an operand is to an op that does not ask for it in its own way.
  template <int N, std::size_t I, class D, class V>
  static HWY_INLINE auto as_operand(D, const V& value) {
    using E = taken_element<N>;
    if constexpr (requires { value.value; } && !(I == 1 && takes_repeated_rhs<N, E, tag_of_lanes<E, D>>))
      return value.value;
    else
      return value;
  }

  template <int N>
  struct attributes {
    static constexpr op_of<N> value = read_attributes<op_of<N>>(Source::words() + program.nodes[N].words);
  };
  template <int N, int Begin, class D, std::size_t... I, class... V>
  static HWY_INLINE auto apply_to(D d, std::index_sequence<I...>, V... values) {
    const auto apply = [&](const auto&... operands) HWY_ATTR __attribute__((always_inline)) {
      if constexpr (is_one_by_one<N>)
        return apply_to_each<op_of<N>, taken_element<N>, node_element<N>>(attributes<N>(), d, operands...);
      else
        return apply_op<op_of<N>, taken_element<N>, node_element<N>>(attributes<N>(), d, operands...);
    };
    const auto value =
        apply(as_operand<N, I>(d, pick<position_of(program.nodes[N].operands[I]) + Begin>(values...))...);
    // What one op gives is rounded to its element type, and not merged with the next one.
    if constexpr (is_narrow_lane<node_element<N>>())
      return rounded_to<dtype_of<node_element<N>>>(tag_of_lanes<node_element<N>, D>(), value);
    else if constexpr (program.nodes[N].key.result != dtype::i1 &&
                       (form<N> == lane_form::numbers || form<N> == lane_form::complex))
      return rounded(value);
    else
      return value;
  }
};

}  // namespace tenon::kernels
