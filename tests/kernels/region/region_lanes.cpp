// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/region/region_loops.hpp>

#include <tenon/run/constants.hpp>

#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <tuple>
#include <utility>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::execution;
using namespace tenon::kernels;

namespace {

// Each function is a region.
struct functions {
  static constexpr std::string_view text = R"(
  func.func @scaled_sum(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %p = stablehlo.multiply %x, %h : tensor<f32>
    %s = stablehlo.add %p, %y : tensor<f32>
    return %s : tensor<f32>
  }
  func.func @larger(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
    %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    return %u, %v : tensor<f32>, tensor<i32>
  }
  func.func @swapped(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
    %u = stablehlo.add %x, %y : tensor<f32>
    %v = stablehlo.add %i, %j : tensor<i32>
    return %v, %u : tensor<i32>, tensor<f32>
  }
  func.func @within(%x: tensor<f64>, %y: tensor<f64>) -> tensor<i1> {
    %d = stablehlo.subtract %x, %y : tensor<f64>
    %z = stablehlo.constant dense<0.0> : tensor<f64>
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %p = stablehlo.compare GE, %d, %z : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %q = stablehlo.compare LT, %d, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %r = stablehlo.and %p, %q : tensor<i1>
    return %r : tensor<i1>
  }
  func.func @counted(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
    %p = stablehlo.convert %x : (tensor<f32>) -> tensor<i1>
    %k = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>
    %m = stablehlo.add %k, %n : tensor<i32>
    %r = stablehlo.convert %m : (tensor<i32>) -> tensor<f32>
    return %r : tensor<f32>
  }
  func.func @rows(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %s = stablehlo.add %x, %y : tensor<2x3xf32>
    return %s : tensor<2x3xf32>
  }
  func.func @two_sizes(%x: tensor<f32>, %y: tensor<i8>) -> (tensor<f32>, tensor<i8>) {
    %p = stablehlo.add %x, %x : tensor<f32>
    %q = stablehlo.add %y, %y : tensor<i8>
    return %p, %q : tensor<f32>, tensor<i8>
  }
  func.func @two_shapes(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<3xf32> {
    %b = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %s = stablehlo.add %x, %b : tensor<3xf32>
    return %s : tensor<3xf32>
  }
  func.func @several_numbers(%x: tensor<2xf32>) -> tensor<2xf32> {
    %h = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %s = stablehlo.add %x, %h : tensor<2xf32>
    return %s : tensor<2xf32>
  }
  func.func @narrow(%x: tensor<bf16>, %y: tensor<bf16>) -> tensor<bf16> {
    %s = stablehlo.add %x, %y : tensor<bf16>
    return %s : tensor<bf16>
  }
  func.func @truths(%x: tensor<i1>, %y: tensor<i1>) -> tensor<i1> {
    %s = stablehlo.xor %x, %y : tensor<i1>
    return %s : tensor<i1>
  }
  func.func @handed_through(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
    return %y : tensor<f32>
  }
  func.func @forty_nine(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %x, %y : tensor<f32>
    %1 = stablehlo.add %0, %y : tensor<f32>
    %2 = stablehlo.add %1, %y : tensor<f32>
    %3 = stablehlo.add %2, %y : tensor<f32>
    %4 = stablehlo.add %3, %y : tensor<f32>
    %5 = stablehlo.add %4, %y : tensor<f32>
    %6 = stablehlo.add %5, %y : tensor<f32>
    %7 = stablehlo.add %6, %y : tensor<f32>
    %8 = stablehlo.add %7, %y : tensor<f32>
    %9 = stablehlo.add %8, %y : tensor<f32>
    %10 = stablehlo.add %9, %y : tensor<f32>
    %11 = stablehlo.add %10, %y : tensor<f32>
    %12 = stablehlo.add %11, %y : tensor<f32>
    %13 = stablehlo.add %12, %y : tensor<f32>
    %14 = stablehlo.add %13, %y : tensor<f32>
    %15 = stablehlo.add %14, %y : tensor<f32>
    %16 = stablehlo.add %15, %y : tensor<f32>
    %17 = stablehlo.add %16, %y : tensor<f32>
    %18 = stablehlo.add %17, %y : tensor<f32>
    %19 = stablehlo.add %18, %y : tensor<f32>
    %20 = stablehlo.add %19, %y : tensor<f32>
    %21 = stablehlo.add %20, %y : tensor<f32>
    %22 = stablehlo.add %21, %y : tensor<f32>
    %23 = stablehlo.add %22, %y : tensor<f32>
    %24 = stablehlo.add %23, %y : tensor<f32>
    %25 = stablehlo.add %24, %y : tensor<f32>
    %26 = stablehlo.add %25, %y : tensor<f32>
    %27 = stablehlo.add %26, %y : tensor<f32>
    %28 = stablehlo.add %27, %y : tensor<f32>
    %29 = stablehlo.add %28, %y : tensor<f32>
    %30 = stablehlo.add %29, %y : tensor<f32>
    %31 = stablehlo.add %30, %y : tensor<f32>
    %32 = stablehlo.add %31, %y : tensor<f32>
    %33 = stablehlo.add %32, %y : tensor<f32>
    %34 = stablehlo.add %33, %y : tensor<f32>
    %35 = stablehlo.add %34, %y : tensor<f32>
    %36 = stablehlo.add %35, %y : tensor<f32>
    %37 = stablehlo.add %36, %y : tensor<f32>
    %38 = stablehlo.add %37, %y : tensor<f32>
    %39 = stablehlo.add %38, %y : tensor<f32>
    %40 = stablehlo.add %39, %y : tensor<f32>
    %41 = stablehlo.add %40, %y : tensor<f32>
    %42 = stablehlo.add %41, %y : tensor<f32>
    %43 = stablehlo.add %42, %y : tensor<f32>
    %44 = stablehlo.add %43, %y : tensor<f32>
    %45 = stablehlo.add %44, %y : tensor<f32>
    %46 = stablehlo.add %45, %y : tensor<f32>
    %47 = stablehlo.add %46, %y : tensor<f32>
    %48 = stablehlo.add %47, %y : tensor<f32>
    return %48 : tensor<f32>
  }
)";
};
struct source {
  static_assert(!parsed<functions>::error);
  static constexpr graph opened_graph = parsed<functions>::view();
  using literals = text_literals;
  template <int Value>
  static constexpr auto constant = constant_number<source, Value>;
};
constexpr int region_of(std::string_view name) {
  for (const graph_function& each : source::opened_graph.functions)
    if (source::opened_graph.name_of(each.name) == name) return each.region;
  return -1;
}
template <int Region>
struct code : region_lanes<source, Region> {
  using lanes = region_lanes<source, Region>;

  // What it makes of these arguments, written to `results`.
  template <class... R, class... T>
  static void run(std::tuple<R...>& results, T... arguments) {
    run_to(results, std::index_sequence_for<R...>{}, arguments...);
  }
  template <class Results, std::size_t... I, class... T>
  static void run_to(Results& results, std::index_sequence<I...>, T... arguments) {
    const typename lanes::single d;
    lanes::compute(
        d, [&](auto... values) { (lanes::store(d, values, &std::get<I>(results), 1), ...); },
        lanes::repeat(d, arguments)...);
  }
};
using scaled_sum = code<region_of("scaled_sum")>;
using larger = code<region_of("larger")>;
using swapped = code<region_of("swapped")>;
using within = code<region_of("within")>;
using counted = code<region_of("counted")>;
using rows = code<region_of("rows")>;

static_assert(scaled_sum::is_supported() && scaled_sum::is_scalar());
static_assert(scaled_sum::combines(1) && !scaled_sum::combines(2));
static_assert(larger::is_supported() && larger::combines(2) && !larger::combines(1));
static_assert(swapped::is_supported() && !swapped::combines(2));
static_assert(within::is_supported() && !within::combines(1));
static_assert(counted::is_supported() && !counted::combines(1));
static_assert(rows::is_supported() && !rows::is_scalar() && rows::combines(1));

// Elements of two sizes, shapes of two sorts, constants of several numbers, narrow floats, booleans alone, no ops and
// too many.
static_assert(!code<region_of("two_sizes")>::is_supported() && !code<region_of("two_shapes")>::is_supported());
static_assert(!code<region_of("several_numbers")>::is_supported() && !code<region_of("narrow")>::is_supported());
static_assert(!code<region_of("truths")>::is_supported() && !code<region_of("handed_through")>::is_supported());
static_assert(!code<region_of("forty_nine")>::is_supported());
}  // namespace

TEST_CASE("what the code of a region computes") {
  std::tuple<f32> sum, number;
  scaled_sum::run(sum, 3.0f, 4.0f);
  CHECK(std::get<0>(sum) == 5.5f);

  std::tuple<f32, i32> found;
  larger::run(found, 1.0f, i32(7), 2.0f, i32(8));
  CHECK(found == std::tuple(2.0f, i32(8)));
  larger::run(found, 2.0f, i32(7), 2.0f, i32(8));
  CHECK(found == std::tuple(2.0f, i32(7)));

  std::tuple<i32, f32> turned;
  swapped::run(turned, 1.5f, i32(7), 2.0f, i32(8));
  CHECK(turned == std::tuple(i32(15), 3.5f));

  std::tuple<bool> is_within;
  for (const f64 x : {-0.5, 0.0, 0.5, 1.0}) {
    within::run(is_within, 3 + x, 3.0);
    CHECK(std::get<0>(is_within) == (0 <= x && x < 1));
  }

  counted::run(number, 0.25f, i32(41));
  CHECK(std::get<0>(number) == 42);
  counted::run(number, -0.0f, i32(41));
  CHECK(std::get<0>(number) == 41);
}
