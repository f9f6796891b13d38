// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/kernels/lanes/plain_numbers.hpp>

namespace tenon {

// An op of a lane program.
struct lane_node {
  static constexpr int most_operands = 3;

  kernel_key key;
  int words = 0;                  // of its attributes, in the graph's
  int operands[most_operands]{};  // a node, or one's complement of an input
  int operand_count = 0;
};

// Ops that work element by element, on inputs of one shape, in an order in which they can be computed: the ops of a
// region. The ops of a fused group are the nodes of a loop_nest, which says how its inputs are read, too. Either is
// executed on a block of lanes at a time, by static_lanes where it is known while compiling.
struct lane_program {
  static constexpr int most_nodes = 32, most_inputs = 24, most_results = 12;

  bool fits = false;
  dtype element = dtype::none;  // of some value that is not a boolean; all such values have elements of its size
  int inputs[most_inputs]{};    // values of the graph: the arguments, and then constants
  int argument_count = 0, input_count = 0;
  lane_node nodes[most_nodes]{};
  int node_count = 0;
  int results[most_results]{};  // as the operands of nodes
  int result_count = 0;
};

namespace detail {

class lane_program_builder {
 public:
  constexpr lane_program_builder(const graph& g, int region) : g_(g), region_(g.regions[region]), id_(region) {}

  constexpr lane_program build() {
    program_.fits = add_arguments() && add_nodes() && add_results() && program_.node_count > 0;
    return program_;
  }

 private:
  const graph& g_;
  const graph_region region_;
  int id_;
  lane_program program_;
  int made_by_[lane_program::most_nodes]{};  // node of the graph

  // Whether values are numbers of the shape of all arguments, which fill lanes of one size.
  constexpr bool fits_lanes(int value) const {
    const tensor_type& type = g_.type_of_value(value);
    return type.is_tensor() && !type.is_quantized() && type.bounded == 0 && is_plain_number(type.element) &&
           (constant_of(g_, value) != nullptr || type.shape == g_.type_of_value(region_.arguments).shape) &&
           (type.element == dtype::i1 || storage_bytes(type.element) == storage_bytes(program_.element));
  }
  constexpr bool add_arguments() {
    if (region_.argument_count == 0 || region_.argument_count > lane_program::most_inputs) return false;
    for (int a = region_.argument_count - 1; a >= 0; --a)
      if (const dtype element = g_.type_of_value(region_.arguments + a).element; element != dtype::i1)
        program_.element = element;
    if (program_.element == dtype::none || !is_plain_number(program_.element)) return false;
    for (int a = 0; a < region_.argument_count; ++a) {
      if (!fits_lanes(region_.arguments + a)) return false;
      program_.inputs[program_.input_count++] = region_.arguments + a;
    }
    program_.argument_count = program_.input_count;
    return true;
  }
  constexpr bool add_nodes() {
    for (int n = region_.first; n < region_.last; ++n) {
      const graph_node& from = g_.nodes[n];
      if (from.region != id_ || is_constant(from)) continue;
      if (from.kind < 0 || from.result_count != 1 || from.region_count != 0 || from.operand_count == 0 ||
          from.operand_count > lane_node::most_operands || !fits_lanes(from.results))
        return false;
      const dtype taken = key_of_node(g_, from), given = g_.type_of_value(from.results).element;
      if (tenon::facts_of(from.kind).is_view) {
        if (taken != given || !fits_lanes(g_.operands_of(from)[0])) return false;
        continue;
      }
      if (program_.node_count == lane_program::most_nodes || !is_plain_number(taken)) return false;
      lane_node& node = program_.nodes[program_.node_count];
      node.key = {from.kind, taken, given, -1};
      node.words = from.words;
      for (int value : g_.operands_of(from))
        if (!find(value, node.operands[node.operand_count++])) return false;
      made_by_[program_.node_count++] = n;
    }
    return true;
  }
  constexpr bool add_results() {
    if (region_.yield_count == 0 || region_.yield_count > lane_program::most_results) return false;
    for (int value : g_.yields_of(region_))
      if (!find(value, program_.results[program_.result_count++])) return false;
    return true;
  }
  constexpr bool find(int value, int& found) {
    if (!fits_lanes(value)) return false;
    value = root_of(g_, value);
    for (int i = 0; i < program_.input_count; ++i)
      if (program_.inputs[i] == value) return found = ~i, true;
    for (int n = 0; n < program_.node_count; ++n)
      if (made_by_[n] == g_.values[value].node) return found = n, true;
    if (!is_uniform_constant(value) || program_.input_count == lane_program::most_inputs) return false;
    found = ~program_.input_count;
    program_.inputs[program_.input_count++] = value;
    return true;
  }
  constexpr bool is_uniform_constant(int value) const {
    const graph_node* const constant = constant_of(g_, value);
    if (constant == nullptr) return false;
    const graph_literal& literal = g_.literals.data[g_.words.data[constant->words]];
    return g_.type_of_value(value).size() == 1 || (literal.where == graph_literal::place::words && literal.size == 1);
  }
};

}  // namespace detail

// The ops of a region as a lane program; `fits` is false if it has others.
constexpr lane_program lane_program_of(const graph& g, int region) {
  return detail::lane_program_builder(g, region).build();
}

}  // namespace tenon
