// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/computed_from.hpp>

#include <doctest/doctest.h>

#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/graph/owned.hpp>
#include <tenon/graph/passes/simplify.hpp>
#include <tenon/indexing/text.hpp>
#include <tenon/text/program_graph.hpp>

#include <initializer_list>
#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::passes;

namespace {

// Whether the maps from the first result of a program to one of its arguments are these, in any order.
constexpr bool reads_argument(const graph& g, int argument, std::initializer_list<std::string_view> expected) {
  const graph_region& body = g.regions.data[entry_of(g)->region];
  const computed_from found(g, g.yields_of(body)[0]);
  const auto& maps = found.maps(body.arguments + argument);
  if (maps.size() != expected.size()) return false;
  for (const std::string_view text : expected) {
    const auto parsed = indexing::parse(text);
    bool matched = false;
    for (const auto& one : maps) matched = matched || one.value == parsed.map;
    if (!matched || !parsed.error.empty()) return false;
  }
  return true;
}

struct transposed_sum {
  static constexpr std::string_view text = R"(func.func @main(%p0: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
    %t = stablehlo.transpose %p0, dims = [1, 0] : (tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
    %a = stablehlo.add %p0, %t : tensor<1000x1000xf32>
    return %a : tensor<1000x1000xf32> })";
};
static_assert(reads_argument(parsed<transposed_sum>::view(), 0,
                             {"(d0, d1) -> (d0, d1) d0 in [0, 999] d1 in [0, 999]",
                              "(d0, d1) -> (d1, d0) d0 in [0, 999] d1 in [0, 999]"}));

struct transposes_that_cancel {
  static constexpr std::string_view text = R"(func.func @main(%p0: tensor<20x10x50xf32>) -> tensor<10x50x20xf32> {
    %a = stablehlo.transpose %p0, dims = [1, 0, 2] : (tensor<20x10x50xf32>) -> tensor<10x20x50xf32>
    %b = stablehlo.exponential %a : tensor<10x20x50xf32>
    %c = stablehlo.transpose %b, dims = [0, 2, 1] : (tensor<10x20x50xf32>) -> tensor<10x50x20xf32>
    %d = stablehlo.transpose %p0, dims = [2, 1, 0] : (tensor<20x10x50xf32>) -> tensor<50x10x20xf32>
    %e = stablehlo.exponential %d : tensor<50x10x20xf32>
    %f = stablehlo.transpose %e, dims = [1, 0, 2] : (tensor<50x10x20xf32>) -> tensor<10x50x20xf32>
    %g = stablehlo.add %c, %f : tensor<10x50x20xf32>
    return %g : tensor<10x50x20xf32> })";
};
static_assert(reads_argument(parsed<transposes_that_cancel>::view(), 0,
                             {"(d0, d1, d2) -> (d2, d0, d1) d0 in [0, 9] d1 in [0, 49] d2 in [0, 19]"}));

struct reshapes_that_cancel {
  static constexpr std::string_view text = R"(HloModule reshapes
    ENTRY e {
      p0 = f32[10,10,10] parameter(0)
      r = f32[50,20] reshape(p0)
      ROOT s = f32[10,10,10] reshape(r)
    })";
};
static_assert(reads_argument(parsed<reshapes_that_cancel>::view(), 0,
                             {"(d0, d1, d2) -> (d0, d1, d2) d0 in [0, 9] d1 in [0, 9] d2 in [0, 9]"}));

struct softmax_of_rows {
  static constexpr std::string_view text = R"(HloModule softmax
    greatest {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] maximum(a, b)
    }
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b)
    }
    ENTRY e {
      p0 = f32[2,65,125] parameter(0)
      least = f32[] constant(-inf)
      m = f32[2,65] reduce(p0, least), dimensions={2}, to_apply=greatest
      w = f32[2,65,125] broadcast(m), dimensions={0,1}
      s = f32[2,65,125] subtract(p0, w)
      x = f32[2,65,125] exponential(s)
      zero = f32[] constant(0)
      t = f32[2,65] reduce(x, zero), dimensions={2}, to_apply=sum
      v = f32[2,65,125] broadcast(t), dimensions={0,1}
      ROOT r = f32[2,65,125] divide(x, v)
    })";
};

owned_graph simplified(std::string_view text) {
  const graph_owner program = read_program(text);
  REQUIRE(!program.error());
  return simplified_program(program.program());
}

}  // namespace

TEST_CASE("softmax reads an element for itself and a row for its sum") {
  const owned_graph program = simplified(softmax_of_rows::text);
  CHECK(reads_argument(program.get(), 0,
                       {"(d0, d1, d2) -> (d0, d1, d2) d0 in [0, 1] d1 in [0, 64] d2 in [0, 124]",
                        "(d0, d1, d2)[s0] -> (d0, d1, s0) d0 in [0, 1] d1 in [0, 64] d2 in [0, 124] s0 in [0, 124]"}));
}

TEST_CASE("runtime variables know the value that they are") {
  const std::string_view text = R"(
    p0 = f32[9,4] parameter(0)
    i = s32[3,1] parameter(1)
    g = f32[3,4] gather(p0, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
    ROOT t = f32[4,3] transpose(g), dimensions={1,0})";
  const owned_graph program = simplified(text);
  const graph& g = program.get();
  const graph_region& body = g.regions.data[entry_of(g)->region];
  const computed_from found(g, g.yields_of(body)[0]);
  const auto& operand = found.maps(body.arguments);
  REQUIRE(operand.size() == 1);
  CHECK(operand[0].value == indexing::parse("(d0, d1){rt0} -> (rt0, d0) d0 in [0, 3] d1 in [0, 2] rt0 in [0, 8]").map);
  REQUIRE(operand[0].sources.size() == 1);
  CHECK(operand[0].sources[0].producer == body.arguments + 1);
  CHECK(operand[0].sources[0].element == indexing::parse("(d0, d1) -> (d1, 0) d0 in [0, 3] d1 in [0, 2]").map);
  const auto& indices = found.maps(body.arguments + 1);
  REQUIRE(indices.size() == 1);
  CHECK(indices[0].value.result_count == 2);
}

struct even_rows {
  static constexpr std::string_view text = R"(func.func @main(%p0: tensor<9x4xf32>) -> tensor<3x4xf32> {
    %i = stablehlo.iota dim = 0 : tensor<3xi32>
    %two = stablehlo.constant dense<2> : tensor<3xi32>
    %d = stablehlo.multiply %i, %two : tensor<3xi32>
    %r = stablehlo.reshape %d : (tensor<3xi32>) -> tensor<3x1xi32>
    %g = "stablehlo.gather"(%p0, %r) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}>
      : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    return %g : tensor<3x4xf32> })";
};
static_assert(reads_argument(parsed<even_rows>::view(), 0, {"(d0, d1) -> (d0 * 2, d1) d0 in [0, 2] d1 in [0, 3]"}));

TEST_CASE("what has no maps is unknown, and what has no part is absent") {
  const std::string_view text = R"(
    p0 = f32[4] parameter(0)
    p1 = f32[4] parameter(1)
    p2 = f32[4] parameter(2)
    c = f32[4] custom-call(p0), custom_call_target="anything"
    ROOT a = f32[4] add(c, p1))";
  const owned_graph program = simplified(text);
  const graph& g = program.get();
  const graph_region& body = g.regions.data[entry_of(g)->region];
  const computed_from found(g, g.yields_of(body)[0]);
  REQUIRE(found.maps(body.arguments).size() == 1);
  CHECK(found.maps(body.arguments)[0].value.is_unknown());
  REQUIRE(found.maps(body.arguments + 1).size() == 1);
  CHECK(found.maps(body.arguments + 1)[0].value == indexing::identity_map({4}));
  CHECK(found.maps(body.arguments + 2).empty());
  // Only up to a node: the sum alone.
  const computed_from last(g, g.yields_of(body)[0], g.nodes.size - 1);
  CHECK(last.maps(body.arguments).empty());
  CHECK(last.maps(g.nodes.data[0].results).size() == 1);
}
