// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

// Values whose elements repeat are written as broadcasts of what is repeated.
namespace tenon::passes {

// iota of several dimensions, for elementwise ops, = broadcast_in_dim(iota of one dimension): those ops repeat it as
// they read it.
struct repeated_count : rewrite_pattern {
  static constexpr std::string_view name = "repeated_count";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return is_one_of<ops::iota>(kind); }
  constexpr bool matches() const {
    return at.values.data[at.node.results] == rewrite_site::read_by_elementwise_ops && is_dense_tensor(at.result()) &&
           at.result().size() > at.result().shape.at[axis()];
  }
  constexpr int rewrite() const {
    const tensor_type line = at.result().with_shape({at.result().shape.at[axis()]});
    const int counted = at.writer().append(ops::iota{0}, {}, line);
    return at.writer().append_unary(ops::broadcast_in_dim{ints{axis()}}, counted, at.result());
  }

 private:
  constexpr index_t axis() const { return at.attributes<ops::iota>().iota_dimension; }
};

// f(broadcast(x), broadcast(y)) = broadcast(f(x, y)) for numbers x and y: programs broadcast numbers, such as the
// counter of a loop, long before they need them in a shape.
class repeated_elements {
 public:
  static constexpr std::string_view name = "repeated_elements";

  static constexpr bool begins_at(int kind) { return facts_of(kind).elementwise; }
  constexpr explicit repeated_elements(const rewrite_site& at) : at_(at) {}

  // Not where all operands are constants.
  constexpr bool matches() const {
    const graph_node& node = at_.node;
    if (node.region_count != 0 || node.result_count != 1) return false;
    if (node.operand_count == 0 || node.operand_count > most_operands) return false;
    if (!is_dense_tensor(at_.result()) || at_.result().size() <= fewest_elements) return false;
    bool varies = false;
    for (int i = 0; i < node.operand_count; ++i) {
      if (!repeats(at_.operand(i))) return false;
      varies = varies || !constant_of(at_.to, at_.operand(i));
    }
    return varies;
  }
  constexpr int rewrite() const {
    const graph_node& node = at_.node;
    int elements[most_operands]{};
    for (int i = 0; i < node.operand_count; ++i) elements[i] = element_of(at_.operand(i));
    const int element =
        find_or_append(node.kind, at_.from.words_of(node), {elements, node.operand_count}, at_.result());
    return at_.writer().append_unary(ops::broadcast_in_dim{}, element, at_.result());
  }

 private:
  // Fewer elements are computed as fast as one, while a broadcast may be a step of its own.
  static constexpr index_t fewest_elements = 64;
  static constexpr int most_operands = 3;

  const rewrite_site& at_;

  constexpr const tensor_type& type_of(int value) const { return at_.to.type_of_value(value); }
  // The number that a node repeats, or -1.
  constexpr int broadcast_by(int value) const {
    const int n = at_.to.values.data[value].node;
    if (n < 0 || !tenon::ir::facts_of(at_.to.nodes.data[n].kind).moves || at_.to.nodes.data[n].operand_count != 1)
      return -1;
    const int operand = at_.to.operands_of(at_.to.nodes.data[n])[0];
    return is_dense_tensor(type_of(operand)) && type_of(operand).rank() == 0 ? operand : -1;
  }
  constexpr bool repeats(int value) const {
    if (!is_dense_tensor(type_of(value))) return false;
    if (type_of(value).rank() == 0 || broadcast_by(value) >= 0) return true;
    return is_splat_constant(at_.to, value);
  }
  constexpr int element_of(int value) const {
    if (type_of(value).rank() == 0) return value;
    if (const int number = broadcast_by(value); number >= 0) return number;
    const graph_node constant = *constant_of(at_.to, value);
    const index_t literal = at_.to.words.data[constant.words];
    return find_or_append(constant.kind, {&literal, 1}, {}, type_of(value));
  }

  // One of the last nodes, if it gives the same.
  constexpr int find_or_append(int kind, list<index_t> words, list<int> operands, const tensor_type& result) const {
    const node_parts parts{operands, {}, {}, at_.region, at_.node.source};
    return tenon::ir::find_or_append(at_.to, at_.to.nodes.size - 64, kind, words, parts, result.with_shape({}));
  }
};

}  // namespace tenon::passes
