// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/types.hpp>

namespace tenon::text::mlir {

// Reads the names of values and the regions of ops: what is visible where.
class scope_reader : public reader_part {
 public:
  type_reader& types;

  constexpr explicit scope_reader(type_reader& of_types) : reader_part(of_types), types(of_types) {}

  // `%name` or `%name#1`.
  constexpr bool read_operand(int& value) {
    if (in.peek() != '%') return in.fail("syntax", "a value is expected, such as %0");
    ++in.at;
    const word name = in.read_name();
    const int found = state.name_slots.at[build.slot_of_name(name)];
    if (found == 0 || name.size == 0) return in.fail("name", "no value of that name is visible here", name.first - 1);
    const value_name& entry = state.names.data[found - 1];
    value = entry.value;
    if (in.at < in.size && in.data[in.at] == '#') {
      ++in.at;
      index_t which = 0;
      if (!in.read_natural(which)) return false;
      if (which >= entry.count) return in.fail("name", "the op has no such result", name.first - 1);
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
    } while (in.accept(','));
    return true;
  }
  constexpr bool read_operands_in_parentheses(op_parts& parts) {
    if (!in.expect('(', "( is expected before the operands")) return false;
    if (in.accept(')')) return true;
    return read_operands(parts) && in.expect(')', ", or ) is expected after an operand");
  }

  // Opens a region of an op; arguments may still be added.
  constexpr bool open_region(int parent, int source) {
    build.top().region = g.regions.push(begin_region(g, parent, source));
    build.top().labelled = build.top().finished = false;
    return true;
  }
  constexpr bool add_argument(const word& name, int type) {
    if (g.regions.overflow) return true;
    graph_region& region = g.regions.data[build.top().region];
    if (!build.define(name, g.values.size, 1)) return false;
    g.values.push({type, -1, region.argument_count++, build.top().region});
    return true;
  }

  // `%a: T`
  constexpr bool read_block_argument(word& name, int& type) {
    if (!in.expect('%', "the name of an argument is expected")) return false;
    name = in.read_name();
    return in.expect(':', ": and a type are expected after the name of an argument") && types.read_type(type) &&
           in.skip_location();
  }
  // `^bb0(%a: T, %b: T):`
  constexpr bool read_label() {
    frame& f = build.top();
    const graph_region& region = g.regions.data[f.region];
    if (f.labelled || f.finished || g.nodes.size != region.first)
      return in.fail("not_supported", "a region has one block");
    f.labelled = true;
    if (f.has_labelled_arguments()) g.regions.data[f.region].argument_count = 0;
    ++in.at;
    in.read_name();
    if (in.accept('(') && !in.accept(')')) {
      if (!f.has_labelled_arguments()) return in.fail("syntax", "the arguments of this region are given already");
      do {
        word name;
        int type = 0;
        if (!read_block_argument(name, type) || !add_argument(name, type)) return false;
      } while (in.accept(','));
      if (!in.expect(')', ", or ) is expected after an argument")) return false;
    }
    return in.expect(':', ": is expected after a label");
  }

  // Past the brace that closes the region that is open.
  constexpr bool end_region() {
    const frame& f = build.top();
    if (!f.finished) return in.fail("syntax", "the region ends without a return");
    ++in.at;
    g.regions.data[f.region].last = g.nodes.size;
    build.forget_names(f.names);
    return true;
  }
  constexpr bool close_region() {
    if (!end_region()) return false;
    frame& f = build.top();
    state.open_regions.push(f.region);
    if (state.open_regions.overflow) return true;
    f.region = -1;
    ++f.regions_done;
    if (f.kind == frame::what::generic_op) {
      f.opening = in.accept(',');
      if (!f.opening && !in.expect(')', ", or ) is expected after a region")) return false;
    } else if (f.kind == frame::what::while_condition) {
      if (!in.accept("do")) return in.fail("syntax", "do is expected after the condition of while");
      f.opening = true;
      f.kind = frame::what::while_body;
    }
    f.resume = in.at;
    return f.regions_done < most_regions || in.fail("too_large", "an op has at most 64 regions", f.begin);
  }
  constexpr bool take_regions(op_parts& parts) {
    in.at = build.top().resume;
    parts.region_count = build.top().regions_done;
    parts.regions = state.open_regions.size - parts.region_count;
    return true;
  }
  constexpr bool push_op_frame(frame::what kind, const op_parts& parts) {
    if (state.frames.size == most_frames) return in.fail("too_large", "regions are nested deeper than 64", parts.begin);
    frame opened;
    opened.kind = kind;
    opened.begin = parts.begin;
    opened.names = state.names.size;
    state.frames.push(opened);
    return true;
  }
};

}  // namespace tenon::text::mlir
