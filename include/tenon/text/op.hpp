// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/text/function.hpp>

namespace tenon {

struct parse_options {
  // Dialects, parted by spaces, whose ops are kept without being understood ("check interpreter"). Ops of no dialect
  // named here and not of StableHLO are errors.
  std::string_view foreign_dialects;
};

// Ops of other dialects have kinds below -1: their name, and as words the part of the text that holds their attributes
// (first byte, size) and their literal (-1 if there is none).
constexpr int foreign_kind(int name) { return -2 - name; }
constexpr bool is_foreign(const graph_node& node) { return node.kind < -1; }
constexpr std::string_view name_of_foreign(const graph& g, const graph_node& node) { return g.name_of(-2 - node.kind); }

}  // namespace tenon

namespace tenon::text {

class op_reader;

namespace detail {

using finish_function = bool (*)(op_reader&, op_parts&);

struct known_op {
  word_key key = 0;
  std::string_view dialect, name;
  finish_function finish = nullptr;
  bool is_read = false;
};

// A name of CHLO for an op that has another name here.
struct other_name {
  keyword name;
  int kind = -1;
};
inline constexpr other_name other_names[] = {
    {"chlo.tan", kind_of_op<ops::tan>},
    {"chlo.constant", kind_of_op<ops::constant>},
    {"chlo.constant_like", kind_of_op<ops::broadcast_in_dim>},
    {"chlo.broadcast_add", kind_of_op<ops::add>},
    {"chlo.broadcast_atan2", kind_of_op<ops::atan2>},
    {"chlo.broadcast_divide", kind_of_op<ops::divide>},
    {"chlo.broadcast_maximum", kind_of_op<ops::maximum>},
    {"chlo.broadcast_minimum", kind_of_op<ops::minimum>},
    {"chlo.broadcast_multiply", kind_of_op<ops::multiply>},
    {"chlo.broadcast_power", kind_of_op<ops::power>},
    {"chlo.broadcast_remainder", kind_of_op<ops::remainder>},
    {"chlo.broadcast_shift_left", kind_of_op<ops::shift_left>},
    {"chlo.broadcast_shift_right_arithmetic", kind_of_op<ops::shift_right_arithmetic>},
    {"chlo.broadcast_shift_right_logical", kind_of_op<ops::shift_right_logical>},
    {"chlo.broadcast_subtract", kind_of_op<ops::subtract>},
    {"chlo.broadcast_and", kind_of_op<ops::and_>},
    {"chlo.broadcast_or", kind_of_op<ops::or_>},
    {"chlo.broadcast_xor", kind_of_op<ops::xor_>},
    {"chlo.broadcast_complex", kind_of_op<ops::complex>},
    {"chlo.broadcast_compare", kind_of_op<ops::compare>},
    {"chlo.broadcast_select", kind_of_op<ops::select>},
    {"chlo.broadcast_next_after", kind_of_op<ops::next_after>},
    {"chlo.broadcast_polygamma", kind_of_op<ops::polygamma>},
    {"chlo.broadcast_zeta", kind_of_op<ops::zeta>},
};

}  // namespace detail

// A bit for each op.
struct op_set {
  static constexpr int words = (ops::all::size + 63) / 64;
  std::uint64_t bits[words]{};

  constexpr bool has(int kind) const { return (bits[kind / 64] >> (kind % 64) & 1) != 0; }
  constexpr void add(int kind) { bits[kind / 64] |= std::uint64_t{1} << (kind % 64); }
};
inline constexpr op_set every_op = [] {
  op_set result;
  for (int kind = 0; kind < ops::all::size; ++kind) result.add(kind);
  return result;
}();

// The ops that a parser knows, by the key of their full name. The slots count the ops from 1, and on through the other
// names that they have.
struct op_registry {
  static constexpr int slot_count = 512;
  detail::known_op ops[ops::all::size];
  short slot[slot_count] = {};

  constexpr void enter(word_key key, int entry) {
    unsigned at = slots::start(key) % slot_count;
    while (slot[at] != 0) at = (at + 1) % slot_count;
    slot[at] = short(entry + 1);
  }
  // Calls f with every entry that may have this key.
  constexpr void for_each_entry(word_key key, auto f) const {
    for (unsigned at = slots::start(key) % slot_count; slot[at] != 0; at = (at + 1) % slot_count) f(slot[at] - 1);
  }
};

namespace detail {

// Ops whose rules ask for the values of operands that are constants.
constexpr bool asks_for_constants(int kind) {
  return kind == kind_of_op<ops::dynamic_broadcast_in_dim> || kind == kind_of_op<ops::dynamic_conv> ||
         kind == kind_of_op<ops::dynamic_gather> || kind == kind_of_op<ops::dynamic_iota> ||
         kind == kind_of_op<ops::dynamic_pad> || kind == kind_of_op<ops::dynamic_reshape> ||
         kind == kind_of_op<ops::real_dynamic_slice> || kind == kind_of_op<ops::rng> ||
         kind == kind_of_op<ops::set_dimension_size> || kind == kind_of_op<ops::collective_broadcast> ||
         kind == kind_of_op<ops::collective_reduce>;
}

}  // namespace detail

// Reads ops in the form that all of them share, asks their rules, and writes them down.
class op_reader : public function_reader {
 public:
  constexpr op_reader(graph& program, parser_tables& memory, int from, const parse_options& options,
                      const op_registry& registry)
      : function_reader(program, memory, from), options_(options), registry_(registry) {}

  // What the rules of an op ask for: gives the types of its operands, and room for those of its results.
  constexpr list<tensor_type> prepare(const op_parts& parts, rules& rule, table<tensor_type>& results) {
    table<tensor_type>& types = state.types;
    types.size = 0;
    for (int i = 0; i < parts.operand_count; ++i)
      types.push(g.types.data[g.values.data[g.operands.data[parts.operands + i]].type]);
    for (int i = 0; i < parts.result_count; ++i) types.push(g.types.data[g.values.data[parts.results + i].type]);
    for (int i = 0; i < parts.region_count; ++i)
      add_signature(state.open_regions.data[parts.regions + i], signatures_[i], parts.kind);
    rule.declared = {types.data + parts.operand_count, parts.result_count};
    rule.regions = {signatures_, parts.region_count};
    rule.details = &g;
    if (text::detail::asks_for_constants(parts.kind)) {
      const int count = parts.operand_count < most_constants ? parts.operand_count : most_constants;
      state.constants.size = 0;
      for (int i = 0; i < count; ++i) constants_[i] = constant_value(g.operands.data[parts.operands + i]);
      rule.constants = {constants_, count};
    }
    results = {types.data + types.size, 0, types.capacity - types.size};
    return {types.data, parts.operand_count};
  }
  // The literal of a constant suits the type of the op.
  constexpr bool check_literal(literal_id value, const tensor_type& type, int position) {
    if (value.id < 0) return fail("attribute", "the value of the constant is missing", position);
    if (g.literals.overflow) return true;
    if (literal_type_ >= 0) {
      const tensor_type& written = g.types.data[literal_type_];
      const bool storage = type.is_quantized() && written == type.with_element(type.element);
      if (!(written == type) && !storage) return fail("constant_c1", "type(value) = type(output)", position);
    }
    const graph_literal& literal = g.literals.data[value.id];
    if (!type.is_tensor()) return true;
    literal_reader reader({data, std::size_t(size)}, literal.first, literal.size, type, notation_of(literal));
    const int most = literal.where == graph_literal::place::hlo_text ? most_checked_hlo_bytes : most_checked_bytes;
    if (std::is_constant_evaluated() && literal.size > most && data[literal.first] != '"') return true;
    if (!reader.check()) error = reader.error;
    return !error;
  }

 protected:
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
    literal_reader reader({data, std::size_t(size)}, literal.first, literal.size, type, notation_of(literal));
    const bool good = reader.decode([&](index_t, int, std::uint64_t bits) {
      for (index_t i = reader.is_splat() ? type.size() : 1; i > 0; --i) state.constants.push(index_t(bits));
    });
    if (!good || state.constants.overflow) return {};
    return {state.constants.data + first, state.constants.size - first};
  }
  parse_options options_;
  const op_registry& registry_;
  literal_id foreign_literal_;

  constexpr int find_op(const word& name) const {
    const op_registry& known = registry_;
    unsigned slot = slots::start(name.key) % unsigned(known.slot_count);
    for (; known.slot[slot] != 0; slot = (slot + 1) % unsigned(known.slot_count)) {
      const int entry = known.slot[slot] - 1;
      if (entry >= ops::all::size) {
        const text::detail::other_name& other = text::detail::other_names[entry - ops::all::size];
        if (is_key(name, other.name) && same_characters(name.first, other.name.characters, other.name.size))
          return other.kind;
        continue;
      }
      const text::detail::known_op& op = known.ops[entry];
      const int prefix = int(op.dialect.size()) + 1;
      if (op.key != name.key || int(op.name.size()) + prefix != name.size) continue;
      const bool same = data[name.first] == op.dialect.data()[0] &&
                        same_characters(name.first + prefix, op.name.data(), int(op.name.size()));
      if (same) return entry;
    }
    return -1;
  }
  constexpr bool is_foreign_dialect(const word& name) const {
    const std::string_view known = options_.foreign_dialects;
    std::size_t i = 0;
    while (i < known.size()) {
      int matched = 0;
      bool same = true;
      for (; i < known.size() && known[i] != ' '; ++i, ++matched)
        same = same && matched < name.size && data[name.first + matched] == known[i];
      if (same && matched > 0 && matched < name.size && data[name.first + matched] == '.') return true;
      ++i;
    }
    return false;
  }

  // `(operands) <{properties}> ({regions}) {attributes} : (types) -> types`
  constexpr bool read_generic(op_parts& parts, bool resumed, bool& region_opened) {
    if (!read_operands_in_parentheses(parts)) return false;
    if (peek() == '<') {
      ++at;
      if (!expect('{', "{ is expected after <") || !read_op_dictionary(parts, true) ||
          !expect('>', "> is expected after the properties"))
        return false;
    }
    if (peek() == '(') {
      if (resumed) {
        take_regions(parts);
      } else {
        const int position = at++;
        if (!expect('{', "{ is expected before a region")) return false;
        region_opened = true;
        return push_op_frame(frame::what::generic_op, parts) && open_region(enclosing_region(), position);
      }
    }
    if (accept('{') && !read_op_dictionary(parts, false)) return false;
    if (!expect(':', ": and the op's type are expected")) return false;
    return read_function_type(parts);
  }
  constexpr bool read_op_dictionary(op_parts& parts, bool must_be_known) {
    const int first = at;
    if (!read_dictionary('}', must_be_known && parts.kind >= 0)) return false;
    if (parts.foreign_size == 0) parts.foreign = first, parts.foreign_size = at - 1 - first;
    return true;
  }
  // `(T, T) -> T`; the operands' types are known and must be these.
  constexpr bool read_function_type(op_parts& parts) {
    if (!expect('(', "( is expected before the types of the operands")) return false;
    int i = 0;
    if (!accept(')')) {
      do {
        if (!read_type_of_operand(parts, i++)) return false;
      } while (accept(','));
      if (!expect(')', ", or ) is expected after a type")) return false;
    }
    if (i != parts.operand_count) return fail("type", "there is one type for each operand");
    if (!accept_arrow()) return fail("syntax", "-> and the types of the results are expected");
    return read_result_types(parts);
  }
  constexpr bool read_result_types(op_parts& parts) {
    if (!accept('(')) return read_type_of_result(parts);
    if (accept(')')) return true;
    do {
      if (!read_type_of_result(parts)) return false;
    } while (accept(','));
    return expect(')', ", or ) is expected after a type");
  }
  constexpr bool read_type_of_operand(op_parts& parts, int i) {
    skip_space();
    const int start = at;
    int type = 0;
    if (!read_type(type)) return false;
    return check_operand(parts, i, type, start);
  }
  constexpr bool check_operand(const op_parts& parts, int i, int type, int position) {
    if (g.operands.overflow) return true;
    if (i >= parts.operand_count) return fail("type", "there are more types than operands", position);
    return g.values.data[g.operands.data[parts.operands + i]].type == type ||
           fail("type", "the type written for an operand is not the operand's type", position);
  }
  constexpr bool read_type_of_result(op_parts& parts) {
    int type = 0;
    if (!read_type(type)) return false;
    add_result(parts, type);
    return true;
  }
  constexpr void add_result(op_parts& parts, int type) { g.values.push({type, -1, parts.result_count++, -1}); }

  constexpr bool read_return(op_parts& parts, bool generic, bool of_function) {
    frame& f = top();
    // JAX ends comparators that are functions with stablehlo.return.
    const bool ends_function = f.kind == frame::what::function;
    if (of_function && !ends_function)
      return fail("syntax", "the regions of ops end with stablehlo.return", parts.begin);
    if (generic) {
      if (!read_generic_return(parts)) return false;
    } else if (peek() == '%') {
      if (!read_operands(parts)) return false;
      if (accept('{') && !read_dictionary('}', false)) return false;
      if (!expect(':', ": and the types of what is returned are expected")) return false;
      int i = 0;
      do {
        if (!read_type_of_operand(parts, i++)) return false;
      } while (accept(','));
      if (i != parts.operand_count) return fail("type", "there is one type for each operand");
    } else if (accept('{') && !read_dictionary('}', false)) {
      return false;
    }
    if (!skip_location()) return false;
    if (g.operands.overflow || types_overflow()) return true;
    if (ends_function) {
      const function_signature& signature = state.signatures.data[state.signatures.size - 1];
      bool same = signature.result_count == parts.operand_count;
      for (int i = 0; same && i < parts.operand_count; ++i)
        same = g.values.data[g.operands.data[parts.operands + i]].type ==
               state.signature_types.data[signature.results + i];
      if (!same) return fail("return", "a function returns values of the types of its results", parts.begin);
    }
    graph_region& region = g.regions.data[f.region];
    region.yields = parts.operands;
    region.yield_count = parts.operand_count;
    f.finished = true;
    return true;
  }
  constexpr bool read_generic_return(op_parts& parts) {
    if (!read_operands_in_parentheses(parts)) return false;
    if (accept('{') && !read_dictionary('}', false)) return false;
    if (!expect(':', ": and the op's type are expected") || !read_function_type(parts)) return false;
    return parts.result_count == 0 || fail("syntax", "a return has no results", parts.begin);
  }

  // Of another dialect: operands, words, literals and `name = value` in any order up to the types.
  constexpr bool read_foreign(op_parts& parts, int named_results) {
    parts.foreign = at;
    while (peek() != ':') {
      const char c = peek();
      if (at >= size || c == '}') return fail("syntax", ": and the op's type are expected");
      if (c == '%') {
        int value = 0;
        if (!read_operand(value)) return false;
        g.operands.push(value);
        ++parts.operand_count;
        parts.foreign = at;
      } else if (c == ',' || c == '(' || c == ')' || c == '=') {
        ++at;
      } else if (c == '^') {
        return fail("not_supported", "regions of this op are not supported");
      } else if (next_is("dense")) {
        if (!read_value(foreign_literal_)) return false;
      } else if (!skip_value(false)) {
        return false;
      }
    }
    parts.foreign_size = at - parts.foreign;
    accept(':');
    if (peek() == '(') return read_function_type(parts);
    int i = 0;
    int type = 0;
    do {
      skip_space();
      const int start = at;
      if (!read_type(type)) return false;
      if (i < parts.operand_count && !check_operand(parts, i, type, start)) return false;
      ++i;
    } while (accept(','));
    if (accept_arrow()) return read_result_types(parts);
    if (named_results > 0) add_result(parts, type);
    return true;
  }

  constexpr bool finish_foreign(op_parts& parts) {
    g.words.push(parts.foreign);
    g.words.push(parts.foreign_size);
    g.words.push(foreign_literal_.id);
    return true;
  }

  constexpr bool finish(op_parts& parts) {
    parts.words = g.words.size;
    if (parts.kind < -1) return finish_foreign(parts);
    if (parts.kind == kind_of_op<ops::call>) return finish_call(parts);
    return registry_.ops[parts.kind].finish(*this, parts);
  }
  constexpr bool finish_call(const op_parts& parts) {
    name_id callee;
    if (!read_field({"callee", 6, key_of("callee")}, callee, parts.attributes)) return false;
    if (callee.id < 0) return fail("attribute", "the callee is missing", parts.name);
    if (parts.region_count > 0) return fail("regions", "the op has no regions", parts.name);
    g.words.push(callee.id);
    state.calls.push(g.nodes.size);
    return true;
  }

  constexpr void append_node(const op_parts& parts, int region) {
    graph_node node;
    node.kind = parts.kind;
    node.operands = parts.operands;
    node.operand_count = parts.operand_count;
    node.results = parts.results;
    node.result_count = parts.result_count;
    node.words = parts.words;
    node.word_count = g.words.size - parts.words;
    node.regions = g.region_references.size;
    node.region_count = parts.region_count;
    for (int i = 0; i < parts.region_count; ++i) g.region_references.push(state.open_regions.data[parts.regions + i]);
    node.region = region;
    node.source = parts.begin;
    for (int i = 0; i < parts.result_count; ++i) {
      graph_value& value = g.values.data[parts.results + i];
      value.node = g.nodes.size;
      value.region = region;
    }
    g.nodes.push(node);
  }
};

}  // namespace tenon::text
