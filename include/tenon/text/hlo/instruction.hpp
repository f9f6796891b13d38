// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/lexer.hpp>

namespace tenon::text::hlo {

// The instruction that is being read. Its types are the last ones of signature_types.
struct instruction {
  static constexpr int most_listed_operands = 64;

  word name, opcode;
  int types = 0, type_count = 0;
  bool nested = false;    // tuples within the tuple
  int operand_count = 0;  // as they are listed; a tuple counts as one
  value_name first_operand;
  ints layout;                         // of a single array: minor to major
  int argument = 0, argument_end = 0;  // of a constant or parameter: what stands in its brackets
  op_parts parts;
  int first_leaves[most_listed_operands];  // of the operands: where their values begin
};

// The operand's type; that of nothing if there are fewer operands.
constexpr tensor_type type_of_operand(const graph_builder& build, const instruction& now, int i) {
  const graph& g = build.g;
  return i < now.parts.operand_count ? g.types.data[g.values.data[g.operands.data[now.parts.operands + i]].type]
                                     : tensor_type{};
}

// The values of tuples; the table of calls is free here, since a call is checked where it stands.
constexpr table<int>& leaves(parser_tables& state) { return state.calls; }
constexpr int leaf(parser_tables& state, const value_name& of, int i) {
  return of.value >= 0 ? of.value + i : leaves(state).data[-1 - of.value + i];
}

}  // namespace tenon::text::hlo
