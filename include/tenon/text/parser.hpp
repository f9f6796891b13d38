// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/text/attributes.hpp>

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

class parser;

// What has been read of an op.
struct op_parts {
  int begin = 0;  // of the statement
  int name = 0;   // position of the op's name
  int kind = -1;
  int operands = 0, operand_count = 0;
  int results = 0, result_count = 0;
  int attributes = 0;
  int regions = 0, region_count = 0;  // in open_regions
  int words = 0;
  int foreign = 0, foreign_size = 0;  // the attributes of a foreign op
};

namespace detail {

template <class Op>
concept complete_op = requires { sizeof(Op); };

using finish_function = bool (*)(parser&, op_parts&);

struct known_op {
  word_key key = 0;
  std::string_view name;
  finish_function finish = nullptr;
};

}  // namespace detail

// The ops that a parser knows, by the key of their full name.
struct op_registry {
  static constexpr int slot_count = 512;
  detail::known_op ops[ops::all::size];
  short slot[slot_count] = {};
};

namespace detail {

// How the types of an op's own notation are to be read where they are not a function type.
enum class notation { same, select, complex, result_only, pairwise };

constexpr notation notation_of(int kind) {
  if (kind == kind_of_op<ops::select>) return notation::select;
  if (kind == kind_of_op<ops::complex>) return notation::complex;
  if (kind == kind_of_op<ops::tuple>) return notation::result_only;
  if (kind == kind_of_op<ops::optimization_barrier>) return notation::pairwise;
  return notation::same;
}

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

// Reads a program op by op. Between two steps everything it knows is in the graph and in its tables, so that reading
// can go on later, elsewhere, and with more memory.
class parser : public attribute_reader {
 public:
  enum class outcome { more, done, error, full };

  constexpr parser(graph& program, parser_tables& memory, int from, const parse_options& options,
                   const op_registry& registry)
      : attribute_reader(program, memory, from), options_(options), registry_(registry) {}

 protected:
  // Some compilers want it to be known where it is used.
  template <class Step>
  constexpr outcome run(int steps, int bytes, Step take_step) {
    const int last = bytes < size - at ? at + bytes : size;
    for (; steps > 0 && at <= last; --steps) {
      const int begin = at;
      const marks before = mark();
      const bool good = take_step();
      if (g.overflow() || state.overflow()) {
        error = {};
        roll_back(before);
        at = begin;
        return outcome::full;
      }
      if (!good) {
        locate_error();
        return outcome::error;
      }
      if (finished_) return outcome::done;
    }
    return outcome::more;
  }

 public:
  // Takes at most `steps` steps, and no further one after so many bytes. `full`: a table has no room; nothing of the
  // unfinished step is left behind.
  constexpr outcome run(int steps, int bytes) {
    return run(steps, bytes, [this] { return step(); });
  }

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
  static constexpr int most_constants = 16, most_regions = 64;
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

  struct marks {
    int nodes, values, operands, words, regions, region_references, functions, literals;
    int names, frames, open_regions, signatures, signature_types, calls, aliases, symbols;
    frame top;
  };
  static constexpr int most_frames = 64;

  parse_options options_;
  const op_registry& registry_;
  bool finished_ = false;
  literal_id foreign_literal_;

  constexpr frame& top() { return state.frames.data[state.frames.size - 1]; }

  constexpr marks mark() const {
    return {g.nodes.size,
            g.values.size,
            g.operands.size,
            g.words.size,
            g.regions.size,
            g.region_references.size,
            g.functions.size,
            g.literals.size,
            state.names.size,
            state.frames.size,
            state.open_regions.size,
            state.signatures.size,
            state.signature_types.size,
            state.calls.size,
            state.aliases.size,
            state.symbols.size,
            state.frames.size > 0 ? state.frames.data[state.frames.size - 1] : frame{}};
  }
  constexpr void roll_back(const marks& before) {
    g.nodes.size = before.nodes, g.values.size = before.values, g.operands.size = before.operands;
    g.words.size = before.words, g.regions.size = before.regions;
    g.region_references.size = before.region_references, g.functions.size = before.functions;
    g.literals.size = before.literals;
    forget_names(before.names);
    state.frames.size = before.frames;
    if (before.frames > 0) state.frames.data[before.frames - 1] = before.top;
    state.open_regions.size = before.open_regions, state.signatures.size = before.signatures;
    state.signature_types.size = before.signature_types, state.calls.size = before.calls;
    state.aliases.size = before.aliases, state.symbols.size = before.symbols;
  }

  constexpr bool step() {
    if (state.frames.size == 0 || top().kind == frame::what::module) return read_outside();
    if (top().region < 0) return top().opening ? open_next_region() : read_op(top().begin, true);
    const char c = peek();
    if (c == '}') return close_region();
    if (at >= size) return fail("syntax", "the text ends within a region");
    if (c == '^') return read_label();
    if (top().finished) return fail("syntax", "nothing may follow the return of a region");
    return read_op(at, false);
  }

  // ---------- what stands outside functions

  constexpr bool read_outside() {
    const char c = peek();
    if (at >= size) {
      if (state.frames.size != 0) return fail("syntax", "the module is not closed");
      finished_ = true;
      return check_calls();
    }
    if (c == '}' && state.frames.size != 0) {
      ++at;
      --state.frames.size;
      return skip_location();
    }
    if (c == '#' || c == '!') return read_alias();
    if (c == '{' && peek_at(1) == '-') {
      at = size;
      return true;
    }
    const word name = read_word();
    if (is(name, "func.func")) return read_function(name.first);
    if (is(name, "module") || is(name, "builtin.module")) return read_module(name.first);
    if (is(name, "sdy.mesh")) return read_mesh();
    return fail("syntax", "a function is expected: func.func @name(...)", name.first);
  }

  // `sdy.mesh @name = <["x"=2]>`: how processes are laid out, which replica groups may refer to.
  constexpr bool read_mesh() {
    alias added;
    added.kind = alias::what::mesh;
    if (!read_symbol(added.text) || !expect('=', "= is expected")) return false;
    skip_space();
    added.position = at;
    return skip_value(false) && add_alias(added);
  }

  constexpr bool read_module(int begin) {
    if (state.frames.size != 0) return fail("not_supported", "modules within modules are not supported", begin);
    if (peek() == '@' && !skip_value(false)) return false;
    if (accept("attributes") && !read_and_forget_dictionary()) return false;
    if (!expect('{', "{ is expected after module")) return false;
    frame opened;
    opened.begin = begin;
    state.frames.push(opened);
    return true;
  }

  template <class Group>
  constexpr bool check_group_as() {
    Group ignored{};
    return read_value(ignored);
  }

  // Attributes that mean nothing here; they must be well formed nevertheless.
  constexpr bool read_and_forget_dictionary() {
    if (!expect('{', "{ is expected")) return false;
    const int first = state.attributes.size;
    bool result = read_dictionary('}', false);
    const int after = at;
    for (int i = first; result && i < state.attributes.size; ++i) {
      if (state.attributes.data[i].kind != attribute_entry::form::value) continue;
      at = state.attributes.data[i].position;
      result = check_group();
    }
    if (result) at = after;
    state.attributes.size = first;
    return result;
  }
  // If a group of StableHLO's attributes stands here, it is well formed.
  constexpr bool check_group() {
    if (peek() != '#' || !same_characters(at, "#stablehlo.", 11)) return true;
    const int start = at++;
    const word name = read_name();
    at = start;
    if (is(name, "stablehlo.gather")) return check_group_as<gather_dimension_numbers>();
    if (is(name, "stablehlo.scatter")) return check_group_as<scatter_dimension_numbers>();
    if (is(name, "stablehlo.dot")) return check_group_as<dot_dimension_numbers>();
    if (is(name, "stablehlo.dot_algorithm")) return check_group_as<dot_algorithm>();
    if (is(name, "stablehlo.conv")) return check_group_as<convolution_dimension_numbers>();
    if (is(name, "stablehlo.result_accuracy")) return check_group_as<result_accuracy>();
    if (is(name, "stablehlo.output_operand_alias")) return check_group_as<output_operand_alias>();
    return true;
  }

  constexpr bool read_alias() {
    alias added;
    added.kind = data[at] == '!' ? alias::what::type : alias::what::attribute;
    ++at;
    added.text = read_name();
    if (!expect('=', "= is expected after the name of an alias")) return false;
    skip_space();
    added.position = at;
    if (added.kind == alias::what::type) {
      if (!skip_type()) return false;
    } else {
      if (next_is("loc")) return skip_location();
      if (!skip_value(true)) return false;
    }
    return add_alias(added);
  }
  constexpr bool add_alias(const alias& added) {
    if (state.aliases.size == 1024) return fail("too_large", "there are more than 1024 aliases", added.position);
    state.aliases.push(added);
    return true;
  }

  constexpr bool read_function(int begin) {
    const word visibility = read_word();
    graph_function function;
    function.is_public = !is(visibility, "private") && !is(visibility, "nested");
    if (visibility.size > 0 && function.is_public && !is(visibility, "public"))
      return fail("syntax", "a function is public, private or nested", visibility.first);
    if (peek() != '@') return fail("syntax", "the name of a function is expected, such as @main");
    name_id name;
    const int name_position = at;
    if (!read_value(name)) return false;
    function.name = name.id;
    if (names_overflow()) return true;
    if (state.function_of_name.data[name.id] >= 0 && state.function_of_name.data[name.id] < state.signatures.size &&
        state.signatures.data[state.function_of_name.data[name.id]].name == name.id)
      return fail("name", "a function of that name exists already", name_position);

    const int first_value = g.values.size, first_name = state.names.size;
    bool all_named = true;
    function_signature signature;
    signature.name = name.id;
    signature.source = begin;
    signature.arguments = state.signature_types.size;
    if (!expect('(', "( is expected after the name of a function")) return false;
    if (!accept(')')) {
      do {
        word argument;
        if (accept('%')) {
          argument = read_name();
          if (!expect(':', ": and a type are expected after the name of an argument")) return false;
        }
        int type = 0;
        if (!read_type(type) || !skip_argument_details()) return false;
        all_named = all_named && argument.size > 0;
        state.signature_types.push(type);
        if (argument.size > 0 && !define(argument, g.values.size, 1)) return false;
        g.values.push({type, -1, signature.argument_count++, g.regions.size});
      } while (accept(','));
      if (!expect(')', ", or ) is expected after an argument")) return false;
    }
    signature.results = state.signature_types.size;
    if (accept_arrow()) {
      if (accept('(')) {
        if (!accept(')')) {
          do {
            if (!read_result_type(signature) || !skip_argument_details()) return false;
          } while (accept(','));
          if (!expect(')', ", or ) is expected after a result")) return false;
        }
      } else if (!read_result_type(signature)) {
        return false;
      }
    }
    if (accept("attributes") && !read_and_forget_dictionary()) return false;
    state.function_of_name.data[name.id] = state.signatures.size;
    state.signatures.push(signature);
    if (!accept('{')) {
      g.values.size = first_value;
      forget_names(first_name);
      if (!intern_tuple(signature.arguments, signature.argument_count, function.takes) ||
          !intern_tuple(signature.results, signature.result_count, function.gives))
        return false;
      g.functions.push(function);
      return skip_location();
    }
    if (!all_named) return fail("syntax", "the arguments of a function with a body have names", name_position);
    frame opened;
    opened.kind = frame::what::function;
    opened.begin = begin;
    opened.names = first_name;
    opened.region = g.regions.size;
    state.frames.push(opened);
    graph_region region;
    region.first = region.last = g.nodes.size;
    region.arguments = first_value;
    region.argument_count = signature.argument_count;
    region.source = begin;
    function.region = g.regions.push(region);
    g.functions.push(function);
    return true;
  }
  // The tuple of some types of signatures.
  constexpr bool intern_tuple(int first, int count, int& type) {
    tensor_type members[max_members], tuple;
    if (count > max_members) return fail("too_large", "a function without a body has at most 64 arguments and results");
    if (state.signature_types.overflow) return true;
    for (int i = 0; i < count; ++i) members[i] = g.types.data[state.signature_types.data[first + i]];
    tuple.element = dtype::tuple;
    if (!intern_members({members, count}, tuple)) return false;
    return types_overflow() || intern(tuple, type);
  }
  constexpr bool skip_argument_details() {
    if (peek() == '{' && !read_and_forget_dictionary()) return false;
    return skip_location();
  }
  constexpr bool read_result_type(function_signature& signature) {
    int type = 0;
    if (!read_type(type)) return false;
    state.signature_types.push(type);
    ++signature.result_count;
    return true;
  }

  constexpr bool is_defined(const word& symbol) const {
    for (const alias& each : state.aliases)
      if (each.kind == alias::what::mesh && same(each.text, symbol)) return true;
    return g.find_function(std::string_view(data + symbol.first, std::size_t(symbol.size))) != nullptr;
  }
  // What calls ask of functions that may stand behind them.
  constexpr bool check_calls() {
    for (const symbol_use& use : state.symbols)
      if (!is_defined(use.text)) return fail("attribute", "the module defines no such name", use.position);
    for (int i = 0; i < state.calls.size; ++i) {
      const graph_node& node = g.nodes.data[state.calls.data[i]];
      const int found = state.function_of_name.data[g.words.data[node.words]];
      const bool call = node.kind == kind_of_op<ops::call>;
      if (found < 0)
        return call ? fail("call_c1", "callee is a function of the module", node.source)
                    : fail("composite_c2", "is_defined_in_parent_scope(decomposition)", node.source);
      const function_signature& signature = state.signatures.data[found];
      bool same_arguments = node.operand_count == signature.argument_count;
      for (int a = 0; same_arguments && a < node.operand_count; ++a)
        same_arguments = g.values.data[g.operands.data[node.operands + a]].type ==
                         state.signature_types.data[signature.arguments + a];
      if (!same_arguments)
        return call ? fail("call_c2", "type(operands...) = types of the callee's arguments", node.source)
                    : fail("composite_c3", "types(inputs...) == input_types(decomposition)", node.source);
      bool same_results = node.result_count == signature.result_count;
      for (int r = 0; same_results && r < node.result_count; ++r)
        same_results = g.values.data[node.results + r].type == state.signature_types.data[signature.results + r];
      if (!same_results)
        return call ? fail("call_c3", "type(results...) = types of the callee's results", node.source)
                    : fail("composite_c4", "types(results...) == output_types(decomposition)", node.source);
    }
    return true;
  }

  // ---------- names of values

  constexpr int slot_of_name(const word& name) const {
    return state.name_slots.find(name.key, [&](int i) { return same(state.names.data[i].text, name); });
  }
  constexpr bool define(const word& name, int value, int count) {
    if (name.size == 0) return fail("syntax", "the name of a value is expected after %", name.first);
    const int slot = slot_of_name(name);
    if (state.name_slots.at[slot] != 0) return fail("name", "a value of that name is visible already", name.first);
    const int entry = state.names.push({name, value, count, slot});
    if (!state.names.overflow) state.name_slots.at[slot] = entry + 1;
    return true;
  }
  // The last in are the first out, so a slot that is given back breaks no chain of others.
  constexpr void forget_names(int size_before) {
    while (state.names.size > size_before) state.name_slots.at[state.names.data[--state.names.size].slot] = 0;
  }
  // `%name` or `%name#1`.
  constexpr bool read_operand(int& value) {
    if (peek() != '%') return fail("syntax", "a value is expected, such as %0");
    ++at;
    const word name = read_name();
    const int found = state.name_slots.at[slot_of_name(name)];
    if (found == 0 || name.size == 0) return fail("name", "no value of that name is visible here", name.first - 1);
    const value_name& entry = state.names.data[found - 1];
    value = entry.value;
    if (at < size && data[at] == '#') {
      ++at;
      index_t which = 0;
      if (!read_natural(which)) return false;
      if (which >= entry.count) return fail("name", "the op has no such result", name.first - 1);
      value += int(which);
    }
    return true;
  }
  constexpr bool read_operands(op_parts& parts) {
    do {
      int value = 0;
      if (!read_operand(value)) return false;
      g.operands.push(value);
      ++parts.operand_count;
    } while (accept(','));
    return true;
  }
  constexpr bool read_operands_in_parentheses(op_parts& parts) {
    if (!expect('(', "( is expected before the operands")) return false;
    if (accept(')')) return true;
    return read_operands(parts) && expect(')', ", or ) is expected after an operand");
  }

  // ---------- regions

  // Opens a region of an op; arguments may still be added.
  constexpr bool open_region(int parent, int source) {
    graph_region region;
    region.parent = parent;
    region.first = region.last = g.nodes.size;
    region.arguments = g.values.size;
    region.source = source;
    top().region = g.regions.push(region);
    top().labelled = top().finished = false;
    return true;
  }
  constexpr bool add_argument(const word& name, int type) {
    if (g.regions.overflow) return true;
    graph_region& region = g.regions.data[top().region];
    if (!define(name, g.values.size, 1)) return false;
    g.values.push({type, -1, region.argument_count++, top().region});
    return true;
  }

  // `^bb0(%a: T, %b: T):`
  constexpr bool read_label() {
    frame& f = top();
    const graph_region& region = g.regions.data[f.region];
    if (f.labelled || f.finished || g.nodes.size != region.first)
      return fail("not_supported", "a region has one block");
    f.labelled = true;
    if (f.kind == frame::what::generic_op) g.regions.data[f.region].argument_count = 0;
    ++at;
    read_name();
    if (accept('(') && !accept(')')) {
      if (f.kind != frame::what::generic_op) return fail("syntax", "the arguments of this region are given already");
      do {
        if (!expect('%', "the name of an argument is expected")) return false;
        const word name = read_name();
        int type = 0;
        if (!expect(':', ": and a type are expected after the name of an argument") || !read_type(type) ||
            !skip_location() || !add_argument(name, type))
          return false;
      } while (accept(','));
      if (!expect(')', ", or ) is expected after an argument")) return false;
    }
    return expect(':', ": is expected after a label");
  }

  // The region that an op which is being read stands in: its own frame, if it has one, has none open.
  constexpr int enclosing_region() const {
    for (int i = state.frames.size; i-- > 0;)
      if (state.frames.data[i].region >= 0) return state.frames.data[i].region;
    return -1;
  }
  constexpr bool close_region() {
    frame& f = top();
    if (!f.finished) return fail("syntax", "the region ends without a return");
    ++at;
    if (f.kind != frame::what::function) {
      state.open_regions.push(f.region);
      if (state.open_regions.overflow) return true;
    }
    g.regions.data[f.region].last = g.nodes.size;
    forget_names(f.names);
    if (f.kind == frame::what::function) {
      --state.frames.size;
      return skip_location();
    }
    f.region = -1;
    ++f.regions_done;
    if (f.kind == frame::what::generic_op) {
      f.opening = accept(',');
      if (!f.opening && !expect(')', ", or ) is expected after a region")) return false;
    } else if (f.kind == frame::what::while_condition) {
      if (!accept("do")) return fail("syntax", "do is expected after the condition of while");
      f.opening = true;
      f.kind = frame::what::while_body;
    }
    f.resume = at;
    return f.regions_done < most_regions || fail("too_large", "an op has at most 64 regions", f.begin);
  }
  constexpr bool open_next_region() {
    top().opening = false;
    if (!expect('{', "{ is expected before a region") || !open_region(enclosing_region(), at)) return false;
    return top().kind != frame::what::while_body || define_while_arguments();
  }

  // ---------- ops

  constexpr bool read_op(int begin, bool resumed) {
    at = begin;
    state.attributes.size = 0;
    literal_type_ = -1;
    foreign_literal_ = {};
    op_parts parts;
    parts.begin = begin;
    parts.operands = g.operands.size;
    parts.results = g.values.size;
    word result;
    int named_results = 0;
    bool one_name = true;
    if (peek() == '%') {
      if (!read_result_names(result, named_results, one_name)) return false;
    }
    skip_space();
    parts.name = op_position_ = at;
    const bool generic = at < size && data[at] == '"';
    word name;
    if (generic) {
      if (!read_string(name)) return false;
      name.key = key_of_range(name.first, name.size);
    } else {
      name = read_word();
    }
    if (name.size == 0) return fail("syntax", "an op is expected");

    parts.kind = find_op(name);
    if (parts.kind == -1) {
      if (is(name, "stablehlo.return") || is(name, "func.return") || is(name, "return")) {
        if (named_results != 0) return fail("syntax", "a return has no results", begin);
        return read_return(parts, generic, !is(name, "stablehlo.return"));
      }
      if (is(name, "func.call") || is(name, "call"))
        parts.kind = kind_of_op<ops::call>;
      else if (is_foreign_dialect(name))
        parts.kind = foreign_kind(intern_text(name.first, name.size));
      else
        return fail("unknown_op",
                    same_characters(name.first, "chlo.")
                        ? "CHLO is not StableHLO: write its ops out first, with the pass chlo-legalize-to-stablehlo"
                        : "the op is unknown",
                    parts.name);
    }
    if (names_overflow()) return true;
    bool region_opened = false;
    const bool good = generic           ? read_generic(parts, resumed, region_opened)
                      : parts.kind < -1 ? read_foreign(parts, named_results)
                                        : read_notation(parts, resumed, region_opened);
    if (!good) return false;
    if (region_opened) {
      g.operands.size = parts.operands;
      return true;
    }
    if (!skip_location()) return false;
    if (g.operands.overflow || g.values.overflow || g.literals.overflow || types_overflow()) return true;
    if (!finish(parts)) return false;
    append_node(parts, enclosing_region());
    if (parts.region_count > 0) state.open_regions.size = parts.regions;
    if (resumed) --state.frames.size;
    if (named_results == 0) return true;
    if (named_results != parts.result_count)
      return fail("syntax", "the op has another number of results than is named", begin);
    if (one_name) return define(result, parts.results, named_results);
    return define_results(begin, parts.results);
  }

  // `%a =`, `%a:2 =`, `%a, %b =`.
  constexpr bool read_result_names(word& first, int& count, bool& one_name) {
    do {
      if (!expect('%', "the name of a result is expected")) return false;
      const word name = read_name();
      if (count == 0)
        first = name;
      else
        one_name = false;
      if (at < size && data[at] == ':') {
        ++at;
        index_t several = 0;
        if (!read_natural(several)) return false;
        if (several < 1 || several > 100000) return fail("syntax", "the number of results is out of range");
        count += int(several);
      } else {
        ++count;
      }
    } while (accept(','));
    return expect('=', "= is expected after the names of results");
  }
  constexpr bool define_results(int begin, int value) {
    const int after = at;
    at = begin;
    do {
      skip_space();
      ++at;
      const word name = read_name();
      index_t count = 1;
      if (at < size && data[at] == ':') {
        ++at;
        if (!read_natural(count)) return false;
      }
      if (!define(name, value, int(count))) return false;
      value += int(count);
    } while (accept(','));
    at = after;
    return true;
  }

  constexpr int find_op(const word& name) const {
    const op_registry& known = registry_;
    unsigned slot = slots::start(name.key) % unsigned(known.slot_count);
    for (; known.slot[slot] != 0; slot = (slot + 1) % unsigned(known.slot_count)) {
      const text::detail::known_op& op = known.ops[known.slot[slot] - 1];
      if (op.key != name.key || int(op.name.size()) + 10 != name.size) continue;
      bool same = true;
      for (int i = 10; same && i < name.size; ++i) same = data[name.first + i] == op.name[std::size_t(i - 10)];
      if (same) return known.slot[slot] - 1;
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
  constexpr void take_regions(op_parts& parts) {
    at = top().resume;
    parts.region_count = top().regions_done;
    parts.regions = state.open_regions.size - parts.region_count;
  }
  constexpr bool push_op_frame(frame::what kind, const op_parts& parts) {
    if (state.frames.size == most_frames) return fail("too_large", "regions are nested deeper than 64", parts.begin);
    frame opened;
    opened.kind = kind;
    opened.begin = parts.begin;
    opened.names = state.names.size;
    state.frames.push(opened);
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
    if (of_function != (f.kind == frame::what::function))
      return fail("syntax", "functions end with return, the regions of ops with stablehlo.return", parts.begin);
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
    if (of_function) {
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

  // ---------- the ops' own notations

  constexpr bool read_notation(op_parts& parts, bool resumed, bool& region_opened) {
    switch (parts.kind) {
      case kind_of_op<ops::while_>:
        return read_while(parts, resumed, region_opened);
      case kind_of_op<ops::reduce>:
        return read_reduce(parts, resumed, region_opened);
      case kind_of_op<ops::compare>:
        if (!read_bare("comparison_direction") || !expect(',', ", is expected after the direction of a comparison"))
          return false;
        break;
      case kind_of_op<ops::custom_call>:
        if (!read_bare("call_target_name")) return false;
        break;
      case kind_of_op<ops::call>:
        if (!read_bare("callee")) return false;
        break;
      case kind_of_op<ops::composite>:
        if (!read_bare("name")) return false;
        break;
      case kind_of_op<ops::constant>:
        if (accept('{') && !read_dictionary('}', false)) return false;
        if (!read_bare("value")) return false;
        break;
      default:
        break;
    }
    const bool in_parentheses = peek() == '(';
    if (in_parentheses) {
      if (!read_operands_in_parentheses(parts)) return false;
      if (parts.kind == kind_of_op<ops::optimization_barrier> && parts.operand_count == 0) return true;
    } else if (peek() == '%' && !read_notation_operands(parts)) {
      return false;
    }
    if (peek() == '[') {
      if (!read_brackets(parts)) return false;
    }
    if (!read_notation_attributes(parts, !in_parentheses && parts.operand_count > 0)) return false;
    if (accept('{') && !read_dictionary('}', false)) return false;
    return expect(':', ": and the op's type are expected") && read_notation_types(parts);
  }

  // Operands, up to the first attribute.
  constexpr bool read_notation_operands(op_parts& parts) {
    while (true) {
      int value = 0;
      if (!read_operand(value)) return false;
      g.operands.push(value);
      ++parts.operand_count;
      const int before = at;
      if (!accept(',')) return true;
      if (peek() != '%') {
        at = before;
        return true;
      }
    }
  }

  constexpr bool read_bare(const keyword& name) {
    skip_space();
    const int position = at;
    return skip_value(false) && add_attribute(word_of(name), position, true);
  }
  constexpr bool read_notation_value(const keyword& name) {
    if (!expect('=', "= is expected")) return false;
    return read_bare(name);
  }

  // `[0:2, 1:3:2]` of slice, `[0]` of get_tuple_element.
  constexpr bool read_brackets(op_parts& parts) {
    const int position = at;
    if (!skip_balanced()) return false;
    if (parts.kind == kind_of_op<ops::get_tuple_element>) return add_attribute(word_of("index"), position + 1, true);
    if (parts.kind != kind_of_op<ops::slice>) return fail("syntax", "[ is not expected here", position);
    return add_attribute(word_of("start_indices"), position, true, attribute_entry::form::part, 9) &&
           add_attribute(word_of("limit_indices"), position, true, attribute_entry::form::part, 10) &&
           add_attribute(word_of("strides"), position, true, attribute_entry::form::part, 11);
  }

  // `, name = value`, `name = value` and what single ops have instead.
  constexpr bool read_notation_attributes(const op_parts& parts, bool needs_comma) {
    while (true) {
      const bool comma = accept(',');
      const word name = read_word();
      if (name.size == 0) return !comma || fail("syntax", "the name of an attribute is expected after ,");
      if (needs_comma && !comma) return fail("syntax", ", is expected before the name of an attribute", name.first);
      needs_comma = true;
      if (peek() != '=') {
        // `FLOAT` of compare.
        if (parts.kind != kind_of_op<ops::compare>)
          return fail("syntax", "= is expected after the name of an attribute");
        if (!add_attribute(word_of("compare_type"), name.first, true)) return false;
        continue;
      }
      ++at;
      skip_space();
      const int position = at;
      if (is_key(name, "contracting_dims") || is_key(name, "batching_dims")) {
        const bool contracting = is_key(name, "contracting_dims");
        if (!skip_value(false) || !accept_or("x", "x is expected between the dimensions of lhs and rhs")) return false;
        skip_space();
        const int other = at;
        if (!skip_value(false)) return false;
        if (contracting) {
          add_attribute(word_of("lhs_contracting_dimensions"), position, true);
          add_attribute(word_of("rhs_contracting_dimensions"), other, true);
        } else {
          add_attribute(word_of("lhs_batching_dimensions"), position, true);
          add_attribute(word_of("rhs_batching_dimensions"), other, true);
        }
        continue;
      }
      if (is_key(name, "dim_numbers")) {
        text::detail::window_numbers ignored;
        if (!read_window_numbers(ignored)) return false;
      } else if (is_key(name, "window")) {
        if (!expect('{', "{ is expected")) return false;
        const int first = state.attributes.size;
        if (!read_dictionary('}', true, false)) return false;
        for (int i = first; i < state.attributes.size; ++i) state.attributes.data[i].short_name = true;
        continue;
      } else if (is_key(name, "format")) {
        // e5m10
        if (!skip_value(false)) return false;
        int middle = position;
        while (middle < at && data[middle] != 'm') ++middle;
        if (data[position] != 'e' || middle >= at)
          return fail("syntax", "a format such as e5m10 is expected", position);
        add_attribute(word_of("exponent_bits"), position + 1, true);
        add_attribute(word_of("mantissa_bits"), middle + 1, true);
        continue;
      } else if (!skip_value(false)) {
        return false;
      }
      if (!add_attribute(name, position, true)) return false;
      state.attributes.data[state.attributes.size - 1].short_name = true;
    }
  }

  constexpr bool read_notation_types(op_parts& parts) {
    if (peek() == '(') return read_function_type(parts);
    const text::detail::notation how = text::detail::notation_of(parts.kind);
    skip_space();
    const int start = at;
    int type = 0;
    if (!read_type(type)) return false;
    switch (how) {
      case text::detail::notation::select: {
        if (!check_operand(parts, 0, type, start)) return false;
        if (!expect(',', ", and the type of the values are expected")) return false;
        if (!read_type(type)) return false;
        if (!check_operand(parts, 1, type, start) || !check_operand(parts, 2, type, start)) return false;
        break;
      }
      case text::detail::notation::complex: {
        tensor_type part = g.types.data[type];
        part.element = real_type(part.element);
        int part_type = 0;
        if (!intern(part, part_type)) return false;
        for (int i = 0; i < parts.operand_count; ++i)
          if (!check_operand(parts, i, part_type, start)) return false;
        break;
      }
      case text::detail::notation::result_only:
        break;
      case text::detail::notation::pairwise: {
        if (!check_operand(parts, 0, type, start)) return false;
        add_result(parts, type);
        int i = 1;
        while (accept(',')) {
          if (!read_type(type) || !check_operand(parts, i++, type, start)) return false;
          add_result(parts, type);
        }
        return i == parts.operand_count || fail("type", "there is one type for each operand", start);
      }
      default:
        for (int i = 0; i < parts.operand_count; ++i)
          if (!check_operand(parts, i, type, start)) return false;
        break;
    }
    add_result(parts, type);
    return true;
  }

  // `(%iterArg = %0, %iterArg_1 = %1) : T, U`, `attributes {...}`, `cond { ... } do { ... }`.
  constexpr bool read_while(op_parts& parts, bool resumed, bool& region_opened) {
    if (!expect('(', "( is expected after while")) return false;
    if (!accept(')')) {
      do {
        if (!expect('%', "the name of an argument is expected")) return false;
        read_name();
        int value = 0;
        if (!expect('=', "= and a value are expected") || !read_operand(value)) return false;
        g.operands.push(value);
        ++parts.operand_count;
      } while (accept(','));
      if (!expect(')', ", or ) is expected")) return false;
      if (!expect(':', ": and the types of the operands are expected")) return false;
      int i = 0;
      do {
        if (!read_type_of_operand(parts, i++)) return false;
        if (!g.operands.overflow) add_result(parts, g.values.data[g.operands.data[parts.operands + i - 1]].type);
      } while (accept(','));
      if (i != parts.operand_count) return fail("type", "there is one type for each operand");
    }
    if (accept("attributes")) {
      if (!expect('{', "{ is expected") || !read_dictionary('}', false)) return false;
    }
    if (resumed) {
      take_regions(parts);
      return true;
    }
    if (!accept("cond")) return fail("syntax", "cond is expected");
    if (!expect('{', "{ is expected before a region")) return false;
    region_opened = true;
    g.values.size = parts.results;
    return push_op_frame(frame::what::while_condition, parts) && open_region(enclosing_region(), at) &&
           define_while_arguments();
  }
  // Names the arguments of the region that is open after the list of the while that it belongs to.
  constexpr bool define_while_arguments() {
    const int inside = at;
    const bool result = read_while_arguments();
    at = inside;
    return result;
  }
  constexpr bool read_while_arguments() {
    at = top().begin;
    while (at < size && data[at] != '(') ++at;
    ++at;
    if (accept(')')) return true;
    do {
      if (!expect('%', "the name of an argument is expected")) return false;
      const word name = read_name();
      int value = 0;
      if (!expect('=', "= and a value are expected") || !read_operand(value)) return false;
      if (!add_argument(name, g.values.data[value].type)) return false;
    } while (accept(','));
    return true;
  }

  // `(%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] : (types) -> types`, or without
  // `applies` and followed by `reducer(%e: T, %f: T) (%g: U, %h: U) { ... }`.
  constexpr bool read_reduce(op_parts& parts, bool resumed, bool& region_opened) {
    const int list = at;
    int inputs = 0;
    do {
      int value = 0;
      if (!expect('(', "( is expected after reduce") || !read_operand(value) || !skip_init()) return false;
      g.operands.push(value);
      ++inputs;
    } while (accept(','));
    int after = at;
    at = list;
    for (int i = 0; i < inputs; ++i) {
      int value = 0;
      accept(',');
      accept('(');
      if (!read_operand(value) || !accept("init") || !accept(':') || !read_operand(value) || !accept(')'))
        return fail("syntax", "(%input init: %value) is expected");
      g.operands.push(value);
    }
    at = after;
    parts.operand_count = 2 * inputs;
    word body;
    if (accept("applies")) {
      body = read_word();
      if (body.size == 0) return fail("syntax", "an op is expected after applies");
    }
    if (!accept("across")) return fail("syntax", "across dimensions = [...] is expected");
    if (!accept("dimensions") || !read_notation_value("dimensions"))
      return fail("syntax", "dimensions = [...] is expected");
    if (accept('{') && !read_dictionary('}', false)) return false;
    if (!expect(':', ": and the op's type are expected") || !read_function_type(parts)) return false;
    if (g.operands.overflow || g.values.overflow) return true;
    if (body.size > 0) return apply_reducer(parts, body);
    if (resumed) {
      take_regions(parts);
      return true;
    }
    if (!accept("reducer")) return fail("syntax", "reducer(...) is expected");
    g.values.size = parts.results;
    if (!push_op_frame(frame::what::reducer, parts) || !open_region(enclosing_region(), at)) return false;
    region_opened = true;
    if (g.regions.overflow) return true;
    const int first = g.values.size;
    graph_region& region = g.regions.data[top().region];
    region.argument_count = 2 * inputs;
    for (int i = 0; i < 2 * inputs; ++i) g.values.push({0, -1, i, top().region});
    if (g.values.overflow) return true;
    for (int i = 0; i < inputs; ++i) {
      if (!expect('(', "( is expected before two arguments") || !read_reducer_argument(first + i) ||
          !expect(',', ", is expected between two arguments") || !read_reducer_argument(first + inputs + i) ||
          !expect(')', ") is expected after two arguments"))
        return false;
    }
    return expect('{', "{ is expected before a region");
  }
  constexpr bool skip_init() {
    int value = 0;
    if (!accept("init") || !accept(':')) return fail("syntax", "init: and a value are expected");
    return read_operand(value) && expect(')', ") is expected");
  }
  constexpr bool read_reducer_argument(int value) {
    if (!expect('%', "the name of an argument is expected")) return false;
    const word name = read_name();
    int type = 0;
    if (!expect(':', ": and a type are expected after the name of an argument") || !read_type(type) || !skip_location())
      return false;
    g.values.data[value].type = type;
    return define(name, value, 1);
  }
  // The body of a reduce that is a single op of two arguments.
  constexpr bool apply_reducer(op_parts& parts, const word& body) {
    op_parts inner;
    inner.begin = inner.name = body.first;
    inner.kind = find_op(body);
    if (inner.kind < 0) return fail("unknown_op", "the op is unknown", body.first);
    if (parts.operand_count != 2 || parts.result_count != 1)
      return fail("syntax", "applies goes with one input", body.first);
    // The values of the region stand before those of the op, as everywhere.
    const int result_type = g.values.data[parts.results].type;
    g.values.size = parts.results;
    int type = 0;
    if (!intern(type_of_first_operand(parts).with_shape({}), type)) return false;
    graph_region region;
    region.parent = enclosing_region();
    region.first = g.nodes.size;
    region.arguments = g.values.size;
    region.argument_count = 2;
    region.source = body.first;
    const int number = g.regions.push(region);
    g.values.push({type, -1, 0, number});
    g.values.push({type, -1, 1, number});
    inner.operands = g.operands.size;
    inner.operand_count = 2;
    g.operands.push(region.arguments);
    g.operands.push(region.arguments + 1);
    inner.results = g.values.size;
    inner.attributes = state.attributes.size;
    inner.regions = state.open_regions.size;
    add_result(inner, type);
    if (g.values.overflow || g.operands.overflow || g.regions.overflow) return true;
    if (!finish(inner)) return false;
    if (state.types.overflow) return true;
    append_node(inner, number);
    graph_region& closed = g.regions.data[number];
    closed.last = g.nodes.size;
    closed.yields = g.operands.size;
    closed.yield_count = 1;
    g.operands.push(inner.results);
    parts.regions = state.open_regions.size;
    parts.region_count = 1;
    state.open_regions.push(number);
    parts.results = g.values.size;
    parts.result_count = 0;
    add_result(parts, result_type);
    return true;
  }
  constexpr tensor_type type_of_first_operand(const op_parts& parts) const {
    return g.types.data[g.values.data[g.operands.data[parts.operands]].type];
  }

  // ---------- ops of other dialects

  // Operands, words, literals and `name = value` in any order up to the types.
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

  // ---------- rules

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

namespace detail {

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
constexpr bool finish_op(parser& p, op_parts& parts) {
  Op self{};
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
    word_key key = key_of("stablehlo.");
    for (char c : Op::name) key = extend(key, c);
    registry.ops[kind] = {key, Op::name, &finish_op<Op>};
    // A call belongs to another dialect and is read apart.
    if (std::is_same_v<Op, ops::call>) return;
    unsigned at = slots::start(key) % registry.slot_count;
    while (registry.slot[at] != 0) at = (at + 1) % registry.slot_count;
    registry.slot[at] = short(kind + 1);
  }
}

template <class... Ops>
constexpr op_registry registry_of(op_list<Ops...>) {
  op_registry result;
  (enter_op<Ops>(result), ...);
  return result;
}

}  // namespace detail

// Every op of the library.
inline constexpr op_registry known_ops = detail::registry_of(ops::all{});

}  // namespace tenon::text
