// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/constant_operands.hpp>
#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// select(true, x, y) = x, select(false, x, y) = y, select(p, x, x) = x.
struct select_known_branch : rewrite_pattern {
  static constexpr std::string_view name = "select_known_branch";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return is_one_of<ops::select>(kind); }
  constexpr bool matches() const { return at.operand(1) == at.operand(2) || splat_bits(at.to, at.operand(0)); }
  constexpr int rewrite() const {
    if (at.operand(1) == at.operand(2)) return at.operand(1);
    return at.operand(*splat_bits(at.to, at.operand(0)) != 0 ? 1 : 2);
  }
};

}  // namespace tenon::passes
