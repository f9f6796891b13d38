// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/prepared_calls.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace tenon;
using tenon::test::walked_alike;

namespace {

// Elementwise ops that stand alone, copies, and ops with loops of their own.
using straight = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> (tensor<5x3xf32>, tensor<5x5xf32>, tensor<3x5xf32>) {
    %x = stablehlo.add %a, %b : tensor<3x5xf32>
    %y = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
    %z = stablehlo.dot %y, %x : (tensor<5x3xf32>, tensor<3x5xf32>) -> tensor<5x5xf32>
    return %y, %z, %x : tensor<5x3xf32>, tensor<5x5xf32>, tensor<3x5xf32>
  })");

// Results that are arguments, constants, and twins.
using handed = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<6xf32>) -> (tensor<6xf32>, tensor<4xi32>, tensor<6xf32>, tensor<6xf32>, tensor<3xi64>) {
    %c = stablehlo.constant dense<7> : tensor<4xi32>
    %d = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
    %n = stablehlo.negate %a : tensor<6xf32>
    return %a, %c, %n, %n, %d : tensor<6xf32>, tensor<4xi32>, tensor<6xf32>, tensor<6xf32>, tensor<3xi64>
  })");

// Regions that read what lies outside, in a region themselves.
using looping = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<7xf32>, %b: tensor<7xf32>) -> (tensor<7xf32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = "stablehlo.while"(%zero, %a) ({
    ^bb0(%i: tensor<i32>, %x: tensor<7xf32>):
      %n = stablehlo.constant dense<5> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%i: tensor<i32>, %x: tensor<7xf32>):
      %o = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %o : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %y = "stablehlo.if"(%p) ({
        %s = stablehlo.add %x, %b : tensor<7xf32>
        %t = stablehlo.reverse %s, dims = [0] : tensor<7xf32>
        stablehlo.return %t : tensor<7xf32>
      }, {
        stablehlo.return %b : tensor<7xf32>
      }) : (tensor<i1>) -> tensor<7xf32>
      stablehlo.return %j, %y : tensor<i32>, tensor<7xf32>
    }) : (tensor<i32>, tensor<7xf32>) -> (tensor<i32>, tensor<7xf32>)
    return %r#1, %r#0 : tensor<7xf32>, tensor<i32>
  })");

// A group of several ops, which is done in tiles, and numbers that no program gives twice.
using mixed = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<5000xf32>) -> (tensor<5000xf32>, tensor<8xf32>) {
    %x = stablehlo.exponential %a : tensor<5000xf32>
    %y = stablehlo.multiply %x, %a : tensor<5000xf32>
    %low = stablehlo.constant dense<0.0> : tensor<f32>
    %high = stablehlo.constant dense<1.0> : tensor<f32>
    %shape = stablehlo.constant dense<8> : tensor<1xi64>
    %r = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
    return %y, %r : tensor<5000xf32>, tensor<8xf32>
  })");

template <class Net>
bool is_all_calls() {
  static constexpr graph g = Net::code::graph();
  static constexpr plan p = Net::code::plan();
  const auto kernels = test::kernels_of<typename Net::code>(std::make_integer_sequence<int, p.kernels.size>());
  static test::aligned_block<p.arena_bytes> arena;
  static test::aligned_block<p.constant_bytes> constants;
  prepared_calls calls(g, p, kernels.data(), constants.at, arena.at);
  const prepared_calls moved = std::move(calls);
  CHECK(moved.calls() != nullptr);
  return moved.are_all();
}

}  // namespace

TEST_CASE("prepared calls give what the plan gives, to the last bit") {
  CHECK(walked_alike<straight>());
  CHECK(walked_alike<handed>());
  CHECK(walked_alike<looping>());
  CHECK(walked_alike<mixed>());
}

TEST_CASE("what regions, tiles and copies of results need is left to the plan") {
  CHECK(is_all_calls<straight>());
  CHECK_FALSE(is_all_calls<handed>());
  CHECK_FALSE(is_all_calls<looping>());
  CHECK_FALSE(is_all_calls<mixed>());
}
