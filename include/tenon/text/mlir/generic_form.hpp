// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/attributes.hpp>
#include <tenon/text/mlir/divided_values.hpp>
#include <tenon/text/mlir/scope.hpp>
#include <tenon/text/op_checker.hpp>
#include <tenon/text/parse_options.hpp>

namespace tenon::text::mlir {

// Reads ops in the form that all of them share, asks their rules, and writes them down.
class generic_form_reader : public reader_part {
 public:
  scope_reader& scope;
  attribute_reader& attributes;
  op_checker checker;
  divided_values divided{checker, attributes.meshes};
  type_reader& types = scope.types;
  attribute_scanner& scanner = attributes.scanner;

  constexpr generic_form_reader(scope_reader& of_scope, attribute_reader& of_attributes, const parse_options& options,
                                const op_registry& registry)
      : reader_part(of_scope),
        scope(of_scope),
        attributes(of_attributes),
        checker(build, registry),
        options_(options) {}

  // Before an op is read: the literal of a foreign one is kept until it is finished.
  constexpr void forget_literal() { foreign_literal_ = {}; }
  constexpr int find_op(const word& name) const {
    const op_registry& known = checker.registry;
    if (is_of_mhlo(name)) return known.find_of_mhlo({in.data + name.first + 5, std::size_t(name.size - 5)});
    const int found = known.find(name.key, [&](int entry) {
      if (entry >= known.all_ops) {
        const text::detail::other_name& other = text::detail::other_names[entry - known.all_ops];
        return name.size == other.size() && in.same_characters(name.first, other.prefix) &&
               in.same_characters(name.first + int(other.prefix.size()), other.name);
      }
      const text::detail::known_op& op = known.ops[entry];
      const int prefix = int(op.dialect.size()) + 1;
      return name.size == int(op.name.size()) + prefix && in.data[name.first] == op.dialect.data()[0] &&
             in.same_characters(name.first + prefix, op.name);
    });
    return found < 0 ? -1 : known.kind_of_entry(found);
  }
  constexpr bool is_of_mhlo(const word& name) const { return name.size > 5 && in.same_characters(name.first, "mhlo."); }
  constexpr bool is_foreign_dialect(const word& name) const {
    const std::string_view known = options_.foreign_dialects;
    std::size_t i = 0;
    while (i < known.size()) {
      int matched = 0;
      bool same = true;
      for (; i < known.size() && known[i] != ' '; ++i, ++matched)
        same = same && matched < name.size && in.data[name.first + matched] == known[i];
      if (same && matched > 0 && matched < name.size && in.data[name.first + matched] == '.') return true;
      ++i;
    }
    return false;
  }

  // `(operands) <{properties}> ({regions}) {attributes} : (types) -> types`
  constexpr bool read_generic(op_parts& parts, bool resumed, bool& region_opened) {
    if (!scope.read_operands_in_parentheses(parts)) return false;
    if (in.peek() == '<') {
      ++in.at;
      if (!in.expect('{', "{ is expected after <") || !read_op_dictionary(parts, true) ||
          !in.expect('>', "> is expected after the properties"))
        return false;
    }
    if (in.peek() == '(') {
      if (resumed) {
        scope.take_regions(parts);
      } else {
        const int position = in.at++;
        if (!in.expect('{', "{ is expected before a region")) return false;
        region_opened = true;
        return scope.push_op_frame(frame::what::generic_op, parts) &&
               scope.open_region(build.enclosing_region(), position);
      }
    }
    if (in.accept('{') && !read_op_dictionary(parts, false)) return false;
    if (!in.expect(':', ": and the op's type are expected")) return false;
    return read_function_type(parts);
  }
  constexpr bool read_op_dictionary(op_parts& parts, bool must_be_known) {
    const int first = in.at;
    if (!scanner.read_dictionary('}', must_be_known && parts.kind >= 0)) return false;
    if (parts.foreign_size == 0) parts.foreign = first, parts.foreign_size = in.at - 1 - first;
    return true;
  }
  // `(T, T) -> T`; the operands' types are known and must be these.
  constexpr bool read_function_type(op_parts& parts) {
    if (!in.expect('(', "( is expected before the types of the operands")) return false;
    int i = 0;
    if (!in.accept(')')) {
      do {
        if (!read_type_of_operand(parts, i++)) return false;
      } while (in.accept(','));
      if (!in.expect(')', ", or ) is expected after a type")) return false;
    }
    if (i != parts.operand_count) return in.fail("type", "there is one type for each operand");
    if (!in.accept_arrow()) return in.fail("syntax", "-> and the types of the results are expected");
    return read_result_types(parts);
  }
  constexpr bool read_result_types(op_parts& parts) {
    if (!in.accept('(')) return read_type_of_result(parts);
    if (in.accept(')')) return true;
    do {
      if (!read_type_of_result(parts)) return false;
    } while (in.accept(','));
    return in.expect(')', ", or ) is expected after a type");
  }
  constexpr bool read_type_of_operand(op_parts& parts, int i) {
    in.skip_space();
    const int start = in.at;
    int type = 0;
    if (!types.read_type(type)) return false;
    return check_operand(parts, i, type, start);
  }
  constexpr bool check_operand(const op_parts& parts, int i, int type, int position) {
    if (g.operands.overflow) return true;
    if (i >= parts.operand_count) return in.fail("type", "there are more types than operands", position);
    return g.values.data[g.operands.data[parts.operands + i]].type == type ||
           in.fail("type", "the type written for an operand is not the operand's type", position);
  }
  constexpr bool read_type_of_result(op_parts& parts) {
    int type = 0;
    if (!types.read_type(type)) return false;
    build.add_result(parts, type);
    return true;
  }
  constexpr bool read_return(op_parts& parts, bool generic, bool of_function) {
    frame& f = build.top();
    // JAX ends comparators that are functions with stablehlo.return.
    const bool ends_function = f.kind == frame::what::function;
    if (of_function && !ends_function)
      return in.fail("syntax", "the regions of ops end with stablehlo.return", parts.begin);
    if (!read_returned(parts, generic)) return false;
    if (g.operands.overflow || build.types_overflow()) return true;
    const function_signature& signature = state.signatures.data[state.signatures.size - 1];
    const int operands = parts.operands, count = parts.operand_count;
    if (state.divided.size > 0) {
      if (ends_function && !divided.return_parts(operands, count, f.region, signature.results, parts.begin))
        return false;
      if (!divided.make_operands_whole(operands, count, parts.begin)) return false;
      if (build.full()) return true;
    }
    if (ends_function) {
      bool same = signature.result_count == parts.operand_count;
      for (int i = 0; same && i < parts.operand_count; ++i)
        same = g.values.data[g.operands.data[parts.operands + i]].type ==
               state.signature_types.data[signature.results + i];
      if (!same) return in.fail("return", "a function returns values of the types of its results", parts.begin);
    }
    graph_region& region = g.regions.data[f.region];
    region.yields = parts.operands;
    region.yield_count = parts.operand_count;
    f.finished = true;
    return true;
  }
  // The operands of a return, their types, and all that stands behind them.
  constexpr bool read_returned(op_parts& parts, bool generic) {
    if (generic) {
      if (!read_generic_return(parts)) return false;
    } else if (in.peek() == '%') {
      if (!scope.read_operands(parts)) return false;
      if (in.accept('{') && !scanner.read_dictionary('}', false)) return false;
      if (!in.expect(':', ": and the types of what is returned are expected")) return false;
      int i = 0;
      do {
        if (!read_type_of_operand(parts, i++)) return false;
      } while (in.accept(','));
      if (i != parts.operand_count) return in.fail("type", "there is one type for each operand");
    } else if (in.accept('{') && !scanner.read_dictionary('}', false)) {
      return false;
    }
    return in.skip_location();
  }
  constexpr bool read_generic_return(op_parts& parts) {
    if (!scope.read_operands_in_parentheses(parts)) return false;
    if (in.accept('{') && !scanner.read_dictionary('}', false)) return false;
    if (!in.expect(':', ": and the op's type are expected") || !read_function_type(parts)) return false;
    return parts.result_count == 0 || in.fail("syntax", "a return has no results", parts.begin);
  }

  // Of another dialect: operands, words, literals and `name = value` in any order up to the types.
  constexpr bool read_foreign(op_parts& parts, int named_results) {
    parts.foreign = in.at;
    while (in.peek() != ':') {
      const char c = in.peek();
      if (in.at >= in.size || c == '}') return in.fail("syntax", ": and the op's type are expected");
      if (c == '%') {
        int value = 0;
        if (!scope.read_operand(value)) return false;
        g.operands.push(value);
        ++parts.operand_count;
        parts.foreign = in.at;
      } else if (c == ',' || c == '(' || c == ')' || c == '=') {
        ++in.at;
      } else if (c == '^') {
        return in.fail("not_supported", "regions of this op are not supported");
      } else if (in.next_is("dense")) {
        if (!attributes.read_value(foreign_literal_)) return false;
      } else if (!scanner.skip_value(false)) {
        return false;
      }
    }
    parts.foreign_size = in.at - parts.foreign;
    in.accept(':');
    if (in.peek() == '(') return read_function_type(parts);
    int i = 0;
    int type = 0;
    do {
      in.skip_space();
      const int start = in.at;
      if (!types.read_type(type)) return false;
      if (i < parts.operand_count && !check_operand(parts, i, type, start)) return false;
      ++i;
    } while (in.accept(','));
    if (in.accept_arrow()) return read_result_types(parts);
    if (named_results > 0) build.add_result(parts, type);
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
    return checker.registry.ops[parts.kind].finish(checker, &attributes, parts);
  }
  constexpr bool finish_call(const op_parts& parts) {
    name_id callee;
    if (!attributes.read_field({"callee", 6, key_of("callee")}, callee, parts.attributes)) return false;
    if (callee.id < 0) return in.fail("attribute", "the callee is missing", parts.name);
    if (parts.region_count > 0) return in.fail("regions", "the op has no regions", parts.name);
    g.words.push(callee.id);
    state.calls.push(g.nodes.size);
    return true;
  }

 private:
  parse_options options_;
  literal_id foreign_literal_;
};

}  // namespace tenon::text::mlir
