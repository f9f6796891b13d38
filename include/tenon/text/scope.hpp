// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/attributes.hpp>

namespace tenon::text {

// What has been read of an op.
struct op_parts {
  int begin = 0;  // of the statement
  int name = 0;   // position of the op's name
  int kind = -1;
  bool of_chlo = false;  // by the name that the text has for it
  int inputs = -1;       // of the operands, in the own notation of scan
  int operands = 0, operand_count = 0;
  int results = 0, result_count = 0;
  int attributes = 0;
  int regions = 0, region_count = 0;  // in open_regions
  int words = 0;
  int foreign = 0, foreign_size = 0;  // the attributes of a foreign op
};

// Reads the names of values and the regions of ops: what is visible where.
class scope_reader : public attribute_reader {
 public:
  using attribute_reader::attribute_reader;

 protected:
  static constexpr int most_regions = 64, most_frames = 64;

  constexpr frame& top() { return state.frames.data[state.frames.size - 1]; }

  constexpr int slot_of_name(const word& name) const {
    return state.name_slots.find(name.key, [&](int i) { return same(state.names.data[i].text, name); });
  }
  constexpr bool define(const word& name, int value, int count) {
    if (name.size == 0) return fail("syntax", "the name of a value is expected after %", name.first);
    const int slot = slot_of_name(name);
    if (state.name_slots.at[slot] != 0) return fail("name", "a value of that name is visible already", name.first);
    const int entry = state.names.push({name, value, count, slot});
    if (!state.names.overflow) state.name_slots.at[slot] = entry + 1;
    return true;
  }
  // The last in are the first out, so a slot that is given back breaks no chain of others.
  constexpr void forget_names(int size_before) {
    while (state.names.size > size_before) state.name_slots.at[state.names.data[--state.names.size].slot] = 0;
  }
  // `%name` or `%name#1`.
  constexpr bool read_operand(int& value) {
    if (peek() != '%') return fail("syntax", "a value is expected, such as %0");
    ++at;
    const word name = read_name();
    const int found = state.name_slots.at[slot_of_name(name)];
    if (found == 0 || name.size == 0) return fail("name", "no value of that name is visible here", name.first - 1);
    const value_name& entry = state.names.data[found - 1];
    value = entry.value;
    if (at < size && data[at] == '#') {
      ++at;
      index_t which = 0;
      if (!read_natural(which)) return false;
      if (which >= entry.count) return fail("name", "the op has no such result", name.first - 1);
      value += int(which);
    }
    return true;
  }
  constexpr bool read_operands(op_parts& parts) {
    do {
      int value = 0;
      if (!read_operand(value)) return false;
      g.operands.push(value);
      ++parts.operand_count;
    } while (accept(','));
    return true;
  }
  constexpr bool read_operands_in_parentheses(op_parts& parts) {
    if (!expect('(', "( is expected before the operands")) return false;
    if (accept(')')) return true;
    return read_operands(parts) && expect(')', ", or ) is expected after an operand");
  }

  // Opens a region of an op; arguments may still be added.
  constexpr bool open_region(int parent, int source) {
    graph_region region;
    region.parent = parent;
    region.first = region.last = g.nodes.size;
    region.arguments = g.values.size;
    region.source = source;
    top().region = g.regions.push(region);
    top().labelled = top().finished = false;
    return true;
  }
  constexpr bool add_argument(const word& name, int type) {
    if (g.regions.overflow) return true;
    graph_region& region = g.regions.data[top().region];
    if (!define(name, g.values.size, 1)) return false;
    g.values.push({type, -1, region.argument_count++, top().region});
    return true;
  }

  // `%a: T`
  constexpr bool read_block_argument(word& name, int& type) {
    if (!expect('%', "the name of an argument is expected")) return false;
    name = read_name();
    return expect(':', ": and a type are expected after the name of an argument") && read_type(type) && skip_location();
  }
  // `^bb0(%a: T, %b: T):`
  constexpr bool read_label() {
    frame& f = top();
    const graph_region& region = g.regions.data[f.region];
    if (f.labelled || f.finished || g.nodes.size != region.first)
      return fail("not_supported", "a region has one block");
    f.labelled = true;
    if (f.has_labelled_arguments()) g.regions.data[f.region].argument_count = 0;
    ++at;
    read_name();
    if (accept('(') && !accept(')')) {
      if (!f.has_labelled_arguments()) return fail("syntax", "the arguments of this region are given already");
      do {
        word name;
        int type = 0;
        if (!read_block_argument(name, type) || !add_argument(name, type)) return false;
      } while (accept(','));
      if (!expect(')', ", or ) is expected after an argument")) return false;
    }
    return expect(':', ": is expected after a label");
  }

  // The region that an op which is being read stands in: its own frame, if it has one, has none open.
  constexpr int enclosing_region() const {
    for (int i = state.frames.size; i-- > 0;)
      if (state.frames.data[i].region >= 0) return state.frames.data[i].region;
    return -1;
  }
  // Past the brace that closes the region that is open.
  constexpr bool end_region() {
    const frame& f = top();
    if (!f.finished) return fail("syntax", "the region ends without a return");
    ++at;
    g.regions.data[f.region].last = g.nodes.size;
    forget_names(f.names);
    return true;
  }
  constexpr bool close_region() {
    if (!end_region()) return false;
    frame& f = top();
    state.open_regions.push(f.region);
    if (state.open_regions.overflow) return true;
    f.region = -1;
    ++f.regions_done;
    if (f.kind == frame::what::generic_op) {
      f.opening = accept(',');
      if (!f.opening && !expect(')', ", or ) is expected after a region")) return false;
    } else if (f.kind == frame::what::while_condition) {
      if (!accept("do")) return fail("syntax", "do is expected after the condition of while");
      f.opening = true;
      f.kind = frame::what::while_body;
    }
    f.resume = at;
    return f.regions_done < most_regions || fail("too_large", "an op has at most 64 regions", f.begin);
  }
  constexpr void take_regions(op_parts& parts) {
    at = top().resume;
    parts.region_count = top().regions_done;
    parts.regions = state.open_regions.size - parts.region_count;
  }
  constexpr bool push_op_frame(frame::what kind, const op_parts& parts) {
    if (state.frames.size == most_frames) return fail("too_large", "regions are nested deeper than 64", parts.begin);
    frame opened;
    opened.kind = kind;
    opened.begin = parts.begin;
    opened.names = state.names.size;
    state.frames.push(opened);
    return true;
  }
};

}  // namespace tenon::text
