// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/group_maps.hpp>

#include <shared/read_program.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::planning;

namespace {

struct open_maps : group_maps {
  using group_maps::add_moved_map, group_maps::group_maps, group_maps::is_in_order, group_maps::lift, group_maps::none;
  using group_maps::same_map, group_maps::start_map, group_maps::start_maps;
};

// Where a walk leads from element n of its index space.
index_t position(const strided_access& access, index_t n) {
  index_t at = access.base;
  for (int i = access.sizes.size; i-- > 0; n /= access.sizes[i]) at += n % access.sizes[i] * access.strides[i];
  return at;
}
index_t position(const group_maps& maps, int map, index_t n) {
  const int before = maps.before(map);
  return position(maps.access_of_map(map), before < 0 ? n : position(maps, before, n));
}

// Nodes each of which moves what the one before it gives.
struct chain {
  std::string text;
  graph_owner owner;

  explicit chain(const std::string& ops)
      : text("func.func @main(%x: tensor<6x8xf32>, %i: tensor<i32>, %j: tensor<i32>) {\n" + ops + "\nreturn\n}"),
        owner(read_program(text)) {
    REQUIRE_MESSAGE(!owner.error(), std::string(owner.error() ? owner.error().sentence : ""));
  }
  const graph& program() const { return owner.program(); }
};

// The map from the result of the last node of a chain to what the first one moves.
int map_of(open_maps& maps, const graph& g) {
  maps.start_maps(g.type_of_value(g.nodes.data[g.nodes.size - 1].results).size());
  int map = 0;
  for (int n = g.nodes.size; n-- > 0 && map != open_maps::none;) map = maps.add_moved_map(g.nodes.data[n], map);
  return map;
}

// Whether element n of the result is the element `from(n)` of the argument.
template <class From>
bool leads(const chain& program, index_t size, From from) {
  open_maps maps(program.program());
  maps.gathers_left = maps.indices_left = 100;
  const int map = map_of(maps, program.program());
  if (map == open_maps::none || maps.count() != size) return false;
  for (index_t n = 0; n < size; ++n)
    if (position(maps, map, n) != from(n)) return false;
  return true;
}

}  // namespace

TEST_CASE("single movements") {
  CHECK(leads(chain("%y = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>"), 48,
              [](index_t n) { return n % 6 * 8 + n / 6; }));
  CHECK(leads(chain("%y = stablehlo.slice %x [1:6:2, 2:8:3] : (tensor<6x8xf32>) -> tensor<3x2xf32>"), 6,
              [](index_t n) { return (1 + n / 2 * 2) * 8 + 2 + n % 2 * 3; }));
  CHECK(leads(chain("%y = stablehlo.reverse %x, dims = [1] : tensor<6x8xf32>"), 48,
              [](index_t n) { return n / 8 * 8 + 7 - n % 8; }));
  CHECK(leads(chain("%y = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<6x8xf32>) -> tensor<8x3x6xf32>"), 144,
              [](index_t n) { return n % 6 * 8 + n / 18; }));
  CHECK(leads(chain("%y = stablehlo.reshape %x : (tensor<6x8xf32>) -> tensor<3x16xf32>"), 48,
              [](index_t n) { return n; }));
}

TEST_CASE("movements one after the other") {
  CHECK(leads(chain("%r = stablehlo.reverse %x, dims = [0] : tensor<6x8xf32>\n"
                    "%s = stablehlo.slice %r [0:6:5, 0:8] : (tensor<6x8xf32>) -> tensor<2x8xf32>\n"
                    "%t = stablehlo.transpose %s, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>"),
              16, [](index_t n) { return (5 - n % 2 * 5) * 8 + n / 2; }));
  // No walk leads through a reshape that cuts a transposed row.
  CHECK(leads(chain("%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>\n"
                    "%r = stablehlo.reshape %t : (tensor<8x6xf32>) -> tensor<12x4xf32>\n"
                    "%u = stablehlo.transpose %r, dims = [1, 0] : (tensor<12x4xf32>) -> tensor<4x12xf32>"),
              48, [](index_t n) {
                const index_t flat = n % 12 * 4 + n / 12;
                return flat % 6 * 8 + flat / 6;
              }));
}

TEST_CASE("movements that cancel are read in order") {
  const chain program(
      "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>\n"
      "%u = stablehlo.transpose %t, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>");
  open_maps maps(program.program());
  const int map = map_of(maps, program.program());
  REQUIRE(map != open_maps::none);
  CHECK(maps.is_in_order(map));
  CHECK(maps.same_map(map, 0));
}

TEST_CASE("indices that the program computes") {
  const chain program(
      "%y = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 8] : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> "
      "tensor<2x8xf32>");
  open_maps maps(program.program());
  CHECK(map_of(maps, program.program()) == open_maps::none);
  maps.gathers_left = maps.indices_left = 1;
  const int map = map_of(maps, program.program());
  REQUIRE(map != open_maps::none);
  CHECK(maps.gathers_left == 0);
  CHECK(maps.indices_left == 0);
  // The second index can be zero only.
  REQUIRE(maps.indices_of(map).size == 1);
  const group_maps::index_use& index = maps.indices_of(map)[0];
  CHECK(index.value == program.program().operands_of(program.program().nodes.data[0])[1]);
  CHECK(index.stride == 8);
  CHECK(index.low == 0);
  CHECK(index.high == 4);
  CHECK(!maps.is_plain(map));
  CHECK(maps.is_moved_walk(map));
  for (index_t n = 0; n < 16; ++n) CHECK(position(maps, map, n) == n);
}

TEST_CASE("rows") {
  const chain program("%y = stablehlo.negate %x : tensor<6x8xf32>");
  open_maps maps(program.program());
  maps.start_maps(6);
  CHECK(!maps.has_rows());
  CHECK(maps.rows() == 6);
  maps.lift(8);
  CHECK(maps.has_rows());
  CHECK(maps.count() == 48);
  CHECK(maps.rows() == 6);
  CHECK(maps.is_row_level(0));
  CHECK(!maps.is_row_level(group_maps::scalar_map));
  const int elements = maps.start_map(48, false);
  CHECK(!maps.is_row_level(elements));
  CHECK(!maps.same_map(0, elements));
  CHECK(maps.is_in_order(0));
  CHECK(maps.is_in_order(elements));
  CHECK(!maps.is_in_order(maps.start_map(24, false)));
  CHECK(!maps.is_in_order(group_maps::scalar_map));
  // There is room for so many.
  int map = 0;
  for (int i = 3; i < group_maps::most_maps; ++i) map = maps.start_map(48, false);
  CHECK(map == group_maps::most_maps - 1);
  CHECK(maps.start_map(48, false) == open_maps::none);

  maps.start_maps(2);
  maps.lift(group_maps::most_row);
  CHECK(!maps.has_long_rows());
  maps.start_maps(2);
  maps.lift(group_maps::most_row + 1);
  CHECK(maps.has_long_rows());
}
