// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo_attributes.hpp>

namespace tenon::text {

// Reads the frames of computations of HLO text, and puts the ops of an instruction into the one that is open.
class hlo_computation_reader : public hlo_attribute_reader {
 public:
  using hlo_attribute_reader::hlo_attribute_reader;

 protected:
  // The values of tuples; the table of calls is free here, since a call is checked where it stands.
  constexpr table<int>& leaves() { return state.calls; }
  constexpr int leaf(const value_name& of, int i) {
    return of.value >= 0 ? of.value + i : leaves().data[-1 - of.value + i];
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
        while (at < size && !text::detail::is(data[at], text::detail::space))
          if (data[at] != '[')
            ++at;
          else if (!skip_group())
            return false;
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

  constexpr bool unknown() { return fail("unknown_op", "the op is unknown", now_.opcode.first); }
  constexpr bool unsupported(const char* sentence) { return fail("not_supported", sentence, now_.opcode.first); }

  // An op that the instruction is made of, with one result.
  template <class Op>
  constexpr bool add_link(const Op& self, list<int> operands, const tensor_type& result, int& value) {
    int id = 0;
    if (!intern(result, id)) return false;
    parts_.operands = g.operands.size;
    parts_.operand_count = operands.size;
    for (const int each : operands) g.operands.push(each);
    parts_.result_count = 0;
    parts_.results = value = g.values.size;
    add_result(parts_, id);
    return add_node(self);
  }
  template <class Op>
  constexpr bool add_link(const Op& self, int operand, const tensor_type& result, int& value) {
    return add_link(self, list<int>{&operand, 1}, result, value);
  }

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
};

}  // namespace tenon::text
