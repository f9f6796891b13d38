// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/generic_form.hpp>

namespace tenon::text::mlir {

// Reads the ops' own notations, the pretty form.
class notation_reader : public reader_part {
 public:
  constexpr explicit notation_reader(generic_form_reader& of_ops) : reader_part(of_ops), form(of_ops) {}

  // Calls take(name, value) for all of `(%a = %0, %b = %1)`.
  template <class Take>
  constexpr bool for_while_arguments(Take take) {
    if (!in.expect('(', "( is expected after while")) return false;
    if (in.accept(')')) return true;
    do {
      if (!in.expect('%', "the name of an argument is expected")) return false;
      const word name = in.read_name();
      int value = 0;
      if (!in.expect('=', "= and a value are expected") || !scope.read_operand(value) || !take(name, value))
        return false;
    } while (in.accept(','));
    return in.expect(')', ", or ) is expected");
  }

  constexpr bool read_notation(op_parts& parts, bool resumed, bool& region_opened) {
    const op_notation notation = form.checker.registry.ops[parts.kind].notation;
    switch (notation) {
      case op_notation::while_:
        return read_while(parts, resumed, region_opened);
      case op_notation::reduce:
        return read_reduce(parts, resumed, region_opened);
      case op_notation::scan:
        return read_scan(parts, resumed, region_opened);
      case op_notation::compare:
        if (!read_bare("comparison_direction") || !in.expect(',', ", is expected after the direction of a comparison"))
          return false;
        break;
      case op_notation::custom_call:
        if (!read_bare("call_target_name")) return false;
        break;
      case op_notation::call:
        if (!read_bare("callee")) return false;
        break;
      case op_notation::composite:
        if (!read_bare("name")) return false;
        break;
      case op_notation::constant:
        if (in.peek() == '(') break;  // as other ops are written: () {value = ...} : () -> type
        if (in.accept('{') && !scanner.read_dictionary('}', false)) return false;
        if (!read_bare("value")) return false;
        break;
      default:
        break;
    }
    if (notation == op_notation::optimization_barrier && in.accept('{') && !scanner.read_dictionary('}', false))
      return false;
    const bool in_parentheses = in.peek() == '(';
    if (notation == op_notation::top_k) {
      if (!in.expect('(', "( is expected before the operand") || !read_notation_operands(parts) ||
          !read_notation_attributes(notation, true) || !in.expect(')', ") is expected after the attributes"))
        return false;
    } else if (in_parentheses) {
      if (!scope.read_operands_in_parentheses(parts)) return false;
      if (notation == op_notation::optimization_barrier && parts.operand_count == 0) return true;
    } else if (in.peek() == '%' && !read_notation_operands(parts)) {
      return false;
    }
    if (in.peek() == '[') {
      if (!read_brackets(notation)) return false;
    }
    if (!read_notation_attributes(notation, !in_parentheses && parts.operand_count > 0)) return false;
    if (in.accept('{') && !scanner.read_dictionary('}', false)) return false;
    return in.expect(':', ": and the op's type are expected") && read_notation_types(parts, notation);
  }

  // Names the arguments of the region that is open after the list of the while that it belongs to.
  constexpr bool define_while_arguments() {
    const int inside = in.at;
    in.at = build.top().begin;
    while (in.at < in.size && in.data[in.at] != '(') ++in.at;
    const auto define = [&](const word& name, int value) {
      return scope.add_argument(name, g.values.data[value].type);
    };
    if (!for_while_arguments(define)) return false;
    in.at = inside;
    return true;
  }

 private:
  generic_form_reader& form;
  type_reader& types = form.types;
  attribute_scanner& scanner = form.scanner;
  scope_reader& scope = form.scope;

  // Operands, up to the first attribute.
  constexpr bool read_notation_operands(op_parts& parts) {
    while (true) {
      int value = 0;
      if (!scope.read_operand(value)) return false;
      g.operands.push(value);
      ++parts.operand_count;
      const int before = in.at;
      if (!in.accept(',')) return true;
      if (in.peek() != '%') {
        in.at = before;
        return true;
      }
    }
  }

  constexpr bool read_bare(const keyword& name) {
    in.skip_space();
    const int position = in.at;
    return scanner.skip_value(false) && scanner.add_attribute(word_of(name), position, true);
  }
  // `[0:2, 1:3:2]` of slice, `[0]` of get_tuple_element.
  constexpr bool read_brackets(op_notation notation) {
    const int position = in.at;
    if (!in.skip_balanced()) return false;
    if (notation == op_notation::get_tuple_element) return scanner.add_attribute(word_of("index"), position + 1, true);
    if (notation != op_notation::slice) return in.fail("syntax", "[ is not expected here", position);
    return scanner.add_attribute(word_of("start_indices"), position, true, attribute_entry::form::part, 9) &&
           scanner.add_attribute(word_of("limit_indices"), position, true, attribute_entry::form::part, 10) &&
           scanner.add_attribute(word_of("strides"), position, true, attribute_entry::form::part, 11);
  }

  // `, name = value`, `name = value` and what single ops have instead.
  constexpr bool read_notation_attributes(op_notation notation, bool needs_comma) {
    while (true) {
      const bool comma = in.accept(',');
      const word name = in.read_word();
      if (name.size == 0) return !comma || in.fail("syntax", "the name of an attribute is expected after ,");
      if (needs_comma && !comma) return in.fail("syntax", ", is expected before the name of an attribute", name.first);
      needs_comma = true;
      if (in.peek() != '=') {
        // `FLOAT` of compare.
        if (notation != op_notation::compare) return in.fail("syntax", "= is expected after the name of an attribute");
        if (!scanner.add_attribute(word_of("compare_type"), name.first, true)) return false;
        continue;
      }
      ++in.at;
      in.skip_space();
      const int position = in.at;
      if (is_key(name, "contracting_dims") || is_key(name, "batching_dims")) {
        const bool contracting = is_key(name, "contracting_dims");
        if (!scanner.skip_value(false) || !in.expect('x', "x is expected between the dimensions of lhs and rhs"))
          return false;
        in.skip_space();
        const int other = in.at;
        if (!scanner.skip_value(false)) return false;
        const auto add = [&](const keyword& of, int at) { scanner.add_attribute(word_of(of), at, true); };
        contracting ? add("lhs_contracting_dimensions", position) : add("lhs_batching_dimensions", position);
        contracting ? add("rhs_contracting_dimensions", other) : add("rhs_batching_dimensions", other);
        continue;
      }
      if (is_key(name, "dim_numbers")) {
        window_numbers ignored;
        if (!read_window_numbers(in, ignored)) return false;
      } else if (is_key(name, "window")) {
        if (!in.expect('{', "{ is expected")) return false;
        const int first = state.attributes.size;
        if (!scanner.read_dictionary('}', true, false)) return false;
        for (int i = first; i < state.attributes.size; ++i) state.attributes.data[i].short_name = true;
        continue;
      } else if (is_key(name, "format")) {
        // e5m10
        if (!scanner.skip_value(false)) return false;
        int middle = position;
        while (middle < in.at && in.data[middle] != 'm') ++middle;
        if (in.data[position] != 'e' || middle >= in.at)
          return in.fail("syntax", "a format such as e5m10 is expected", position);
        scanner.add_attribute(word_of("exponent_bits"), position + 1, true);
        scanner.add_attribute(word_of("mantissa_bits"), middle + 1, true);
        continue;
      } else if (!scanner.skip_value(false)) {
        return false;
      }
      if (!scanner.add_attribute(name, position, true)) return false;
      state.attributes.data[state.attributes.size - 1].short_name = true;
    }
  }

  constexpr bool read_notation_types(op_parts& parts, op_notation notation) {
    if (in.peek() == '(') return form.read_function_type(parts);
    if ((parts.of_chlo || notation == op_notation::top_k) && parts.operand_count > 0) return read_listed_types(parts);
    in.skip_space();
    const int start = in.at;
    int type = 0;
    if (!types.read_type(type)) return false;
    switch (notation) {
      case op_notation::select: {
        if (!form.check_operand(parts, 0, type, start)) return false;
        if (!in.expect(',', ", and the type of the values are expected")) return false;
        if (!types.read_type(type)) return false;
        if (!form.check_operand(parts, 1, type, start) || !form.check_operand(parts, 2, type, start)) return false;
        break;
      }
      case op_notation::complex: {
        tensor_type part = g.types.data[type];
        part.element = real_type(part.element);
        const int part_type = build.intern(part);
        for (int i = 0; i < parts.operand_count; ++i)
          if (!form.check_operand(parts, i, part_type, start)) return false;
        break;
      }
      case op_notation::tuple:
        break;
      case op_notation::optimization_barrier: {
        if (!form.check_operand(parts, 0, type, start)) return false;
        build.add_result(parts, type);
        int i = 1;
        while (in.accept(',')) {
          if (!types.read_type(type) || !form.check_operand(parts, i++, type, start)) return false;
          build.add_result(parts, type);
        }
        return i == parts.operand_count || in.fail("type", "there is one type for each operand", start);
      }
      default:
        for (int i = 0; i < parts.operand_count; ++i)
          if (!form.check_operand(parts, i, type, start)) return false;
        break;
    }
    build.add_result(parts, type);
    return true;
  }

  // `T, U -> V` of CHLO
  constexpr bool read_listed_types(op_parts& parts) {
    int i = 0;
    do {
      if (!form.read_type_of_operand(parts, i++)) return false;
    } while (in.accept(','));
    if (i != parts.operand_count) return in.fail("type", "there is one type for each operand");
    if (!in.accept_arrow()) return in.fail("syntax", "-> and the types of the results are expected");
    return form.read_result_types(parts);
  }

  // `(%iterArg = %0, %iterArg_1 = %1) : T, U`, `attributes {...}`, `cond { ... } do { ... }`.
  constexpr bool read_while(op_parts& parts, bool resumed, bool& region_opened) {
    if (!for_while_arguments(
            [&](const word&, int value) { return g.operands.push(value), ++parts.operand_count, true; }))
      return false;
    if (parts.operand_count > 0) {
      if (!in.expect(':', ": and the types of the operands are expected")) return false;
      int i = 0;
      do {
        if (!form.read_type_of_operand(parts, i++)) return false;
        if (!g.operands.overflow) build.add_result(parts, g.values.data[g.operands.data[parts.operands + i - 1]].type);
      } while (in.accept(','));
      if (i != parts.operand_count) return in.fail("type", "there is one type for each operand");
    }
    if (in.accept("attributes")) {
      if (!in.expect('{', "{ is expected") || !scanner.read_dictionary('}', false)) return false;
    }
    if (resumed) return scope.take_regions(parts);
    if (!in.accept("cond")) return in.fail("syntax", "cond is expected");
    if (!in.expect('{', "{ is expected before a region")) return false;
    region_opened = true;
    g.values.size = parts.results;
    return scope.push_op_frame(frame::what::while_condition, parts) &&
           scope.open_region(build.enclosing_region(), in.at) && define_while_arguments();
  }
  // `(%a, %b) inits (%c) dimension = 0 attributes {...} { ^bb0(...): ... } : (types) -> types`
  constexpr bool read_scan(op_parts& parts, bool resumed, bool& region_opened) {
    if (!scope.read_operands_in_parentheses(parts)) return false;
    parts.inputs = parts.operand_count;
    if (!in.accept("inits")) return in.fail("syntax", "inits (...) is expected");
    if (!scope.read_operands_in_parentheses(parts)) return false;
    if (!in.accept("dimension") || !in.accept('=') || !read_bare("dimension"))
      return in.fail("syntax", "dimension = ... is expected");
    if (in.accept("attributes") && (!in.expect('{', "{ is expected") || !scanner.read_dictionary('}', false)))
      return false;
    if (!resumed) {
      if (!in.expect('{', "{ is expected before a region")) return false;
      region_opened = true;
      return scope.push_op_frame(frame::what::scan, parts) && scope.open_region(build.enclosing_region(), in.at);
    }
    scope.take_regions(parts);
    return in.expect(':', ": and the op's type are expected") && form.read_function_type(parts);
  }

  // `(%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] : (types) -> types`, or without
  // `applies` and followed by `reducer(%e: T, %f: T) (%g: U, %h: U) { ... }`.
  constexpr bool read_reduce(op_parts& parts, bool resumed, bool& region_opened) {
    table<index_t>& initial = state.constants;
    int inputs = 0, input = 0, value = 0;
    initial.size = 0;
    do {
      if (!in.expect('(', "( is expected after reduce") || !scope.read_operand(input)) return false;
      if (!in.accept("init") || !in.accept(':')) return in.fail("syntax", "init: and a value are expected");
      if (!scope.read_operand(value) || !in.expect(')', ") is expected")) return false;
      g.operands.push(input), initial.push(value);
      ++inputs;
    } while (in.accept(','));
    for (const index_t each : initial) g.operands.push(int(each));
    parts.operand_count = 2 * inputs;
    word body;
    if (in.accept("applies")) {
      body = in.read_word();
      if (body.size == 0) return in.fail("syntax", "an op is expected after applies");
    }
    if (!in.accept("across")) return in.fail("syntax", "across dimensions = [...] is expected");
    if (!in.accept("dimensions") || !in.accept('=') || !read_bare("dimensions"))
      return in.fail("syntax", "dimensions = [...] is expected");
    if (in.accept('{') && !scanner.read_dictionary('}', false)) return false;
    if (!in.expect(':', ": and the op's type are expected") || !form.read_function_type(parts)) return false;
    if (g.operands.overflow || g.values.overflow) return true;
    if (body.size > 0) return apply_reducer(parts, body);
    if (resumed) return scope.take_regions(parts);
    if (!in.accept("reducer")) return in.fail("syntax", "reducer(...) is expected");
    g.values.size = parts.results;
    if (!scope.push_op_frame(frame::what::reducer, parts) || !scope.open_region(build.enclosing_region(), in.at))
      return false;
    region_opened = true;
    if (g.regions.overflow) return true;
    const int first = g.values.size;
    graph_region& region = g.regions.data[build.top().region];
    region.argument_count = 2 * inputs;
    for (int i = 0; i < 2 * inputs; ++i) g.values.push({0, -1, i, build.top().region});
    if (g.values.overflow) return true;
    for (int i = 0; i < inputs; ++i) {
      if (!in.expect('(', "( is expected before two arguments") || !read_reducer_argument(first + i) ||
          !in.expect(',', ", is expected between two arguments") || !read_reducer_argument(first + inputs + i) ||
          !in.expect(')', ") is expected after two arguments"))
        return false;
    }
    return in.expect('{', "{ is expected before a region");
  }
  constexpr bool read_reducer_argument(int value) {
    if (!in.expect('%', "the name of an argument is expected")) return false;
    const word name = in.read_name();
    int type = 0;
    if (!in.expect(':', ": and a type are expected after the name of an argument") || !types.read_type(type) ||
        !in.skip_location())
      return false;
    g.values.data[value].type = type;
    return build.define(name, value, 1);
  }
  // The body of a reduce that is a single op of two arguments.
  constexpr bool apply_reducer(op_parts& parts, const word& body) {
    op_parts inner;
    inner.begin = inner.name = body.first;
    inner.kind = form.find_op(body);
    if (inner.kind < 0) return in.fail("unknown_op", "the op is unknown", body.first);
    if (parts.operand_count != 2 || parts.result_count != 1)
      return in.fail("syntax", "applies goes with one input", body.first);
    // The values of the region stand before those of the op, as everywhere.
    const int result_type = g.values.data[parts.results].type;
    g.values.size = parts.results;
    const int type = build.intern(g.type_of_value(g.operands.data[parts.operands]).with_shape({}));
    const graph_region region = begin_region(g, build.enclosing_region(), body.first, 2);
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
    build.add_result(inner, type);
    if (g.values.overflow || g.operands.overflow || g.regions.overflow) return true;
    if (!form.finish(inner)) return false;
    if (state.types.overflow) return true;
    build.append_node(inner, number);
    close_region(g, number, {&inner.results, 1});
    parts.regions = state.open_regions.size;
    parts.region_count = 1;
    state.open_regions.push(number);
    parts.results = g.values.size;
    parts.result_count = 0;
    build.add_result(parts, result_type);
    return true;
  }
};

}  // namespace tenon::text::mlir
