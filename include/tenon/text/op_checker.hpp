// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/text/graph_builder.hpp>
#include <tenon/text/literal.hpp>
#include <tenon/text/op_registry.hpp>
#include <tenon/text/parse_options.hpp>

namespace tenon::text {

// The element type in which two are multiplied of which neither is the other: f32, or f64 if one has that, complex if
// one is, integers that of the result; `none` where there is none.
constexpr dtype common_element(dtype a, dtype b, dtype result) {
  if (is_integer(a) && is_integer(b)) return is_integer(result) ? result : dtype::none;
  const bool wide = a == dtype::f64 || b == dtype::f64 || a == dtype::complex_f64 || b == dtype::complex_f64;
  if (is_complex(a) || is_complex(b)) return wide ? dtype::complex_f64 : dtype::complex_f32;
  return is_float(a) || is_float(b) ? wide ? dtype::f64 : dtype::f32 : dtype::none;
}

// Gathers what the rules of an op ask for: the types of its operands, the signatures of its regions, the values of
// constants.
class op_checker : public reader_part {
 public:
  const op_registry& registry;

  constexpr op_checker(graph_builder& builder, const op_registry& known) : reader_part(builder), registry(known) {}

  // Prepares the rules of an op: gives the types of its operands, and room for those of its results.
  constexpr list<tensor_type> prepare(const op_parts& parts, rules& rule, table<tensor_type>& results) {
    table<tensor_type>& types = state.types;
    types.size = 0;
    for (int i = 0; i < parts.operand_count; ++i) types.push(g.type_of_value(g.operands.data[parts.operands + i]));
    for (int i = 0; i < parts.result_count; ++i) types.push(g.type_of_value(parts.results + i));
    for (int i = 0; i < parts.region_count; ++i)
      add_signature(state.open_regions.data[parts.regions + i], signatures_[i], parts.kind);
    rule.declared = {types.data + parts.operand_count, parts.result_count};
    rule.regions = {signatures_, parts.region_count};
    rule.details = &g;
    if (registry.ops[parts.kind].asks_for_constants) {
      const int count = parts.operand_count < most_constants ? parts.operand_count : most_constants;
      state.constants.size = 0;
      for (int i = 0; i < count; ++i) constants_[i] = constant_value(g.operands.data[parts.operands + i]);
      rule.constants = {constants_, count};
    }
    results = {types.data + types.size, 0, types.capacity - types.size};
    return {types.data, parts.operand_count};
  }
  // Asks the rules of an op that stands on the tables, and appends it to a region.
  template <class Op>
  constexpr bool append(const Op& self, op_parts& parts, int region) {
    parts.kind = kind_of_op<Op>;
    if (build.full()) return true;
    rules rule;
    table<tensor_type> results;
    const list<tensor_type> operands = prepare(parts, rule, results);
    if (!ask(self, rule, operands, results, parts) || build.full()) return !in.error;
    parts.words = g.words.size;
    write_attributes(g.words, self);
    build.append_node(parts, region);
    return true;
  }
  // An op that the text does not have itself, with results of these types from number `value` on.
  template <class Op>
  constexpr bool add_node(const Op& self, list<int> operands, list<int> types, int region, int source, int& value,
                          int region_count = 0) {
    op_parts parts;
    parts.begin = parts.name = source;
    parts.operands = g.operands.size;
    parts.operand_count = operands.size;
    parts.results = g.values.size;
    parts.regions = state.open_regions.size - region_count;
    parts.region_count = region_count;
    for (const int operand : operands) g.operands.push(operand);
    for (const int type : types) build.add_result(parts, type);
    value = parts.results;
    if (!append(self, parts, region)) return false;
    state.open_regions.size = parts.regions;
    return true;
  }
  // Whether an op keeps its rules, which are asked when open sizes are known; true too where memory runs out.
  template <class Op>
  constexpr bool ask(const Op& self, rules& rule, list<tensor_type> operands, table<tensor_type>& results,
                     const op_parts& parts) {
    if (state.types.overflow || state.constants.overflow || (state.open_sizes && has_open_sizes())) return true;
    infer_results(self, rule, operands, results);
    rule("results", "the number of results is the one that the op has", results.size == parts.result_count);
    if constexpr (!requires { &Op::region_arguments; })
      rule("regions", "the op has no regions", parts.region_count == 0);
    if (results.overflow)
      state.types.overflow = true;
    else if (rule.broken())
      return in.fail(rule.label, rule.sentence, parts.name);
    return true;
  }
  // Among the types that were gathered last.
  constexpr bool has_open_sizes() const {
    for (const tensor_type& type : state.types)
      if (tenon::has_open_sizes(type)) return true;
    return false;
  }
  // The literal of a constant suits the type of the op, and so does the type that is written behind it, if there is
  // one.
  constexpr bool check_literal(literal_id value, const tensor_type& type, int position, int written_type = -1) {
    if (value.id < 0) return in.fail("attribute", "the value of the constant is missing", position);
    if (g.literals.overflow) return true;
    if (written_type >= 0) {
      const tensor_type& written = g.types.data[written_type];
      const bool storage = type.is_quantized() && written == type.with_element(type.element);
      if (!(written == type) && !storage) return in.fail("constant_c1", "type(value) = type(output)", position);
    }
    const graph_literal& literal = g.literals.data[value.id];
    if (!type.is_tensor()) return true;
    literal_reader reader({in.data, std::size_t(in.size)}, literal.first, literal.size, type, notation_of(literal));
    const int most = literal.where == graph_literal::place::hlo_text ? most_checked_hlo_bytes : most_checked_bytes;
    if (std::is_constant_evaluated() && literal.size > most && in.data[literal.first] != '"') return true;
    if (!reader.check()) in.error = reader.error;
    return !in.error;
  }

 private:
  static constexpr int most_constants = 16;
  // Longer literals are checked only when their elements are asked for, if all this happens while compiling.
  static constexpr int most_checked_bytes = 16384, most_checked_hlo_bytes = 2048;
  signature signatures_[most_regions];
  list<index_t> constants_[most_constants];

  constexpr void add_signature(int region, signature& into, int kind) {
    table<tensor_type>& types = state.types;
    const graph_region& of = g.regions.data[region];
    const int first = types.size;
    for (int i = 0; i < of.argument_count; ++i) types.push(g.type_of_value(of.arguments + i));
    const int middle = types.size;
    for (int i = 0; i < of.yield_count; ++i) types.push(g.type_of_value(g.operands.data[of.yields + i]));
    into = {{types.data + first, middle - first}, {types.data + middle, types.size - middle}};
    if (kind == kind_of_op<ops::async_start>) find_only_op(of, region, into);
  }
  constexpr void find_only_op(const graph_region& of, int region, signature& into) const {
    int found = -1;
    for (int i = of.first; i < of.last; ++i) {
      if (g.nodes.data[i].region != region) continue;
      into.only_op = signature::mixed;
      if (found >= 0) return;
      found = i;
    }
    into.only_op = signature::mixed;
    if (found < 0) return;
    const graph_node& node = g.nodes.data[found];
    if (node.result_count != of.yield_count) return;
    for (int i = 0; i < of.yield_count; ++i)
      if (g.operands.data[of.yields + i] != node.results + i) return;
    into.only_op = node.kind;
    into.forwards = node.operand_count == of.argument_count;
    for (int i = 0; into.forwards && i < node.operand_count; ++i)
      into.forwards = g.operands.data[node.operands + i] == of.arguments + i;
  }
  // The elements of a small integer constant.
  constexpr list<index_t> constant_value(int value) {
    const int node = g.values.data[value].node;
    const tensor_type& type = g.type_of_value(value);
    if (node < 0 || g.nodes.data[node].kind != kind_of_op<ops::constant> || type.is_quantized() ||
        !(is_integer(type.element) || is_boolean(type.element)) || type.size() > 64)
      return {};
    const graph_literal& literal = g.literals.data[g.words.data[g.nodes.data[node].words]];
    const int first = state.constants.size;
    literal_reader reader({in.data, std::size_t(in.size)}, literal.first, literal.size, type, notation_of(literal));
    const bool good = reader.decode([&](index_t, int, std::uint64_t bits) {
      for (index_t i = reader.is_splat() ? type.size() : 1; i > 0; --i) state.constants.push(index_t(bits));
    });
    if (!good || state.constants.overflow) return {};
    return {state.constants.data + first, state.constants.size - first};
  }
};

}  // namespace tenon::text
