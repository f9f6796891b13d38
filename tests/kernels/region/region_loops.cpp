// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/region/region_loops.hpp>

#include <run/walked_alike.hpp>
#include <tenon/kernels/region/compile_region.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

struct loops {
  bool apply, fold, fold_at, take_turns;
};
constexpr loops found(const compiled_region& body) {
  return {body.apply != nullptr, body.fold != nullptr, body.fold_at != nullptr, body.take_turns != nullptr};
}

// Which loops of its own the first region gets.
template <class Net>
constexpr loops loops_of() {
  using code = typename Net::code;
  constexpr int node = [] {
    int n = 0;
    while (code::opened_graph.nodes[n].region_count == 0) ++n;
    return n;
  }();
  return found(compiled_region_of<code, node, code::opened_graph.regions_of(code::opened_graph.nodes[node])[0]>());
}

using rows = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<5x300xf32>) -> (tensor<5xf32>, tensor<300xf32>) {
    %i = stablehlo.constant dense<0.25> : tensor<f32>
    %r = "stablehlo.reduce"(%a, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {dimensions = array<i64: 1>} : (tensor<5x300xf32>, tensor<f32>) -> tensor<5xf32>
    %s = "stablehlo.reduce"(%a, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<5x300xf32>, tensor<f32>) -> tensor<300xf32>
    return %r, %s : tensor<5xf32>, tensor<300xf32>
  })");

// Rows that do not stay in the first cache are taken as they come.
using tall = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<40x301xf32>, %b: tensor<40x301xi32>) -> (tensor<301xf32>, tensor<301xf32>, tensor<301xi32>) {
    %i = stablehlo.constant dense<0.25> : tensor<f32>
    %j = stablehlo.constant dense<3> : tensor<i32>
    %r = "stablehlo.reduce"(%a, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<40x301xf32>, tensor<f32>) -> tensor<301xf32>
    %q:2 = "stablehlo.reduce"(%a, %b, %i, %j) ({
    ^bb0(%x: tensor<f32>, %u: tensor<i32>, %y: tensor<f32>, %v: tensor<i32>):
      %1 = stablehlo.compare LT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = stablehlo.subtract %y, %x : tensor<f32>
      %3 = stablehlo.select %1, %2, %y : tensor<i1>, tensor<f32>
      %4 = stablehlo.subtract %u, %v : tensor<i32>
      stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
    }) {dimensions = array<i64: 0>} : (tensor<40x301xf32>, tensor<40x301xi32>, tensor<f32>, tensor<i32>) -> (tensor<301xf32>, tensor<301xi32>)
    return %r, %q#0, %q#1 : tensor<301xf32>, tensor<301xf32>, tensor<301xi32>
  })");

// The place of the largest, or of the first NaN, as JAX writes it: numbers of two types, and booleans.
using places = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<70x37xf32>) -> (tensor<37xf32>, tensor<37xi32>) {
    %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %c = stablehlo.iota dim = 0 : tensor<70x37xi32>
    %q:2 = "stablehlo.reduce"(%a, %c, %n, %z) ({
    ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
      %1 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.or %1, %2 : tensor<i1>
      %4 = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.and %4, %5 : tensor<i1>
      %7 = stablehlo.or %3, %6 : tensor<i1>
      %8 = stablehlo.select %3, %x, %y : tensor<i1>, tensor<f32>
      %9 = stablehlo.select %7, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
    }) {dimensions = array<i64: 0>} : (tensor<70x37xf32>, tensor<70x37xi32>, tensor<f32>, tensor<i32>) -> (tensor<37xf32>, tensor<37xi32>)
    return %q#0, %q#1 : tensor<37xf32>, tensor<37xi32>
  })");

using windows = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<9x140xf32>, %b: tensor<3x8x10xf64>) -> (tensor<7x138xf32>, tensor<5x70xf32>, tensor<3x4x5xf64>, tensor<3x3x4xf64>) {
    %i = stablehlo.constant dense<0.25> : tensor<f32>
    %d = stablehlo.constant dense<0.25> : tensor<f64>
    %r = "stablehlo.reduce_window"(%a, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.subtract %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 3, 3>} : (tensor<9x140xf32>, tensor<f32>) -> tensor<7x138xf32>
    %s = "stablehlo.reduce_window"(%a, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.subtract %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>} : (tensor<9x140xf32>, tensor<f32>) -> tensor<5x70xf32>
    %t = "stablehlo.reduce_window"(%b, %d) ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %h = stablehlo.constant dense<0.7> : tensor<f64>
      %p = stablehlo.multiply %x, %h : tensor<f64>
      %z = stablehlo.subtract %p, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>} : (tensor<3x8x10xf64>, tensor<f64>) -> tensor<3x4x5xf64>
    %u = "stablehlo.reduce_window"(%b, %d) ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %h = stablehlo.constant dense<0.7> : tensor<f64>
      %p = stablehlo.multiply %x, %h : tensor<f64>
      %z = stablehlo.subtract %p, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) {window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>} : (tensor<3x8x10xf64>, tensor<f64>) -> tensor<3x3x4xf64>
    return %r, %s, %t, %u : tensor<7x138xf32>, tensor<5x70xf32>, tensor<3x4x5xf64>, tensor<3x3x4xf64>
  })");

using scattered = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<20xf32>, %b: tensor<300x1xi32>, %c: tensor<300xf32>) -> tensor<20xf32> {
    %r = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<20xf32>, tensor<300x1xi32>, tensor<300xf32>) -> tensor<20xf32>
    return %r : tensor<20xf32>
  })");

// Elements of one column, then of all at places of which two numbers tell.
using scattered_in_columns = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<7x3xf32>, %b: tensor<300x1xi64>, %c: tensor<300xf32>, %d: tensor<300x2xi64>) -> tensor<7x3xf32> {
    %q = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<7x3xf32>, tensor<300x1xi64>, tensor<300xf32>) -> tensor<7x3xf32>
    %r = "stablehlo.scatter"(%q, %d, %c) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.3> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.subtract %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>} : (tensor<7x3xf32>, tensor<300x2xi64>, tensor<300xf32>) -> tensor<7x3xf32>
    return %r : tensor<7x3xf32>
  })");

// Rows, of which some come again and some lie outside.
using scattered_rows = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<4x37xf32>, %b: tensor<300x1xi32>, %c: tensor<300x37xf32>) -> tensor<4x37xf32> {
    %r = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %p = stablehlo.multiply %x, %h : tensor<f32>
      %z = stablehlo.add %p, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x37xf32>, tensor<300x1xi32>, tensor<300x37xf32>) -> tensor<4x37xf32>
    return %r : tensor<4x37xf32>
  })");

using running = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<21xf32>, %b: tensor<f32>, %c: tensor<6x19xi32>, %d: tensor<19xi32>, %e: tensor<6x3xi32>, %f: tensor<3xi32>) -> (tensor<21xf32>, tensor<f32>, tensor<6x19xi32>, tensor<19xi32>, tensor<6x3xi32>, tensor<3xi32>) {
    %r:2 = chlo.scan(%a) inits(%b) dimension = 0 {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      %w = stablehlo.multiply %z, %x : tensor<f32>
      stablehlo.return %w, %z : tensor<f32>, tensor<f32>
    } : (tensor<21xf32>, tensor<f32>) -> (tensor<21xf32>, tensor<f32>)
    %s:2 = chlo.scan(%c) inits(%d) dimension = 0 attributes {is_reverse = true} {
    ^bb0(%x: tensor<19xi32>, %y: tensor<19xi32>):
      %z = stablehlo.subtract %x, %y : tensor<19xi32>
      stablehlo.return %y, %z : tensor<19xi32>, tensor<19xi32>
    } : (tensor<6x19xi32>, tensor<19xi32>) -> (tensor<6x19xi32>, tensor<19xi32>)
    %t:2 = chlo.scan(%e) inits(%f) dimension = 0 attributes {is_reverse = true} {
    ^bb0(%x: tensor<3xi32>, %y: tensor<3xi32>):
      %z = stablehlo.subtract %x, %y : tensor<3xi32>
      stablehlo.return %y, %z : tensor<3xi32>, tensor<3xi32>
    } : (tensor<6x3xi32>, tensor<3xi32>) -> (tensor<6x3xi32>, tensor<3xi32>)
    return %r#0, %r#1, %s#0, %s#1, %t#0, %t#1 : tensor<21xf32>, tensor<f32>, tensor<6x19xi32>, tensor<19xi32>, tensor<6x3xi32>, tensor<3xi32>
  })");

// What is carried is given, too.
using accumulated = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<5x37xf32>, %b: tensor<37xf32>, %c: tensor<1x37xi32>, %d: tensor<37xi32>) -> (tensor<5x37xf32>, tensor<5x37xf32>, tensor<37xf32>, tensor<1x37xi32>, tensor<37xi32>) {
    %r:3 = chlo.scan(%a) inits(%b) dimension = 0 attributes {is_reverse = true} {
    ^bb0(%x: tensor<37xf32>, %y: tensor<37xf32>):
      %w = stablehlo.multiply %x, %y : tensor<37xf32>
      %z = stablehlo.subtract %w, %y : tensor<37xf32>
      stablehlo.return %w, %z, %z : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
    } : (tensor<5x37xf32>, tensor<37xf32>) -> (tensor<5x37xf32>, tensor<5x37xf32>, tensor<37xf32>)
    %s:2 = chlo.scan(%c) inits(%d) dimension = 0 {
    ^bb0(%x: tensor<37xi32>, %y: tensor<37xi32>):
      %z = stablehlo.subtract %x, %y : tensor<37xi32>
      stablehlo.return %z, %z : tensor<37xi32>, tensor<37xi32>
    } : (tensor<1x37xi32>, tensor<37xi32>) -> (tensor<1x37xi32>, tensor<37xi32>)
    return %r#0, %r#1, %r#2, %s#0, %s#1 : tensor<5x37xf32>, tensor<5x37xf32>, tensor<37xf32>, tensor<1x37xi32>, tensor<37xi32>
  })");

using sorted = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<3x101xf32>, %b: tensor<3x101xi32>, %c: tensor<57x2xf32>) -> (tensor<3x101xf32>, tensor<3x101xi32>, tensor<57x2xf32>) {
    %q:2 = "stablehlo.sort"(%a, %b) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %d = stablehlo.subtract %x, %y : tensor<f32>
      %p = stablehlo.compare LT, %d, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<3x101xf32>, tensor<3x101xi32>) -> (tensor<3x101xf32>, tensor<3x101xi32>)
    %s = "stablehlo.sort"(%c) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %d = stablehlo.subtract %x, %y : tensor<f32>
      %p = stablehlo.compare GT, %d, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<57x2xf32>) -> tensor<57x2xf32>
    return %q#0, %q#1, %s : tensor<3x101xf32>, tensor<3x101xi32>, tensor<57x2xf32>
  })");

using chosen = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<9x10x3xf32>, %b: tensor<5x5x3xf32>) -> tensor<9x10x3xf32> {
    %i = stablehlo.constant dense<0.0> : tensor<f32>
    %r = "stablehlo.select_and_scatter"(%a, %b, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %u = stablehlo.abs %x : tensor<f32>
      %v = stablehlo.abs %y : tensor<f32>
      %p = stablehlo.compare GE, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %h = stablehlo.constant dense<0.7> : tensor<f32>
      %u = stablehlo.multiply %x, %h : tensor<f32>
      %p = stablehlo.add %u, %y : tensor<f32>
      stablehlo.return %p : tensor<f32>
    }) {window_dimensions = array<i64: 3, 3, 1>, window_strides = array<i64: 2, 2, 1>, padding = dense<[[1, 1], [1, 0], [0, 0]]> : tensor<3x2xi64>} : (tensor<9x10x3xf32>, tensor<5x5x3xf32>, tensor<f32>) -> tensor<9x10x3xf32>
    return %r : tensor<9x10x3xf32>
  })");

// Loops and branches have regions of numbers, too: here one that does more than numbers can in variables.
using looping = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<5xf32>, %b: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
    %i = stablehlo.constant dense<0> : tensor<i32>
    %q:3 = "stablehlo.while"(%i, %a, %b) ({
    ^bb0(%k: tensor<i32>, %x: tensor<5xf32>, %y: tensor<5xf32>):
      %n = stablehlo.constant dense<4> : tensor<i32>
      %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%k: tensor<i32>, %x: tensor<5xf32>, %y: tensor<5xf32>):
      %o = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.add %k, %o : tensor<i32>
      %u = stablehlo.subtract %x, %y : tensor<5xf32>
      %v = stablehlo.multiply %x, %y : tensor<5xf32>
      stablehlo.return %n, %u, %v : tensor<i32>, tensor<5xf32>, tensor<5xf32>
    }) : (tensor<i32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<i32>, tensor<5xf32>, tensor<5xf32>)
    return %q#1, %q#2 : tensor<5xf32>, tensor<5xf32>
  })");
using turning = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<2xi1>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %q:2 = "stablehlo.while"(%a, %b) ({
    ^bb0(%k: tensor<2xi1>, %x: tensor<2xf32>):
      %s = stablehlo.slice %k [0:1] : (tensor<2xi1>) -> tensor<1xi1>
      %p = stablehlo.reshape %s : (tensor<1xi1>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }, {
    ^bb0(%k: tensor<2xi1>, %x: tensor<2xf32>):
      %n = stablehlo.not %k : tensor<2xi1>
      %u = stablehlo.add %x, %x : tensor<2xf32>
      stablehlo.return %n, %u : tensor<2xi1>, tensor<2xf32>
    }) : (tensor<2xi1>, tensor<2xf32>) -> (tensor<2xi1>, tensor<2xf32>)
    return %q#1 : tensor<2xf32>
  })");

// Elements of different sizes share no vectors.
using mixed = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<40xf32>, %b: tensor<40xi8>) -> (tensor<f32>, tensor<i8>) {
    %i = stablehlo.constant dense<0.0> : tensor<f32>
    %j = stablehlo.constant dense<1> : tensor<i8>
    %r:2 = "stablehlo.reduce"(%a, %b, %i, %j) ({
    ^bb0(%x: tensor<f32>, %y: tensor<i8>, %u: tensor<f32>, %v: tensor<i8>):
      %p = stablehlo.subtract %x, %u : tensor<f32>
      %q = stablehlo.subtract %y, %v : tensor<i8>
      stablehlo.return %p, %q : tensor<f32>, tensor<i8>
    }) {dimensions = array<i64: 0>} : (tensor<40xf32>, tensor<40xi8>, tensor<f32>, tensor<i8>) -> (tensor<f32>, tensor<i8>)
    return %r#0, %r#1 : tensor<f32>, tensor<i8>
  })");

static_assert(loops_of<rows>().fold && !loops_of<rows>().fold_at);
static_assert(loops_of<places>().fold);
static_assert(loops_of<windows>().fold);
static_assert(loops_of<scattered>().fold_at && loops_of<scattered>().apply);
static_assert(loops_of<running>().take_turns);
static_assert(loops_of<accumulated>().take_turns);
static_assert(loops_of<chosen>().apply);
static_assert(!loops_of<mixed>().apply);

}  // namespace

TEST_CASE("folds by several ops") {
  CHECK(walked_alike<rows>());
  CHECK(walked_alike<tall>());
  CHECK(walked_alike<places>());
  CHECK(walked_alike<mixed>());
}
TEST_CASE("windows by several ops: long rows, short ones, with padding and strides") { CHECK(walked_alike<windows>()); }
TEST_CASE("scatter by several ops, one element or row after the other") {
  CHECK(walked_alike<scattered>());
  CHECK(walked_alike<scattered_in_columns>());
  CHECK(walked_alike<scattered_rows>());
}
TEST_CASE("scans of numbers and of rows") {
  CHECK(walked_alike<running>());
  CHECK(walked_alike<accumulated>());
}
TEST_CASE("loops whose regions work element by element") {
  CHECK(walked_alike<looping>());
  CHECK(walked_alike<turning>());
}
TEST_CASE("comparators that are not keys") { CHECK(walked_alike<sorted>()); }
TEST_CASE("select_and_scatter by several ops") { CHECK(walked_alike<chosen>()); }
