// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/build.hpp>

#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/reduction/reduce.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

constexpr graph_sizes room = {
    .nodes = 8, .values = 16, .operands = 16, .words = 32, .types = 8, .regions = 4, .region_references = 4};
constexpr tensor_type line = type_of(dtype::f32, {3}), number = type_of(dtype::f32);

// A body with two lines and two numbers.
struct opened {
  graph_storage<room> memory;
  graph g;
  int body = -1;

  constexpr opened() : g(memory.open()) {
    const tensor_type types[] = {line, line, number, number};
    body = open_region(g, -1, {types, 4});
  }
  template <class Op>
  constexpr int add(const Op& op, list<int> operands, rules& rule, list<int> regions = {}) {
    return append(g, op, {operands, regions, {}, body, 17}, rule);
  }
};

constexpr bool appends() {
  opened o;
  rules rule;
  const int operands[] = {0, 1};
  const int sum = o.add(ops::add{}, {operands, 2}, rule);
  const int less = o.add(ops::compare{comparison_direction::LT}, {operands, 2}, rule);
  if (sum != 0 || less != 1 || rule.broken()) return false;
  const graph_node& node = o.g.nodes.data[less];
  return o.g.operands_of(node)[1] == 1 && node.region == o.body && node.source == 17 && node.results == 5 &&
         o.g.type_of_value(node.results) == type_of(dtype::i1, {3}) && o.g.values.data[node.results].node == less &&
         read_attributes<ops::compare>(o.g.words.data + node.words).comparison_direction == comparison_direction::LT;
}
static_assert(appends());

// An op that breaks a rule leaves no trace.
constexpr bool refuses() {
  opened o;
  const graph_sizes before = o.g.sizes();
  rules rule;
  const int operands[] = {0, 2};
  return o.add(ops::add{}, {operands, 2}, rule) == -1 && std::string_view(rule.label) == "add_c1" &&
         o.g.sizes() == before;
}
static_assert(refuses());

// Nodes of a region stand before the node that has it, whose rules see what the region takes and gives.
constexpr bool nests(bool gives_number) {
  opened o;
  rules rule;
  const tensor_type types[] = {number, number};
  const int inner = open_region(o.g, o.body, {types, 2}, 5), first = o.g.regions.data[inner].arguments;
  const int both[] = {first, first + 1};
  const int sum = append(o.g, ops::add{}, {{both, 2}, {}, {}, inner}, rule);
  const int yields[] = {gives_number ? o.g.nodes.data[sum].results : 0};
  close_region(o.g, inner, {yields, 1});
  const graph_region region = o.g.regions.data[inner];
  if (region.parent != o.body || region.source != 5 || region.first != sum || region.last != sum + 1) return false;
  if (o.g.yields_of(region).size != 1 || o.g.yields_of(region)[0] != yields[0]) return false;
  const int operands[] = {0, 2}, regions[] = {inner};
  const int fold = o.add(ops::reduce{{0}}, {operands, 2}, rule, {regions, 1});
  if (!gives_number) return fold == -1 && std::string_view(rule.label) == "reduce_c6";
  return fold == sum + 1 && o.g.type_of_value(o.g.nodes.data[fold].results) == number &&
         o.g.regions_of(o.g.nodes.data[fold])[0] == inner;
}
static_assert(nests(true) && nests(false));

// What stands in a region is listed in the order of the regions.
constexpr bool lists_signatures() {
  opened o;
  const int yields[] = {2, 0};
  close_region(o.g, o.body, {yields, 2});
  const int empty = open_region(o.g, -1, {});
  close_region(o.g, empty, {});
  const int regions[] = {empty, o.body};
  const region_signatures<> found(o.g, {regions, 2});
  return found.all.size == 2 && found.all[0].arguments.size == 0 && found.all[0].results.size == 0 &&
         found.all[1].arguments.size == 4 && found.all[1].arguments[1] == line && found.all[1].results.size == 2 &&
         found.all[1].results[0] == number && found.all[1].results[1] == line;
}
static_assert(lists_signatures());

}  // namespace

TEST_CASE("graphs are built at run time as they are while compiling") {
  CHECK(appends());
  CHECK(refuses());
  CHECK(nests(true));
  CHECK(nests(false));
  CHECK(lists_signatures());
}
