// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/control/custom_call.hpp>
#include <tenon/ops/elementwise/result_accuracy.hpp>
#include <tenon/ops/lookup/gather.hpp>
#include <tenon/ops/lookup/scatter.hpp>
#include <tenon/text/scope.hpp>

namespace tenon::text {

// Reads what stands around functions: modules, meshes, aliases.
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
  // `"sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "name"}> : () -> ()`.
  constexpr bool read_generic_mesh(int begin) {
    const int first = state.attributes.size;
    if (!read_generic_attributes()) return false;
    alias added;
    added.kind = alias::what::mesh;
    const int after = at, name = find_noted("sym_name", first);
    added.position = find_noted("mesh", first);
    state.attributes.size = first;
    if (name < 0 || added.position < 0) return fail("attribute", "a mesh has the attributes mesh and sym_name", begin);
    at = name;
    if (!read_quoted(added.text)) return false;
    while (added.position < size && data[added.position] != '<') ++added.position;
    at = after;
    return skip_empty_function_type() && skip_location() && add_alias(added);
  }
  // Where the value of an attribute begins that was noted since `first`, or -1.
  constexpr int find_noted(const keyword& name, int first) const {
    for (int i = first; i < state.attributes.size; ++i)
      if (is_key(state.attributes.data[i].name, name)) return state.attributes.data[i].position;
    return -1;
  }

  constexpr bool read_module(int begin) {
    if (peek() == '@' && !skip_value(false)) return false;
    if (accept("attributes") && !read_and_forget_dictionary()) return false;
    return expect('{', "{ is expected after module") && open_module(begin, false);
  }
  // `"builtin.module"() <{...}> ({ ... }) {...} : () -> ()`.
  constexpr bool read_generic_module(int begin) {
    const int first = state.attributes.size;
    if (!read_generic_attributes()) return false;
    state.attributes.size = first;
    if (!open_generic_region()) return false;
    if (accept('^')) {
      read_name();
      if (!expect(':', ": is expected after a label")) return false;
    }
    return open_module(begin, true);
  }
  constexpr bool open_module(int begin, bool generic) {
    if (state.frames.size != 0) return fail("not_supported", "modules within modules are not supported", begin);
    frame opened;
    opened.begin = begin;
    opened.generic = generic;
    state.frames.push(opened);
    return true;
  }
  constexpr bool close_module() {
    ++at;
    const bool generic = top().generic;
    --state.frames.size;
    return generic ? end_generic() : skip_location();
  }

  // `()`, and `<{...}>` if that stands there: its attributes are noted.
  constexpr bool read_generic_attributes() {
    if (!expect('(', "( is expected before the operands") || !expect(')', "there are no operands here")) return false;
    if (!accept('<')) return true;
    const int first = state.attributes.size;
    return expect('{', "{ is expected after <") && read_dictionary('}', false) &&
           expect('>', "> is expected after the properties") && check_attributes(first);
  }
  constexpr bool open_generic_region() {
    return expect('(', "( is expected before a region") && expect('{', "{ is expected before a region");
  }
  // What follows the only region of an op without operands and results.
  constexpr bool end_generic() {
    if (!expect(')', ") is expected after the region")) return false;
    return (peek() != '{' || read_and_forget_dictionary()) && skip_empty_function_type() && skip_location();
  }
  constexpr bool skip_empty_function_type() {
    return expect(':', ": and the op's type are expected") && expect('(', "() -> () is expected") &&
           expect(')', "() -> () is expected") && (accept_arrow() || fail("syntax", "() -> () is expected")) &&
           expect('(', "() -> () is expected") && expect(')', "() -> () is expected");
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
    const bool result = read_dictionary('}', false) && check_attributes(first);
    state.attributes.size = first;
    return result;
  }
  constexpr bool check_attributes(int first) {
    const int after = at;
    for (int i = first; i < state.attributes.size; ++i) {
      if (state.attributes.data[i].kind != attribute_entry::form::value) continue;
      at = state.attributes.data[i].position;
      if (!check_group()) return false;
    }
    at = after;
    return true;
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
};

}  // namespace tenon::text
