// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon::kernels {

// Whether an op can be applied to elements of this type where they are variables. Narrow and complex ones stay in
// memory.
constexpr bool is_plain_number(dtype element) {
  return element == dtype::i1 || element == dtype::f32 || element == dtype::f64 ||
         (is_integer(element) && num_bits(element) >= 8);
}

// The element type of the lanes in which numbers of this type are computed: f32 for narrower floats, that of the parts
// for complex numbers.
constexpr dtype lane_type(dtype element) {
  if (is_complex(element)) return real_type(element);
  const bool is_narrow =
      is_float(element) && num_bits(element) <= 16 && format_of(element).specials != float_specials::power_of_two;
  return is_narrow ? dtype::f32 : element;
}

// The type that an elementwise op is chosen by.
constexpr dtype key_of_node(const graph& g, const graph_node& node) {
  const int by = tenon::ir::facts_of(node.kind).typed_by;
  return g.type_of_value(by >= 0 && by < node.operand_count ? g.operands_of(node)[by] : node.results).element;
}

// An op of a lane program.
struct lane_node {
  static constexpr int most_operands = 3;

  kernel_key key;
  int kernel = -1;                // where the plan that the program is linked to lists it
  int words = 0, word_count = 0;  // of its attributes, in the graph's
  int operands[most_operands]{};  // a node, or one's complement of an input
  int operand_count = 0;
  int result = -1;  // the result of the program that it is and that it may be written to at once
};

// Ops that work element by element, on inputs of one shape, in an order in which they can be computed: the ops of a
// region. The ops of a fused group are the nodes of a loop_nest, which says how its inputs are read, too. Either is
// executed on a block of lanes at a time: by static_lanes where it is known while compiling, by lane_interpreter or
// group_tiles where it is read at run time.
struct lane_program {
  static constexpr int most_nodes = 48, most_inputs = 64, most_results = 12, tile_bytes = 16384;

  bool fits = false;
  bool fills_vectors = false;   // there are ops, and all values are booleans, or numbers of one size that vectors hold
  dtype element = dtype::none;  // of some value that is not a boolean
  index_t elements = 1;         // of each argument
  int inputs[most_inputs]{};  // values of the graph: the arguments, and then single elements that are the same for all
  dtype input_elements[most_inputs]{};
  int argument_count = 0, input_count = 0;
  lane_node nodes[most_nodes]{};
  int node_count = 0;
  int results[most_results]{};  // as the operands of nodes
  int result_count = 0;
  // Where the program is interpreted: the bytes that a tile has for each value that needs room of its own (a repeated
  // element, what is not written to a result at once, an argument that is handed on to another result), and how many
  // elements of each it takes together.
  int room = 0, at_once = 0;
  int bytes_of_value[most_inputs + most_nodes]{};  // of an element: those of the inputs and the nodes

  // Where the value of an operand stands among those of the inputs and the nodes.
  constexpr int position_of(int operand) const { return operand < 0 ? ~operand : input_count + operand; }
  constexpr bool is_argument(int operand) const { return 0 <= ~operand && ~operand < argument_count; }
  constexpr dtype element_of(int operand) const {
    return operand < 0 ? input_elements[~operand] : nodes[operand].key.result;
  }
  // Whether a node from `first` on reads this operand.
  constexpr bool is_read(int operand, int first = 0) const {
    for (int n = first; n < node_count; ++n)
      for (int i = 0; i < nodes[n].operand_count; ++i)
        if (nodes[n].operands[i] == operand) return true;
    return false;
  }
  constexpr bool reads_argument(int argument) const {
    for (int i = 0; i < result_count; ++i)
      if (results[i] == ~argument) return true;
    return is_read(~argument);
  }
  // The argument that is all that it gives; -1: there is more to it.
  constexpr int forwarded() const { return result_count == 1 && is_argument(results[0]) ? ~results[0] : -1; }

  // Whether a result is what a node writes there, or an argument that is handed on to another place.
  constexpr bool is_written(int result) const {
    return results[result] >= 0 && nodes[results[result]].result == result;
  }
  constexpr bool is_moved(int result) const { return is_argument(results[result]) && ~results[result] != result; }

  // Decides which nodes are written to results at once, though these may lie where the arguments of the same number do.
  constexpr void place_values() {
    for (int i = 0; i < result_count; ++i) {
      if (results[i] < 0 || nodes[results[i]].result >= 0 || is_read(~i, results[i] + 1)) continue;
      bool is_forwarded = false;
      for (int j = 0; j < result_count; ++j) is_forwarded = is_forwarded || results[j] == ~i;
      if (!is_forwarded) nodes[results[i]].result = i;
    }
    int owned = input_count - argument_count, widest = 1;
    for (int i = 0; i < result_count; ++i) owned += is_moved(i) ? 1 : 0;
    for (int n = 0; n < node_count; ++n) owned += nodes[n].result < 0 ? 1 : 0;
    for (int operand = -input_count; operand < node_count; ++operand) {
      const int bytes = int(storage_bytes(element_of(operand)));
      bytes_of_value[position_of(operand)] = bytes;
      widest = widest < bytes ? bytes : widest;
    }
    constexpr int line_bytes = 64, most_at_once = 1024;
    room = tile_bytes / (owned > 0 ? owned : 1) / line_bytes * line_bytes;
    at_once = room / widest < most_at_once ? room / widest : most_at_once;
  }
};

class lane_program_builder {
 public:
  constexpr lane_program_builder(const graph& g, int region) : g_(g), region_(g.regions[region]), id_(region) {}

  constexpr lane_program build() {
    program_.fits = add_arguments() && add_nodes() && add_results();
    program_.fills_vectors = program_.fits && fills_vectors_ && program_.node_count > 0;
    program_.place_values();
    return program_;
  }

 private:
  const graph& g_;
  const graph_region region_;
  int id_;
  lane_program program_;
  bool fills_vectors_ = true;
  int made_by_[lane_program::most_nodes]{};  // node of the graph

  constexpr bool has_elements(int value) const {
    const tensor_type& type = g_.type_of_value(value);
    return type.is_tensor() && !type.is_quantized() && type.bounded == 0;
  }
  constexpr bool has_shape_of_arguments(int value) const {
    return has_elements(value) && g_.type_of_value(value).shape == g_.type_of_value(region_.arguments).shape;
  }
  constexpr void note_element(dtype element) {
    fills_vectors_ = fills_vectors_ && is_plain_number(element) && program_.element != dtype::none &&
                     (element == dtype::i1 || storage_bytes(element) == storage_bytes(program_.element));
  }
  constexpr void add_input(int value) {
    program_.input_elements[program_.input_count] = g_.type_of_value(value).element;
    program_.inputs[program_.input_count++] = value;
    note_element(g_.type_of_value(value).element);
  }
  constexpr bool add_arguments() {
    if (region_.argument_count == 0 || region_.argument_count > lane_program::most_inputs) return false;
    for (int a = region_.argument_count - 1; a >= 0; --a)
      if (const dtype element = g_.type_of_value(region_.arguments + a).element; element != dtype::i1)
        program_.element = element;
    for (int a = 0; a < region_.argument_count; ++a) {
      if (!has_shape_of_arguments(region_.arguments + a)) return false;
      add_input(region_.arguments + a);
    }
    program_.argument_count = program_.input_count;
    program_.elements = g_.type_of_value(region_.arguments).size();
    return true;
  }
  constexpr bool add_nodes() {
    for (int n = region_.first; n < region_.last; ++n) {
      const graph_node& from = g_.nodes[n];
      if (from.region != id_ || is_constant(from)) continue;
      if (from.kind < 0 || from.result_count != 1 || from.operand_count == 0) return false;
      if (is_uniform(from.results)) continue;
      if (!has_shape_of_arguments(from.results)) return false;
      const op_facts& facts = tenon::ir::facts_of(from.kind);
      const dtype taken = key_of_node(g_, from), given = g_.type_of_value(from.results).element;
      if (facts.is_view) {
        if (taken != given || !has_shape_of_arguments(g_.operands_of(from)[0])) return false;
        continue;
      }
      if (!facts.elementwise || from.region_count != 0 || from.operand_count > lane_node::most_operands ||
          program_.node_count == lane_program::most_nodes)
        return false;
      note_element(given);
      fills_vectors_ = fills_vectors_ && is_plain_number(taken);
      lane_node& node = program_.nodes[program_.node_count];
      node.key = {from.kind, taken, given, -1};
      node.words = from.words, node.word_count = from.word_count;
      for (int value : g_.operands_of(from))
        if (!find(value, node.operands[node.operand_count++])) return false;
      made_by_[program_.node_count++] = n;
    }
    return true;
  }
  constexpr bool add_results() {
    if (region_.yield_count == 0 || region_.yield_count > lane_program::most_results) return false;
    for (int value : g_.yields_of(region_))
      if (!has_shape_of_arguments(value) || !find(value, program_.results[program_.result_count++])) return false;
    return true;
  }
  constexpr bool find(int value, int& found) {
    if (!has_elements(value)) return false;
    value = source_of(value);
    for (int i = 0; i < program_.input_count; ++i)
      if (program_.inputs[i] == value) return found = ~i, true;
    for (int n = 0; n < program_.node_count; ++n)
      if (made_by_[n] == g_.values[value].node) return found = n, true;
    if (!is_uniform(value) || program_.input_count == lane_program::most_inputs) return false;
    found = ~program_.input_count;
    fills_vectors_ = fills_vectors_ && constant_of(g_, value).has_value();
    add_input(value);
    return true;
  }
  // Looks through views, and through broadcasts of one element.
  constexpr int source_of(int value) const {
    while (true) {
      value = root_of(g_, value);
      if (g_.values[value].node < 0) return value;
      const graph_node& node = g_.nodes[g_.values[value].node];
      if (node.kind < 0 || node.operand_count != 1 || !tenon::ir::facts_of(node.kind).moves) return value;
      const int operand = g_.operands_of(node)[0];
      if (!has_elements(operand) || g_.type_of_value(operand).size() != 1) return value;
      value = operand;
    }
  }
  // Whether one element from outside the region stands for all of a value.
  constexpr bool is_uniform(int value) const {
    value = source_of(value);
    if (g_.type_of_value(value).size() == 1) return value < region_.arguments || constant_of(g_, value);
    return is_splat_constant(g_, value);
  }
};

// The ops of a region as a lane program; `fits` is false if it has others.
constexpr lane_program lane_program_of(const graph& g, int region) { return lane_program_builder(g, region).build(); }

// The slice of a lane program that computes `wanted` from `given`, which become its arguments.
constexpr lane_program part_of(const lane_program& whole, list<int> given, list<int> wanted) {
  lane_program part;
  if (given.size > lane_program::most_inputs || wanted.size > lane_program::most_results) return part;
  int found[lane_program::most_inputs + lane_program::most_nodes]{};  // by position, as the part's operands
  bool is_known[lane_program::most_inputs + lane_program::most_nodes]{}, is_needed[lane_program::most_nodes]{};
  const auto add_input = [&](int operand, int value) {
    is_known[whole.position_of(operand)] = true;
    found[whole.position_of(operand)] = ~part.input_count;
    part.inputs[part.input_count] = value;
    part.input_elements[part.input_count++] = whole.element_of(operand);
  };
  for (int operand : given) add_input(operand, -1);
  part.argument_count = part.input_count;
  const auto need = [&](int operand) {
    if (is_known[whole.position_of(operand)]) return true;
    if (operand >= 0) return is_needed[operand] = true;
    if (whole.is_argument(operand) || part.input_count == lane_program::most_inputs) return false;
    add_input(operand, whole.inputs[~operand]);
    return true;
  };
  for (int operand : wanted)
    if (!need(operand)) return part;
  for (int n = whole.node_count - 1; n >= 0; --n)
    for (int i = 0; is_needed[n] && i < whole.nodes[n].operand_count; ++i)
      if (!need(whole.nodes[n].operands[i])) return part;
  for (int n = 0; n < whole.node_count; ++n) {
    if (!is_needed[n]) continue;
    lane_node& node = part.nodes[part.node_count] = whole.nodes[n];
    node.result = -1;
    for (int i = 0; i < node.operand_count; ++i) node.operands[i] = found[whole.position_of(node.operands[i])];
    found[whole.position_of(n)] = part.node_count++;
  }
  for (int operand : wanted) part.results[part.result_count++] = found[whole.position_of(operand)];
  part.fits = true;
  part.place_values();
  return part;
}

}  // namespace tenon::kernels
