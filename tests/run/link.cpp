// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/link.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

#include <utility>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::planning;
using namespace tenon::execution;
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

// Calls of the same types, some of which have other attributes.
using repeated = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %x = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %y = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %z = stablehlo.dot_general %y, %b, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = "stablehlo.sort"(%z) <{dimension = 0 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %t = "stablehlo.sort"(%z) <{dimension = 1 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %y, %s, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
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

}  // namespace

TEST_CASE("calls that are linked at run time are those of the constant table") {
  using code = looping::code;
  static constexpr graph g = code::graph();
  static constexpr plan p = code::plan();
  static constexpr const linked_calls& constant = linked_program<code>::calls;
  const owned_links links(g, p);
  const linked_calls calls = links.calls();
  for (int s = 0; s < p.steps.size; ++s) {
    const plan_step& step = p.steps.data[s];
    if (!step.has_op()) continue;
    const evaluation a = constant.call(g, step, constant.steps[s], nullptr);
    const evaluation b = calls.call(g, step, calls.steps[s], nullptr);
    CHECK(a.operand_types == b.operand_types);
    CHECK(a.result_types == b.result_types);
    CHECK(a.operand_strides == b.operand_strides);
    REQUIRE(a.regions.size == b.regions.size);
    for (int r = 0; r < a.regions.size; ++r) {
      CHECK(a.regions[r].arguments == b.regions[r].arguments);
      CHECK(a.regions[r].results == b.regions[r].results);
    }
    for (int i = 0; i < a.operands.size + a.results.size; ++i) {
      CHECK(constant.places[constant.steps[s].first_place + i].base ==
            calls.places[calls.steps[s].first_place + i].base);
      CHECK(constant.places[constant.steps[s].first_place + i].offset ==
            calls.places[calls.steps[s].first_place + i].offset);
    }
  }
}

TEST_CASE("calls of the same types share them") {
  constexpr const linked_calls& calls = linked_program<repeated::code>::calls;
  CHECK(calls.steps[1].first_type == calls.steps[0].first_type);
}

TEST_CASE("compiled and loaded programs give the same, to the last bit") {
  CHECK(walked_alike<straight>());
  CHECK(walked_alike<repeated>());
  CHECK(walked_alike<handed>());
  CHECK(walked_alike<looping>());
  CHECK(walked_alike<mixed>());
}
