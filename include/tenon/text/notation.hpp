// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/broadcast.hpp>

namespace tenon::text {

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

}  // namespace detail

// Reads the ops' own notations, the pretty form.
class notation_reader : public broadcast_reader {
 public:
  using broadcast_reader::broadcast_reader;

 protected:
  constexpr bool read_notation(op_parts& parts, bool resumed, bool& region_opened) {
    switch (parts.kind) {
      case kind_of_op<ops::while_>:
        return read_while(parts, resumed, region_opened);
      case kind_of_op<ops::reduce>:
        return read_reduce(parts, resumed, region_opened);
      case kind_of_op<ops::scan>:
        return read_scan(parts, resumed, region_opened);
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
        if (peek() == '(') break;  // as other ops are written: () {value = ...} : () -> type
        if (accept('{') && !read_dictionary('}', false)) return false;
        if (!read_bare("value")) return false;
        break;
      default:
        break;
    }
    const bool in_parentheses = peek() == '(';
    if (parts.kind == kind_of_op<ops::top_k>) {
      if (!expect('(', "( is expected before the operand") || !read_notation_operands(parts) ||
          !read_notation_attributes(parts, true) || !expect(')', ") is expected after the attributes"))
        return false;
    } else if (in_parentheses) {
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
    if (parts.of_chlo && parts.operand_count > 0) return read_listed_types(parts);
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

  // `T, U -> V` of CHLO
  constexpr bool read_listed_types(op_parts& parts) {
    int i = 0;
    do {
      if (!read_type_of_operand(parts, i++)) return false;
    } while (accept(','));
    if (i != parts.operand_count) return fail("type", "there is one type for each operand");
    if (!accept_arrow()) return fail("syntax", "-> and the types of the results are expected");
    return read_result_types(parts);
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

  // `(%a, %b) inits (%c) dimension = 0 attributes {...} { ^bb0(...): ... } : (types) -> types`
  constexpr bool read_scan(op_parts& parts, bool resumed, bool& region_opened) {
    if (!read_operands_in_parentheses(parts)) return false;
    parts.inputs = parts.operand_count;
    if (!accept("inits")) return fail("syntax", "inits (...) is expected");
    if (!read_operands_in_parentheses(parts)) return false;
    if (!accept("dimension") || !read_notation_value("dimension")) return fail("syntax", "dimension = ... is expected");
    if (accept("attributes") && (!expect('{', "{ is expected") || !read_dictionary('}', false))) return false;
    if (!resumed) {
      if (!expect('{', "{ is expected before a region")) return false;
      region_opened = true;
      return push_op_frame(frame::what::scan, parts) && open_region(enclosing_region(), at);
    }
    take_regions(parts);
    return expect(':', ": and the op's type are expected") && read_function_type(parts);
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
};

}  // namespace tenon::text
