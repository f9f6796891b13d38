// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// f(f(x)) = x for negate, not, and reverse along the same dimensions.
struct cancel_involution : rewrite_pattern {
  static constexpr std::string_view name = "cancel_involution";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return is_one_of<ops::negate, ops::not_, ops::reverse>(kind); }
  constexpr bool matches() const {
    const std::optional<graph_node> inner = at.producer(0, at.node.kind);
    if (!inner || at.result().is_quantized()) return false;
    return at.from.words_of(at.node) == at.to.words_of(*inner);
  }
  constexpr int rewrite() const { return at.to.operands_of(*at.producer(0, at.node.kind))[0]; }
};

}  // namespace tenon::passes
