// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/known_walks.hpp>

#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/graph/owned.hpp>
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::planning;

namespace {

// The elements that the walk of the value which a program gives leads to; none if it is no walk.
std::vector<index_t> elements_of(const std::string& text) {
  // The graph refers to the text.
  const std::string whole = "func.func @main(%argument: tensor<i32>) -> " + text;
  const graph_owner read = read_program(whole);
  REQUIRE_MESSAGE(!read.error(), std::string(read.error() ? read.error().sentence : ""));
  const passes::owned_graph program = simplified_program(read.program());
  const graph& g = program.get();
  const int value = g.yields_of(g.regions.data[g.functions.data[0].region])[0];
  const index_t count = g.type_of_value(value).size();
  strided_access walk;
  if (!known_walks(g, count).find(value, {{count}, {1}, 0}, walk)) return {};
  std::vector<index_t> elements;
  for (index_t i = 0; i < count; ++i) {
    index_t rest = i, at = walk.base;
    for (int d = walk.sizes.size; d-- > 0; rest /= walk.sizes[d]) at += rest % walk.sizes[d] * walk.strides[d];
    elements.push_back(at);
  }
  return elements;
}
using these = std::vector<index_t>;

}  // namespace

TEST_CASE("frames of a signal are a walk") {
  CHECK(elements_of(R"(tensor<3x4xi32> {
    %i = stablehlo.iota dim = 0 : tensor<3xi32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %twos = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %hop = stablehlo.multiply %i, %twos : tensor<3xi32>
    %row = stablehlo.broadcast_in_dim %hop, dims = [0] : (tensor<3xi32>) -> tensor<3x4xi32>
    %k = stablehlo.iota dim = 1 : tensor<3x4xi32>
    %sum = stablehlo.add %row, %k : tensor<3x4xi32>
    %zero = stablehlo.constant dense<0> : tensor<3x4xi32>
    %n = stablehlo.constant dense<9> : tensor<3x4xi32>
    %back = stablehlo.compare LT, %sum, %zero : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %end = stablehlo.add %sum, %n : tensor<3x4xi32>
    %r = stablehlo.select %back, %end, %sum : tensor<3x4xi1>, tensor<3x4xi32>
    return %r : tensor<3x4xi32>
  })") == these{0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7});
}

TEST_CASE("walks through what is joined, reversed, turned and cut") {
  const std::string pairs = R"(
    %i = stablehlo.iota dim = 0 : tensor<3x1xi32>
    %c = stablehlo.constant dense<[[7], [5], [3]]> : tensor<3x1xi32>
    %both = stablehlo.concatenate %i, %c, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  )";
  CHECK(elements_of("tensor<3x1xi32> {" + pairs + R"(
    %r = stablehlo.slice %both [0:3, 0:1] : (tensor<3x2xi32>) -> tensor<3x1xi32>
    return %r : tensor<3x1xi32>
  })") == these{0, 1, 2});
  CHECK(elements_of("tensor<3x1xi32> {" + pairs + R"(
    %r = stablehlo.slice %both [0:3, 1:2] : (tensor<3x2xi32>) -> tensor<3x1xi32>
    return %r : tensor<3x1xi32>
  })") == these{7, 5, 3});
  CHECK(elements_of("tensor<3x2xi32> {" + pairs + "return %both : tensor<3x2xi32>\n}").empty());
  CHECK(elements_of(R"(tensor<4xi64> {
    %i = stablehlo.iota dim = 0 : tensor<2x3xi32>
    %j = stablehlo.reverse %i, dims = [0] : tensor<2x3xi32>
    %t = stablehlo.transpose %j, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
    %s = stablehlo.slice %t [0:2, 0:2] : (tensor<3x2xi32>) -> tensor<2x2xi32>
    %f = stablehlo.reshape %s : (tensor<2x2xi32>) -> tensor<4xi32>
    %r = stablehlo.convert %f : (tensor<4xi32>) -> tensor<4xi64>
    return %r : tensor<4xi64>
  })") == these{1, 0, 1, 0});
}

TEST_CASE("what wraps around, is no walk or is not said by the program is none") {
  CHECK(elements_of(R"(tensor<3xui8> {
    %i = stablehlo.iota dim = 0 : tensor<3xui8>
    %c = stablehlo.constant dense<254> : tensor<3xui8>
    %r = stablehlo.add %i, %c : tensor<3xui8>
    return %r : tensor<3xui8>
  })")
            .empty());
  CHECK(elements_of(R"(tensor<3xi32> {
    %r = stablehlo.constant dense<[0, 1, 3]> : tensor<3xi32>
    return %r : tensor<3xi32>
  })")
            .empty());
  CHECK(elements_of(R"(tensor<3xi32> {
    %i = stablehlo.iota dim = 0 : tensor<3xi32>
    %a = stablehlo.broadcast_in_dim %argument, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %r = stablehlo.add %i, %a : tensor<3xi32>
    return %r : tensor<3xi32>
  })")
            .empty());
  CHECK(elements_of(R"(tensor<3xi32> {
    %i = stablehlo.iota dim = 0 : tensor<3xi32>
    %r = stablehlo.multiply %i, %i : tensor<3xi32>
    return %r : tensor<3xi32>
  })")
            .empty());
}

TEST_CASE("a gather whose indices the program says reads what they say, or what they are clamped to") {
  using program = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<9xf32>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
      %row = stablehlo.iota dim = 0 : tensor<3x4x1xi32>
      %k = stablehlo.iota dim = 1 : tensor<3x4x1xi32>
      %two = stablehlo.constant dense<2> : tensor<3x4x1xi32>
      %hop = stablehlo.multiply %row, %two : tensor<3x4x1xi32>
      %at = stablehlo.add %hop, %k : tensor<3x4x1xi32>
      %frames = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1>}> : (tensor<9xf32>, tensor<3x4x1xi32>) -> tensor<3x4xf32>
      %far = stablehlo.constant dense<[[7], [8], [9]]> : tensor<3x1xi32>
      %end = "stablehlo.gather"(%x, %far) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<9xf32>, tensor<3x1xi32>) -> tensor<3xf32>
      %nine = stablehlo.constant dense<9> : tensor<i32>
      %last = stablehlo.dynamic_slice %x, %nine, sizes = [3] : (tensor<9xf32>, tensor<i32>) -> tensor<3xf32>
      return %frames, %end, %last : tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>
    })");
  const tensor<f32, 9> x{0, 10, 20, 30, 40, 50, 60, 70, 80};
  const auto [frames, end, last] = program{}(x);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) CHECK(frames(i, k) == 10.0f * f32(2 * i + k));
  const f32 wanted_end[] = {70, 80, 80}, wanted_last[] = {60, 70, 80};
  for (int i = 0; i < 3; ++i) {
    CHECK(end(i) == wanted_end[i]);
    CHECK(last(i) == wanted_last[i]);
  }
}

struct picked {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %j: tensor<3xi32>) -> tensor<3xf32> {
      %rows = stablehlo.reshape %i : (tensor<3xi32>) -> tensor<3x1xi32>
      %columns = stablehlo.reshape %j : (tensor<3xi32>) -> tensor<3x1xi32>
      %at = stablehlo.concatenate %rows, %columns, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
      %r = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x5xf32>, tensor<3x2xi32>) -> tensor<3xf32>
      %y = stablehlo.add %r, %r : tensor<3xf32>
      return %y : tensor<3xf32>
    })";
};

TEST_CASE("indices are read where they are, and not where they are joined to vectors") {
  tensor<f32, 4, 5> x;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 5; ++c) x(r, c) = f32(10 * r + c);
  const tensor<i32, 3> i{3, 0, 9}, j{1, 4, -2};
  const auto [y] = program<picked>{}(x, i, j);
  CHECK(y(0) == 62);
  CHECK(y(1) == 8);
  CHECK(y(2) == 60);
  for (const plan_step& step : program<picked>::code::plan().steps) CHECK(!step.has_op());
}
