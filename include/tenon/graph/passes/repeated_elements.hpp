// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/access.hpp>

// Values whose elements repeat are written as broadcasts of what is repeated.
namespace tenon::passes {

// Whether a node counts along one of several dimensions, and repeats that along the others.
constexpr bool repeats_count(const graph& g, const graph_node& node) {
  if (node.kind != kind_of_op<ops::iota>) return false;
  const tensor_type& type = g.type_of_value(node.results);
  const index_t axis = read_attributes<ops::iota>(g.words.data + node.words).iota_dimension;
  return is_dense_tensor(type) && type.size() > type.shape.at[axis];
}
// How much larger the two nodes are (an iota of one dimension and a broadcast) that replace such a node.
inline constexpr graph_sizes of_repeated_count{.nodes = 1, .values = 1, .operands = 1, .words = 8, .types = 1};

// An elementwise op on operands that repeat one element each gives one element many times: it is computed once, and
// broadcast. Programs broadcast numbers, such as the counter of a loop, long before they need them in a shape.

// Fewer elements are computed as fast as one, while a broadcast may be a step of its own.
inline constexpr index_t fewest_repeated_elements = 64;
inline constexpr int most_repeated_operands = 3;

// Whether the operands of a node may turn out to repeat one element each.
constexpr bool may_repeat_element(const graph& g, const graph_node& node) {
  if (!tenon::ir::facts_of(node.kind).elementwise || node.region_count != 0 || node.result_count != 1) return false;
  if (node.operand_count == 0 || node.operand_count > most_repeated_operands) return false;
  const tensor_type& type = g.type_of_value(node.results);
  return is_dense_tensor(type) && type.size() > fewest_repeated_elements;
}
// How much larger is what replaces such a node: the op on single elements, constants for it, and the broadcast.
inline constexpr graph_sizes of_repeated_element{
    .nodes = 1 + most_repeated_operands, .values = 1 + most_repeated_operands, .operands = 1, .words = 16, .types = 1};

// Writes nodes to a graph for elements that are repeated.
class repeated_elements {
 public:
  constexpr repeated_elements(graph& to, int region) : to_(to), region_(region) {}

  // The value that stands for that of the node, whose operands are these values of the target; -1: an operand has
  // different elements, or all are constants.
  constexpr int write(const graph& from, const graph_node& node, list<int> operands) {
    bool varies = false;
    for (int value : operands) {
      if (!repeats(value)) return -1;
      varies = varies || constant_of(to_, value) == nullptr;
    }
    if (!varies) return -1;
    int elements[most_repeated_operands];
    for (int i = 0; i < operands.size; ++i) elements[i] = element_of(operands[i], node.source);
    const tensor_type& type = from.type_of_value(node.results);
    const int element =
        find_or_append(node.kind, from.words_of(node), {elements, operands.size}, type.with_shape({}), node.source);
    const int result =
        append_unchecked(to_, ops::broadcast_in_dim{}, {{&element, 1}, {}, {}, region_, node.source}, {&type, 1});
    return to_.nodes.data[result].results;
  }

 private:
  graph& to_;
  int region_;

  constexpr const tensor_type& type_of(int value) const { return to_.type_of_value(value); }
  // The number that a node repeats, or -1.
  constexpr int broadcast_by(int value) const {
    const int n = to_.values.data[value].node;
    if (n < 0 || !tenon::ir::facts_of(to_.nodes.data[n].kind).moves || to_.nodes.data[n].operand_count != 1) return -1;
    const int operand = to_.operands_of(to_.nodes.data[n])[0];
    return is_dense_tensor(type_of(operand)) && type_of(operand).rank() == 0 ? operand : -1;
  }
  constexpr bool repeats(int value) const {
    if (!is_dense_tensor(type_of(value))) return false;
    if (type_of(value).rank() == 0 || broadcast_by(value) >= 0) return true;
    const graph_node* const constant = constant_of(to_, value);
    return constant != nullptr && is_splat(to_, to_.literals.data[to_.words.data[constant->words]], type_of(value));
  }
  constexpr int element_of(int value, int source) {
    if (type_of(value).rank() == 0) return value;
    if (const int number = broadcast_by(value); number >= 0) return number;
    const graph_node constant = *constant_of(to_, value);
    const index_t literal = to_.words.data[constant.words];
    return find_or_append(constant.kind, {&literal, 1}, {}, type_of(value).with_shape({}), source);
  }

  // The result of a node, of one of the last ones if that is the same.
  constexpr int find_or_append(int kind, list<index_t> words, list<int> operands, const tensor_type& type, int source) {
    constexpr int most_looked_at = 64;
    return tenon::ir::find_or_append(to_, to_.nodes.size - most_looked_at, kind, words,
                                     {operands, {}, {}, region_, source}, type);
  }
};

}  // namespace tenon::passes
