// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/lanes/apply_op.hpp>

#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::kernels;

namespace {

struct functions {
  static constexpr std::string_view text = R"(
  func.func @scaled(%x: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i1>, tensor<f32>) {
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %v = stablehlo.reshape %x : (tensor<f32>) -> tensor<f32>
    %y = stablehlo.multiply %v, %h : tensor<f32>
    %m = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %p = stablehlo.compare LT, %y, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = stablehlo.not %p : tensor<i1>
    return %y, %q, %v : tensor<f32>, tensor<i1>, tensor<f32>
  }
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    return %x : tensor<3xf32>
  }
)";
};
static_assert(!parsed<functions>::error);
constexpr graph g = parsed<functions>::view();

struct scaled {
  static constexpr lane_program program = lane_program_of(g, g.functions[0].region);
  static constexpr const index_t* words() { return g.words.data; }
};
using lanes = static_lanes<scaled>;

}  // namespace

// Arguments come first, then constants; views are what they show.
static_assert(scaled::program.fits && scaled::program.argument_count == 2 && scaled::program.input_count == 3);
static_assert(scaled::program.node_count == 4 && scaled::program.result_count == 3);
static_assert(scaled::program.nodes[0].operands[0] == ~0 && scaled::program.nodes[0].operands[1] == ~2);
static_assert(scaled::program.nodes[2].operands[0] == 0 && scaled::program.nodes[2].operands[1] == 1);
static_assert(scaled::program.results[0] == 0 && scaled::program.results[1] == 3 && scaled::program.results[2] == ~0);
static_assert(scaled::program.fills_vectors && scaled::program.forwarded() == -1);
constexpr lane_program identity = lane_program_of(g, g.functions[1].region);
static_assert(identity.fits && !identity.fills_vectors && identity.forwarded() == 0 && identity.elements == 3);

static_assert(lanes::form<0> == lane_form::numbers && lanes::form<1> == lane_form::conversion);
static_assert(lanes::form<2> == lane_form::numbers && lanes::form<3> == lane_form::booleans);

TEST_CASE("the ops of a lane program are applied to vectors, booleans to masks over the first type") {
  const hn::CappedTag<float, 4> d;
  const hn::Rebind<std::int32_t, decltype(d)> whole;
  const auto half = hn::Set(d, 0.5f), x = hn::Add(hn::Iota(d, 0), half);  // 0.5, 1.5, ...
  const auto n = hn::Set(whole, 1);
  const auto y = lanes::apply<0>(d, x, n, half);
  const auto m = lanes::apply<1>(d, x, n, half, y);
  const auto p = lanes::apply<2>(d, x, n, half, y, m);
  const auto q = lanes::apply<3>(d, x, n, half, y, m, p);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    HWY_ALIGN float numbers[hn::MaxLanes(d)], selected[hn::MaxLanes(d)];
    hn::Store(y, d, numbers);
    hn::Store(hn::IfThenElseZero(q, hn::Set(d, 1.0f)), d, selected);
    const float expected = (float(i) + 0.5f) * 0.5f;
    CHECK(numbers[i] == expected);
    CHECK(selected[i] == (expected < 1.0f ? 0.0f : 1.0f));
  }
}
