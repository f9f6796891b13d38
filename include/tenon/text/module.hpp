// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/control/call.hpp>
#include <tenon/ops/control/custom_call.hpp>
#include <tenon/ops/elementwise/result_accuracy.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/ops/lookup/gather.hpp>
#include <tenon/ops/lookup/scatter.hpp>
#include <tenon/text/scope.hpp>

namespace tenon::text {

// Reads what stands around the ops: modules, meshes, aliases and the heads of functions.
class module_reader : public scope_reader {
 public:
  using scope_reader::scope_reader;

 protected:
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
};

}  // namespace tenon::text
