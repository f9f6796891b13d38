// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/list.hpp>
#include <tenon/core/rules.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/graph/ir/tables.hpp>

#include <optional>
#include <string_view>

namespace tenon::ir {

// The flat program that every front end writes and every pass reads. All references are indices into tables, so a graph
// can be copied, stored as a constant, and built by the same code while compiling and at run time.

// A result of a node, or an argument of a region.
struct graph_value {
  int type = 0;     // into types
  int node = -1;    // the node that produces it; -1 for an argument of a region
  int index = 0;    // which result of the node, or which argument of the region
  int region = -1;  // where it is visible: the region of its node, or the region it is an argument of
};

struct graph_node {
  int kind = -1;     // which op: the position in ops::all
  int operands = 0;  // first of operand_count in the table of operands
  int operand_count = 0;
  int results = 0;  // first of result_count values, which are neighbours
  int result_count = 0;
  int words = 0;  // first word of the attributes
  int word_count = 0;
  int regions = 0;  // first of region_count in the table of region references
  int region_count = 0;
  int region = -1;  // the region it stands in
  int source = -1;  // byte position in the text it came from
};

// A list of nodes that ends by handing over values. The nodes of a region stand in the order in which they run; those
// of a nested region stand before the node that owns it, so a region is a range with gaps: skip what has another
// `region`.
struct graph_region {
  int parent = -1;                        // the region that this one stands in; -1 for the body of a function
  int first = 0, last = 0;                // range of nodes
  int arguments = 0, argument_count = 0;  // neighbours in the table of values
  int yields = 0, yield_count = 0;        // range in the table of operands: what the region hands over
  int source = -1;
};

struct graph_function {
  int name = -1;    // into names
  int region = -1;  // -1: declared without a body
  bool is_public = true;
  int takes = -1, gives = -1;  // without a body: tuple types of its arguments and its results
};

// The value of a constant. Literals in a text are left there until somebody needs their elements; those of HLO text are
// written in another way, and so are those of resources. Bytes, the lowest first, are those of programs planned ahead.
struct graph_literal {
  enum class place : int { text, words, hlo_text, resource, bytes } where = place::words;
  int first = 0;  // byte position in the text, or first word
  int size = 0;   // bytes of text (0 of bytes), or words; a single word stands for all elements (complex: two)
};

struct graph_name {
  int first = 0, size = 0;  // in the table of characters
};

struct graph_quantization {
  dtype storage = dtype::none, expressed = dtype::none;
  index_t storage_min = 0, storage_max = 0;
  int dimension = -1;
  int first = 0, count = 0;  // in scales and zero_points
};

struct graph_members {
  int first = 0, count = 0;  // in member_types
};

// How much a graph holds, or may hold, of everything.
struct graph_sizes {
  int nodes = 0, values = 0, operands = 0, words = 0, types = 0, regions = 0, region_references = 0, functions = 0,
      literals = 0, names = 0, characters = 0, quantizations = 0, scales = 0, member_lists = 0, member_types = 0;

  friend constexpr bool operator==(const graph_sizes&, const graph_sizes&) = default;
};

// A graph's tables, wherever their memory is.
struct graph final : type_details {
  table<graph_node> nodes;
  table<graph_value> values;
  table<int> operands;
  table<index_t> words;
  table<tensor_type> types;
  table<graph_region> regions;
  table<int> region_references;
  table<graph_function> functions;
  table<graph_literal> literals;
  table<graph_name> names;
  table<char> characters;
  table<graph_quantization> quantizations;
  table<double> scales;
  table<index_t> zero_points;
  table<graph_members> member_lists;
  table<tensor_type> member_types;
  std::string_view text;  // what the literals that are left in the text refer to

  constexpr const tensor_type& type_of_value(int value) const {
    return types.data[values.data[value < values.size ? value : 0].type];  // a table that is full has no such value
  }
  constexpr list<int> operands_of(const graph_node& node) const {
    return operands.part(node.operands, node.operand_count);
  }
  constexpr list<index_t> words_of(const graph_node& node) const { return words.part(node.words, node.word_count); }
  constexpr list<int> regions_of(const graph_node& node) const {
    return region_references.part(node.regions, node.region_count);
  }
  constexpr list<int> yields_of(const graph_region& region) const {
    return operands.part(region.yields, region.yield_count);
  }
  constexpr std::string_view name_of(int name) const override {
    if (name < 0 || name >= names.size) return {};
    return {characters.data + names.data[name].first, std::size_t(names.data[name].size)};
  }
  constexpr int find_name(std::string_view text_of_name) const {
    for (int i = 0; i < names.size; ++i)
      if (detail::same_text(name_of(i), text_of_name)) return i;
    return -1;
  }
  constexpr int intern_name(std::string_view text_of_name) {
    if (const int found = find_name(text_of_name); found >= 0) return found;
    const graph_name name{characters.size, int(text_of_name.size())};
    for (char c : text_of_name) characters.push(c);
    return names.push(name);
  }
  constexpr int intern_type(const tensor_type& type) {
    for (int i = types.size; i-- > 0;)
      if (types.data[i] == type) return i;
    return types.push(type);
  }
  constexpr std::optional<graph_function> find_function(name_id name) const {
    for (const graph_function& function : functions)
      if (function.name == name.id) return function;
    return {};
  }
  constexpr std::optional<graph_function> find_function(std::string_view name) const {
    return find_function(name_id{find_name(name)});
  }

  constexpr quantization quantization_of(const tensor_type& type) const override {
    if (type.quantization <= 0 || type.quantization > quantizations.size) return {};
    const graph_quantization& q = quantizations.data[type.quantization - 1];
    return {q.storage,
            q.expressed,
            q.storage_min,
            q.storage_max,
            q.dimension,
            scales.part(q.first, q.count),
            zero_points.part(q.first, q.count)};
  }
  constexpr list<tensor_type> members_of(const tensor_type& type) const override {
    if (type.members <= 0 || type.members > member_lists.size) return {};
    const graph_members& m = member_lists.data[type.members - 1];
    return member_types.part(m.first, m.count);
  }

  constexpr bool overflow() const;
  constexpr graph_sizes sizes() const;
};

using graph_tables = table_list<
    table_entry<&graph::nodes, &graph_sizes::nodes>, table_entry<&graph::values, &graph_sizes::values>,
    table_entry<&graph::operands, &graph_sizes::operands>, table_entry<&graph::words, &graph_sizes::words>,
    table_entry<&graph::types, &graph_sizes::types>, table_entry<&graph::regions, &graph_sizes::regions>,
    table_entry<&graph::region_references, &graph_sizes::region_references>,
    table_entry<&graph::functions, &graph_sizes::functions>, table_entry<&graph::literals, &graph_sizes::literals>,
    table_entry<&graph::names, &graph_sizes::names>, table_entry<&graph::characters, &graph_sizes::characters>,
    table_entry<&graph::quantizations, &graph_sizes::quantizations>, table_entry<&graph::scales, &graph_sizes::scales>,
    table_entry<&graph::zero_points, &graph_sizes::scales>,
    table_entry<&graph::member_lists, &graph_sizes::member_lists>,
    table_entry<&graph::member_types, &graph_sizes::member_types>>;

constexpr graph_sizes operator+(const graph_sizes& a, const graph_sizes& b) { return graph_tables::sum(a, b); }
constexpr bool has_room(const graph& g, const graph_sizes& more) { return graph_tables::has_room(g, more); }
constexpr bool graph::overflow() const { return graph_tables::overflow(*this); }
constexpr graph_sizes graph::sizes() const { return graph_tables::sizes<graph_sizes>(*this); }

template <class T>
constexpr void copy_table(const table<T>& from, table<T>& to) {
  to.size = 0, to.overflow = false;
  for (const T& each : from) to.push(each);
}
// Copies what types and attributes refer to by number: names, quantizations, members of tuples.
constexpr void copy_references(const graph& from, graph& to) {
  copy_table(from.names, to.names), copy_table(from.characters, to.characters);
  copy_table(from.quantizations, to.quantizations);
  copy_table(from.scales, to.scales), copy_table(from.zero_points, to.zero_points);
  copy_table(from.member_lists, to.member_lists), copy_table(from.member_types, to.member_types);
  to.text = from.text;
}

// Copies the values of all constants, so that each has one number in both graphs.
constexpr void copy_literals(const graph& from, graph& to) {
  for (graph_literal literal : from.literals) {
    const int first = literal.first;
    const bool is_written = literal.where == graph_literal::place::words;
    if (is_written) literal.first = to.words.size;
    for (int i = 0; is_written && i < literal.size; ++i) to.words.push(from.words.data[first + i]);
    to.literals.push(literal);
  }
}

// Memory for a graph of at most these sizes, as a constant or on the way to one.
template <graph_sizes Sizes>
struct graph_storage {
  graph_sizes used;
  std::string_view text;

  // A graph over this memory, which must outlive it.
  constexpr graph open() {
    graph g;
    tables_.open(g, used);
    g.text = text;
    return g;
  }
  // The same for reading.
  constexpr graph view() const { return const_cast<graph_storage*>(this)->open(); }

  // Takes note of what a graph that was opened over this memory holds by now.
  constexpr void close(const graph& g) {
    used = g.sizes();
    text = g.text;
  }
  // @post view() reads as g did, if g fits
  constexpr void take(const graph& g) {
    tables_.take(g);
    close(g);
  }

 private:
  stored_tables<graph_tables, Sizes> tables_;
};

// How many bounded dimensions a value has: the size of each follows it among arguments and results.
constexpr int bounded_dimensions(const tensor_type& type) {
  int count = 0;
  for (int d = 0; d < type.rank(); ++d) count += type.is_bounded(d) ? 1 : 0;
  return count;
}

// The function that a program begins with: of those that have a body the one called main, or else the only one, or the
// only public one, if there is one.
constexpr std::optional<graph_function> entry_of(const graph& g) {
  std::optional<graph_function> only, only_public;
  int count = 0, public_count = 0;
  for (const graph_function& each : g.functions) {
    if (each.region < 0) continue;
    if (detail::same_text(g.name_of(each.name), "main")) return each;
    only = each, ++count;
    if (each.is_public) only_public = each, ++public_count;
  }
  if (count == 1) return only;
  return public_count == 1 ? only_public : std::nullopt;
}

// A copy in memory of exactly these sizes.
template <graph_sizes Sizes>
constexpr graph_storage<Sizes> cut_graph(const graph& g) {
  graph_storage<Sizes> storage;
  storage.take(g);
  return storage;
}

// A region within `parent` (-1: the body of a function) that begins at the end of the graph, its arguments before all
// else.
constexpr graph_region begin_region(const graph& g, int parent, int source, int argument_count = 0) {
  graph_region region;
  region.parent = parent;
  region.first = region.last = g.nodes.size;
  region.arguments = g.values.size;
  region.argument_count = argument_count;
  region.source = source;
  return region;
}

}  // namespace tenon::ir
