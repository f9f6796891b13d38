// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/control/call.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/text/mlir/module.hpp>
#include <tenon/text/mlir/scope.hpp>

namespace tenon::text::mlir {

// Reads the heads of functions, in both forms, and checks what calls ask of them.
class function_reader : public reader_part {
 public:
  constexpr function_reader(scope_reader& of_scope, module_reader& of_modules)
      : reader_part(of_scope), scope(of_scope), modules(of_modules) {}

  constexpr bool read_function(int begin) {
    graph_function function;
    function_signature signature;
    const word visibility = in.read_word();
    if (!read_visibility(visibility, function)) return false;
    if (in.peek() != '@') return in.fail("syntax", "the name of a function is expected, such as @main");
    const int name_position = in.at;
    if (!read_function_name(begin, function, signature)) return false;
    if (build.names_overflow()) return true;

    const int first_value = g.values.size, first_name = state.names.size, first_divided = state.divided.size;
    const bool in_parts = state.in_parts && g.name_of(function.name) == "main";
    bool all_named = true;
    if (!in.expect('(', "( is expected after the name of a function")) return false;
    if (!in.accept(')')) {
      do {
        word argument;
        if (in.accept('%')) {
          argument = in.read_name();
          if (!in.expect(':', ": and a type are expected after the name of an argument")) return false;
        }
        int type = 0, sharding = -1;
        if (!types.read_type(type) || !read_argument_details(sharding)) return false;
        all_named = all_named && argument.size > 0;
        if (in_parts && !take_part(signature.argument_count, type, sharding)) return false;
        state.signature_types.push(type);
        if (argument.size > 0 && !build.define(argument, g.values.size, 1)) return false;
        g.values.push({type, -1, signature.argument_count++, g.regions.size});
      } while (in.accept(','));
      if (!in.expect(')', ", or ) is expected after an argument")) return false;
    }
    signature.results = state.signature_types.size;
    if (in.accept_arrow() && !read_results(signature, true, in_parts)) return false;
    if (in.accept("attributes") && !modules.read_and_forget_dictionary()) return false;
    enter(signature);
    if (!in.accept('{')) {
      g.values.size = first_value;
      build.forget_names(first_name);
      return declare(function, signature) && in.skip_location();
    }
    if (!all_named) return in.fail("syntax", "the arguments of a function with a body have names", name_position);
    name_wholes(first_divided, first_value, first_name);
    open_function(begin, false, first_name, first_value, function, signature);
    return true;
  }

  // `"func.func"() <{function_type = (T) -> U, sym_name = "main"}> ({ ^bb0(%a: T): ... }) : () -> ()`. Older printers
  // write the attributes behind the region.
  constexpr bool read_generic_function(int begin) {
    const int first = state.attributes.size;
    if (!modules.read_generic_attributes()) return false;
    in.skip_space();
    const int region = in.at;
    if (state.attributes.size == first && in.peek() == '(') {
      if (!in.skip_balanced() || !in.expect('{', "the attributes of the function are expected") ||
          !scanner.read_dictionary('}', false) || !modules.check_attributes(first))
        return false;
    }
    const int name = scanner.find_noted("sym_name", first), type = scanner.find_noted("function_type", first);
    const int visibility = scanner.find_noted("sym_visibility", first);
    state.attributes.size = first;
    if (name < 0 || type < 0)
      return in.fail("attribute", "a function has the attributes sym_name and function_type", begin);
    graph_function function;
    function_signature signature;
    if (visibility >= 0) {
      in.at = visibility;
      word written;
      if (!in.read_quoted(written) || !read_visibility(written, function)) return false;
    } else {
      function.is_public = true;
    }
    in.at = name;
    if (!read_function_name(begin, function, signature)) return false;
    if (build.names_overflow()) return true;
    in.at = type;
    if (!read_signature(signature)) return false;
    in.at = region;
    enter(signature);
    if (!modules.open_generic_region()) return false;
    if (in.accept('}')) return declare(function, signature) && modules.end_generic();
    const int count = signature.argument_count;
    signature.argument_count = 0;
    open_function(begin, true, state.names.size, g.values.size, function, signature);
    signature.argument_count = count;
    return true;
  }

  constexpr bool close_function() {
    const bool generic = build.top().generic;
    if ((generic && !check_arguments(build.top())) || !scope.end_region()) return false;
    --state.frames.size;
    return generic ? modules.end_generic() : in.skip_location();
  }

  // Checks calls of functions that may be defined later.
  constexpr bool check_calls() {
    for (const symbol_use& use : state.symbols)
      if (!is_defined(use.text)) return in.fail("attribute", "the module defines no such name", use.position);
    for (int i = 0; i < state.calls.size; ++i) {
      const graph_node& node = g.nodes.data[state.calls.data[i]];
      const int found = state.function_of_name.data[g.words.data[node.words]];
      const bool call = node.kind == kind_of_op<ops::call>;
      if (found < 0)
        return call ? in.fail("call_c1", "callee is a function of the module", node.source)
                    : in.fail("composite_c2", "is_defined_in_parent_scope(decomposition)", node.source);
      const function_signature& signature = state.signatures.data[found];
      bool same_arguments = node.operand_count == signature.argument_count;
      for (int a = 0; same_arguments && a < node.operand_count; ++a)
        same_arguments = g.values.data[g.operands.data[node.operands + a]].type ==
                         state.signature_types.data[signature.arguments + a];
      if (!same_arguments)
        return call ? in.fail("call_c2", "type(operands...) = types of the callee's arguments", node.source)
                    : in.fail("composite_c3", "types(inputs...) == input_types(decomposition)", node.source);
      bool same_results = node.result_count == signature.result_count;
      for (int r = 0; same_results && r < node.result_count; ++r)
        same_results = g.values.data[node.results + r].type == state.signature_types.data[signature.results + r];
      if (!same_results)
        return call ? in.fail("call_c3", "type(results...) = types of the callee's results", node.source)
                    : in.fail("composite_c4", "types(results...) == output_types(decomposition)", node.source);
    }
    return true;
  }

 private:
  scope_reader& scope;
  module_reader& modules;
  type_reader& types = scope.types;
  attribute_reader& attributes = modules.attributes;
  attribute_scanner& scanner = modules.scanner;

  constexpr bool read_visibility(const word& written, graph_function& function) {
    function.is_public = !in.is(written, "private") && !in.is(written, "nested");
    return written.size == 0 || !function.is_public || in.is(written, "public") ||
           in.fail("syntax", "a function is public, private or nested", written.first);
  }
  constexpr bool read_function_name(int begin, graph_function& function, function_signature& signature) {
    const int position = in.at;
    name_id name;
    if (!attributes.read_value(name)) return false;
    function.name = signature.name = name.id;
    signature.source = begin;
    signature.arguments = state.signature_types.size;
    if (build.names_overflow()) return true;
    const int known = state.function_of_name.data[name.id];
    return known < 0 || known >= state.signatures.size || state.signatures.data[known].name != name.id ||
           in.fail("name", "a function of that name exists already", position);
  }
  // `(T, T) -> U`
  constexpr bool read_signature(function_signature& signature) {
    if (!in.expect('(', "( is expected before the types of the arguments")) return false;
    if (!in.accept(')')) {
      do {
        int type = 0;
        if (!types.read_type(type)) return false;
        state.signature_types.push(type);
        ++signature.argument_count;
      } while (in.accept(','));
      if (!in.expect(')', ", or ) is expected after a type")) return false;
    }
    signature.results = state.signature_types.size;
    if (!in.accept_arrow()) return in.fail("syntax", "-> and the types of the results are expected");
    return read_results(signature);
  }
  // `T`, `(T, U)` or, behind the arguments of a function, `T, U`.
  constexpr bool read_results(function_signature& signature, bool of_head = false, bool in_parts = false) {
    const bool several = in.accept('(');
    if (several && in.accept(')')) return true;
    do {
      int sharding = -1;
      if (!read_result_type(signature) || (several && !read_argument_details(sharding))) return false;
      if (in_parts) state.divided.push({-signature.result_count, sharding, -1, g.regions.size, false, {}});
    } while ((several || of_head) && in.accept(','));
    return !several || in.expect(')', ", or ) is expected after a result");
  }
  // An argument of which a process has a part: its type is that of the part, and its name stands for the whole.
  constexpr bool take_part(int argument, int& type, int sharding) {
    if (argument >= state.part_shapes.size) return true;
    const ints& shape = state.part_shapes[argument];
    const tensor_type whole = g.types.data[type];
    if (shape == whole.shape) return true;
    divided_value added{argument, type, -1, -1, sharding >= 0, {}};
    if (const int after = in.at; added.is_known) {
      in.at = sharding;
      if (!attributes.meshes.read_sharding(-1, added.how)) return false;
      in.at = after;
    }
    bool fits = whole.is_tensor() && shape.size == whole.rank();
    for (int d = 0; fits && d < shape.size; ++d) {
      const index_t parts = added.how.parts_along(d);
      fits = added.is_known ? shape[d] * parts == whole.dim(d) : shape[d] > 0 && whole.dim(d) % shape[d] == 0;
    }
    if (!fits) return in.fail("argument_shape", "an argument has the shape that is written, or that of a part of it");
    state.divided.push(added);
    type = build.intern(whole.with_shape(shape));
    return true;
  }
  constexpr void name_wholes(int first_divided, int first_value, int first_name) {
    for (int i = first_divided; i < state.divided.size && !build.full(); ++i) {
      divided_value& each = state.divided.data[i];
      if (each.value < 0) continue;
      const int argument = each.value, type = each.part;
      each.part = first_value + argument;
      each.value = state.names.data[first_name + argument].value = g.values.size;
      g.values.push({type, -1, 0, g.regions.size});
    }
  }
  // The arguments of a function in the form of any op, which are those of its label.
  constexpr bool check_arguments(const frame& f) {
    const function_signature& signature = state.signatures.data[state.signatures.size - 1];
    const graph_region& region = g.regions.data[f.region];
    bool same = region.argument_count == signature.argument_count;
    for (int i = 0; same && i < region.argument_count; ++i)
      same = g.values.data[region.arguments + i].type == state.signature_types.data[signature.arguments + i];
    return same || in.fail("type", "the arguments of a function have the types of its function_type", f.begin);
  }

  constexpr void enter(const function_signature& signature) {
    state.function_of_name.data[signature.name] = state.signatures.size;
    state.signatures.push(signature);
  }
  constexpr bool declare(graph_function& function, const function_signature& signature) {
    if (!intern_tuple(signature.arguments, signature.argument_count, function.takes) ||
        !intern_tuple(signature.results, signature.result_count, function.gives))
      return false;
    g.functions.push(function);
    return true;
  }
  constexpr void open_function(int begin, bool generic, int first_name, int first_value, graph_function& function,
                               const function_signature& signature) {
    frame opened;
    opened.kind = frame::what::function;
    opened.begin = begin;
    opened.names = first_name;
    opened.region = g.regions.size;
    opened.generic = generic;
    state.frames.push(opened);
    graph_region region = begin_region(g, -1, begin, signature.argument_count);
    region.arguments = first_value;
    function.region = g.regions.push(region);
    g.functions.push(function);
  }

  // The tuple of some types of signatures.
  constexpr bool intern_tuple(int first, int count, int& type) {
    table<tensor_type>& members = state.types;
    tensor_type tuple;
    members.size = 0;
    if (state.signature_types.overflow) return true;
    for (int i = 0; i < count; ++i) members.push(g.types.data[state.signature_types.data[first + i]]);
    tuple.element = dtype::tuple;
    if (members.overflow) return true;
    if (!build.intern_members({members.data, count}, tuple)) return false;
    type = build.intern(tuple);
    return true;
  }
  // Attributes of an argument or result: how it is divided, if they say so.
  constexpr bool read_argument_details(int& sharding) {
    if (in.accept('{')) {
      const int first = state.attributes.size;
      if (!scanner.read_dictionary('}', false) || !modules.check_attributes(first)) return false;
      sharding = scanner.find_noted("sdy.sharding", first);
      state.attributes.size = first;
    }
    return in.skip_location();
  }
  constexpr bool read_result_type(function_signature& signature) {
    int type = 0;
    if (!types.read_type(type)) return false;
    state.signature_types.push(type);
    ++signature.result_count;
    return true;
  }

  constexpr bool is_defined(const word& symbol) const {
    for (const alias& each : state.aliases)
      if (each.kind == alias::what::mesh && in.same(each.text, symbol)) return true;
    return g.find_function(std::string_view(in.data + symbol.first, std::size_t(symbol.size))).has_value();
  }
};

}  // namespace tenon::text::mlir
