// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo_computation.hpp>

namespace tenon::text {

// Reads the line of an instruction, and those instructions that add no op: parameters, and other names for values that
// exist already.
class hlo_instruction_reader : public hlo_computation_reader {
 public:
  using hlo_computation_reader::hlo_computation_reader;

 protected:
  int argument_ = 0, argument_end_ = 0;  // of a constant or parameter: what stands in its brackets

  // name = shape opcode(operands), attributes
  constexpr bool read_line(bool& is_root) {
    now_ = {};
    parts_ = {};
    state.attributes.size = 0;
    literal_type_ = -1;
    parts_.begin = at;
    parts_.operands = g.operands.size;
    parts_.regions = state.open_regions.size;
    now_.name = read_symbol();
    if (is(now_.name, "ROOT") && next() != '=') {
      is_root = true;
      now_.name = read_symbol();
    }
    if (now_.name.size == 0) return fail("syntax", "an instruction is expected: name = shape opcode(operands)");
    if (!need('=', "= is expected after the name of an instruction")) return false;
    now_.types = state.signature_types.size;
    if (!read_shape(now_.type_count, now_.nested)) return false;
    now_.layout = layout_;
    skip_blank();
    now_.opcode = read_name();
    parts_.name = now_.opcode.first;
    if (now_.opcode.size == 0) return fail("syntax", "an opcode is expected");
    if (!need('(', "( is expected before the operands")) return false;
    argument_ = at;
    const bool has_argument = is(now_.opcode, "parameter") || is(now_.opcode, "constant");
    if (has_argument ? !skip_argument() : !read_hlo_operands()) return false;
    argument_end_ = at - 1;
    if (!read_hlo_attributes()) return false;
    parts_.attributes = state.attributes.size;
    return true;
  }
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
  constexpr bool read_parameter() {
    at = argument_;
    index_t number = 0;
    skip_blank();
    if (!read_natural(number)) return false;
    if (number >= state.symbols.size)
      return fail("syntax", "every instruction begins a line, and parameters are numbered 0, 1, 2, ...", argument_);
    const int value = state.symbols.data[number].position;
    const graph_region& region = g.regions.data[top().region];
    for (int i = 0; i < now_.type_count; ++i)
      if (value + i >= region.arguments + region.argument_count || g.values.data[value + i].type != type(i))
        return fail("syntax", "two parameters have the same number", argument_);
    return define_values(value, now_.nested ? -now_.type_count : now_.type_count);
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

  // Of what an asynchronous op gives, only its results.
  constexpr void keep_types(int first, int count) {
    for (int i = 0; i < count; ++i) state.signature_types.data[now_.types + i] = type(first + i);
    now_.type_count = count;
    now_.nested = false;
  }
  // name-start = ((operands), results, ...) opcode-start(operands): the results are those of the op. False: no such
  // form.
  constexpr bool read_started_op() {
    now_.opcode.size -= 6;
    now_.opcode.key = key_of_range(now_.opcode.first, now_.opcode.size);
    int before = 0, count = 0;
    bool nested = false;
    at = now_.name.end();
    const int types = state.signature_types.size;
    const bool good =
        take('=') && take('(') && read_shape(before, nested) && take(',') && read_shape(count, nested = false);
    if (error) return false;
    state.signature_types.size = types;
    if (!good) return fail("type", "a shape such as ((operands), results) is expected", parts_.name);
    keep_types(before, count);
    now_.nested = nested;
    return true;
  }
  // Another name for the first operand: `count` are listed.
  constexpr bool pass_on(int count) {
    for (int i = 0; i < state.attributes.size; ++i) state.attributes.data[i].used = true;
    if (now_.operand_count != count) return missing("the op has another number of operands");
    return define_operands(count == 1 ? parts_.operand_count : first_leaves_[1]);
  }
  constexpr bool ends_in(std::string_view ending) const {
    const int before = now_.opcode.size - int(ending.size());
    return before > 0 && same_characters(now_.opcode.first + before, ending);
  }

  constexpr bool check_attributes_are_used() {
    for (const attribute_entry& each : state.attributes)
      if (!each.used && !text::detail::means_nothing(each.name.key))
        return fail("attribute", "the op has no such attribute", each.name.first);
    return true;
  }
};

}  // namespace tenon::text
