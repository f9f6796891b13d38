// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/control/custom_call.hpp>
#include <tenon/ops/elementwise/result_accuracy.hpp>
#include <tenon/ops/lookup/gather.hpp>
#include <tenon/ops/lookup/scatter.hpp>
#include <tenon/text/mlir/attributes.hpp>

namespace tenon::text::mlir {

// Reads what stands around functions: modules, meshes, aliases.
class module_reader : public reader_part {
 public:
  attribute_reader& attributes;
  attribute_scanner& scanner = attributes.scanner;

  constexpr explicit module_reader(attribute_reader& of_attributes)
      : reader_part(of_attributes), attributes(of_attributes) {}

  // `sdy.mesh @name = <["x"=2]> {...}`: how processes are laid out, which replica groups may refer to.
  constexpr bool read_mesh() {
    alias added;
    added.kind = alias::what::mesh;
    if (!scanner.read_symbol(added.text) || !in.expect('=', "= is expected")) return false;
    in.skip_space();
    added.position = in.at;
    return scanner.skip_value(false) && (in.peek() != '{' || read_and_forget_dictionary()) && in.skip_location() &&
           add_alias(added);
  }
  // `"sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "name"}> : () -> ()`.
  constexpr bool read_generic_mesh(int begin) {
    const int first = state.attributes.size;
    if (!read_generic_attributes()) return false;
    alias added;
    added.kind = alias::what::mesh;
    const int after = in.at, name = scanner.find_noted("sym_name", first);
    added.position = scanner.find_noted("mesh", first);
    state.attributes.size = first;
    if (name < 0 || added.position < 0)
      return in.fail("attribute", "a mesh has the attributes mesh and sym_name", begin);
    in.at = name;
    if (!in.read_quoted(added.text)) return false;
    while (added.position < in.size && in.data[added.position] != '<') ++added.position;
    in.at = after;
    return (in.peek() != '{' || read_and_forget_dictionary()) && skip_empty_function_type() && in.skip_location() &&
           add_alias(added);
  }
  constexpr bool read_module(int begin) {
    if (in.peek() == '@' && !scanner.skip_value(false)) return false;
    if (in.accept("attributes") && !read_and_forget_dictionary()) return false;
    return in.expect('{', "{ is expected after module") && open_module(begin, false);
  }
  // `"builtin.module"() <{...}> ({ ... }) {...} : () -> ()`.
  constexpr bool read_generic_module(int begin) {
    const int first = state.attributes.size;
    if (!read_generic_attributes()) return false;
    state.attributes.size = first;
    if (!open_generic_region()) return false;
    if (in.accept('^')) {
      in.read_name();
      if (!in.expect(':', ": is expected after a label")) return false;
    }
    return open_module(begin, true);
  }
  constexpr bool open_module(int begin, bool generic) {
    if (state.frames.size != 0) return in.fail("not_supported", "modules within modules are not supported", begin);
    frame opened;
    opened.begin = begin;
    opened.generic = generic;
    state.frames.push(opened);
    return true;
  }
  constexpr bool close_module() {
    ++in.at;
    const bool generic = build.top().generic;
    --state.frames.size;
    return generic ? end_generic() : in.skip_location();
  }

  // `()`, and `<{...}>` if that stands there: its attributes are noted.
  constexpr bool read_generic_attributes() {
    if (!in.expect('(', "( is expected before the operands") || !in.expect(')', "there are no operands here"))
      return false;
    if (!in.accept('<')) return true;
    const int first = state.attributes.size;
    return in.expect('{', "{ is expected after <") && scanner.read_dictionary('}', false) &&
           in.expect('>', "> is expected after the properties") && check_attributes(first);
  }
  constexpr bool open_generic_region() {
    return in.expect('(', "( is expected before a region") && in.expect('{', "{ is expected before a region");
  }
  // Reads the end of an op without operands and results, behind its only region.
  constexpr bool end_generic() {
    if (!in.expect(')', ") is expected after the region")) return false;
    return (in.peek() != '{' || read_and_forget_dictionary()) && skip_empty_function_type() && in.skip_location();
  }
  constexpr bool skip_empty_function_type() {
    return in.expect(':', ": and the op's type are expected") && in.expect('(', "() -> () is expected") &&
           in.expect(')', "() -> () is expected") && (in.accept_arrow() || in.fail("syntax", "() -> () is expected")) &&
           in.expect('(', "() -> () is expected") && in.expect(')', "() -> () is expected");
  }

  // Attributes that mean nothing here; they must be well formed nevertheless.
  constexpr bool read_and_forget_dictionary() {
    if (!in.expect('{', "{ is expected")) return false;
    const int first = state.attributes.size;
    const bool result = scanner.read_dictionary('}', false) && check_attributes(first);
    state.attributes.size = first;
    return result;
  }
  constexpr bool check_attributes(int first) {
    const int after = in.at;
    for (int i = first; i < state.attributes.size; ++i) {
      if (state.attributes.data[i].kind != attribute_entry::form::value) continue;
      in.at = state.attributes.data[i].position;
      if (!check_group()) return false;
    }
    in.at = after;
    return true;
  }
  // If a group of StableHLO's attributes stands here, it is well formed.
  constexpr bool check_group() {
    if (in.peek() != '#' || !in.same_characters(in.at, "#stablehlo.", 11)) return true;
    const int start = in.at++;
    const word name = in.read_name();
    in.at = start;
    bool good = true;
    const auto check = [&](auto ignored, const keyword& group) {
      if (in.is(name, group)) good = attributes.read_value(ignored);
    };
    check(gather_dimension_numbers{}, "stablehlo.gather"), check(scatter_dimension_numbers{}, "stablehlo.scatter");
    check(dot_dimension_numbers{}, "stablehlo.dot"), check(dot_algorithm{}, "stablehlo.dot_algorithm");
    check(convolution_dimension_numbers{}, "stablehlo.conv"), check(result_accuracy{}, "stablehlo.result_accuracy");
    check(output_operand_alias{}, "stablehlo.output_operand_alias");
    return good;
  }

  constexpr bool read_alias() {
    alias added;
    added.kind = in.data[in.at] == '!' ? alias::what::type : alias::what::attribute;
    ++in.at;
    added.text = in.read_name();
    if (!in.expect('=', "= is expected after the name of an alias")) return false;
    in.skip_space();
    added.position = in.at;
    if (added.kind == alias::what::type) {
      if (!scanner.skip_type()) return false;
    } else {
      if (in.next_is("loc")) return in.skip_location();
      if (!scanner.skip_value(true)) return false;
    }
    return add_alias(added);
  }
  constexpr bool add_alias(const alias& added) {
    if (state.aliases.size == 1024) return in.fail("too_large", "there are more than 1024 aliases", added.position);
    state.aliases.push(added);
    return true;
  }
};

}  // namespace tenon::text::mlir
