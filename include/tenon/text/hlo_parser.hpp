// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/parser.hpp>

#include <string_view>

namespace tenon::text {

// Whether a text is HLO, as XLA prints it, rather than StableHLO: it starts with HloModule, with a computation or with
// an instruction.
constexpr bool is_hlo(std::string_view text) {
  lexer in(text);
  if (in.peek() == '/' && in.peek_at(1) == '*') return true;
  if (in.at >= in.size || in.data[in.at] == '%') return in.at < in.size;
  const word first = in.read_name();
  if (first.size == 0 || in.is(first, "module") || in.is(first, "func.func") || in.is(first, "builtin.module"))
    return false;
  if (in.is(first, "HloModule") || in.is(first, "ENTRY") || in.is(first, "ROOT")) return true;
  const char next = in.peek();
  return next == '{' || next == '(' || next == '=';
}

namespace detail {

struct hlo_element_name {
  word_key name;
  dtype element;
};
// Element types as HLO names them, the frequent ones first.
inline constexpr hlo_element_name hlo_elements[] = {
    {key_of("f32"), dtype::f32},
    {key_of("s32"), dtype::i32},
    {key_of("pred"), dtype::i1},
    {key_of("bf16"), dtype::bf16},
    {key_of("f16"), dtype::f16},
    {key_of("f64"), dtype::f64},
    {key_of("s64"), dtype::i64},
    {key_of("u32"), dtype::ui32},
    {key_of("u8"), dtype::ui8},
    {key_of("s8"), dtype::i8},
    {key_of("s2"), dtype::i2},
    {key_of("s4"), dtype::i4},
    {key_of("s16"), dtype::i16},
    {key_of("u2"), dtype::ui2},
    {key_of("u4"), dtype::ui4},
    {key_of("u16"), dtype::ui16},
    {key_of("u64"), dtype::ui64},
    {key_of("f4e2m1fn"), dtype::f4E2M1FN},
    {key_of("f8e3m4"), dtype::f8E3M4},
    {key_of("f8e4m3"), dtype::f8E4M3},
    {key_of("f8e4m3fn"), dtype::f8E4M3FN},
    {key_of("f8e4m3fnuz"), dtype::f8E4M3FNUZ},
    {key_of("f8e4m3b11fnuz"), dtype::f8E4M3B11FNUZ},
    {key_of("f8e5m2"), dtype::f8E5M2},
    {key_of("f8e5m2fnuz"), dtype::f8E5M2FNUZ},
    {key_of("f8e8m0fnu"), dtype::f8E8M0FNU},
    {key_of("c64"), dtype::complex_f32},
    {key_of("c128"), dtype::complex_f64},
    {key_of("token"), dtype::token},
};
// `none` if there is none of that name.
constexpr dtype hlo_element(word_key name) {
  for (const hlo_element_name& each : hlo_elements)
    if (each.name == name) return each.element;
  return dtype::none;
}

// What an attribute says that has no meaning for the result.
constexpr bool means_nothing(word_key name) {
  for (const word_key each : {key_of("metadata"),
                              key_of("backend_config"),
                              key_of("frontend_attributes"),
                              key_of("sharding"),
                              key_of("control-predecessors"),
                              key_of("operand_precision"),
                              key_of("algorithm"),
                              key_of("kind"),
                              key_of("outer_dimension_partitions"),
                              key_of("origin"),
                              key_of("statistics"),
                              key_of("output_to_operand_aliasing"),
                              key_of("constrain_layout"),
                              key_of("channel_id"),
                              key_of("async_execution_thread"),
                              key_of("execution_thread"),
                              key_of("parameter_replication"),
                              key_of("original_value"),
                              key_of("schedule"),
                              key_of("custom_call_schedule"),
                              key_of("custom_call_has_side_effect"),
                              key_of("api_version"),
                              key_of("operand_layout_constraints"),
                              key_of("called_computations"),
                              key_of("is_host_transfer"),
                              key_of("infeed_config"),
                              key_of("outfeed_config"),
                              key_of("outfeed_shape"),
                              key_of("result_accuracy"),
                              key_of("indices_are_sorted"),
                              key_of("unique_indices"),
                              key_of("inferred_dimension"),
                              key_of("cross_program_prefetch_index"),
                              key_of("is_composite"),
                              key_of("allow_spmd_sharding_propagation_to_output")})
    if (each == name) return true;
  return false;
}

// Axis of each letter of b01f_01io->b01f.
struct hlo_labels {
  index_t first = -1, second = -1;  // batch or input feature; feature or output feature
  ints spatial;
};

}  // namespace detail

// Reads HLO text, the form that XLA dumps, into the graph that StableHLO text gives: every computation becomes a
// function; what runs another computation calls it. Tuples are taken apart: a name stands for the values of their
// leaves. A template, so that programs without HLO text do not pay for it.
template <class Registry = op_registry>
class hlo_parser : public parser {
 public:
  constexpr hlo_parser(graph& program, parser_tables& memory, int from, const parse_options& options,
                       const Registry& registry)
      : parser(program, memory, from, options, registry) {}

  // As parser::run.
  constexpr outcome run(int steps, int bytes) {
    return parser::run(steps, bytes, [this] { return step(); });
  }

 private:
  static constexpr int most_listed_operands = 64;

  // The instruction that is being read. Its types are the last ones of signature_types.
  struct instruction {
    word name, opcode;
    int types = 0, type_count = 0;
    bool nested = false;    // tuples within the tuple
    int operand_count = 0;  // as they are listed; a tuple counts as one
    value_name first_operand;
    ints layout;  // of a single array: minor to major
  };

  instruction now_;
  op_parts parts_;
  int first_leaves_[most_listed_operands] = {};  // of the operands: where their values begin

  // The values of tuples; the table of calls is free here, since a call is checked where it stands.
  constexpr table<int>& leaves() { return state.calls; }
  constexpr int leaf(const value_name& of, int i) {
    return of.value >= 0 ? of.value + i : leaves().data[-1 - of.value + i];
  }

  // ---------- characters

  // Past white space, // comments and notes such as /*index=5*/.
  constexpr void skip_blank() {
    while (true) {
      skip_space();
      if (at + 1 >= size || data[at] != '/' || data[at + 1] != '*') return;
      at += 2;
      while (at < size && !(data[at] == '*' && peek_at(1) == '/')) ++at;
      at = at + 2 < size ? at + 2 : size;
    }
  }
  constexpr char next() {
    skip_blank();
    return at < size ? data[at] : '\0';
  }
  constexpr bool take(char wanted) {
    if (next() != wanted || at >= size) return false;
    ++at;
    return true;
  }
  constexpr bool need(char wanted, const char* sentence) { return take(wanted) || fail("syntax", sentence); }
  // A name with or without its percent sign; empty if there is none.
  constexpr word read_symbol() {
    if (next() == '%') ++at;
    return read_name();
  }
  // The next line.
  constexpr void skip_line() { at = find('\n', at); }
  // Past brackets of any kind, from the opening one.
  constexpr bool skip_group() {
    const int start = at;
    int depth = 0;
    while (at < size) {
      const char c = data[at];
      if (c == '"') {
        word ignored;
        if (!read_string(ignored)) return false;
        continue;
      }
      ++at;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth == 0) return true;
    }
    return fail("syntax", "the bracket is not closed", start);
  }
  // The value of an attribute: up to a comma, a line's end or a closing bracket.
  constexpr bool skip_attribute_value() {
    skip_blank();
    const int start = at;
    while (at < size) {
      const char c = data[at];
      if (c == ',' || c == '\n' || c == '}' || c == ')' || c == ']') break;
      if (c == '(' || c == '[' || c == '{' || c == '"') {
        word ignored;
        if (c == '"' ? !read_string(ignored) : !skip_group()) return false;
      } else {
        ++at;
      }
    }
    return at > start || fail("syntax", "the value of an attribute is expected");
  }

  // ---------- shapes

  // Appends the types of an array, or of all leaves of a tuple.
  constexpr bool read_shape(int& count, bool& nested) {
    int depth = 0;
    do {
      while (take('(')) {
        nested = nested || depth > 0;
        if (++depth > 64) return fail("too_large", "tuples are nested deeper than 64");
        if (next() == ')') break;
      }
      if (depth == 0 || next() != ')') {
        if (!read_array()) return false;
        ++count;
      }
      while (depth > 0 && take(')')) --depth;
    } while (depth > 0 && need(',', ", or ) is expected in the shape of a tuple"));
    return depth == 0;
  }

  // f32[2,<=3]{1,0:T(8,128)}
  constexpr bool read_array() {
    skip_blank();
    const int start = at;
    const word name = read_name();
    tensor_type type = type_of(text::detail::hlo_element(name.key));
    if (name.size == 0) return fail("type", "a shape such as f32[2,3] is expected", start);
    if (!need('[', "[ is expected after an element type")) return false;
    if (type.element == dtype::none) return fail("type", "the element type is unknown", start);
    while (!take(']')) {
      if (type.rank() > 0 && !need(',', ", or ] is expected after a size")) return false;
      skip_blank();
      if (peek_at(0) == '<' && peek_at(1) == '=') {
        at += 2;
        type.bound(type.rank());
      }
      index_t count = 0;
      if (!read_natural(count)) return false;
      type.shape.push(count);
      if (type.shape.dropped > 0) return fail("not_supported", "a tensor has at most 8 dimensions", start);
    }
    now_.layout = ints{};
    if (at < size && data[at] == '{' && !read_layout(type.rank())) return false;
    int id = 0;
    if (!intern(type, id)) return false;
    state.signature_types.push(id);
    return true;
  }
  constexpr bool read_layout(int rank) {
    const int start = at;
    if (!skip_group()) return false;
    const int end = at;
    at = start + 1;
    ints axes;
    while (text::detail::is(next(), text::detail::digit)) {
      index_t axis = 0;
      if (!read_natural(axis)) return false;
      axes.push(axis);
      if (!take(',')) break;
    }
    at = end;
    if (axes.empty()) return true;
    if (axes.dropped > 0 || axes.size != rank || !axes.unique() || !axes.within(0, rank))
      return fail("type", "a layout lists every dimension once", start);
    now_.layout = axes;
    return true;
  }

  // ---------- computations

  constexpr bool step() {
    if (state.frames.size == 0) return read_outside();
    if (top().opening) return find_parameters();
    const char c = next();
    if (c == '}' && !top().labelled) return close_computation();
    if (at < size) return read_instruction();
    return top().labelled ? close_computation() : fail("syntax", "the text ends within a computation");
  }

  constexpr bool read_outside() {
    skip_blank();
    if (at >= size) return finish_module();
    const int begin = at;
    const bool percent = next() == '%';
    word name = read_symbol();
    if (is(name, "HloModule")) {
      skip_line();
      return true;
    }
    // Tables of where instructions came from: a title, and numbered lines.
    if (!percent && name.size > 0 && text::detail::is(data[name.first], text::detail::digit)) {
      skip_line();
      return true;
    }
    if (!percent &&
        (is(name, "FileNames") || is(name, "FunctionNames") || is(name, "FileLocations") || is(name, "StackFrames"))) {
      skip_line();
      return true;
    }
    if (name.size == 0) return fail("syntax", "a computation is expected: ENTRY name { ... }", begin);
    bool is_entry = false;
    if (!percent && is(name, "ENTRY") && next() != '=') {
      is_entry = true;
      name = read_symbol();
      if (name.size == 0) return fail("syntax", "the name of a computation is expected after ENTRY");
    }
    frame opened;
    opened.kind = frame::what::function;
    opened.opening = true;
    opened.names = state.names.size;
    if (next() == '=' || (is(name, "ROOT") && next() != '{' && next() != '(')) {
      // The instructions of one computation alone.
      at = begin;
      if (state.signatures.size > 0) return fail("syntax", "a computation is expected: name { ... }");
      opened.labelled = is_entry = true;
    } else {
      if (next() == '(' && !skip_group()) return false;
      skip_blank();
      if (accept_arrow()) {
        int count = 0;
        bool nested = false;
        const int before = state.signature_types.size;
        if (!read_shape(count, nested)) return false;
        state.signature_types.size = before;
      }
      if (!need('{', "{ is expected before the instructions of a computation")) return false;
    }
    opened.resume = at;
    opened.regions_done = -1;
    opened.finished = is_entry;
    function_signature signature;
    signature.source = begin;
    if (!name_computation(name, opened.labelled, is_entry, signature)) return false;
    opened.begin = signature.arguments;
    state.signatures.push(signature);
    state.symbols.size = 0;
    state.frames.push(opened);
    return true;
  }

  // The entry becomes the function main.
  constexpr bool name_computation(const word& name, bool unnamed, bool is_entry, function_signature& signature) {
    int id = -1;
    if (!unnamed) {
      id = intern_text(name.first, name.size);
      if (names_overflow()) return true;
      if (state.function_of_name.data[id] >= 0)
        return fail("name", "a computation of that name exists already", name.first);
      // It can be called once it is closed.
    }
    signature.name = id;
    if (is_entry) {
      for (const graph_function& each : g.functions)
        if (each.is_public) return fail("name", "there is an entry computation already", signature.source);
      signature.name = intern_word("main");
    } else if (is(name, "main")) {
      signature.name = intern_word("%main");
    }
    signature.arguments = id;
    return true;
  }
  // A name that need not stand in the text.
  constexpr int intern_word(std::string_view text) {
    if (const int found = g.find_name(text); found >= 0) return found;
    if (g.characters.capacity - g.characters.size < int(text.size())) g.characters.overflow = true;
    if (g.names.size == g.names.capacity) g.names.overflow = true;
    if (state.function_of_name.size == state.function_of_name.capacity) state.function_of_name.overflow = true;
    if (names_overflow()) return 0;
    const int first = g.characters.size;
    for (const char c : text) g.characters.push(c);
    state.function_of_name.push(parser_tables::not_defined);
    return g.names.push({first, int(text.size())});
  }

  // One line of a computation: a parameter is noted with its number and the place of its shape.
  constexpr bool find_parameters() {
    const char c = next();
    if (at >= size || (c == '}' && !top().labelled)) {
      if (!top().labelled && at >= size) return fail("syntax", "the computation is not closed");
      return open_computation();
    }
    word name = read_symbol();
    if (is(name, "ROOT") && next() != '=') name = read_symbol();
    if (name.size > 0 && take('=')) {
      skip_blank();
      const int shape = at;
      if (peek_at(0) == '(') {
        if (!skip_group()) return false;
      } else {
        while (at < size && !text::detail::is(data[at], text::detail::space)) ++at;
      }
      if (is(read_symbol(), "parameter") && take('(')) {
        index_t number = 0;
        skip_blank();
        if (!read_natural(number)) return false;
        if (number > 0x7FFFFFF) return fail("syntax", "the number of the parameter is too large");
        state.symbols.push({int(number), shape, {}});
      }
    }
    skip_line();
    return true;
  }

  // The arguments of the function: the leaves of all parameters, in the order of their numbers.
  constexpr bool open_computation() {
    table<symbol_use>& parameters = state.symbols;
    for (int i = 0; i < parameters.size; ++i)
      while (parameters.data[i].name != i) {
        const symbol_use moved = parameters.data[i];
        if (moved.name >= parameters.size || parameters.data[moved.name].name == moved.name)
          return fail("syntax", "the parameters of a computation are numbered 0, 1, 2, ...", moved.position);
        parameters.data[i] = parameters.data[moved.name];
        parameters.data[moved.name] = moved;
      }
    graph_region region;
    region.first = region.last = g.nodes.size;
    region.arguments = g.values.size;
    region.source = state.signatures.data[state.signatures.size - 1].source;
    const int first_type = state.signature_types.size;
    for (const symbol_use& parameter : parameters) {
      at = parameter.position;
      int count = 0;
      bool nested = false;
      if (!read_shape(count, nested)) return false;
    }
    for (int i = first_type; i < state.signature_types.size; ++i)
      g.values.push({state.signature_types.data[i], -1, region.argument_count++, g.regions.size});
    top().region = g.regions.push(region);
    table<int>& types = state.signature_types;
    if (types.capacity - types.size < region.argument_count) types.overflow = true;
    if (full()) return true;
    // From now on a parameter has its first value as position.
    int value = region.arguments;
    for (int i = 0; i < parameters.size; ++i) {
      symbol_use& parameter = parameters.data[i];
      at = parameter.position;
      parameter.position = value;
      int count = 0;
      bool nested = false;
      const int before = types.size;
      read_shape(count, nested);
      types.size = before;
      value += count;
    }
    function_signature& signature = state.signatures.data[state.signatures.size - 1];
    signature.arguments = first_type;
    signature.argument_count = region.argument_count;
    top().opening = false;
    at = top().resume;
    return true;
  }

  constexpr bool close_computation() {
    frame& f = top();
    if (state.names.size == f.names) return fail("syntax", "a computation has at least one instruction");
    take('}');
    const value_name& root = state.names.data[f.regions_done >= 0 ? f.regions_done : state.names.size - 1];
    graph_region& region = g.regions.data[f.region];
    function_signature& signature = state.signatures.data[state.signatures.size - 1];
    signature.results = state.signature_types.size;
    signature.result_count = root.count < 0 ? -root.count : root.count;
    region.last = g.nodes.size;
    region.yields = g.operands.size;
    region.yield_count = signature.result_count;
    for (int i = 0; i < signature.result_count; ++i) {
      g.operands.push(leaf(root, i));
      state.signature_types.push(g.values.data[leaf(root, i)].type);
    }
    graph_function function;
    function.name = signature.name;
    function.region = f.region;
    function.is_public = f.finished;
    g.functions.push(function);
    if (g.operands.overflow || state.signature_types.overflow || g.functions.overflow) return true;
    if (f.begin >= 0) state.function_of_name.data[f.begin] = state.signatures.size - 1;
    forget_names(f.names);
    leaves().size = 0;
    --state.frames.size;
    // Such as `, execution_thread="host"`.
    if (at < size && data[at] == ',') skip_line();
    return true;
  }

  constexpr bool finish_module() {
    if (g.functions.size == 0) return fail("syntax", "a computation is expected: ENTRY name { ... }");
    bool has_entry = false;
    for (const graph_function& each : g.functions) has_entry = has_entry || each.is_public;
    if (!has_entry) {
      graph_function& last = g.functions.data[g.functions.size - 1];
      const int name = intern_word("main");
      if (names_overflow()) return true;
      last.name = name;
      last.is_public = true;
    }
    finished_ = true;
    return true;
  }

  // ---------- names

  constexpr bool define_values(int value, int count) { return define(now_.name, value, count); }
  // The instruction is another name for values that exist already.
  constexpr bool define_as(const value_name& source, int first, int count) {
    const int mark = now_.nested ? -count : count;
    return define_values(source.value >= 0 ? source.value + first : source.value - first, mark);
  }
  // The same for the operands, taken together.
  constexpr bool define_operands(int count) {
    const int first = leaves().size;
    for (int i = 0; i < count; ++i) leaves().push(g.operands.data[parts_.operands + i]);
    g.operands.size = parts_.operands;
    return define_values(-1 - first, now_.nested ? -count : count);
  }
  // Those must have the types that are written.
  constexpr bool define_operands_of_types() {
    if (g.operands.overflow) return true;
    if (parts_.operand_count != now_.type_count) return wrong_type();
    for (int i = 0; i < now_.type_count; ++i)
      if (g.values.data[g.operands.data[parts_.operands + i]].type != type(i)) return wrong_type();
    return define_operands(parts_.operand_count);
  }
  constexpr bool wrong_type() {
    return fail("type", "the type written for the result is not the one that it has", now_.name.first);
  }
  constexpr int type(int i) const { return state.signature_types.data[now_.types + i]; }

  // ---------- instructions

  constexpr bool read_instruction() {
    now_ = {};
    parts_ = {};
    state.attributes.size = 0;
    literal_type_ = -1;
    parts_.begin = at;
    parts_.operands = g.operands.size;
    parts_.regions = state.open_regions.size;
    now_.name = read_symbol();
    bool is_root = false;
    if (is(now_.name, "ROOT") && next() != '=') {
      is_root = true;
      now_.name = read_symbol();
    }
    if (now_.name.size == 0) return fail("syntax", "an instruction is expected: name = shape opcode(operands)");
    if (!need('=', "= is expected after the name of an instruction")) return false;
    now_.types = state.signature_types.size;
    if (!read_shape(now_.type_count, now_.nested)) return false;
    const ints layout = now_.layout;
    skip_blank();
    now_.opcode = read_name();
    parts_.name = now_.opcode.first;
    if (now_.opcode.size == 0) return fail("syntax", "an opcode is expected");
    if (!need('(', "( is expected before the operands")) return false;
    const int argument = at;
    const bool has_argument = is(now_.opcode, "parameter") || is(now_.opcode, "constant");
    if (has_argument ? !skip_argument() : !read_hlo_operands()) return false;
    const int argument_end = at;
    if (!read_hlo_attributes()) return false;
    const int after = at;
    now_.layout = layout;
    parts_.attributes = state.attributes.size;
    if (full()) return true;
    const bool good = is(now_.opcode, "parameter")  ? read_parameter(argument)
                      : is(now_.opcode, "constant") ? read_constant(argument, argument_end - 1)
                                                    : build();
    if (!good) return false;
    if (full() || state.names.overflow) return true;
    at = after;
    for (const attribute_entry& each : state.attributes)
      if (!each.used && !text::detail::means_nothing(each.name.key))
        return fail("attribute", "the op has no such attribute", each.name.first);
    state.signature_types.size = now_.types;
    if (is_root) top().regions_done = state.names.size - 1;
    return true;
  }
  constexpr bool full() { return g.overflow() || state.overflow(); }

  // Past the literal of a constant, or the number of a parameter, and its bracket. A list ends with }), and may be
  // long.
  constexpr bool skip_argument() {
    const int open = at - 1;
    if (next() == '{') {
      for (int end = find(')', at); end < size; end = find(')', end + 1)) {
        int last = end - 1;
        while (text::detail::is(data[last], text::detail::space)) --last;
        if (data[last] != '}') continue;
        at = end + 1;
        return true;
      }
      return fail("syntax", "the bracket is not closed", open);
    }
    at = open;
    return skip_group();
  }

  constexpr bool read_hlo_operands() {
    if (take(')')) return true;
    do {
      const char c = next();
      if (c == '(' && !skip_group()) return false;
      word name = read_symbol();
      if (next() == '[' && c != '(' && c != '%') {
        // An element type: the shape of the operand is written before its name.
        if (!skip_group()) return false;
        if (peek_at(0) == '{' && !skip_group()) return false;
        name = read_symbol();
      }
      const int found = state.name_slots.at[slot_of_name(name)];
      if (name.size == 0) return fail("syntax", "the name of an operand is expected");
      if (found == 0) return fail("name", "no instruction of that name stands above", name.first);
      const value_name& entry = state.names.data[found - 1];
      if (now_.operand_count < most_listed_operands) first_leaves_[now_.operand_count] = parts_.operand_count;
      if (now_.operand_count++ == 0) now_.first_operand = entry;
      const int count = entry.count < 0 ? -entry.count : entry.count;
      for (int i = 0; i < count; ++i) g.operands.push(leaf(entry, i));
      parts_.operand_count += count;
    } while (take(','));
    return need(')', ", or ) is expected after an operand");
  }
  constexpr bool read_hlo_attributes() {
    while (at < size && next() == ',') {
      ++at;
      const word name = read_symbol();
      if (name.size == 0) return fail("syntax", "the name of an attribute is expected after ,");
      if (!need('=', "= is expected after the name of an attribute")) return false;
      skip_blank();
      attribute_entry entry;
      entry.name = name;
      entry.position = at;
      state.attributes.push(entry);
      if (!skip_attribute_value()) return false;
    }
    return true;
  }

  constexpr bool read_parameter(int argument) {
    at = argument;
    index_t number = 0;
    skip_blank();
    if (!read_natural(number)) return false;
    if (number >= state.symbols.size)
      return fail("syntax", "every instruction begins a line, and parameters are numbered 0, 1, 2, ...", argument);
    const int value = state.symbols.data[number].position;
    const graph_region& region = g.regions.data[top().region];
    for (int i = 0; i < now_.type_count; ++i)
      if (value + i >= region.arguments + region.argument_count || g.values.data[value + i].type != type(i))
        return fail("syntax", "two parameters have the same number", argument);
    return define_values(value, now_.nested ? -now_.type_count : now_.type_count);
  }

  constexpr bool read_constant(int argument, int end) {
    at = argument;
    skip_blank();
    const int first = at;
    if (now_.type_count != 1 || (next() == '(' && !is_complex(g.types.data[type(0)].element)))
      return fail("not_supported", "constants that are tuples are not supported", first);
    while (end > first && text::detail::is(data[end - 1], text::detail::space)) --end;
    if (same_characters(first, "{...}", 5))
      return fail("not_supported",
                  "the elements were left out when the text was printed: it takes print_large_constants", first);
    ops::constant self;
    self.value.id = g.literals.push({graph_literal::place::hlo_text, first, end - first});
    if (!check_literal(self.value, g.types.data[type(0)], first)) return false;
    return add(self);
  }

  // ---------- attributes

  // Where the value of an attribute begins, or -1.
  constexpr int find_attribute(const keyword& name) {
    for (int i = 0; i < state.attributes.size; ++i) {
      attribute_entry& each = state.attributes.data[i];
      if (!is(each.name, name)) continue;
      each.used = true;
      return each.position;
    }
    return -1;
  }
  constexpr bool missing(const char* sentence) { return fail("attribute", sentence, now_.opcode.first); }
  constexpr bool expected(const char* sentence) { return fail("attribute", sentence); }

  // {1,0}
  constexpr bool read(const keyword& name, ints& list) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    return read_list(list);
  }
  constexpr bool read_list(ints& list) {
    if (!take('{')) return expected("a list such as {0,1} is expected");
    if (take('}')) return true;
    do {
      index_t value = 0;
      if (!read_number(value)) return false;
      list.push(value);
    } while (take(','));
    if (list.dropped > 0) return fail("not_supported", "a list has at most 8 numbers");
    return take('}') || expected(", or } is expected");
  }
  constexpr bool read_number(index_t& value) {
    skip_blank();
    const bool negative = at < size && data[at] == '-';
    if (negative) ++at;
    if (!read_natural(value)) return false;
    if (negative) value = -value;
    return true;
  }
  constexpr bool read(const keyword& name, index_t& value) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    return read_number(value);
  }
  constexpr bool read(const keyword& name, std::int32_t& value) {
    index_t wide = value;
    if (!read(name, wide)) return false;
    value = std::int32_t(wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : wide);
    return true;
  }
  constexpr bool read(const keyword& name, bool& value) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    const word written = read_word();
    value = is(written, "true");
    return value || is(written, "false") || expected("true or false is expected");
  }
  constexpr bool read(const keyword& name, double& value) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    return read_float(value);
  }
  // One of the words of an enumeration.
  template <class Enum, int Count>
  constexpr bool read_choice(const keyword& name, Enum& value, const keyword (&words)[Count],
                             const Enum (&values)[Count]) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    const word written = read_word();
    for (int i = 0; i < Count; ++i)
      if (is(written, words[i])) {
        value = values[i];
        return true;
      }
    return fail("attribute", "the value of the attribute is unknown", position);
  }
  // A list of one number.
  constexpr bool read_single(const keyword& name, index_t& value) {
    ints list;
    if (!read(name, list)) return false;
    if (list.size == 1) value = list[0];
    return list.size <= 1 || expected("one dimension is expected");
  }

  // {{0,1},{2,3}}, {} or the short form [2,2]<=[4] or [2,2]<=[2,2]T(1,0).
  constexpr bool read(const keyword& name, ints_table& rows) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    if (next() == '[') return read_counted_rows(rows);
    if (next() == 'm') return read_mesh_rows(rows);
    if (!take('{')) return expected("lists such as {{0,1},{2,3}} are expected");
    if (take('}')) return true;
    do {
      ints row;
      if (!read_list(row)) return false;
      rows.push(row);
    } while (take(','));
    if (rows.dropped > 0)
      return fail("not_supported", "groups have equal sizes, and there are at most 64 numbers", position);
    return take('}') || expected(", or } is expected");
  }
  // The numbers 0, 1, ... as an array of the second shape, transposed, then cut into rows of the first shape.
  constexpr bool read_counted_rows(ints_table& rows) {
    const int position = at;
    ints shape, counted, order;
    if (!read_bracketed(shape)) return false;
    if (!take('<') || !take('=')) return expected("<= is expected");
    if (!read_bracketed(counted)) return false;
    if (take('T')) {
      if (!take('(')) return expected("( is expected");
      do {
        index_t axis = 0;
        if (!read_natural(axis)) return false;
        order.push(axis);
      } while (take(','));
      if (!take(')')) return expected(", or ) is expected");
    } else {
      order = ints::range(counted.size);
    }
    const bool good = shape.size == 2 && order.size == counted.size && order.unique() &&
                      order.within(0, counted.size) && shape.product() == counted.product() && counted.positive();
    if (!good) return fail("attribute", "groups such as [2,2]<=[4] are expected", position);
    if (shape.product() > ints_table::capacity || shape[1] > max_rank)
      return fail("not_supported", "there are at most 64 processes in groups of at most 8", position);
    const ints strides = strides_of(counted).select(order), sizes = counted.select(order);
    ints row;
    for_each_index(sizes, [&](const ints& index) {
      index_t number = 0;
      for (int i = 0; i < index.size; ++i) number += index[i] * strides[i];
      row.push(number);
      if (row.size == shape[1]) {
        rows.push(row);
        row = ints{};
      }
    });
    return true;
  }
  // mesh['x'=2,'y'=4] {'y'}: the numbers of a grid with these axes, in rows along the axes in braces.
  constexpr bool read_mesh_rows(ints_table& rows) {
    const int position = at;
    word names[max_rank];
    ints sizes, along;
    const word title = read_word();
    bool good = is(title, "mesh") && take('[');
    while (good && !take(']')) {
      word name;
      index_t count = 0;
      good =
          (sizes.empty() || take(',')) && read_axis(name) && take('=') && read_natural(count) && sizes.size < max_rank;
      if (good) names[sizes.size] = name, sizes.push(count);
    }
    good = good && take('{');
    while (good && !take('}')) {
      word name;
      good = (along.empty() || take(',')) && read_axis(name);
      index_t axis = 0;
      while (good && axis < sizes.size && !same(names[axis], name)) ++axis;
      good = good && axis < sizes.size && !along.contains(axis);
      if (good) along.push(axis);
    }
    if (!good || !sizes.positive())
      return fail("attribute", "groups such as mesh['x'=2,'y'=2] {'y'} are expected", position);
    const ints across = ints::range(sizes.size).without(along), strides = strides_of(sizes);
    const index_t columns = sizes.select(along).product();
    if (sizes.product() > ints_table::capacity || columns > max_rank)
      return fail("not_supported", "there are at most 64 processes in groups of at most 8", position);
    for_each_index(sizes.select(across), [&](const ints& row) {
      index_t first = 0;
      for (int i = 0; i < row.size; ++i) first += row[i] * strides[across[i]];
      ints numbers;
      for_each_index(sizes.select(along), [&](const ints& column) {
        index_t number = first;
        for (int i = 0; i < column.size; ++i) number += column[i] * strides[along[i]];
        numbers.push(number);
      });
      rows.push(numbers);
    });
    return true;
  }
  // 'x'
  constexpr bool read_axis(word& name) {
    if (!take('\'')) return false;
    name = read_name();
    return name.size > 0 && take('\'');
  }
  constexpr bool read_bracketed(ints& list) {
    if (!take('[')) return expected("[ is expected");
    do {
      index_t value = 0;
      if (!read_natural(value)) return false;
      list.push(value);
    } while (take(','));
    if (list.dropped > 0) return fail("not_supported", "a list has at most 8 numbers");
    return take(']') || expected(", or ] is expected");
  }

  // size=3x2 stride=2x1 pad=1_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x1
  struct window {
    ints size, stride, lhs_dilate, rhs_dilate, rhs_reversal;
    ints low, high;

    constexpr ints_table padding() const {
      ints_table rows;
      for (int i = 0; i < low.size; ++i) rows.push({low[i], high[i]});
      return rows;
    }
  };
  constexpr bool read_window(window& into) {
    const int position = find_attribute("window");
    if (position < 0) return true;
    at = position;
    if (!take('{')) return expected("a window such as {size=2x2 stride=1x1} is expected");
    while (!take('}')) {
      const word name = read_word();
      if (!take('=')) return expected("= is expected in a window");
      ints* const list = is(name, "size")           ? &into.size
                         : is(name, "stride")       ? &into.stride
                         : is(name, "pad")          ? &into.low
                         : is(name, "lhs_dilate")   ? &into.lhs_dilate
                         : is(name, "rhs_dilate")   ? &into.rhs_dilate
                         : is(name, "rhs_reversal") ? &into.rhs_reversal
                                                    : nullptr;
      if (list == nullptr) return fail("attribute", "a window has no such part", name.first);
      do {
        index_t value = 0;
        if (!read_number(value)) return false;
        list->push(value);
        if (list == &into.low) {
          if (at >= size || data[at] != '_') return expected("a padding such as 1_1 is expected");
          ++at;
          if (!read_number(value)) return false;
          into.high.push(value);
        }
      } while (at < size && data[at] == 'x' && ++at);
      if (list->dropped > 0) return fail("not_supported", "a window has at most 8 dimensions");
    }
    return true;
  }
  // 1_4_1x4_8_0
  constexpr bool read_padding(ops::pad& self) {
    const int position = find_attribute("padding");
    if (position < 0) return missing("pad has the attribute padding");
    at = position;
    // A scalar has no padding at all.
    if (type_of_operand(0).rank() == 0) return true;
    do {
      index_t low = 0, high = 0, interior = 0;
      if (!read_number(low)) return false;
      if (at >= size || data[at] != '_') return expected("a padding such as 1_1 or 1_1_0 is expected");
      ++at;
      if (!read_number(high)) return false;
      if (at < size && data[at] == '_') {
        ++at;
        if (!read_number(interior)) return false;
      }
      self.edge_padding_low.push(low), self.edge_padding_high.push(high), self.interior_padding.push(interior);
    } while (at < size && data[at] == 'x' && ++at);
    return true;
  }
  // {[0:2], [1:9:3]}
  constexpr bool read_slices(ops::slice& self) {
    const int position = find_attribute("slice");
    if (position < 0) return missing("slice has the attribute slice");
    at = position;
    if (!take('{')) return expected("slices such as {[0:2], [1:9:3]} are expected");
    if (take('}')) return true;
    do {
      index_t start = 0, limit = 0, stride = 1;
      if (!take('[')) return expected("[ is expected");
      if (!read_number(start)) return false;
      if (!take(':')) return expected(": is expected");
      if (!read_number(limit)) return false;
      if (take(':') && !read_number(stride)) return false;
      if (!take(']')) return expected("] is expected");
      self.start_indices.push(start), self.limit_indices.push(limit), self.strides.push(stride);
    } while (take(','));
    return take('}') || expected(", or } is expected");
  }
  // b01f_01io->b01f
  constexpr bool read_labels(auto& numbers) {
    const int position = find_attribute("dim_labels");
    if (position < 0) return missing("convolution has the attribute dim_labels");
    at = position;
    text::detail::hlo_labels lhs, rhs, output;
    if (!read_side(lhs, 'b', 'f')) return false;
    if (at >= size || data[at] != '_') return expected("_ is expected between the labels of lhs and rhs");
    ++at;
    if (!read_side(rhs, 'i', 'o')) return false;
    if (!accept_arrow()) return expected("-> is expected before the labels of the result");
    if (!read_side(output, 'b', 'f')) return false;
    numbers.input_batch_dimension = lhs.first;
    numbers.input_feature_dimension = lhs.second;
    numbers.input_spatial_dimensions = lhs.spatial;
    numbers.kernel_input_feature_dimension = rhs.first;
    numbers.kernel_output_feature_dimension = rhs.second;
    numbers.kernel_spatial_dimensions = rhs.spatial;
    numbers.output_batch_dimension = output.first;
    numbers.output_feature_dimension = output.second;
    numbers.output_spatial_dimensions = output.spatial;
    return true;
  }
  constexpr bool read_side(text::detail::hlo_labels& side, char first, char second) {
    const int start = at;
    index_t axis = 0;
    ints spatial = ints::filled(max_rank, -1);
    int count = 0;
    for (; at < size && axis <= max_rank; ++at, ++axis) {
      const char c = data[at];
      if (c == first && side.first < 0) {
        side.first = axis;
      } else if (c == second && side.second < 0) {
        side.second = axis;
      } else if (c >= '0' && c < '0' + max_rank && spatial[c - '0'] < 0) {
        spatial.set(c - '0', axis);
        ++count;
      } else {
        break;
      }
    }
    for (int i = 0; i < count; ++i) side.spatial.push(spatial[i]);
    const bool good = side.first >= 0 && side.second >= 0 && !side.spatial.contains(-1);
    return good || fail("attribute", "labels such as b01f_01io->b01f are expected", start);
  }

  // ---------- nodes

  constexpr tensor_type type_of_operand(int i) const {
    return i < parts_.operand_count ? g.types.data[g.values.data[g.operands.data[parts_.operands + i]].type]
                                    : tensor_type{};
  }

  // The types that are written for the results.
  constexpr void add_written_results() {
    parts_.results = g.values.size;
    for (int i = 0; i < now_.type_count; ++i) add_result(parts_, type(i));
  }
  // Adds the op to the function, with these results and the regions that were made for it.
  template <class Op>
  constexpr bool add_node(const Op& self) {
    parts_.kind = kind_of_op<Op>;
    if (full()) return true;
    rules rule;
    table<tensor_type> results;
    const list<tensor_type> operands = prepare(parts_, rule, results);
    if (state.types.overflow || state.constants.overflow) return true;
    infer_results(self, rule, operands, results);
    if (results.overflow) {
      state.types.overflow = true;
      return true;
    }
    if (rule.broken()) return fail(rule.label, rule.sentence, parts_.name);
    parts_.words = g.words.size;
    write_attributes(g.words, self);
    finish_node();
    return true;
  }
  constexpr void finish_node() {
    append_node(parts_, top().region);
    state.open_regions.size = parts_.regions;
  }
  // An op whose results are what the instruction gives.
  template <class Op>
  constexpr bool add(const Op& self) {
    add_written_results();
    return add_node(self) && (full() || define_values(parts_.results, result_mark()));
  }
  constexpr int result_mark() const { return now_.nested ? -now_.type_count : now_.type_count; }

  // An op without attributes, by its name, whose words HLO joins by - and StableHLO by _.
  constexpr bool add_plain() {
    word_key key = key_of("stablehlo.");
    for (int i = 0; i < now_.opcode.size; ++i) {
      const char c = data[now_.opcode.first + i];
      if (c == '_') return unknown();
      key = extend(key, c == '-' ? '_' : c);
    }
    unsigned slot = slots::start(key) % unsigned(registry_.slot_count);
    for (; registry_.slot[slot] != 0; slot = (slot + 1) % unsigned(registry_.slot_count)) {
      const text::detail::known_op& op = registry_.ops[registry_.slot[slot] - 1];
      if (op.key != key || int(op.name.size()) != now_.opcode.size) continue;
      parts_.kind = registry_.slot[slot] - 1;
      add_written_results();
      if (full()) return true;
      if (!finish(parts_)) return false;
      if (full()) return true;
      finish_node();
      return full() || define_values(parts_.results, result_mark());
    }
    return unknown();
  }
  constexpr bool unknown() { return fail("unknown_op", "the op is unknown", now_.opcode.first); }
  constexpr bool unsupported(const char* sentence) { return fail("not_supported", sentence, now_.opcode.first); }

  // An op that the instruction is made of: its one result is the operand of the next.
  template <class Op>
  constexpr bool add_link(const Op& self, int operand, const tensor_type& result, int& value) {
    int id = 0;
    if (!intern(result, id)) return false;
    parts_.operands = g.operands.size;
    parts_.operand_count = 1;
    g.operands.push(operand);
    parts_.result_count = 0;
    parts_.results = value = g.values.size;
    add_result(parts_, id);
    return add_node(self);
  }

  // ---------- other computations

  // A computation that stands above, by the name that begins at `position`.
  constexpr const function_signature* find_computation(int position) {
    at = position;
    const word name = read_symbol();
    const int id = name.size > 0 ? intern_text(name.first, name.size) : 0;
    if (names_overflow()) return nullptr;
    const int found = name.size > 0 ? state.function_of_name.data[id] : -1;
    if (found < 0) {
      fail("name", "no computation of that name stands above", position);
      return nullptr;
    }
    return &state.signatures.data[found];
  }
  // A call, with operands from `operands` on that are on the table already.
  constexpr bool add_call(const function_signature& callee, int operands, int count, int region, int& results) {
    bool same = count == callee.argument_count;
    for (int i = 0; same && i < count; ++i)
      same = g.values.data[g.operands.data[operands + i]].type == state.signature_types.data[callee.arguments + i];
    if (!same) return fail("call_c2", "type(operands...) = types of the callee's arguments", parts_.name);
    op_parts call;
    call.begin = parts_.begin;
    call.name = parts_.name;
    call.kind = kind_of_op<ops::call>;
    call.operands = operands;
    call.operand_count = count;
    call.results = results = g.values.size;
    call.regions = state.open_regions.size;
    for (int i = 0; i < callee.result_count; ++i) add_result(call, state.signature_types.data[callee.results + i]);
    call.words = g.words.size;
    g.words.push(callee.name);
    if (full()) return true;
    append_node(call, region);
    return true;
  }
  // A region that calls the computation which the attribute names. Its operands are the arguments of the region, or
  // values from outside, and then it has no arguments.
  constexpr bool add_region(int position, bool has_arguments, int captured, int captured_count) {
    const function_signature* const callee = find_computation(position);
    if (callee == nullptr) return !error;
    const function_signature called = *callee;
    graph_region region;
    region.parent = top().region;
    region.first = region.last = g.nodes.size;
    region.arguments = g.values.size;
    region.argument_count = has_arguments ? called.argument_count : 0;
    region.source = parts_.begin;
    const int number = g.regions.push(region);
    for (int i = 0; i < region.argument_count; ++i)
      g.values.push({state.signature_types.data[called.arguments + i], -1, i, number});
    const int operands = g.operands.size;
    if (has_arguments)
      for (int i = 0; i < region.argument_count; ++i) g.operands.push(region.arguments + i);
    else
      for (int i = 0; i < captured_count; ++i) g.operands.push(g.operands.data[captured + i]);
    if (full()) return true;
    int results = 0;
    if (!add_call(called, operands, g.operands.size - operands, number, results)) return false;
    if (full()) return true;
    graph_region& closed = g.regions.data[number];
    closed.last = g.nodes.size;
    closed.yields = g.operands.size;
    closed.yield_count = called.result_count;
    for (int i = 0; i < called.result_count; ++i) g.operands.push(results + i);
    state.open_regions.push(number);
    ++parts_.region_count;
    return true;
  }
  constexpr bool add_region(const keyword& name) {
    const int position = find_attribute(name);
    if (position < 0) return missing("the computation that the op applies is missing");
    return add_region(position, true, 0, 0);
  }

  // fusion, call: the results are those of the computation.
  constexpr bool add_call_of(const keyword& name) {
    const int position = find_attribute(name);
    if (position < 0) return missing("the computation that is called is missing");
    const function_signature* const callee = find_computation(position);
    if (callee == nullptr) return !error;
    const function_signature called = *callee;
    int results = 0;
    if (!add_call(called, parts_.operands, parts_.operand_count, top().region, results)) return false;
    if (full()) return true;
    if (is(now_.opcode, "async-start")) return define_values(results, called.result_count);
    bool same = called.result_count == now_.type_count;
    for (int i = 0; same && i < now_.type_count; ++i) same = g.values.data[results + i].type == type(i);
    if (!same) return fail("call_c3", "type(results...) = types of the callee's results", now_.name.first);
    return define_values(results, result_mark());
  }

  constexpr bool build_conditional() {
    const int operands = parts_.operands, count = parts_.operand_count;
    const int listed = now_.operand_count;
    if (listed < 1 || listed > most_listed_operands) return unsupported("a conditional has 1 to 63 branches");
    const bool on_truth = is_boolean(type_of_operand(0).element);
    const auto branch = [&](int i, int position) {
      if (i + 1 >= listed) return fail("syntax", "a conditional has an operand for each branch", now_.opcode.first);
      const int first = first_leaves_[i + 1];
      const int last = i + 2 < listed ? first_leaves_[i + 2] : count;
      return add_region(position, false, operands + first, last - first);
    };
    int branches = 0;
    if (const int all = find_attribute("branch_computations"); all >= 0) {
      at = all;
      if (!take('{')) return expected("computations such as {a, b} are expected");
      do {
        skip_blank();
        if (!branch(branches++, at)) return false;
        if (full()) return true;
      } while (take(','));
      if (!take('}')) return expected(", or } is expected");
    } else {
      const int when_true = find_attribute("true_computation"), when_false = find_attribute("false_computation");
      if (when_true < 0 || when_false < 0) return missing("the computations of the branches are missing");
      if (!branch(branches++, when_true)) return false;
      if (full()) return true;
      if (!branch(branches++, when_false)) return false;
    }
    if (full()) return true;
    if (branches != listed - 1) return missing("a conditional has an operand for each branch");
    parts_.operand_count = 1;
    return on_truth ? add(ops::if_{}) : add(ops::case_{});
  }

  // ---------- opcodes

  constexpr bool build() {
    using text::key_of;
    switch (now_.opcode.key) {
      case key_of("tuple"):
        return define_operands_of_types();
      case key_of("get-tuple-element"):
        return build_get_tuple_element();
      case key_of("copy"):
      case key_of("opt-barrier"):
      case key_of("optimization-barrier"):
        return is(now_.opcode, "copy") ? define_operands_of_types() : add(ops::optimization_barrier{});
      case key_of("copy-start"):
      case key_of("copy-done"):
      case key_of("async-update"):
      case key_of("async-done"):
      case key_of("all-reduce-done"):
      case key_of("all-gather-done"):
      case key_of("collective-permute-done"):
      case key_of("send-done"):
      case key_of("recv-done"):
      case key_of("domain"):
        find_attribute("domain");
        find_attribute("calls");
        return define_operands(parts_.operand_count);
      case key_of("add-dependency"):
        return define_operands(parts_.operand_count > 0 ? parts_.operand_count - 1 : 0);
      case key_of("bitcast"):
        return build_bitcast();
      case key_of("fusion"):
      case key_of("async-start"):
        return add_call_of("calls");
      case key_of("call"):
        return add_call_of("to_apply");
      case key_of("while"):
        return add_region("condition") && (full() || (add_region("body") && (full() || add(ops::while_{}))));
      case key_of("conditional"):
        return build_conditional();
      case key_of("broadcast"): {
        ops::broadcast_in_dim self;
        return read("dimensions", self.broadcast_dimensions) && add(self);
      }
      case key_of("transpose"): {
        ops::transpose self;
        return read("dimensions", self.permutation) && add(self);
      }
      case key_of("reverse"): {
        ops::reverse self;
        return read("dimensions", self.dimensions) && add(self);
      }
      case key_of("concatenate"): {
        ops::concatenate self;
        return read_single("dimensions", self.dimension) && add(self);
      }
      case key_of("iota"): {
        ops::iota self;
        return read("iota_dimension", self.iota_dimension) && add(self);
      }
      case key_of("slice"): {
        ops::slice self;
        return read_slices(self) && add(self);
      }
      case key_of("pad"): {
        ops::pad self;
        return read_padding(self) && add(self);
      }
      case key_of("dynamic-slice"): {
        ops::dynamic_slice self;
        return read("dynamic_slice_sizes", self.slice_sizes) && add(self);
      }
      case key_of("get-dimension-size"): {
        ops::get_dimension_size self;
        return read_single("dimensions", self.dimension) && add(self);
      }
      case key_of("set-dimension-size"): {
        ops::set_dimension_size self;
        return read_single("dimensions", self.dimension) && add(self);
      }
      case key_of("compare"):
        return build_compare();
      case key_of("reduce-precision"): {
        ops::reduce_precision self;
        return read("exponent_bits", self.exponent_bits) && read("mantissa_bits", self.mantissa_bits) && add(self);
      }
      case key_of("dot"):
        return build_dot();
      case key_of("convolution"):
        return build_convolution();
      case key_of("reduce"): {
        ops::reduce self;
        return read("dimensions", self.dimensions) && add_region("to_apply") && (full() || add(self));
      }
      case key_of("map"): {
        ops::map self;
        return read("dimensions", self.dimensions) && add_region("to_apply") && (full() || add(self));
      }
      case key_of("sort"): {
        ops::sort self;
        return read_single("dimensions", self.dimension) && read("is_stable", self.is_stable) &&
               add_region("to_apply") && (full() || add(self));
      }
      case key_of("reduce-window"):
        return build_reduce_window();
      case key_of("select-and-scatter"):
        return build_select_and_scatter();
      case key_of("gather"):
        return build_gather();
      case key_of("scatter"):
        return build_scatter();
      case key_of("fft"):
        return build_fft();
      case key_of("cholesky"): {
        ops::cholesky self;
        return read("lower", self.lower) && add(self);
      }
      case key_of("triangular-solve"):
        return build_triangular_solve();
      case key_of("rng"):
        return build_rng();
      case key_of("rng-bit-generator"): {
        ops::rng_bit_generator self;
        return read_choice("algorithm", self.rng_algorithm, {"rng_default", "rng_three_fry", "rng_philox"},
                           {rng_algorithm::DEFAULT, rng_algorithm::THREE_FRY, rng_algorithm::PHILOX}) &&
               add(self);
      }
      case key_of("batch-norm-training"):
        return build_batch_norm(ops::batch_norm_training{});
      case key_of("batch-norm-inference"):
        return build_batch_norm(ops::batch_norm_inference{});
      case key_of("batch-norm-grad"):
        return build_batch_norm(ops::batch_norm_grad{});
      case key_of("custom-call"):
        return build_custom_call();
      case key_of("all-reduce"):
      case key_of("all-reduce-start"): {
        ops::all_reduce self;
        return read_groups(self) && read("use_global_device_ids", self.use_global_device_ids) &&
               add_region("to_apply") && (full() || add(self));
      }
      case key_of("all-gather"):
      case key_of("all-gather-start"): {
        ops::all_gather self;
        if (!read_groups(self) || !read("use_global_device_ids", self.use_global_device_ids) ||
            !read_single("dimensions", self.all_gather_dim))
          return false;
        // (operands..., results...)
        if (is(now_.opcode, "all-gather-start") && now_.type_count == 2 * parts_.operand_count)
          keep_types(parts_.operand_count, parts_.operand_count);
        return add(self);
      }
      case key_of("reduce-scatter"): {
        ops::reduce_scatter self;
        return read_groups(self) && read("use_global_device_ids", self.use_global_device_ids) &&
               read_single("dimensions", self.scatter_dimension) && add_region("to_apply") && (full() || add(self));
      }
      case key_of("all-to-all"):
        return build_all_to_all();
      case key_of("collective-broadcast"): {
        ops::collective_broadcast self;
        return read_groups(self) && add(self);
      }
      case key_of("collective-permute"):
      case key_of("collective-permute-start"): {
        ops::collective_permute self;
        if (!read("channel_id", self.channel_id) || !read("source_target_pairs", self.source_target_pairs))
          return false;
        // (operand, result, contexts...)
        if (is(now_.opcode, "collective-permute-start") && now_.type_count > 1) keep_types(1, 1);
        return add(self);
      }
      case key_of("infeed"):
        return add(ops::infeed{});
      case key_of("outfeed"):
        return add(ops::outfeed{});
      case key_of("send"):
        return build_send();
      case key_of("recv"):
        return build_recv();
      case key_of("case"):
      case key_of("if"):
      case key_of("composite"):
      case key_of("einsum"):
        return unknown();
      default:
        return add_plain();
    }
  }

  // Of what an asynchronous op gives, only its results.
  constexpr void keep_types(int first, int count) {
    for (int i = 0; i < count; ++i) state.signature_types.data[now_.types + i] = type(first + i);
    now_.type_count = count;
    now_.nested = false;
  }

  template <class Op>
  constexpr bool read_groups(Op& self) {
    return read("channel_id", self.channel_id) && read("replica_groups", self.replica_groups);
  }

  constexpr bool build_get_tuple_element() {
    index_t index = -1;
    if (!read("index", index)) return false;
    const value_name& tuple = now_.first_operand;
    if (now_.operand_count != 1 || index < 0) return missing("get-tuple-element has one operand and an index");
    int first = int(index < INT32_MAX ? index : INT32_MAX);
    if (tuple.count < 0 && !leaves_before(tuple, first)) return false;
    const int leaf_count = tuple.count < 0 ? -tuple.count : tuple.count;
    if (first > leaf_count || now_.type_count > leaf_count - first)
      return fail("get_tuple_element_c1", "0 <= index < size(operand)", now_.opcode.first);
    for (int i = 0; i < now_.type_count; ++i)
      if (g.values.data[leaf(tuple, first + i)].type != type(i)) return wrong_type();
    g.operands.size = parts_.operands;
    return define_as(tuple, first, now_.type_count);
  }
  // In place of the number of an element of a tuple, that of its first leaf: the shape is read where it is defined.
  constexpr bool leaves_before(const value_name& tuple, int& element) {
    at = tuple.text.end();
    if (!take('=') || !take('(')) return true;
    int count = 0;
    bool nested = false;
    const int before = state.signature_types.size;
    for (int i = 0; i < element; ++i) {
      if (next() == ')' || !read_shape(count, nested)) break;
      if (!take(',')) break;
    }
    state.signature_types.size = before;
    element = count;
    return !error;
  }

  // The layout of an array where it is defined; row-major if none is written.
  constexpr bool layout_of(const value_name& name, int rank, ints& major_to_minor) {
    at = name.text.end();
    int count = 0;
    bool nested = false;
    const int before = state.signature_types.size;
    if (!take('=') || !read_shape(count, nested)) return false;
    state.signature_types.size = before;
    major_to_minor = reversed(now_.layout, rank);
    return true;
  }
  static constexpr ints reversed(const ints& minor_to_major, int rank) {
    if (minor_to_major.size != rank) return ints::range(rank);
    ints result;
    for (int i = rank; i-- > 0;) result.push(minor_to_major[i]);
    return result;
  }

  // The bytes stay where they are: transpose into the order of memory, reshape, transpose into the order of the result.
  constexpr bool build_bitcast() {
    if (now_.operand_count != 1 || parts_.operand_count != 1 || now_.type_count != 1)
      return unsupported("a bitcast has one array as operand");
    const tensor_type from = type_of_operand(0), to = g.types.data[type(0)];
    if (num_bits(from.element) != num_bits(to.element) || from.size() != to.size())
      return unsupported("bitcasts between elements of different sizes are not supported");
    const ints to_memory = reversed(now_.layout, to.rank());
    ints from_memory;
    if (!layout_of(now_.first_operand, from.rank(), from_memory)) return false;
    int value = g.operands.data[parts_.operands];
    if (!(from_memory == ints::range(from.rank())) &&
        !add_link(ops::transpose{from_memory}, value, from.with_shape(from.shape.select(from_memory)), value))
      return false;
    const ints in_memory = to.shape.select(to_memory);
    if (!full() && !(in_memory == from.shape.select(from_memory)) &&
        !add_link(ops::reshape{}, value, from.with_shape(in_memory), value))
      return false;
    ints order;
    for (int i = 0; i < to.rank(); ++i) order.push(to_memory.find(i));
    if (!full() && !(order == ints::range(to.rank())) &&
        !add_link(ops::transpose{order}, value, from.with_shape(to.shape), value))
      return false;
    if (!full() && from.element != to.element && !add_link(ops::bitcast_convert{}, value, to, value)) return false;
    return full() || define_values(value, 1);
  }

  constexpr bool build_compare() {
    using enum comparison_direction;
    ops::compare self;
    return read_choice("direction", self.comparison_direction, {"EQ", "NE", "GE", "GT", "LE", "LT"},
                       {EQ, NE, GE, GT, LE, LT}) &&
           read_choice("type", self.compare_type, {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
                       {comparison_type::FLOAT, comparison_type::TOTALORDER, comparison_type::SIGNED,
                        comparison_type::UNSIGNED}) &&
           add(self);
  }
  constexpr bool build_dot() {
    ops::dot_general self;
    auto& numbers = self.dot_dimension_numbers;
    return read("lhs_batch_dims", numbers.lhs_batching_dimensions) &&
           read("rhs_batch_dims", numbers.rhs_batching_dimensions) &&
           read("lhs_contracting_dims", numbers.lhs_contracting_dimensions) &&
           read("rhs_contracting_dims", numbers.rhs_contracting_dimensions) && add(self);
  }
  constexpr bool build_convolution() {
    ops::convolution self;
    window over;
    if (!read_window(over) || !read_labels(self.dimension_numbers) ||
        !read("feature_group_count", self.feature_group_count) || !read("batch_group_count", self.batch_group_count))
      return false;
    const auto& spatial = self.dimension_numbers.kernel_spatial_dimensions;
    for (int i = 0; i < over.size.size; ++i)
      if (over.size[i] != type_of_operand(1).dim(spatial[i]))
        return fail("attribute", "the window has the size of the kernel", now_.opcode.first);
    self.window_strides = over.stride;
    self.padding = over.padding();
    self.lhs_dilation = over.lhs_dilate;
    self.rhs_dilation = over.rhs_dilate;
    self.window_reversal = over.rhs_reversal;
    return add(self);
  }
  constexpr bool build_reduce_window() {
    ops::reduce_window self;
    window over;
    if (!read_window(over) || !add_region("to_apply")) return false;
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.base_dilations = over.lhs_dilate;
    self.window_dilations = over.rhs_dilate;
    self.padding = over.padding();
    return full() || add(self);
  }
  constexpr bool build_select_and_scatter() {
    ops::select_and_scatter self;
    window over;
    if (!read_window(over) || !add_region("select") || (!full() && !add_region("scatter"))) return false;
    if (!over.lhs_dilate.empty() || !over.rhs_dilate.empty()) return unsupported("the window is not dilated");
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.padding = over.padding();
    return full() || add(self);
  }
  constexpr bool build_gather() {
    ops::gather self;
    auto& numbers = self.dimension_numbers;
    return read("offset_dims", numbers.offset_dims) && read("collapsed_slice_dims", numbers.collapsed_slice_dims) &&
           read("operand_batching_dims", numbers.operand_batching_dims) &&
           read("start_indices_batching_dims", numbers.start_indices_batching_dims) &&
           read("start_index_map", numbers.start_index_map) && read("index_vector_dim", numbers.index_vector_dim) &&
           read("slice_sizes", self.slice_sizes) && read("indices_are_sorted", self.indices_are_sorted) && add(self);
  }
  constexpr bool build_scatter() {
    ops::scatter self;
    auto& numbers = self.scatter_dimension_numbers;
    return read("update_window_dims", numbers.update_window_dims) &&
           read("inserted_window_dims", numbers.inserted_window_dims) &&
           read("input_batching_dims", numbers.input_batching_dims) &&
           read("scatter_indices_batching_dims", numbers.scatter_indices_batching_dims) &&
           read("scatter_dims_to_operand_dims", numbers.scatter_dims_to_operand_dims) &&
           read("index_vector_dim", numbers.index_vector_dim) && read("indices_are_sorted", self.indices_are_sorted) &&
           read("unique_indices", self.unique_indices) && add_region("to_apply") && (full() || add(self));
  }
  constexpr bool build_fft() {
    using enum fft_type;
    ops::fft self;
    return read_choice("fft_type", self.fft_type, {"FFT", "IFFT", "RFFT", "IRFFT"}, {FFT, IFFT, RFFT, IRFFT}) &&
           read("fft_length", self.fft_length) && add(self);
  }
  constexpr bool build_triangular_solve() {
    using enum transpose_a_kind;
    ops::triangular_solve self;
    return read("left_side", self.left_side) && read("lower", self.lower) &&
           read("unit_diagonal", self.unit_diagonal) &&
           read_choice("transpose_a", self.transpose_a, {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                       {NO_TRANSPOSE, TRANSPOSE, ADJOINT}) &&
           add(self);
  }
  // The shape is an operand in StableHLO.
  constexpr bool build_rng() {
    ops::rng self;
    if (!read_choice("distribution", self.rng_distribution, {"rng_uniform", "rng_normal"},
                     {rng_distribution::UNIFORM, rng_distribution::NORMAL}))
      return false;
    const ints shape = g.types.data[type(0)].shape;
    ops::constant sizes;
    const int first = g.words.size;
    for (const index_t each : shape) g.words.push(each);
    sizes.value.id = g.literals.push({graph_literal::place::words, first, shape.size});
    int shape_type = 0;
    if (!intern(type_of(dtype::i64, {shape.size}), shape_type)) return false;
    op_parts node;
    node.begin = parts_.begin;
    node.kind = kind_of_op<ops::constant>;
    node.operands = g.operands.size;
    node.regions = state.open_regions.size;
    node.results = g.values.size;
    add_result(node, shape_type);
    node.words = g.words.size;
    write_attributes(g.words, sizes);
    if (full()) return true;
    append_node(node, top().region);
    g.operands.push(node.results);
    ++parts_.operand_count;
    return add(self);
  }
  template <class Op>
  constexpr bool build_batch_norm(Op self) {
    return read("epsilon", self.epsilon) && read("feature_index", self.feature_index) && add(self);
  }
  constexpr bool build_custom_call() {
    const int position = find_attribute("custom_call_target");
    if (position < 0) return missing("custom-call has the attribute custom_call_target");
    at = position;
    word target;
    if (!read_string(target)) return false;
    // Marks how an array is spread over devices.
    if (same_characters(target.first, "Sharding\"", 9)) return define_operands_of_types();
    ops::custom_call self;
    self.call_target_name.id = intern_text(target.first, target.size);
    return names_overflow() || (read("custom_call_has_side_effect", self.has_side_effect) && add(self));
  }
  constexpr bool build_all_to_all() {
    ops::all_to_all self;
    const bool has_dimension = find_attribute("dimensions") >= 0;
    if (!read_groups(self) || !read_single("dimensions", self.split_dimension)) return false;
    if (!has_dimension) return build_all_to_all_of_parts(self);
    self.concat_dimension = self.split_dimension;
    self.split_count = self.replica_groups.columns;
    return add(self);
  }
  // Operand i goes to process i of the group, result i comes from there: one operand that is cut into these parts.
  constexpr bool build_all_to_all_of_parts(ops::all_to_all self) {
    const int count = parts_.operand_count;
    const tensor_type part = type_of_operand(0);
    if (count == 0 || count != now_.type_count || part.rank() == 0)
      return unsupported("an all-to-all without dimensions has as many arrays as results");
    tensor_type whole = part;
    whole.shape.set(0, ints{part.dim(0), count}.product());
    self.split_count = count;
    int id = 0, value = 0;
    if (!intern(whole, id)) return false;
    parts_.results = g.values.size;
    add_result(parts_, id);
    value = parts_.results;
    if (!add_node(ops::concatenate{0}) || (!full() && !add_link(self, value, whole, value))) return false;
    const int first = leaves().size;
    for (int i = 0; i < count && !full(); ++i) {
      ops::slice cut;
      for (int axis = 0; axis < part.rank(); ++axis) {
        const index_t start = axis == 0 ? i * part.dim(0) : 0;
        cut.start_indices.push(start), cut.limit_indices.push(start + part.dim(axis)), cut.strides.push(1);
      }
      int piece = 0;
      if (!add_link(cut, value, part, piece)) return false;
      leaves().push(piece);
    }
    if (full()) return true;
    for (int i = 0; i < count; ++i)
      if (g.values.data[leaves().data[first + i]].type != type(i)) return wrong_type();
    return define_values(-1 - first, count);
  }
  // (data, context, token)
  constexpr bool build_send() {
    ops::send self;
    if (!read("channel_id", self.channel_id) || !read("is_host_transfer", self.is_host_transfer)) return false;
    if (self.is_host_transfer) self.channel_type = channel_types::DEVICE_TO_HOST;
    keep_types(now_.type_count - 1, 1);
    return add(self);
  }
  constexpr bool build_recv() {
    ops::recv self;
    if (!read("channel_id", self.channel_id) || !read("is_host_transfer", self.is_host_transfer)) return false;
    if (self.is_host_transfer) self.channel_type = channel_types::HOST_TO_DEVICE;
    if (now_.type_count > 2) {
      state.signature_types.data[now_.types + now_.type_count - 2] = type(now_.type_count - 1);
      keep_types(0, now_.type_count - 1);
    }
    return add(self);
  }
};

}  // namespace tenon::text
