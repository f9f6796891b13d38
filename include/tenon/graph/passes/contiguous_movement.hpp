// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>
#include <tenon/graph/plan/access.hpp>

namespace tenon::passes {

// A movement that keeps all elements in their order in memory is a reshape, which costs nothing, and
// reshape(reshape(x)) = reshape(x), which is x if that has the type of the result.
struct contiguous_movement : rewrite_pattern {
  static constexpr std::string_view name = "contiguous_movement";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return facts_of(kind).moves; }
  constexpr bool matches() const {
    if (at.node.operand_count != 1 || at.node.result_count != 1) return false;
    const tensor_type &operand = at.type(0), &result = at.result();
    if (operand.element != result.element || operand.size() != result.size() || result.size() == 0) return false;
    if (!is_dense_tensor(operand) || !is_dense_tensor(result)) return false;
    if (facts_of(at.node.kind).is_view)
      return is_one_of<ops::reshape>(at.node.kind) && (operand == result || is_again());
    const auto map = op_tables::reads[at.node.kind](at.words(), 0, {&operand, 1}, result);
    strided_access access;
    return planning::access_through(map, operand.shape, result.shape, access) &&
           planning::is_contiguous(planning::merged(access));
  }
  constexpr int rewrite() const {
    const int operand = is_again() ? at.to.operands_of(*at.producer<ops::reshape>(0))[0] : at.operand(0);
    return at.writer().append_reshaped(operand, at.result());
  }

 private:
  constexpr bool is_again() const {
    const std::optional<graph_node> inner = at.producer<ops::reshape>(0);
    if (!inner) return false;
    const tensor_type& reshaped = at.to.type_of_value(at.to.operands_of(*inner)[0]);
    return is_dense_tensor(reshaped) && reshaped.element == at.result().element;
  }
};

}  // namespace tenon::passes
