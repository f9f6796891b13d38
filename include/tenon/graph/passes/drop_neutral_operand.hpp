// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/constant_operands.hpp>
#include <tenon/graph/passes/neutral_bits.hpp>
#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// x + -0 = x, x * 1 = x, maximum(x, -inf) = x, and(x, all bits) = x and so on, and x - 0 = x, x / 1 = x. x + 0 is no
// identity of floats: -0 + 0 = 0.
struct drop_neutral_operand : rewrite_pattern {
  static constexpr std::string_view name = "drop_neutral_operand";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) {
    const op_facts& facts = facts_of(kind);
    const bool both_sides = facts.associative && facts.neutral != neutral_element::none;
    return facts.elementwise && (both_sides || is_one_of<ops::subtract, ops::divide>(kind));
  }
  constexpr bool matches() const { return kept() >= 0; }
  constexpr int rewrite() const { return at.operand(kept()); }

 private:
  // The operand that is the result; -1: neither.
  constexpr int kept() const {
    if (at.node.operand_count != 2 || at.node.region_count != 0) return -1;
    for (int i = 1; i >= (facts_of(at.node.kind).associative ? 0 : 1); --i)
      if (at.type(1 - i) == at.result() && is_neutral(splat_bits(at.to, at.operand(i)))) return 1 - i;
    return -1;
  }
  constexpr bool is_neutral(const std::optional<std::uint64_t>& written) const {
    const int kind = at.node.kind;
    const dtype element = at.result().element;
    const neutral_element which = is_one_of<ops::divide>(kind) ? neutral_element::one : facts_of(kind).neutral;
    index_t bits = 0;
    if (!written || (!is_one_of<ops::subtract>(kind) && !neutral_bits(which, element, bits))) return false;
    return (*written ^ std::uint64_t(bits)) << (64 - num_bits(element)) == 0;
  }
};

}  // namespace tenon::passes
