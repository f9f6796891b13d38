// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/graph/growing.hpp>
#include <tenon/text/hlo/parser.hpp>
#include <tenon/text/known_ops.hpp>
#include <tenon/text/mlir/parser.hpp>

#include <algorithm>
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
    each([](auto& table, block& memory) { enlarge(table, memory); });
    make_slots();
  }
  growing_memory(const growing_memory&) = delete;
  growing_memory& operator=(const growing_memory&) = delete;

  // More room for every table that has become full.
  void grow() {
    each([](auto& table, block& memory) {
      if (table.overflow) enlarge(table, memory);
    });
    make_slots();
  }

 private:
  struct block {
    void* data = nullptr;
    void (*release)(void*) = nullptr;

    block() = default;
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    ~block() {
      if (data != nullptr) release(data);
    }
  };
  block memory_[graph_tables::count + parser_tables::count];
  std::vector<int> name_slots_, type_text_slots_, type_slots_, string_slots_;

  // Calls f(table, memory) for all tables.
  template <class Function>
  void each(Function f) {
    block* memory = memory_;
    graph_tables::for_each(g, [&](auto& table) { f(table, *memory++); });
    state.for_each([&](auto& table) { f(table, *memory++); });
  }
  template <class T>
  static void enlarge(table<T>& table, block& memory) {
    const int capacity = table.capacity == 0 ? 64 : 2 * table.capacity;
    T* const data = new T[std::size_t(capacity)]();
    std::copy_n(table.data, table.size, data);
    if (memory.data != nullptr) memory.release(memory.data);
    memory.data = data;
    memory.release = [](void* old) { delete[] static_cast<T*>(old); };
    table = {data, table.size, capacity};
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
  explicit graph_owner(const ir::graph& from) : graph_owner(from.text) {
    for (ir::copy_graph(from, memory_->g); memory_->g.overflow(); ir::copy_graph(from, memory_->g)) memory_->grow();
  }
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
  const ir::graph& program() const { return memory_->g; }
  ir::graph& program() { return memory_->g; }

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
