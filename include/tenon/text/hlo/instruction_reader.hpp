// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/emitter.hpp>
#include <tenon/text/hlo/shape.hpp>

namespace tenon::text::hlo {

// Reads the line of an instruction, and those instructions that add no op: parameters, and other names for values that
// exist already.
class instruction_reader : public reader_part {
 public:
  shape_reader& shapes;
  emitter& emit;

  constexpr instruction_reader(shape_reader& of_shapes, emitter& of_ops)
      : reader_part(of_shapes), shapes(of_shapes), emit(of_ops) {}

  // name = shape opcode(operands), attributes
  constexpr bool read_line(bool& is_root) {
    now = {};
    state.attributes.size = 0;
    now.parts.begin = in.at;
    now.parts.operands = g.operands.size;
    now.parts.regions = state.open_regions.size;
    now.name = in.read_symbol();
    if (in.is(now.name, "ROOT") && in.next() != '=') {
      is_root = true;
      now.name = in.read_symbol();
    }
    if (now.name.size == 0) return in.fail("syntax", "an instruction is expected: name = shape opcode(operands)");
    if (!in.need('=', "= is expected after the name of an instruction")) return false;
    now.types = state.signature_types.size;
    if (!shapes.read_shape(now.type_count, now.nested)) return false;
    now.layout = shapes.layout;
    in.skip_blank();
    now.opcode = in.read_name();
    now.parts.name = now.opcode.first;
    if (now.opcode.size == 0) return in.fail("syntax", "an opcode is expected");
    if (in.next() != '(') return in.fail("syntax", "( is expected before the operands");
    now.argument = in.at + 1;
    const bool has_argument = in.is(now.opcode, "parameter") || in.is(now.opcode, "constant");
    if (has_argument ? !in.skip_argument() : !read_hlo_operands()) return false;
    now.argument_end = in.at - 1;
    if (!attributes.note_attributes()) return false;
    now.parts.attributes = state.attributes.size;
    return true;
  }
  constexpr bool read_hlo_operands() {
    in.take('(');
    if (in.take(')')) return true;
    do {
      const char c = in.next();
      if (c == '(' && !in.skip_group()) return false;
      word name = in.read_symbol();
      if (in.next() == '[' && c != '(' && c != '%') {
        // An element type: the shape of the operand is written before its name.
        if (!in.skip_group()) return false;
        if (shapes.layout_follows() && !in.skip_group()) return false;
        name = in.read_symbol();
      }
      const int found = state.name_slots.at[build.slot_of_name(name)];
      if (name.size == 0) return in.fail("syntax", "the name of an operand is expected");
      if (found == 0) return in.fail("name", "no instruction of that name stands above", name.first);
      const value_name& entry = state.names.data[found - 1];
      if (now.operand_count < instruction::most_listed_operands)
        now.first_leaves[now.operand_count] = now.parts.operand_count;
      if (now.operand_count++ == 0) now.first_operand = entry;
      const int count = entry.count < 0 ? -entry.count : entry.count;
      for (int i = 0; i < count; ++i) g.operands.push(leaf(state, entry, i));
      now.parts.operand_count += count;
    } while (in.take(','));
    return in.need(')', ", or ) is expected after an operand");
  }
  constexpr bool read_parameter() {
    in.at = now.argument;
    index_t number = 0;
    in.skip_blank();
    if (!in.read_natural(number)) return false;
    if (number >= state.symbols.size)
      return in.fail("syntax", "the parameters of a computation are numbered 0, 1, 2, ...", now.argument);
    const int value = state.symbols.data[number].position;
    const graph_region& region = g.regions.data[build.top().region];
    for (int i = 0; i < now.type_count; ++i)
      if (value + i >= region.arguments + region.argument_count || g.values.data[value + i].type != emit.type(i))
        return in.fail("syntax", "two parameters have the same number", now.argument);
    return emit.define_values(value, now.nested ? -now.type_count : now.type_count);
  }
  constexpr bool build_get_tuple_element() {
    index_t index = -1;
    if (!attributes.read("index", index)) return false;
    const value_name& tuple = now.first_operand;
    if (now.operand_count != 1 || index < 0)
      return attributes.missing("get-tuple-element has one operand and an index");
    int first = int(index < INT32_MAX ? index : INT32_MAX);
    if (tuple.count < 0 && !leaves_before(tuple, first)) return false;
    const int leaf_count = tuple.count < 0 ? -tuple.count : tuple.count;
    if (first > leaf_count || now.type_count > leaf_count - first)
      return in.fail("get_tuple_element_c1", "0 <= index < size(operand)", now.opcode.first);
    for (int i = 0; i < now.type_count; ++i)
      if (g.values.data[leaf(state, tuple, first + i)].type != emit.type(i)) return emit.wrong_type();
    g.operands.size = now.parts.operands;
    return emit.define_as(tuple, first, now.type_count);
  }
  // In place of the number of an element of a tuple, that of its first leaf: the shape is read where it is defined.
  constexpr bool leaves_before(const value_name& tuple, int& element) {
    in.at = tuple.text.end();
    if (!in.take('=') || !in.take('(')) return true;
    int count = 0;
    bool nested = false;
    const int before = state.signature_types.size;
    for (int i = 0; i < element; ++i) {
      if (in.next() == ')' || !shapes.read_shape(count, nested)) break;
      if (!in.take(',')) break;
    }
    state.signature_types.size = before;
    element = count;
    return !in.error;
  }

  // Of what an asynchronous op gives, only its results.
  constexpr void keep_types(int first, int count) {
    for (int i = 0; i < count; ++i) state.signature_types.data[now.types + i] = emit.type(first + i);
    now.type_count = count;
    now.nested = false;
  }
  // name-start = ((operands), results, ...) opcode-start(operands): the results are those of the op. False: no such
  // form.
  constexpr bool read_started_op() {
    now.opcode.size -= 6;
    now.opcode.key = in.key_of_range(now.opcode.first, now.opcode.size);
    int before = 0, count = 0;
    bool nested = false;
    in.at = now.name.end();
    const int types = state.signature_types.size;
    const bool good = in.take('=') && in.take('(') && shapes.read_shape(before, nested) && in.take(',') &&
                      shapes.read_shape(count, nested = false);
    if (in.error) return false;
    state.signature_types.size = types;
    if (!good) return in.fail("type", "a shape such as ((operands), results) is expected", now.parts.name);
    keep_types(before, count);
    now.nested = nested;
    return true;
  }
  // async-update and async-done are other names for what async-start gives, or bring it operands that it has not taken.
  constexpr bool build_async() {
    const instruction self = now;
    const int operands = g.operands.size, types = state.signature_types.size;
    int taken = 0;
    bool ignored = false;
    do {
      if (now.operand_count == 0) return attributes.missing("async-start is missing");
      in.at = now.first_operand.text.first;
      if (!read_line(ignored)) return false;
      if (build.full()) return true;
      const int count = now.first_operand.count;
      taken += now.parts.operand_count - (in.is(now.opcode, "async-update") ? count < 0 ? -count : count : 0);
    } while (in.is(now.opcode, "async-update"));
    const int calls = in.is(now.opcode, "async-start") ? attributes.find_attribute("calls") : -1;
    const function_signature* const callee = calls < 0 ? nullptr : emit.find_computation(calls);
    now = self;
    g.operands.size = operands, state.signature_types.size = types, state.attributes.size = 0;
    in.at = now.argument_end + 1;
    if (!attributes.note_attributes()) return false;
    if (callee == nullptr || taken >= callee->argument_count) return pass_on(1);
    use_attributes();
    return emit.add_call_of(function_signature(*callee));
  }
  // Another name for the first operand: `count` are listed.
  constexpr bool pass_on(int count) {
    use_attributes();
    if (now.operand_count != count) return attributes.missing("the op has another number of operands");
    return emit.define_operands(count == 1 ? now.parts.operand_count : now.first_leaves[1]);
  }
  constexpr bool ends_in(std::string_view ending) const {
    const int before = now.opcode.size - int(ending.size());
    return before > 0 && in.same_characters(now.opcode.first + before, ending);
  }

  constexpr bool check_attributes_are_used() {
    for (const attribute_entry& each : state.attributes)
      if (!each.used && !ignored_attributes.contains(each.name.key))
        return in.fail("attribute", "the op has no such attribute", each.name.first);
    return true;
  }

 private:
  constexpr void use_attributes() {
    for (int i = 0; i < state.attributes.size; ++i) state.attributes.data[i].used = true;
  }
  attribute_reader& attributes = emit.attributes;
  instruction& now = attributes.now;
};

}  // namespace tenon::text::hlo
