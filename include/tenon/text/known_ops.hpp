// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/attributes.hpp>
#include <tenon/text/op_checker.hpp>

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

// Fills an op from its attributes, of which HLO has none, asks its rules, and writes it down.
template <class Op>
constexpr bool finish_op(op_checker& checker, mlir::attribute_reader* attributes, op_parts& parts) {
  lexer& in = checker.in;
  graph& g = checker.g;
  parser_tables& state = checker.state;
  Op self{};
  if constexpr (std::is_same_v<Op, ops::scan>) {
    const int carries = parts.operand_count - parts.inputs;
    if (parts.inputs >= 0) {
      self.operand_segment_sizes = {parts.inputs, carries};
      self.result_segment_sizes = {parts.result_count - carries, carries};
    }
  }
  if (attributes != nullptr) {
    if (!attributes->read_fields(self, parts.attributes)) return false;
  } else if (mlir::fields_of<Op>::name.any_required) {
    return in.fail("attribute", "an attribute that the op needs is missing", 0);
  }
  rules rule;
  table<tensor_type> results;
  const list<tensor_type> operands = checker.prepare(parts, rule, results);
  if (state.types.overflow || state.constants.overflow) return true;
  if constexpr (std::is_same_v<Op, ops::compare>) {
    // As other producers write it, since MLIR's integers have no sign; XLA goes by the type.
    const bool by_type = operands.size > 0 && is_signed_integer(operands[0].element);
    if (by_type && self.compare_type == comparison_type::UNSIGNED) self.compare_type = comparison_type::SIGNED;
  }
  if constexpr (std::is_same_v<Op, ops::composite>) state.calls.push(g.nodes.size);
  if constexpr (std::is_same_v<Op, ops::constant>) {
    if (parts.result_count == 1 && !(state.open_sizes && checker.has_open_sizes()) &&
        !checker.check_literal(self.value, rule.declared[0], parts.name, attributes ? attributes->literal_type : -1))
      return false;
  }
  if (!checker.ask(self, rule, operands, results, parts)) return false;
  if (state.types.overflow) return true;
  if (state.attributes.size == parts.attributes) {
    for (int i = 0; i < default_words<Op>.size; ++i) g.words.push(default_words<Op>.at[i]);
  } else {
    write_attributes(g.words, self);
  }
  return true;
}

// The reader of the op; null unless it is one of `Wanted`, so that a program is not compiled with the rules of ops that
// its text does not name.
template <class Op, op_set Wanted>
constexpr known_op entry_of_op() {
  if constexpr (complete_op<Op>) {
    constexpr std::string_view dialect = dialect_of_op<Op>();
    word_key key = extend(key_of(dialect), '.');
    for (char c : Op::name) key = extend(key, c);
    // A call belongs to another dialect and is read apart; what only the passes write cannot be read.
    constexpr bool is_read = !std::is_same_v<Op, ops::call> && !requires { Op::is_internal; };
    constexpr bool asks_for_constants = requires { Op::asks_for_constants; };
    known_op result{key, dialect, Op::name, notation_of_op<Op>(), asks_for_constants, is_read};
    if constexpr (Wanted.has(kind_of_op<Op>)) result.finish = &finish_op<Op>;
    return result;
  } else {
    return {};
  }
}

template <op_set Wanted, class... Ops>
constexpr op_registry registry_of(op_list<Ops...>) {
  op_registry result{{entry_of_op<Ops, Wanted>()...}};
  for (int kind = 0; kind < ops::all::size; ++kind)
    if (result.ops[kind].is_read) result.enter(result.ops[kind].key, kind);
  int entry = ops::all::size;
  for (const other_name& other : other_names) result.enter(other.key, entry++);
  return result;
}

}  // namespace detail

// The names of all ops of the library, and what reads those of `Wanted`.
template <op_set Wanted>
inline constexpr op_registry known_ops = detail::registry_of<Wanted>(ops::all{});

// The ops that a StableHLO text names, found by the dialects in front of its dots. Nothing else leads to an op.
constexpr op_set ops_named_in(std::string_view text) {
  constexpr int most_other_dots = 4096;  // of numbers, say; to look at more costs more than it spares
  constexpr keyword dialects[] = {"stablehlo", "chlo", "sdy", "arith", "mhlo"};
  op_set result;
  int other_dots = 0;
  lexer words(text);
  for (words.at = words.find('.', 0); words.at < words.size; words.at = words.find('.', words.at)) {
    const int dot = words.at++;
    const keyword* dialect = nullptr;
    for (const keyword& known : dialects)
      if (!dialect && words.stands_before(dot, known)) dialect = &known;
    if (!dialect) {
      if (++other_dots > most_other_dots) return every_op;
      continue;
    }
    if (dialect == &dialects[4]) {
      const word name = words.read_word();
      const int kind = known_ops<op_set{}>.find_of_mhlo(text.substr(std::size_t(name.first), std::size_t(name.size)));
      if (kind >= 0) result.add(kind);
      continue;
    }
    word_key key = extend(dialect->key, '.');
    for (bool goes_on = true; goes_on; key = extend(key, '-'), ++words.at) {
      while (words.at < words.size && detail::is(words.data[words.at], detail::word_part))
        key = extend(key, words.data[words.at++]);
      known_ops<op_set{}>.find(key, [&](int entry) {
        result.add(op_registry::kind_of_entry(entry));
        return false;
      });
      // A name in quotes may have dashes.
      goes_on = words.at < words.size && words.data[words.at] == '-';
    }
  }
  return result;
}

}  // namespace tenon::text
