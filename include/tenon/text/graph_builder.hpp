// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/text/lexer.hpp>
#include <tenon/text/tables.hpp>

namespace tenon::text {

// Builds the graph that a text stands for, whatever its language: each type and each name once, the names of values,
// nodes and the frames of what is open. What cannot be built is an error at the place of the lexer.
class graph_builder {
 public:
  lexer& in;
  graph& g;
  parser_tables& state;
  bool finished = false;  // the text has been read to its end

  constexpr graph_builder(lexer& text, graph& program, parser_tables& memory) : in(text), g(program), state(memory) {}

  constexpr bool full() const { return g.overflow() || state.overflow(); }

  // The number of a type; 0 where there is no room for it.
  constexpr int intern(const tensor_type& value) {
    if (types_overflow()) return 0;
    const int slot = state.type_slots.find(key_of_type(value), [&](int i) { return g.types.data[i] == value; });
    if (const int found = state.type_slots.at[slot]; found != 0) return found - 1;
    const int type = g.types.push(value);
    if (!g.types.overflow) state.type_slots.at[slot] = type + 1;
    return type;
  }

  constexpr bool intern_quantization(const graph_quantization& q, tensor_type& type, int start) {
    const auto forget = [&] { return g.scales.size = g.zero_points.size = q.first, true; };
    if (types_overflow()) return forget();
    for (int i = 0; i < g.quantizations.size; ++i)
      if (same_quantization(g.quantizations.data[i], q)) return type.quantization = std::int16_t(i + 1), forget();
    if (g.quantizations.size == most_small_tables) return in.fail("too_large", "too many quantized types", start);
    if (g.quantizations.size == g.quantizations.capacity) g.quantizations.overflow = true;
    if (g.quantizations.overflow) return forget();
    type.quantization = std::int16_t(g.quantizations.push(q) + 1);
    return true;
  }
  constexpr bool intern_members(list<tensor_type> members, tensor_type& type) {
    for (int i = 0; i < g.member_lists.size; ++i) {
      const graph_members& known = g.member_lists.data[i];
      bool equal = known.count == members.size;
      for (int m = 0; equal && m < members.size; ++m) equal = g.member_types.data[known.first + m] == members.data[m];
      if (equal) {
        type.members = std::int16_t(i + 1);
        return true;
      }
    }
    if (g.member_lists.size == most_small_tables) return in.fail("too_large", "too many tuple types");
    if (g.member_lists.size == g.member_lists.capacity) g.member_lists.overflow = true;
    if (g.member_types.capacity - g.member_types.size < members.size) g.member_types.overflow = true;
    if (types_overflow()) return true;
    const graph_members added{g.member_types.size, members.size};
    for (const tensor_type& member : members) g.member_types.push(member);
    type.members = std::int16_t(g.member_lists.push(added) + 1);
    return true;
  }

  // The number of a name or text, without the quotes. Escapes are resolved unless it is kept as it is written.
  constexpr int intern_text(int first, int count, bool as_written = false) {
    bool escapes = false;
    word_key key = 0;
    for (int i = first; i < first + count; ++i) {
      key = extend(key, in.data[i]);
      escapes = escapes || (in.data[i] == '\\' && !as_written);
    }
    if (escapes) return intern_escaped(first, count);
    const int slot = slot_of_string(key, in.data + first, count);
    if (const int found = state.string_slots.at[slot]; found != 0) return found - 1;
    if (no_room_for_name(count)) return 0;
    const int before = g.characters.size;
    for (int i = first; i < first + count; ++i) g.characters.push(in.data[i]);
    return add_name(before, slot);
  }

  static constexpr word_key key_of_type(const tensor_type& type) {
    word_key key = word_key(type.element) + (word_key(type.quantization) << 8) + (word_key(type.members) << 24) +
                   (word_key(type.bounded) << 40);
    for (int i = 0; i < type.shape.size; ++i) key = key * 0x100000001B3u + word_key(type.shape.at[i]) + 1;
    return key;
  }

  constexpr bool types_overflow() const {
    return g.types.overflow || g.quantizations.overflow || g.scales.overflow || g.member_lists.overflow ||
           g.member_types.overflow;
  }
  constexpr bool names_overflow() const {
    return g.names.overflow || g.characters.overflow || state.function_of_name.overflow;
  }

  // A name that need not stand in the text.
  constexpr int intern_word(std::string_view text) {
    if (const int found = g.find_name(text); found >= 0) return found;
    if (no_room_for_name(int(text.size()))) return 0;
    const int first = g.characters.size;
    for (const char c : text) g.characters.push(c);
    state.function_of_name.push(parser_tables::not_defined);
    return g.names.push({first, int(text.size())});
  }

  constexpr frame& top() { return state.frames.data[state.frames.size - 1]; }
  // The region that an op which is being read stands in: its own frame, if it has one, has none open.
  constexpr int enclosing_region() const {
    for (int i = state.frames.size; i-- > 0;)
      if (state.frames.data[i].region >= 0) return state.frames.data[i].region;
    return -1;
  }

  constexpr int slot_of_name(const word& name) const {
    return state.name_slots.find(name.key, [&](int i) { return in.same(state.names.data[i].text, name); });
  }
  constexpr bool define(const word& name, int value, int count) {
    if (name.size == 0) return in.fail("syntax", "the name of a value is expected after %", name.first);
    const int slot = slot_of_name(name);
    if (state.name_slots.at[slot] != 0) return in.fail("name", "a value of that name is visible already", name.first);
    const int entry = state.names.push({name, value, count, slot});
    if (!state.names.overflow) state.name_slots.at[slot] = entry + 1;
    return true;
  }
  // The last in are the first out, so a slot that is given back breaks no chain of others.
  constexpr void forget_names(int size_before) {
    while (state.names.size > size_before) state.name_slots.at[state.names.data[--state.names.size].slot] = 0;
  }

  constexpr void add_result(op_parts& parts, int type) { g.values.push({type, -1, parts.result_count++, -1}); }
  // The only result, behind the values that have been added since.
  constexpr void renew_result(op_parts& parts, int type) {
    parts.results = g.values.size, parts.result_count = 0;
    add_result(parts, type);
  }

  // A call with operands from `operands` on that are on the table. Its rules are asked where the function is known.
  // @post its results are from the number that comes back
  constexpr int add_call(int callee, int operands, int count, list<int> types, int region, const op_parts& of) {
    op_parts call;
    call.begin = of.begin, call.name = of.name;
    call.kind = kind_of_op<ops::call>;
    call.operands = operands, call.operand_count = count;
    call.results = g.values.size;
    call.regions = state.open_regions.size;
    for (const int type : types) add_result(call, type);
    call.words = g.words.size;
    g.words.push(callee);
    if (!full()) append_node(call, region);
    return call.results;
  }
  constexpr void append_node(const op_parts& parts, int region) {
    graph_node node;
    node.kind = parts.kind;
    node.operands = parts.operands;
    node.operand_count = parts.operand_count;
    node.results = parts.results;
    node.result_count = parts.result_count;
    node.words = parts.words;
    node.word_count = g.words.size - parts.words;
    node.regions = g.region_references.size;
    node.region_count = parts.region_count;
    for (int i = 0; i < parts.region_count; ++i) g.region_references.push(state.open_regions.data[parts.regions + i]);
    node.region = region;
    node.source = parts.begin;
    for (int i = 0; i < parts.result_count; ++i) {
      graph_value& value = g.values.data[parts.results + i];
      value.node = g.nodes.size;
      value.region = region;
    }
    g.nodes.push(node);
  }

 private:
  static constexpr int most_small_tables = 1024;

  constexpr bool same_quantization(const graph_quantization& a, const graph_quantization& b) const {
    if (a.storage != b.storage || a.expressed != b.expressed || a.storage_min != b.storage_min ||
        a.storage_max != b.storage_max || a.dimension != b.dimension || a.count != b.count)
      return false;
    for (int i = 0; i < a.count; ++i)
      if (g.scales.data[a.first + i] != g.scales.data[b.first + i] ||
          g.zero_points.data[a.first + i] != g.zero_points.data[b.first + i])
        return false;
    return true;
  }
  // Names are compared with escapes resolved, since one name has several spellings.
  constexpr int intern_escaped(int first, int count) {
    if (no_room_for_name(count)) return 0;
    const int before = g.characters.size;
    word_key key = 0;
    for (int i = first; i < first + count; ++i) {
      const char c = in.data[i] == '\\' ? unescape(i, first + count) : in.data[i];
      key = extend(key, c);
      g.characters.push(c);
    }
    const int slot = slot_of_string(key, g.characters.data + before, g.characters.size - before);
    if (const int found = state.string_slots.at[slot]; found != 0) {
      g.characters.size = before;
      return found - 1;
    }
    return add_name(before, slot);
  }
  constexpr int slot_of_string(word_key key, const char* characters, int count) const {
    return state.string_slots.find(key, [&](int i) {
      const graph_name& name = g.names.data[i];
      if (name.size != count) return false;
      for (int c = 0; c < count; ++c)
        if (g.characters.data[name.first + c] != characters[c]) return false;
      return true;
    });
  }
  constexpr bool no_room_for_name(int count) {
    if (g.characters.capacity - g.characters.size < count) g.characters.overflow = true;
    if (g.names.size == g.names.capacity) g.names.overflow = true;
    if (state.function_of_name.size == state.function_of_name.capacity) state.function_of_name.overflow = true;
    return names_overflow();
  }
  // Its characters stand from `first` on.
  constexpr int add_name(int first, int slot) {
    const int id = g.names.push({first, g.characters.size - first});
    state.function_of_name.push(-1);
    state.string_slots.at[slot] = id + 1;
    return id;
  }

  constexpr char unescape(int& i, int end) const {
    constexpr auto value = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    if (++i >= end) return '\\';
    const char c = in.data[i];
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (text::detail::is(c, text::detail::hex) && i + 1 < end && text::detail::is(in.data[i + 1], text::detail::hex)) {
      ++i;
      return char(value(c) * 16 + value(in.data[i]));
    }
    return c;
  }
};

// The state that all parts of a reader share.
struct reader_part {
  lexer& in;
  graph_builder& build;
  graph& g;
  parser_tables& state;

  constexpr explicit reader_part(graph_builder& builder)
      : in(builder.in), build(builder), g(builder.g), state(builder.state) {}
};

}  // namespace tenon::text
