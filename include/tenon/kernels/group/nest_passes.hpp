// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/group/loop_nest.hpp>
#include <tenon/kernels/lanes/static_lanes.hpp>

namespace tenon::kernels {

// What is done in which pass over the rows of a nest.
template <class Group>
struct nest_passes {
  static constexpr const loop_nest& nest = Group::program;
  static constexpr int root = nest.node_count - 1;
  static constexpr bool root_is_row = nest.node_count > 0 && nest.gives_rows(root);

  static constexpr bool folds_in(int pass, int n) { return nest.nodes[n].folds && nest.nodes[n].pass == pass; }
  static constexpr bool folds_in(int pass) {
    for (int n = 0; n < nest.node_count; ++n)
      if (folds_in(pass, n)) return true;
    return false;
  }
  static constexpr bool computed_in(int pass, int n) {
    return !nest.nodes[n].folds && !nest.nodes[n].per_row && nest.nodes[n].pass == pass;
  }
  // Whether a pass reads this operand.
  static constexpr bool reads(int pass, int operand) {
    for (int n = 0; n < nest.node_count; ++n)
      if (folds_in(pass, n) || computed_in(pass, n))
        for (int i = 0; i < nest.nodes[n].operand_count; ++i)
          if (nest.nodes[n].operands[i] == operand) return true;
    return false;
  }

  // The vectors that a pass takes at a time: values of inputs and nodes, all of them in turn.
  static constexpr int places = nest.input_count + nest.node_count;
  static constexpr int operand_at(int place) { return place < nest.input_count ? ~place : place - nest.input_count; }
  template <int N>
  static constexpr bool is_operand(int place) {
    for (int i = 0; i < nest.nodes[N].operand_count; ++i)
      if (operand_at(place) == nest.nodes[N].operands[i]) return true;
    return false;
  }

  // Whether all nodes can be computed, or folded, in vectors of `Code`, which are those of nest_lanes.
  template <class Code, int... N>
  static constexpr bool have_vectors(std::integer_sequence<int, N...>) {
    return (has_vectors<Code, N>() && ...);
  }

  template <class F, int... N>
  static HWY_INLINE void for_each_node(const F& f, std::integer_sequence<int, N...>) {
    (f(std::integral_constant<int, N>()), ...);
  }

 private:
  template <class Code, int N>
  static constexpr bool has_vectors() {
    constexpr loop_nest::node node = nest.nodes[N];
    if constexpr (!node.folds) {
      return Code::template is_supported<N>();
    } else if constexpr (node.key.body < 0) {
      return false;
    } else {
      using E = typename Code::template node_element<N>;
      constexpr lane_form form = lane_form_of<op_of_kind<node.key.body>, E, E, 2>;
      return form == lane_form::booleans ||
             (form == lane_form::numbers && has_lanes<E> && Code::template has_vectors<E>());
    }
  }
};

}  // namespace tenon::kernels
