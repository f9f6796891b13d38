// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/constant_operands.hpp>
#include <tenon/graph/passes/rewrite.hpp>

// Values whose elements repeat are written as broadcasts of what is repeated.
namespace tenon::passes {

// Of larger constants of one number that number is kept.
inline constexpr index_t most_repeated_bytes = 65536;

// iota of several dimensions, for elementwise ops, = broadcast_in_dim(iota of one dimension): those ops repeat it as
// they read it. A large constant of one number, for others, = broadcast_in_dim(number).
struct repeated_creation : rewrite_pattern {
  static constexpr std::string_view name = "repeated_creation";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return is_one_of<ops::iota, ops::constant>(kind); }
  constexpr bool matches() const {
    const bool for_elementwise = at.values.data[at.node.results] == rewrite_site::read_by_elementwise_ops;
    if (!is_dense_tensor(at.result()) || for_elementwise == is_constant(at.node)) return false;
    if (for_elementwise) return at.result().size() > at.result().shape.at[axis()];
    return byte_size(at.result()) > most_repeated_bytes && is_splat_constant(at.from, at.node.results);
  }
  constexpr int rewrite() const {
    const tensor_type& type = at.result();
    if (is_constant(at.node)) {
      const int number = at.find_or_append(at.node.kind, at.from.words_of(at.node), {}, type.with_shape({}));
      return at.writer().append_unary(ops::broadcast_in_dim{}, number, type);
    }
    const int counted = at.writer().append(ops::iota{0}, {}, type.with_shape({type.shape.at[axis()]}));
    return at.writer().append_unary(ops::broadcast_in_dim{ints{axis()}}, counted, type);
  }

 private:
  constexpr index_t axis() const { return at.attributes<ops::iota>().iota_dimension; }
};

// f(broadcast(x), broadcast(y)) = broadcast(f(x, y)) for numbers x and y: programs broadcast numbers, such as the
// counter of a loop, long before they need them in a shape. And move(broadcast(x)) = broadcast(x).
class repeated_elements {
 public:
  static constexpr std::string_view name = "repeated_elements";

  static constexpr bool begins_at(int kind) { return facts_of(kind).elementwise || moves(kind); }
  constexpr explicit repeated_elements(const rewrite_site& at) : at_(at) {}

  // Not where all operands of an elementwise op are constants, unless the result is large.
  constexpr bool matches() const {
    const graph_node& node = at_.node;
    if (node.region_count != 0 || node.result_count != 1 || node.operand_count == 0) return false;
    if (!is_dense_tensor(at_.result()) || at_.result().size() <= fewest_elements) return false;
    const bool is_large = byte_size(at_.result()) > most_repeated_bytes;
    if (moves(node.kind)) return moves_one_element() || (is_large && is_one_of<ops::pad>(node.kind) && repeats(0));
    if (node.operand_count > most_operands) return false;
    bool varies = is_large;
    for (int i = 0; i < node.operand_count; ++i) {
      if (!repeats(i)) return false;
      varies = varies || !constant_of(at_.to, at_.operand(i));
    }
    return varies;
  }
  constexpr int rewrite() const {
    const graph_node& node = at_.node;
    if (moves(node.kind)) return moves_one_element() ? repeat(element_of(0), at_.result()) : write_padded();
    int elements[most_operands]{};
    for (int i = 0; i < node.operand_count; ++i) elements[i] = element_of(i);
    const tensor_type number = at_.result().with_shape({});
    const list<int> operands{elements, node.operand_count};
    return repeat(at_.find_or_append(node.kind, at_.from.words_of(node), operands, number), at_.result());
  }

 private:
  // Fewer elements are computed as fast as one, while a broadcast may be a step of its own.
  static constexpr index_t fewest_elements = 64;
  static constexpr int most_operands = 3;

  const rewrite_site& at_;

  static constexpr bool moves(int kind) {
    return is_one_of<ops::broadcast_in_dim, ops::concatenate, ops::dynamic_slice, ops::dynamic_update_slice,
                     ops::gather, ops::pad, ops::reshape, ops::reverse, ops::slice, ops::transpose>(kind);
  }
  constexpr bool repeats(int i) const {
    const int value = at_.operand(i);
    if (!is_dense_tensor(at_.type(i))) return false;
    return at_.type(i).rank() == 0 || broadcast_number(at_.to, value) >= 0 || is_splat_constant(at_.to, value);
  }
  constexpr int element_of(int i) const {
    const int value = at_.operand(i), number = broadcast_number(at_.to, value);
    if (at_.type(i).rank() == 0 || number >= 0) return number >= 0 ? number : value;
    const graph_node constant = *constant_of(at_.to, value);
    const index_t literal = at_.to.words.data[constant.words];
    return at_.find_or_append(constant.kind, {&literal, 1}, {}, at_.type(i).with_shape({}));
  }
  constexpr int repeat(int number, const tensor_type& type) const {
    return at_.writer().append_unary(ops::broadcast_in_dim{}, number, type);
  }

  // Whether all elements that are moved are the same one. Operands behind them say where they go.
  constexpr bool moves_one_element() const {
    const op_facts& facts = facts_of(at_.node.kind);
    const int count = facts.updates_operands ? 2 : facts.gathers ? 1 : at_.node.operand_count;
    if (at_.type(0).rank() == 0 || !repeats(0)) return false;
    const auto bits = splat_bits(at_.to, at_.operand(0));
    for (int i = 1; i < count; ++i)
      if (!bits || splat_bits(at_.to, at_.operand(i)) != bits) return false;
    return true;
  }
  // pad(broadcast(x), y) = select(m, broadcast(x), broadcast(y)), where m is an outer product of padded lines.
  constexpr int write_padded() const {
    const node_writer to = at_.writer();
    const auto op = at_.attributes<ops::pad>();
    const tensor_type truth = type_of(dtype::i1), mask = truth.with_shape(at_.result().shape);
    const int outside = to.append_constant(0, truth), inside = to.append_constant(1, truth);
    int all = repeat(inside, mask);
    for (int d = 0; d < mask.rank(); ++d) {
      const ops::pad along{{op.edge_padding_low[d]}, {op.edge_padding_high[d]}, {op.interior_padding[d]}};
      const int padded[] = {repeat(inside, truth.with_shape({at_.type(0).dim(d)})), outside};
      const int line = to.append(along, {padded, 2}, truth.with_shape({mask.dim(d)}));
      const int both[] = {all, to.append_unary(ops::broadcast_in_dim{{d}}, line, mask)};
      all = to.append(ops::and_{}, {both, 2}, mask);
    }
    const int parts[] = {all, repeat(element_of(0), at_.result()), repeat(element_of(1), at_.result())};
    return to.append(ops::select{}, {parts, 3}, at_.result());
  }
};

}  // namespace tenon::passes
