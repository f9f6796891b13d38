// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/parser.hpp>
#include <tenon/text/known_ops.hpp>
#include <tenon/text/mlir/parser.hpp>

#include <bit>

namespace tenon {

namespace text {

// Memory for the parser and the graph in constant evaluation. One number scales all lists.
template <int Scale>
struct parser_memory {
  static constexpr int slot_unit = int(std::bit_ceil(unsigned(Scale)));
  static constexpr graph_sizes room = {
      .nodes = Scale,
      .values = Scale + Scale / 2,
      .operands = 3 * Scale,
      .words = 3 * Scale,
      .types = Scale / 2,
      .regions = Scale / 4,
      .region_references = Scale / 4,
      .functions = Scale / 8,
      .literals = Scale / 2,
      .names = Scale / 4,
      .characters = 4 * Scale,
      .quantizations = Scale / 8,
      .scales = Scale / 2,
      .member_lists = Scale / 8,
      .member_types = Scale / 4,
  };

  // The memory of a table, and how much of it is in use between two runs.
  template <class T, int Capacity>
  struct kept {
    T at[Capacity]{};
    int used = 0;

    constexpr table<T> open() { return {at, used, Capacity}; }
  };

  graph_storage<room> program;
  kept<value_name, Scale + Scale / 4> names;
  kept<type_text, Scale / 2> type_texts;
  kept<alias, Scale / 4> aliases;
  kept<frame, most_frames> frames;
  kept<int, Scale / 4> open_regions;
  kept<function_signature, Scale / 8> signatures;
  kept<int, Scale / 2> signature_types;
  kept<int, Scale / 4> calls, function_of_name;
  kept<symbol_use, Scale / 4> symbols;
  kept<divided_value, Scale / 8> divided;
  kept<attribute_entry, Scale / 2> attributes;
  kept<tensor_type, Scale / 2> types;
  kept<index_t, Scale> constants;
  int name_slots[4 * slot_unit]{};
  int type_text_slots[slot_unit]{};
  int type_slots[slot_unit]{};
  int string_slots[slot_unit]{};

  int at = 0;
  parse_error error;
  text::outcome outcome = text::outcome::more;

  constexpr parser_tables open() {
    parser_tables t;
    each(t, *this, [](auto& table, auto& memory) { table = memory.open(); });
    t.attributes = attributes.open(), t.types = types.open(), t.constants = constants.open();
    t.name_slots = {name_slots, 4 * slot_unit};
    t.type_text_slots = {type_text_slots, slot_unit};
    t.type_slots = {type_slots, slot_unit};
    t.string_slots = {string_slots, slot_unit};
    return t;
  }

  // Goes on for at most that many steps and bytes.
  template <class Reader = mlir::parser>
  constexpr void run(std::string_view text, const parse_options& options, int steps, int bytes,
                     const op_registry& registry) {
    program.text = text;
    graph g = program.open();
    parser_tables state = open();
    Reader reader(g, state, at, options, registry);
    outcome = reader.run(steps, bytes);
    at = reader.in.at;
    error = reader.in.error;
    program.used = g.sizes();
    each(state, *this, [](auto& table, auto& memory) { memory.used = table.size; });
  }

  // Takes over the tables of an attempt with less memory.
  template <int Other>
  constexpr void take(const parser_memory<Other>& from) {
    const graph g = from.program.view();
    program.take(g);
    each(from, *this, [](auto& other, auto& memory) {
      for (int i = 0; i < other.used; ++i) memory.at[i] = other.at[i];
      memory.used = other.used;
    });
    at = from.at;
    const parser_tables t = open();
    for (int i = 0; i < t.names.size; ++i) names.at[i].slot = enter(t.name_slots, names.at[i].text.key, i);
    for (int i = 0; i < t.type_texts.size; ++i) enter(t.type_text_slots, type_texts.at[i].text.key, i);
    for (int i = 0; i < g.types.size; ++i) enter(t.type_slots, graph_builder::key_of_type(g.types.data[i]), i);
    for (int i = 0; i < g.names.size; ++i) enter(t.string_slots, key_of(g.name_of(i)), i);
  }

 private:
  // Calls f with two of each that is needed between two runs: tables, or what is kept of them.
  static constexpr void each(auto& a, auto& b, auto f) {
    f(a.names, b.names), f(a.type_texts, b.type_texts), f(a.aliases, b.aliases), f(a.frames, b.frames);
    f(a.open_regions, b.open_regions), f(a.signatures, b.signatures), f(a.signature_types, b.signature_types);
    f(a.calls, b.calls), f(a.function_of_name, b.function_of_name), f(a.symbols, b.symbols);
    f(a.divided, b.divided);
  }
  static constexpr int enter(const slots& into, word_key key, int entry) {
    const int slot = into.find(key, [](int) { return false; });
    into.at[slot] = entry + 1;
    return slot;
  }
};

template <class Program>
constexpr parse_options options_of() {
  parse_options options;
  options.open_sizes = lexer(Program::text).find('?', 0) < int(Program::text.size());
  if constexpr (requires { Program::foreign_dialects; }) options.foreign_dialects = Program::foreign_dialects;
  return options;
}

// StableHLO, or HLO.
template <class Program>
using reader_of = std::conditional_t<is_hlo(Program::text), hlo::parser<>, mlir::parser>;

// The ops that may stand in the text of a program. HLO has other names for them.
template <class Program>
inline constexpr const op_registry& ops_of =
    known_ops<(is_hlo(Program::text) ? every_op : ops_named_in(Program::text))>;

// Compilers bound what one constant evaluation may do, so a program is read in chunks that stay well below.
#if defined(__clang__)
inline constexpr int chunk_steps = 256, chunk_bytes = 12288;
#else
inline constexpr int chunk_steps = 512, chunk_bytes = 32768;
#endif

// The scale to begin with: nearly always there is at most one op to a line.
constexpr int first_scale(std::string_view text) {
  const lexer lines(text);
  int count = 0;
  for (int at = 0; at < lines.size && count < 65536; at = lines.find('\n', at) + 1) ++count;
  return 64 + count + count / 8;
}

template <class Program, int Chunk>
struct chunk {
  using previous = chunk<Program, Chunk - 1>;
  static constexpr bool grows = previous::state.outcome == text::outcome::full;
  static constexpr int scale = previous::scale * (grows ? 2 : 1);
  static constexpr parser_memory<scale> state = [] {
    if constexpr (grows) {
      parser_memory<scale> next;
      next.take(previous::state);
      return next;
    } else {
      parser_memory<scale> next = previous::state;
      next.template run<reader_of<Program>>(Program::text, options_of<Program>(), chunk_steps, chunk_bytes,
                                            ops_of<Program>);
      return next;
    }
  }();
};
template <class Program>
struct chunk<Program, 0> {
  static constexpr int scale = first_scale(Program::text);
  static constexpr parser_memory<scale> state = [] {
    parser_memory<scale> next;
    next.template run<reader_of<Program>>(Program::text, options_of<Program>(), chunk_steps, chunk_bytes,
                                          ops_of<Program>);
    return next;
  }();
};

constexpr bool goes_on(outcome last) { return last == outcome::more || last == outcome::full; }
template <class Program, int Chunk = 0>
constexpr const auto& last_chunk() {
  // An evaluation that failed has been reported, and is continued by none.
  if constexpr (requires { typename std::enable_if_t<goes_on(chunk<Program, Chunk>::state.outcome)>; })
    return last_chunk<Program, Chunk + 1>();
  else
    return chunk<Program, Chunk>::state;
}

}  // namespace text

// The graph of a program that is known while compiling: `Program::text` is its StableHLO or HLO text. The graph is
// empty if there is an error.
template <class Program>
struct parsed {
  static constexpr parse_error error = text::last_chunk<Program>().error;
  static constexpr ir::graph_sizes sizes = error ? ir::graph_sizes{} : text::last_chunk<Program>().program.used;
  static constexpr ir::graph_storage<sizes> storage = [] {
    ir::graph_storage<sizes> result;
    if (!error) result.take(text::last_chunk<Program>().program.view());
    return result;
  }();

  static constexpr ir::graph view() { return storage.view(); }
  // Whether the text leaves sizes open, so that only `sized_program` can be run.
  static constexpr bool is_open = has_open_types(storage.view());
};

}  // namespace tenon
