// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>
#include <tenon/graph/plan/known_walks.hpp>

namespace tenon::passes {

// Constant folding: a whole number, or a truth value, that is computed of constants becomes a constant.
struct known_number : rewrite_pattern {
  static constexpr std::string_view name = "known_number";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return facts_of(kind).elementwise; }
  constexpr bool matches() const {
    if (at.node.result_count != 1 || at.node.operand_count == 0 || at.node.region_count > 0) return false;
    const tensor_type& type = at.result();
    if (at.node.operand_count > most_operands || type.rank() != 0 || type.is_quantized()) return false;
    if (!is_boolean(type.element) && !is_integer(type.element)) return false;
    for (int i = 0; i < at.node.operand_count; ++i)
      if (at.type(i).rank() != 0 || !constant_of(at.to, at.operand(i))) return false;
    return true;
  }
  constexpr int rewrite() const {
    int operands[most_operands]{};
    for (int i = 0; i < at.node.operand_count; ++i) operands[i] = at.operand(i);
    const node_parts parts{{operands, at.node.operand_count}, {}, {}, at.region, at.node.source};
    const int value =
        find_or_append(at.to, at.to.nodes.size, at.node.kind, at.from.words_of(at.node), parts, at.result());
    strided_access known;
    const bool is_known = planning::known_walks(at.to, 1).find(value, {}, known);
    return is_known ? at.writer().append_constant(known.base, at.result()) : value;
  }

 private:
  static constexpr int most_operands = 3;
};

}  // namespace tenon::passes
