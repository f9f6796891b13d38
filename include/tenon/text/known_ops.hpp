// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/op.hpp>

namespace tenon::text {

namespace detail {

template <class Op>
concept complete_op = requires { sizeof(Op); };

// The words of an op without attributes.
struct few_words {
  index_t at[64]{};
  int size = 0;
};
template <class Op>
inline constexpr few_words default_words = [] {
  few_words result;
  table<index_t> words{result.at, 0, 64};
  write_attributes(words, Op{});
  result.size = words.size;
  return result;
}();

// Fills an op from its attributes, asks its rules, and writes it down.
template <class Op>
constexpr bool finish_op(op_reader& p, op_parts& parts) {
  Op self{};
  if constexpr (std::is_same_v<Op, ops::scan>) {
    const int carries = parts.operand_count - parts.inputs;
    if (parts.inputs >= 0) {
      self.operand_segment_sizes = {parts.inputs, carries};
      self.result_segment_sizes = {parts.result_count - carries, carries};
    }
  }
  if (!p.read_fields(self, parts.attributes)) return false;
  rules rule;
  table<tensor_type> results;
  const list<tensor_type> operands = p.prepare(parts, rule, results);
  if (p.state.types.overflow || p.state.constants.overflow) return true;
  if constexpr (std::is_same_v<Op, ops::constant>) {
    if (parts.result_count == 1 && !p.check_literal(self.value, rule.declared[0], parts.name)) return false;
  }
  infer_results(self, rule, operands, results);
  rule("results", "the number of results is the one that the op has", results.size == parts.result_count);
  if constexpr (!requires { &Op::region_arguments; }) rule("regions", "the op has no regions", parts.region_count == 0);
  if constexpr (std::is_same_v<Op, ops::composite>) p.state.calls.push(p.g.nodes.size);
  if (results.overflow) {
    p.state.types.overflow = true;
    return true;
  }
  if (rule.broken()) return p.fail(rule.label, rule.sentence, parts.name);
  if (p.state.attributes.size == parts.attributes) {
    for (int i = 0; i < default_words<Op>.size; ++i) p.g.words.push(default_words<Op>.at[i]);
  } else {
    write_attributes(p.g.words, self);
  }
  return true;
}

template <class Op>
constexpr void enter_op(op_registry& registry) {
  if constexpr (complete_op<Op>) {
    constexpr int kind = kind_of_op<Op>;
    constexpr std::string_view dialect = dialect_of_op<Op>();
    word_key key = extend(key_of(dialect), '.');
    for (char c : Op::name) key = extend(key, c);
    registry.ops[kind] = {key, dialect, Op::name, &finish_op<Op>};
    // A call belongs to another dialect and is read apart; what only the passes write cannot be read.
    if (std::is_same_v<Op, ops::call> || requires { Op::is_internal; }) return;
    registry.enter(key, kind);
  }
}

template <class... Ops>
constexpr op_registry registry_of(op_list<Ops...>) {
  op_registry result;
  (enter_op<Ops>(result), ...);
  int entry = ops::all::size;
  for (const other_name& other : other_names) result.enter(other.name.key, entry++);
  return result;
}

}  // namespace detail

// Every op of the library.
inline constexpr op_registry known_ops = detail::registry_of(ops::all{});

}  // namespace tenon::text
