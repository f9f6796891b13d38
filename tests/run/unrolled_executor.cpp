// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/unrolled_executor.hpp>

#include <tenon/run/program.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

TEST_CASE("groups, small products, and results that are arguments or constants") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<5xf32>) {
      %sum = stablehlo.add %a, %b : tensor<4x4xf32>
      %product = stablehlo.dot_general %sum, %b, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %tanh = stablehlo.tanh %product : tensor<4x4xf32>
      %again = stablehlo.dot %tanh, %sum : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %c = stablehlo.constant dense<1.5> : tensor<5xf32>
      return %again, %a, %tanh, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<5xf32>
    })")>());
}

TEST_CASE("products through transposes and slices") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<8x6xf32>, %b: tensor<3x9xf32>) -> tensor<6x3xf32> {
      %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
      %s = stablehlo.slice %b [0:3, 1:9] : (tensor<3x9xf32>) -> tensor<3x8xf32>
      %r = stablehlo.dot_general %t, %s, contracting_dims = [1] x [1] : (tensor<6x8xf32>, tensor<3x8xf32>) -> tensor<6x3xf32>
      return %r : tensor<6x3xf32>
    })")>());
}

TEST_CASE("branches and loops over tensors") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<7xf32>, %b: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
      %x = stablehlo.slice %a [3:4] : (tensor<7xf32>) -> tensor<1xf32>
      %y = stablehlo.slice %b [3:4] : (tensor<7xf32>) -> tensor<1xf32>
      %less = stablehlo.compare LT, %x, %y : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
      %p = stablehlo.reshape %less : (tensor<1xi1>) -> tensor<i1>
      %chosen:2 = "stablehlo.if"(%p) ({
        %s = stablehlo.add %a, %b : tensor<7xf32>
        stablehlo.return %s, %a : tensor<7xf32>, tensor<7xf32>
      }, {
        %s = stablehlo.subtract %a, %b : tensor<7xf32>
        stablehlo.return %b, %s : tensor<7xf32>, tensor<7xf32>
      }) : (tensor<i1>) -> (tensor<7xf32>, tensor<7xf32>)
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:3 = "stablehlo.while"(%zero, %chosen#0, %chosen#1) ({
      ^bb0(%i: tensor<i32>, %c: tensor<7xf32>, %d: tensor<7xf32>):
        %end = stablehlo.constant dense<5> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %c: tensor<7xf32>, %d: tensor<7xf32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %m = stablehlo.multiply %c, %d : tensor<7xf32>
        %t = stablehlo.tanh %m : tensor<7xf32>
        stablehlo.return %next, %d, %t : tensor<i32>, tensor<7xf32>, tensor<7xf32>
      }) : (tensor<i32>, tensor<7xf32>, tensor<7xf32>) -> (tensor<i32>, tensor<7xf32>, tensor<7xf32>)
      return %r#1, %r#2 : tensor<7xf32>, tensor<7xf32>
    })")>());
}

TEST_CASE("ops that ask for the code of their regions") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<6x40xf32>) -> (tensor<40xf32>, tensor<6x40xf32>, tensor<6xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %squares = "stablehlo.reduce"(%a, %zero) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.multiply %y, %y : tensor<f32>
        %t = stablehlo.add %x, %s : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<6x40xf32>, tensor<f32>) -> tensor<40xf32>
      %sorted = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %c = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }) {dimension = 1 : i64, is_stable = true} : (tensor<6x40xf32>) -> tensor<6x40xf32>
      %sums = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
      return %squares, %sorted, %sums : tensor<40xf32>, tensor<6x40xf32>, tensor<6xf32>
    })")>());
}

TEST_CASE("regions that have loops of their own are folded without tables") {
  using net = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<6xi32>, tensor<40xf32>, tensor<5x40xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %none = stablehlo.constant dense<0> : tensor<i32>
      %places = stablehlo.iota dim = 1 : tensor<6x40xi32>
      %largest:2 = "stablehlo.reduce"(%a, %places, %zero, %none) ({
      ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
        %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %value = stablehlo.select %less, %y, %x : tensor<i1>, tensor<f32>
        %place = stablehlo.select %less, %j, %i : tensor<i1>, tensor<i32>
        stablehlo.return %value, %place : tensor<f32>, tensor<i32>
      }) {dimensions = array<i64: 1>} : (tensor<6x40xf32>, tensor<6x40xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      %squares = "stablehlo.reduce"(%a, %zero) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.multiply %y, %y : tensor<f32>
        %t = stablehlo.add %x, %s : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<6x40xf32>, tensor<f32>) -> tensor<40xf32>
      %pairs = "stablehlo.reduce_window"(%a, %zero) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.tanh %y : tensor<f32>
        %t = stablehlo.subtract %x, %s : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) {window_dimensions = array<i64: 2, 1>} : (tensor<6x40xf32>, tensor<f32>) -> tensor<5x40xf32>
      return %largest#0, %largest#1, %squares, %pairs : tensor<6xf32>, tensor<6xi32>, tensor<40xf32>, tensor<5x40xf32>
    })");
  CHECK(is_straight_program<net::code>);
  CHECK(walked_alike<net>());
}

// The loop holds few elements in registers. %spread is computed there for %row, and again, from %twice in memory, by
// the loop behind the product.
TEST_CASE("an op that is computed in registers and in a loop over memory") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %none = stablehlo.constant dense<0.0> : tensor<f32>
      %begin = stablehlo.constant dense<0.0> : tensor<4xf32>
      %r:3 = stablehlo.while(%i = %zero, %b = %a, %before = %begin) : tensor<i32>, tensor<4x3xf32>, tensor<4xf32>
      cond {
        %end = stablehlo.constant dense<2> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %part = stablehlo.dynamic_slice %a, %zero, %next, sizes = [4, 1] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
        %column = stablehlo.reshape %part : (tensor<4x1xf32>) -> tensor<4xf32>
        %entry = stablehlo.dynamic_slice %column, %next, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %number = stablehlo.reshape %entry : (tensor<1xf32>) -> tensor<f32>
        %twice = stablehlo.add %number, %number : tensor<f32>
        %spread = stablehlo.broadcast_in_dim %twice, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %row = stablehlo.multiply %spread, %column : tensor<4xf32>
        %rows = stablehlo.broadcast_in_dim %row, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
        %c = stablehlo.multiply %b, %rows : tensor<4x3xf32>
        %v = stablehlo.reduce(%c init: %none) applies stablehlo.add across dimensions = [0] : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
        %w = stablehlo.dot_general %column, %a, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x3xf32>) -> tensor<3xf32>
        %ws = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
        %d = stablehlo.multiply %b, %ws : tensor<4x3xf32>
        %u = stablehlo.reduce(%d init: %none) applies stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
        %product = stablehlo.dot_general %v, %a, contracting_dims = [0] x [1] : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4xf32>
        %scaled = stablehlo.multiply %u, %spread : tensor<4xf32>
        %after = stablehlo.add %product, %scaled : tensor<4xf32>
        stablehlo.return %next, %c, %after : tensor<i32>, tensor<4x3xf32>, tensor<4xf32>
      }
      return %r#1, %r#2 : tensor<4x3xf32>, tensor<4xf32>
    })")>());
}

}  // namespace
