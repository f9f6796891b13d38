// SPDX-License-Identifier: Apache-2.0
//
// Groups whose elements are of several types: what their loops give is what their tiles give.
#include <tenon/kernels/group/pointwise_loop.hpp>
#include <tenon/kernels/group/row_reduction_loop.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace {

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::planning;
using namespace tenon::kernels;
using namespace tenon::test;

struct escaping {
  static constexpr std::string_view text = R"(
    func.func @main(%z: tensor<5x103xcomplex<f32>>, %c: tensor<103xcomplex<f32>>, %n: tensor<5x103xi32>)
        -> (tensor<5x103xcomplex<f32>>, tensor<5x103xi32>, tensor<5xi1>) {
      %four = stablehlo.constant dense<4.0> : tensor<5x103xf32>
      %most = stablehlo.constant dense<7> : tensor<5x103xi32>
      %one = stablehlo.constant dense<1> : tensor<5x103xi32>
      %no = stablehlo.constant dense<false> : tensor<i1>
      %turn = stablehlo.constant dense<(0.5,-1.25)> : tensor<5x103xcomplex<f32>>
      %all = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<103xcomplex<f32>>) -> tensor<5x103xcomplex<f32>>
      %square = stablehlo.multiply %z, %z : tensor<5x103xcomplex<f32>>
      %turned = stablehlo.multiply %square, %turn : tensor<5x103xcomplex<f32>>
      %next = stablehlo.add %turned, %all : tensor<5x103xcomplex<f32>>
      %re = stablehlo.real %z : (tensor<5x103xcomplex<f32>>) -> tensor<5x103xf32>
      %im = stablehlo.imag %z : (tensor<5x103xcomplex<f32>>) -> tensor<5x103xf32>
      %re2 = stablehlo.multiply %re, %re : tensor<5x103xf32>
      %im2 = stablehlo.multiply %im, %im : tensor<5x103xf32>
      %length = stablehlo.add %re2, %im2 : tensor<5x103xf32>
      %near = stablehlo.compare LE, %length, %four : (tensor<5x103xf32>, tensor<5x103xf32>) -> tensor<5x103xi1>
      %few = stablehlo.compare LT, %n, %most : (tensor<5x103xi32>, tensor<5x103xi32>) -> tensor<5x103xi1>
      %goes = stablehlo.and %near, %few : tensor<5x103xi1>
      %to = stablehlo.select %goes, %next, %z : tensor<5x103xi1>, tensor<5x103xcomplex<f32>>
      %more = stablehlo.add %n, %one : tensor<5x103xi32>
      %count = stablehlo.select %goes, %more, %n : tensor<5x103xi1>, tensor<5x103xi32>
      %any = stablehlo.reduce(%goes init: %no) applies stablehlo.or across dimensions = [1]
        : (tensor<5x103xi1>, tensor<i1>) -> tensor<5xi1>
      return %to, %count, %any : tensor<5x103xcomplex<f32>>, tensor<5x103xi32>, tensor<5xi1>
    })";
};

struct widening {
  static constexpr std::string_view text = R"(
    func.func @main(%image: tensor<1003xui8>, %x: tensor<1003xbf16>, %y: tensor<1003xf16>, %wide: tensor<1003xf64>,
                    %by: tensor<bf16>)
        -> (tensor<1003xui8>, tensor<1003xbf16>, tensor<1003xf16>, tensor<1003xf32>, tensor<1003xi8>) {
      %half = stablehlo.constant dense<0.5> : tensor<1003xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %most = stablehlo.constant dense<255.0> : tensor<f32>
      %f = stablehlo.convert %image : (tensor<1003xui8>) -> tensor<1003xf32>
      %g = stablehlo.multiply %f, %half : tensor<1003xf32>
      %h = stablehlo.add %g, %half : tensor<1003xf32>
      %i = stablehlo.clamp %zero, %h, %most : (tensor<f32>, tensor<1003xf32>, tensor<f32>) -> tensor<1003xf32>
      %j = stablehlo.convert %i : (tensor<1003xf32>) -> tensor<1003xui8>
      %bys = stablehlo.broadcast_in_dim %by, dims = [] : (tensor<bf16>) -> tensor<1003xbf16>
      %p = stablehlo.multiply %x, %bys : tensor<1003xbf16>
      %q = stablehlo.add %p, %x : tensor<1003xbf16>
      %r = stablehlo.tanh %q : tensor<1003xbf16>
      %s = stablehlo.divide %y, %y : tensor<1003xf16>
      %t = stablehlo.subtract %y, %s : tensor<1003xf16>
      %u = stablehlo.multiply %t, %y : tensor<1003xf16>
      %v = stablehlo.convert %r : (tensor<1003xbf16>) -> tensor<1003xf32>
      %w = stablehlo.multiply %v, %g : tensor<1003xf32>
      %up = stablehlo.convert %w : (tensor<1003xf32>) -> tensor<1003xf64>
      %over = stablehlo.compare GT, %up, %wide : (tensor<1003xf64>, tensor<1003xf64>) -> tensor<1003xi1>
      %chosen = stablehlo.select %over, %w, %f : tensor<1003xi1>, tensor<1003xf32>
      %byte = stablehlo.convert %over : (tensor<1003xi1>) -> tensor<1003xi8>
      %negative = stablehlo.negate %byte : tensor<1003xi8>
      return %j, %r, %u, %chosen, %negative
        : tensor<1003xui8>, tensor<1003xbf16>, tensor<1003xf16>, tensor<1003xf32>, tensor<1003xi8>
    })";
};

struct rows {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<3x301xf32>, %y: tensor<3x301xbf16>, %k: tensor<3x301xi16>)
        -> (tensor<3xi32>, tensor<3xi1>, tensor<3x301xf32>, tensor<3x301xbf16>) {
      %nothing = stablehlo.constant dense<0> : tensor<i32>
      %none = stablehlo.constant dense<0> : tensor<i16>
      %yes = stablehlo.constant dense<true> : tensor<i1>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %zeros = stablehlo.constant dense<0.0> : tensor<3x301xf32>
      %up = stablehlo.convert %y : (tensor<3x301xbf16>) -> tensor<3x301xf32>
      %sum = stablehlo.add %up, %x : tensor<3x301xf32>
      %positive = stablehlo.compare GT, %sum, %zeros : (tensor<3x301xf32>, tensor<3x301xf32>) -> tensor<3x301xi1>
      %ones = stablehlo.convert %positive : (tensor<3x301xi1>) -> tensor<3x301xi32>
      %count = stablehlo.reduce(%ones init: %nothing) applies stablehlo.add across dimensions = [1]
        : (tensor<3x301xi32>, tensor<i32>) -> tensor<3xi32>
      %all = stablehlo.reduce(%positive init: %yes) applies stablehlo.and across dimensions = [1]
        : (tensor<3x301xi1>, tensor<i1>) -> tensor<3xi1>
      %total = stablehlo.reduce(%sum init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<3x301xf32>, tensor<f32>) -> tensor<3xf32>
      %least = stablehlo.reduce(%k init: %none) applies stablehlo.minimum across dimensions = [1]
        : (tensor<3x301xi16>, tensor<i16>) -> tensor<3xi16>
      %lower = stablehlo.convert %least : (tensor<3xi16>) -> tensor<3xf32>
      %both = stablehlo.add %total, %lower : tensor<3xf32>
      %spread = stablehlo.broadcast_in_dim %both, dims = [0] : (tensor<3xf32>) -> tensor<3x301xf32>
      %share = stablehlo.divide %sum, %spread : tensor<3x301xf32>
      %narrow = stablehlo.convert %share : (tensor<3x301xf32>) -> tensor<3x301xbf16>
      %twice = stablehlo.add %narrow, %y : tensor<3x301xbf16>
      return %count, %all, %share, %twice : tensor<3xi32>, tensor<3xi1>, tensor<3x301xf32>, tensor<3x301xbf16>
    })";
};

struct dividing {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<4x211xi32>, %y: tensor<4x211xi64>, %by: tensor<i32>, %each: tensor<4x211xi32>)
        -> (tensor<4x211xi32>, tensor<4x211xi64>, tensor<4xi32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %thousand = stablehlo.constant dense<-1000> : tensor<4x211xi64>
      %all = stablehlo.broadcast_in_dim %by, dims = [] : (tensor<i32>) -> tensor<4x211xi32>
      %a = stablehlo.divide %x, %all : tensor<4x211xi32>
      %b = stablehlo.remainder %a, %each : tensor<4x211xi32>
      %c = stablehlo.add %b, %all : tensor<4x211xi32>
      %d = stablehlo.remainder %y, %thousand : tensor<4x211xi64>
      %e = stablehlo.multiply %d, %y : tensor<4x211xi64>
      %f = stablehlo.remainder %c, %all : tensor<4x211xi32>
      %g = stablehlo.reduce(%f init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<4x211xi32>, tensor<i32>) -> tensor<4xi32>
      return %c, %e, %g : tensor<4x211xi32>, tensor<4x211xi64>, tensor<4xi32>
    })";
};

// Read where indices say, which reach over either end: by element, the same for a row, and the same for all.
struct gathered {
  static constexpr std::string_view text = R"(
    func.func @main(%table: tensor<13xf32>, %at: tensor<4x21x1xi32>, %x: tensor<4x21xf32>, %m: tensor<9x21xf32>,
                    %rows: tensor<4x1xui8>, %one: tensor<i64>, %z: tensor<13xcomplex<f32>>, %b: tensor<13xi1>)
        -> (tensor<4x21xf32>, tensor<4x21xf32>, tensor<21xf32>, tensor<9xf32>, tensor<4x21xcomplex<f32>>, tensor<4x21xi1>) {
      %nothing = stablehlo.constant dense<0> : tensor<i64>
      %none = stablehlo.constant dense<false> : tensor<4x21xi1>
      %two = stablehlo.constant dense<2.0> : tensor<9xf32>
      %w = "stablehlo.gather"(%table, %at) {
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
        slice_sizes = array<i64: 1>} : (tensor<13xf32>, tensor<4x21x1xi32>) -> tensor<4x21xf32>
      %wx = stablehlo.multiply %w, %x : tensor<4x21xf32>
      %r = "stablehlo.gather"(%m, %rows) {
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
                                              index_vector_dim = 1>,
        slice_sizes = array<i64: 1, 21>} : (tensor<9x21xf32>, tensor<4x1xui8>) -> tensor<4x21xf32>
      %rx = stablehlo.subtract %r, %x : tensor<4x21xf32>
      %s = stablehlo.dynamic_slice %m, %one, %nothing, sizes = [1, 21]
        : (tensor<9x21xf32>, tensor<i64>, tensor<i64>) -> tensor<1x21xf32>
      %row = stablehlo.reshape %s : (tensor<1x21xf32>) -> tensor<21xf32>
      %rowed = stablehlo.negate %row : tensor<21xf32>
      %c = stablehlo.dynamic_slice %m, %nothing, %one, sizes = [9, 1]
        : (tensor<9x21xf32>, tensor<i64>, tensor<i64>) -> tensor<9x1xf32>
      %column = stablehlo.reshape %c : (tensor<9x1xf32>) -> tensor<9xf32>
      %columned = stablehlo.add %column, %two : tensor<9xf32>
      %v = "stablehlo.gather"(%z, %at) {
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
        slice_sizes = array<i64: 1>} : (tensor<13xcomplex<f32>>, tensor<4x21x1xi32>) -> tensor<4x21xcomplex<f32>>
      %square = stablehlo.multiply %v, %v : tensor<4x21xcomplex<f32>>
      %t = "stablehlo.gather"(%b, %at) {
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
        slice_sizes = array<i64: 1>} : (tensor<13xi1>, tensor<4x21x1xi32>) -> tensor<4x21xi1>
      %big = stablehlo.compare GT, %wx, %x : (tensor<4x21xf32>, tensor<4x21xf32>) -> tensor<4x21xi1>
      %either = stablehlo.xor %t, %big : tensor<4x21xi1>
      return %wx, %rx, %rowed, %columned, %square, %either
        : tensor<4x21xf32>, tensor<4x21xf32>, tensor<21xf32>, tensor<9xf32>, tensor<4x21xcomplex<f32>>, tensor<4x21xi1>
    })";
};

// How many groups of a program have loops of their own.
template <class Source>
constexpr int loops_of() {
  using code = typename program<Source>::code;
  constexpr graph g = code::graph();
  constexpr plan p = code::plan();
  int count = 0;
  for (const plan_step& step : p.steps) count += nest_of(g, p, step).fits;
  return count;
}

}  // namespace

TEST_CASE("complex numbers, counts and booleans") {
  CHECK(walked_alike<program<escaping>>());
  CHECK(loops_of<escaping>() >= 1);
}

TEST_CASE("bytes and narrow floats among wider numbers") {
  CHECK(walked_alike<program<widening>>());
  CHECK(loops_of<widening>() >= 3);
}

TEST_CASE("rows of several types") {
  CHECK(walked_alike<program<rows>>());
  CHECK(loops_of<rows>() >= 1);
}

TEST_CASE("divisors that are the same for all elements") {
  CHECK(walked_alike<program<dividing>>());
  CHECK(loops_of<dividing>() >= 2);
}

TEST_CASE("elements that indices choose") {
  CHECK(walked_alike<program<gathered>>());
  CHECK(loops_of<gathered>() >= 5);
}
