// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/instruction.hpp>
#include <tenon/text/hlo/shape.hpp>

namespace tenon::text::hlo {

// Reads what stands around the instructions: the module, and the frames of computations, which become functions.
class computation_reader : public reader_part {
 public:
  constexpr explicit computation_reader(shape_reader& of_shapes) : reader_part(of_shapes), shapes(of_shapes) {}

  constexpr bool read_outside() {
    in.skip_blank();
    if (in.at >= in.size) return finish_module();
    const int begin = in.at;
    const bool percent = in.next() == '%';
    word name = in.read_symbol();
    if (in.is(name, "HloModule")) {
      in.read_symbol();
      return in.skip_attributes();
    }
    // Tables of where instructions came from: titles, and numbered lines.
    if (!percent && name.size > 0 && text::detail::is(in.data[name.first], text::detail::digit)) {
      word line;
      return in.next() == '"' ? in.read_string(line) : in.skip_group();
    }
    if (!percent && (in.is(name, "FileNames") || in.is(name, "FunctionNames") || in.is(name, "FileLocations") ||
                     in.is(name, "StackFrames")))
      return true;
    if (name.size == 0) return in.fail("syntax", "a computation is expected: ENTRY name { ... }", begin);
    bool is_entry = false;
    if (!percent && in.is(name, "ENTRY") && in.next() != '=') {
      is_entry = true;
      name = in.read_symbol();
      if (name.size == 0) return in.fail("syntax", "the name of a computation is expected after ENTRY");
    }
    frame opened;
    opened.kind = frame::what::function;
    opened.opening = true;
    opened.names = state.names.size;
    if (in.next() == '=' || (in.is(name, "ROOT") && in.next() != '{' && in.next() != '(')) {
      // The instructions of one computation alone.
      in.at = begin;
      if (state.signatures.size > 0) return in.fail("syntax", "a computation is expected: name { ... }");
      opened.labelled = is_entry = true;
    } else {
      if (in.next() == '(' && !in.skip_group()) return false;
      in.skip_blank();
      if (in.accept_arrow()) {
        int count = 0;
        if (!shapes.count_leaves(count)) return false;
      }
      if (!in.need('{', "{ is expected before the instructions of a computation")) return false;
    }
    opened.resume = in.at;
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
      id = build.intern_text(name.first, name.size);
      if (build.names_overflow()) return true;
      if (state.function_of_name.data[id] >= 0)
        return in.fail("name", "a computation of that name exists already", name.first);
      // It can be called once it is closed.
    }
    signature.name = id;
    if (is_entry) {
      for (const graph_function& each : g.functions)
        if (each.is_public) return in.fail("name", "there is an entry computation already", signature.source);
      signature.name = build.intern_word("main");
    } else if (in.is(name, "main")) {
      signature.name = build.intern_word("%main");
    }
    signature.arguments = id;
    return true;
  }
  // One instruction: a parameter is noted with its number and the place of its shape.
  constexpr bool find_parameters() {
    const char c = in.next();
    if (in.at >= in.size || (c == '}' && !build.top().labelled)) {
      if (!build.top().labelled && in.at >= in.size) return in.fail("syntax", "the computation is not closed");
      return open_computation();
    }
    word name = in.read_symbol();
    if (in.is(name, "ROOT") && in.next() != '=') name = in.read_symbol();
    if (name.size > 0 && in.take('=')) {
      in.skip_blank();
      const int shape = in.at;
      if (!shapes.skip_shape()) return false;
      const word opcode = in.read_symbol();
      if (in.is(opcode, "parameter") && in.next() == '(') {
        const int bracket = in.at++;
        index_t number = 0;
        in.skip_blank();
        if (!in.read_natural(number)) return false;
        if (number > 0x7FFFFFF) return in.fail("syntax", "the number of the parameter is too large");
        state.symbols.push({int(number), shape, {}});
        in.at = bracket;
      }
      if (in.next() == '(')
        return (in.is(opcode, "constant") ? in.skip_argument() : in.skip_group()) && in.skip_attributes();
    }
    // No instruction: what is wrong is said where it is read.
    in.at = in.find('\n', in.at);
    return true;
  }

  // The arguments of the function: the leaves of all parameters, in the order of their numbers.
  constexpr bool open_computation() {
    table<symbol_use>& parameters = state.symbols;
    for (int i = 0; i < parameters.size; ++i)
      while (parameters.data[i].name != i) {
        const symbol_use moved = parameters.data[i];
        if (moved.name >= parameters.size || parameters.data[moved.name].name == moved.name)
          return in.fail("syntax", "the parameters of a computation are numbered 0, 1, 2, ...", moved.position);
        parameters.data[i] = parameters.data[moved.name];
        parameters.data[moved.name] = moved;
      }
    graph_region region = begin_region(g, -1, state.signatures.data[state.signatures.size - 1].source);
    const int first_type = state.signature_types.size;
    for (const symbol_use& parameter : parameters) {
      in.at = parameter.position;
      int count = 0;
      bool nested = false;
      if (!shapes.read_shape(count, nested)) return false;
    }
    for (int i = first_type; i < state.signature_types.size; ++i)
      g.values.push({state.signature_types.data[i], -1, region.argument_count++, g.regions.size});
    build.top().region = g.regions.push(region);
    table<int>& types = state.signature_types;
    if (types.capacity - types.size < region.argument_count) types.overflow = true;
    if (build.full()) return true;
    // From now on a parameter has its first value as position.
    int value = region.arguments;
    for (int i = 0; i < parameters.size; ++i) {
      symbol_use& parameter = parameters.data[i];
      in.at = parameter.position;
      parameter.position = value;
      int count = 0;
      shapes.count_leaves(count);
      value += count;
    }
    function_signature& signature = state.signatures.data[state.signatures.size - 1];
    signature.arguments = first_type;
    signature.argument_count = region.argument_count;
    build.top().opening = false;
    in.at = build.top().resume;
    return true;
  }

  constexpr bool close_computation() {
    frame& f = build.top();
    if (state.names.size == f.names) return in.fail("syntax", "a computation has at least one instruction");
    in.take('}');
    const value_name& root = state.names.data[f.regions_done >= 0 ? f.regions_done : state.names.size - 1];
    graph_region& region = g.regions.data[f.region];
    function_signature& signature = state.signatures.data[state.signatures.size - 1];
    signature.results = state.signature_types.size;
    signature.result_count = root.count < 0 ? -root.count : root.count;
    region.last = g.nodes.size;
    region.yields = g.operands.size;
    region.yield_count = signature.result_count;
    for (int i = 0; i < signature.result_count; ++i) {
      g.operands.push(leaf(state, root, i));
      state.signature_types.push(g.values.data[leaf(state, root, i)].type);
    }
    graph_function function;
    function.name = signature.name;
    function.region = f.region;
    function.is_public = f.finished;
    g.functions.push(function);
    if (g.operands.overflow || state.signature_types.overflow || g.functions.overflow) return true;
    if (f.begin >= 0) state.function_of_name.data[f.begin] = state.signatures.size - 1;
    build.forget_names(f.names);
    leaves(state).size = 0;
    --state.frames.size;
    // Such as `, execution_thread="host"`.
    return in.skip_attributes();
  }

  constexpr bool finish_module() {
    if (g.functions.size == 0) return in.fail("syntax", "a computation is expected: ENTRY name { ... }");
    build.finished = true;
    for (const graph_function& each : g.functions)
      if (each.is_public) return true;
    const int name = build.intern_word("main");
    build.finished = !build.names_overflow();
    if (build.finished)
      g.functions.data[g.functions.size - 1] = {name, g.functions.data[g.functions.size - 1].region, true};
    return true;
  }

 private:
  shape_reader& shapes;
};

}  // namespace tenon::text::hlo
