// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/graph.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <string_view>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

constexpr graph_sizes room = {.nodes = 4,
                              .values = 8,
                              .operands = 8,
                              .words = 8,
                              .types = 3,
                              .regions = 4,
                              .functions = 4,
                              .names = 3,
                              .characters = 12};

constexpr bool keeps_names_once() {
  graph_storage<room> memory;
  graph g = memory.open();
  const int one = g.intern_name("one"), three = g.intern_name("three");
  if (one == three || g.intern_name("one") != one || g.intern_name("three") != three || g.names.size != 2) return false;
  if (g.find_name("thr") != -1 || g.find_name("three") != three || g.find_name("") != -1) return false;
  return g.name_of(one) == "one" && g.name_of(three) == "three" && g.name_of(-1).empty() && g.name_of(2).empty();
}
static_assert(keeps_names_once());

constexpr bool keeps_types_once() {
  graph_storage<room> memory;
  graph g = memory.open();
  tensor_type bounded = type_of(dtype::f32, {2, 3});
  bounded.bounded = 1;
  const int plain = g.intern_type(type_of(dtype::f32, {2, 3})), open = g.intern_type(bounded);
  return plain != open && g.intern_type(type_of(dtype::f32, {2, 3})) == plain && g.intern_type(bounded) == open &&
         g.types.size == 2 && g.intern_type(type_of(dtype::f32, {3, 2})) == 2;
}
static_assert(keeps_types_once());

// What finds no room is dropped, and said.
constexpr bool notes_overflow() {
  graph_storage<room> memory;
  graph g = memory.open();
  for (index_t i = 0; i < 3; ++i) g.intern_type(type_of(dtype::f32, {i}));
  if (g.overflow()) return false;
  g.intern_type(type_of(dtype::f32, {3}));
  return g.overflow() && g.types.size == 3;
}
static_assert(notes_overflow());

// Parts of tables that belong to nodes and regions.
constexpr bool finds_parts() {
  graph_storage<room> memory;
  graph g = memory.open();
  for (int i = 0; i < 6; ++i) g.operands.push(10 + i);
  graph_node node;
  node.operands = 1, node.operand_count = 2;
  graph_region region;
  region.yields = 3, region.yield_count = 3;
  const list<int> operands = g.operands_of(node), yields = g.yields_of(region);
  return operands.size == 2 && operands[0] == 11 && operands[1] == 12 && yields.size == 3 && yields[2] == 15;
}
static_assert(finds_parts());

struct declared {
  std::string_view name;
  bool has_body, is_public;
};
constexpr std::string_view entry_among(std::initializer_list<declared> functions) {
  graph_storage<room> memory;
  graph g = memory.open();
  for (const declared& each : functions)
    g.functions.push({g.intern_name(each.name), each.has_body ? 0 : -1, each.is_public});
  const std::optional<graph_function> entry = entry_of(g);
  for (const declared& each : functions)
    if (entry && g.name_of(entry->name) == each.name) return each.name;
  return {};
}
static_assert(entry_among({{"a", true, true}, {"main", true, false}}) == "main");
static_assert(entry_among({{"a", true, false}}) == "a");
static_assert(entry_among({{"a", true, false}, {"b", true, true}}) == "b");
static_assert(entry_among({{"a", true, true}, {"b", true, true}}).empty());
static_assert(entry_among({{"a", true, true}, {"main", false, true}}) == "a");
static_assert(entry_among({{"main", false, true}}).empty() && entry_among({}).empty());

// A copy in memory of its size reads as what it was made of, and lasts as long as that memory.
constexpr bool reads_alike() {
  graph_storage<room> memory;
  graph g = memory.open();
  g.functions.push({g.intern_name("f"), 0, true});
  g.values.push({g.intern_type(type_of(dtype::i8, {5})), -1, 0, 0});
  g.words.push(42);
  g.text = "text";
  memory.close(g);
  constexpr graph_sizes sizes = {.values = 1, .words = 1, .types = 1, .functions = 1, .names = 1, .characters = 1};
  if (!(memory.used == sizes && g.sizes() == sizes)) return false;
  const graph_storage<sizes> cut = cut_graph<sizes>(memory.view());
  memory = graph_storage<room>();
  const graph copy = cut.view();
  return copy.sizes() == sizes && copy.type_of_value(0) == type_of(dtype::i8, {5}) && copy.words[0] == 42 &&
         copy.find_function("f")->name == copy.functions.data[0].name && !copy.find_function("g") &&
         copy.text == "text" && !copy.overflow();
}
static_assert(reads_alike());

}  // namespace

TEST_CASE("graphs hold at run time what they hold while compiling") {
  CHECK(keeps_names_once());
  CHECK(keeps_types_once());
  CHECK(notes_overflow());
  CHECK(finds_parts());
  CHECK(reads_alike());
}
