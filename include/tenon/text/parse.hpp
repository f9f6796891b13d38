// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/parser.hpp>
#include <tenon/text/known_ops.hpp>
#include <tenon/text/mlir/parser.hpp>

#include <vector>

namespace tenon {

namespace text {

// Memory for a graph and for the parser, which grows.
class growing_memory {
 public:
  graph g;
  parser_tables state;

  explicit growing_memory(std::string_view text) {
    g.text = text;
    state.frames.capacity = 0;
    grow_all();
  }
  growing_memory(const growing_memory&) = delete;
  growing_memory& operator=(const growing_memory&) = delete;

  // More room for every table that has become full.
  void grow() {
    each([&](auto& table, auto& memory) {
      if (table.overflow) enlarge(table, memory);
    });
    make_slots();
  }

 private:
  std::vector<graph_node> nodes_;
  std::vector<graph_value> values_;
  std::vector<int> operands_;
  std::vector<index_t> words_;
  std::vector<tensor_type> types_;
  std::vector<graph_region> regions_;
  std::vector<int> region_references_;
  std::vector<graph_function> functions_;
  std::vector<graph_literal> literals_;
  std::vector<graph_name> names_;
  std::vector<char> characters_;
  std::vector<graph_quantization> quantizations_;
  std::vector<double> scales_;
  std::vector<index_t> zero_points_;
  std::vector<graph_members> member_lists_;
  std::vector<tensor_type> member_types_;

  std::vector<value_name> value_names_;
  std::vector<type_text> type_texts_;
  std::vector<alias> aliases_;
  std::vector<frame> frames_;
  std::vector<int> open_regions_;
  std::vector<function_signature> signatures_;
  std::vector<int> signature_types_, calls_, function_of_name_;
  std::vector<symbol_use> symbols_;
  std::vector<attribute_entry> attributes_;
  std::vector<tensor_type> type_list_;
  std::vector<index_t> constants_;
  std::vector<int> name_slots_, type_text_slots_, type_slots_, string_slots_;

  template <class Function>
  void each(Function f) {
    f(g.nodes, nodes_), f(g.values, values_), f(g.operands, operands_), f(g.words, words_), f(g.types, types_);
    f(g.regions, regions_), f(g.region_references, region_references_), f(g.functions, functions_);
    f(g.literals, literals_), f(g.names, names_), f(g.characters, characters_);
    f(g.quantizations, quantizations_), f(g.scales, scales_), f(g.zero_points, zero_points_);
    f(g.member_lists, member_lists_), f(g.member_types, member_types_);
    f(state.names, value_names_), f(state.type_texts, type_texts_), f(state.aliases, aliases_);
    f(state.frames, frames_), f(state.open_regions, open_regions_), f(state.signatures, signatures_);
    f(state.signature_types, signature_types_), f(state.calls, calls_);
    f(state.function_of_name, function_of_name_), f(state.symbols, symbols_), f(state.attributes, attributes_),
        f(state.types, type_list_);
    f(state.constants, constants_);
  }
  template <class T>
  static void enlarge(table<T>& table, std::vector<T>& memory) {
    memory.resize(table.capacity == 0 ? 64 : std::size_t(table.capacity) * 2);
    table.data = memory.data();
    table.capacity = int(memory.size());
    table.overflow = false;
  }
  void grow_all() {
    each([](auto& table, auto& memory) { enlarge(table, memory); });
    make_slots();
  }
  void make_slots() {
    fit(
        state.name_slots, name_slots_, state.names.capacity, [&](int i) { return state.names.data[i].text.key; },
        state.names.size);
    for (int slot = 0; slot < state.name_slots.count; ++slot)
      if (const int entry = state.name_slots.at[slot]; entry != 0) state.names.data[entry - 1].slot = slot;
    fit(
        state.type_text_slots, type_text_slots_, state.type_texts.capacity,
        [&](int i) { return state.type_texts.data[i].text.key; }, state.type_texts.size);
    fit(
        state.type_slots, type_slots_, g.types.capacity,
        [&](int i) { return graph_builder::key_of_type(g.types.data[i]); }, g.types.size);
    fit(state.string_slots, string_slots_, g.names.capacity, [&](int i) { return key_of(g.name_of(i)); }, g.names.size);
  }
  template <class Key>
  static void fit(slots& of, std::vector<int>& memory, int capacity, Key key, int size) {
    std::size_t count = 128;
    while (count < 2 * std::size_t(capacity)) count *= 2;
    if (int(count) == of.count) return;
    memory.assign(count, 0);
    of = {memory.data(), int(count)};
    for (int i = 0; i < size; ++i) of.at[of.find(key(i), [](int) { return false; })] = i + 1;
  }
};

}  // namespace text

// A program and the memory that it lives in.
class graph_owner {
 public:
  explicit graph_owner(std::string_view text) : memory_(new text::growing_memory(text)) {}
  graph_owner(graph_owner&& other) noexcept : memory_(other.memory_), error_(other.error_) { other.memory_ = nullptr; }
  graph_owner& operator=(graph_owner&& other) noexcept {
    text::growing_memory* const mine = memory_;
    memory_ = other.memory_;
    other.memory_ = mine;
    error_ = other.error_;
    return *this;
  }
  ~graph_owner() { delete memory_; }

  // Not set if the text is a program; otherwise the graph holds what came before the error.
  const parse_error& error() const { return error_; }
  explicit operator bool() const { return !error_; }
  const graph& program() const { return memory_->g; }
  graph& program() { return memory_->g; }

 private:
  friend graph_owner parse(std::string_view, const parse_options&);
  text::growing_memory* memory_;
  parse_error error_;
};

// Reads a program, StableHLO or HLO, at run time. The text must outlive the result, which refers to it.
inline graph_owner parse(std::string_view text, const parse_options& options = {}) {
  graph_owner result(text);
  text::growing_memory& memory = *result.memory_;
  if (text.size() > 0x7FFFFFF0) {
    result.error_ = {"too_large", "the text is larger than 2 GB", 1, 1, 0};
    return result;
  }
  const auto read = [&]<class Reader>(std::type_identity<Reader>) {
    for (int at = 0;;) {
      Reader reader(memory.g, memory.state, at, options, text::known_ops<text::every_op>);
      const text::outcome outcome = reader.run(1 << 30, 0x7FFFFFFF);
      result.error_ = reader.in.error;
      if (outcome != text::outcome::full) return;
      at = reader.in.at;
      memory.grow();
    }
  };
  if (text::is_hlo(text))
    read(std::type_identity<text::hlo::parser<>>{});
  else
    read(std::type_identity<text::mlir::parser>{});
  return result;
}

}  // namespace tenon
