// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/ops/all.hpp>

#include <utility>
#include <vector>

namespace tenon::ir {

template <class... Entries>
constexpr void copy_tables(table_list<Entries...>, const graph& from, graph& to) {
  (copy_table(from.*Entries::table, to.*Entries::table), ...);
}

// @post `to` holds what `from` does, or overflows
constexpr void copy_graph(const graph& from, graph& to) {
  copy_tables(graph_tables{}, from, to);
  to.text = from.text;
}

// A graph whose tables grow with what is put into them, while compiling as well as at run time.
class growing_graph {
  graph graph_;

  template <class... Entries>
  constexpr void make_room(table_list<Entries...>, const graph_sizes& more) {
    (enlarge(graph_.*Entries::table, more.*Entries::size), ...);
  }
  template <class T>
  static constexpr void enlarge(table<T>& table, int more) {
    if (table.capacity - table.size >= more) return;
    const int capacity = 2 * table.capacity + more;
    T* const data = new T[std::size_t(capacity)]{};
    for (int i = 0; i < table.size; ++i) data[i] = table.data[i];
    delete[] table.data;
    table.data = data, table.capacity = capacity;
  }

 public:
  constexpr growing_graph() = default;
  constexpr explicit growing_graph(const graph_sizes& room) { make_room(room); }
  constexpr explicit growing_graph(const graph& from) : growing_graph(from.sizes()) { copy_graph(from, graph_); }
  constexpr growing_graph(const growing_graph& other) : growing_graph(other.graph_) {}
  constexpr growing_graph(growing_graph&& other) noexcept { std::swap(graph_, other.graph_); }
  constexpr growing_graph& operator=(growing_graph other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  constexpr ~growing_graph() {
    graph_tables::for_each(graph_, [](auto& table) { delete[] table.data; });
  }

  constexpr graph& get() { return graph_; }
  constexpr const graph& get() const { return graph_; }

  // @post every table has room for that number of further elements
  constexpr void make_room(const graph_sizes& more) { make_room(graph_tables{}, more); }
};

// Attributes of a graph in which names and literals stand further behind.
struct moved_references {
  int names = 0, literals = 0;

  template <class T>
  static constexpr bool has_any() {
    if constexpr (std::is_same_v<T, name_id> || std::is_same_v<T, opaque_attribute> || std::is_same_v<T, literal_id> ||
                  std::is_same_v<T, short_list<name_id>>) {
      return true;
    } else if constexpr (requires { T::attributes(std::declval<T&>(), visit_nothing{}); }) {
      bool found = false;
      const T value{};
      for_each_attribute(value,
                         [&]<class Field>(std::string_view, const Field&) { found = found || has_any<Field>(); });
      return found;
    } else {
      return false;
    }
  }
  constexpr void move(name_id& name) const { name.id += name.id >= 0 ? names : 0; }
  constexpr void move(opaque_attribute& name) const { name.id += name.id >= 0 ? names : 0; }
  constexpr void move(literal_id& literal) const { literal.id += literal.id >= 0 ? literals : 0; }
  constexpr void move(short_list<name_id>& all) const {
    for (int i = 0; i < all.size; ++i) move(all.at[i]);
  }
  constexpr void move(auto&) const {}

  template <class Op>
  constexpr bool move_in(const index_t* words, table<index_t>& to) const {
    if constexpr (has_any<Op>()) {
      Op moved = read_attributes<Op>(words);
      for_each_attribute(moved, [&](std::string_view, auto& field) { move(field); });
      write_attributes(to, moved);
      return true;
    }
    return false;
  }
  // False for an op that refers to neither.
  template <class... Ops>
  constexpr bool move_in(op_list<Ops...>, int kind, const index_t* words, table<index_t>& to) const {
    int number = 0;
    return ((number++ == kind && move_in<Ops>(words, to)) || ...);
  }
};

// Copies the body of the first function of `from` to the end of a region, with the arguments in place of the values
// that are its parameters.
// @post `yields` are the values that the function gives
constexpr void append_body(growing_graph& target, int region, const graph& from, list<int> parameters,
                           list<int> arguments, std::vector<int>& yields) {
  target.make_room(from.sizes());
  graph& to = target.get();
  const int body = from.functions[0].region;
  const int nodes = to.nodes.size, name_count = to.names.size;
  std::vector<int> regions(std::size_t(from.regions.size), 0), values(std::size_t(from.values.size), -1);
  for (int r = 0; r < from.regions.size; ++r) regions[std::size_t(r)] = r == body ? region : to.regions.push({});
  for (int i = 0; i < arguments.size; ++i) values[std::size_t(parameters[i])] = arguments[i];
  const auto region_of = [&](int r) { return r < 0 ? -1 : regions[std::size_t(r)]; };
  const auto value_of = [&](int value) { return values[std::size_t(value)]; };
  for (int v = 0; v < from.values.size; ++v) {
    if (value_of(v) >= 0) continue;
    graph_value value = from.values[v];
    value.type = to.intern_type(from.type_of_value(v));
    value.node += value.node >= 0 ? nodes : 0;
    value.region = region_of(value.region);
    values[std::size_t(v)] = to.values.push(value);
  }
  const auto copy_operands = [&](int first, int count) {
    const int start = to.operands.size;
    for (int i = 0; i < count; ++i) to.operands.push(value_of(from.operands[first + i]));
    return start;
  };
  const moved_references moved{name_count, to.literals.size};
  for (const graph_name& name : from.names) to.names.push({name.first + to.characters.size, name.size});
  for (const char c : from.characters) to.characters.push(c);
  for (const graph_literal& literal : from.literals)
    to.literals.push({literal.where, literal.first + to.words.size, literal.size});
  for (const graph_function& function : from.functions)
    if (function.region != body) to.functions.push({name_count + function.name, region_of(function.region), false});
  const int words = to.words.size;
  for (const index_t word : from.words) to.words.push(word);
  for (const graph_node& old : from.nodes) {
    graph_node node = old;
    node.operands = copy_operands(old.operands, old.operand_count);
    node.results = old.result_count > 0 ? value_of(old.results) : 0;
    node.words = words + old.words;
    table<index_t> in_place{to.words.data + node.words, 0, node.word_count};
    moved.move_in(ops::all{}, node.kind, from.words.data + old.words, in_place);
    node.regions = to.region_references.size;
    for (const int r : from.regions_of(old)) to.region_references.push(region_of(r));
    node.region = region_of(old.region);
    to.nodes.push(node);
  }
  for (int r = 0; r < from.regions.size; ++r) {
    if (r == body) continue;
    graph_region copy = from.regions[r];
    copy.parent = region_of(copy.parent);
    copy.first += nodes, copy.last += nodes;
    if (copy.argument_count > 0) copy.arguments = value_of(copy.arguments);
    copy.yields = copy_operands(copy.yields, copy.yield_count);
    to.regions[region_of(r)] = copy;
  }
  for (const int yield : from.yields_of(from.regions[body])) yields.push_back(value_of(yield));
}

}  // namespace tenon::ir
