// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/region/register_code.hpp>

#include <shared/shared_program.hpp>
#include <tenon/tenon.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::planning;
using namespace tenon::execution;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// Kernels of the ops below only.
kernel find(const kernel_key& key) {
  const auto by_element = [&]<class Op>(Op*) -> kernel {
    if (key.element == dtype::f32) return kernel_of<Op, dtype::f32, dtype::f32>();
    return kernel_of<Op, dtype::i32, dtype::i32>();
  };
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return by_element(static_cast<ops::add*>(nullptr));
    case kind_of_op<ops::multiply>:
      return by_element(static_cast<ops::multiply*>(nullptr));
    case kind_of_op<ops::remainder>:
      return by_element(static_cast<ops::remainder*>(nullptr));
    case kind_of_op<ops::tanh>:
      return kernel_of<ops::tanh, dtype::f32, dtype::f32>();
    case kind_of_op<ops::exponential>:
      return kernel_of<ops::exponential, dtype::f32, dtype::f32>();
    case kind_of_op<ops::select>:
      return kernel_of<ops::select, dtype::f32, dtype::f32>();
    case kind_of_op<ops::convert>:
      return kernel_of<ops::convert, dtype::i32, dtype::f32>();
    case kind_of_op<ops::compare>:
      return key.element == dtype::f32 ? kernel(kernel_of<ops::compare, dtype::f32, dtype::i1>())
                                       : kernel(kernel_of<ops::compare, dtype::i32, dtype::i1>());
    case kind_of_op<ops::while_>:
      return kernel_of<ops::while_, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::if_>:
      return key.element == dtype::ui8 ? kernel(kernel_of<ops::if_, dtype::ui8, dtype::ui8>())
                                       : kernel(kernel_of<ops::if_, dtype::ui32, dtype::ui32>());
    case kind_of_op<ops::case_>:
      return kernel_of<ops::case_, dtype::ui32, dtype::ui32>();
    default:
      return nullptr;
  }
}

struct numbers {
  i32 steps;
  f32 x;
};

// What the program gives compiled, and as the executor walks its plan.
template <class Program>
void check(i32 steps, f32 x) {
  CAPTURE(steps);
  CAPTURE(x);
  const void* const arguments[] = {&steps, &x};
  numbers got{}, wanted{};
  void* const results[] = {&got.steps, &got.x};
  void* const expected[] = {&wanted.steps, &wanted.x};
  program<Program>::code::run(arguments, results);
  shared_program walked(Program::text, &find);
  REQUIRE(!walked.error());
  walked(arguments, expected);
  CHECK(got.steps == wanted.steps);
  CHECK(std::memcmp(&got.x, &wanted.x, sizeof(f32)) == 0);
}

// The node of the program that has regions and stands in none.
template <class Program>
struct source {
  static constexpr graph opened_graph = program<Program>::code::graph();
  static constexpr int node = [] {
    int found = -1;
    for (int n = 0; n < opened_graph.nodes.size; ++n)
      if (opened_graph.nodes[n].region_count > 0) found = n;
    return found;
  }();
  static constexpr bool is_supported =
      register_code<unrolled_executor<typename program<Program>::code>, node>::is_supported();
};

struct counting {
  static constexpr std::string_view text = R"(
    func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %scale = stablehlo.constant dense<0.75> : tensor<f32>
      %r:2 = "stablehlo.while"(%zero, %x) ({
      ^bb0(%i: tensor<i32>, %a: tensor<f32>):
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<f32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %scaled = stablehlo.multiply %a, %scale : tensor<f32>
        %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
        %sum = stablehlo.add %scaled, %f : tensor<f32>
        %bounded = stablehlo.tanh %sum : tensor<f32>
        %big = stablehlo.exponential %bounded : tensor<f32>
        %less = stablehlo.compare LT, %big, %scale : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %chosen = stablehlo.select %less, %bounded, %big : tensor<i1>, tensor<f32>
        stablehlo.return %next, %chosen : tensor<i32>, tensor<f32>
      }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
      return %r#0, %r#1 : tensor<i32>, tensor<f32>
    })";
};
static_assert(source<counting>::is_supported);

TEST_CASE("a loop over numbers gives what the executor gives, bit for bit") {
  for (i32 steps : {-1, 0, 1, 2, 17})
    for (f32 x : {0.0f, -3.5f, 1e30f}) check<counting>(steps, x);
}

// A loop in a loop, with branches, which swaps values and hands some through.
struct branching {
  static constexpr std::string_view text = R"(
    func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %r:4 = "stablehlo.while"(%zero, %x, %x, %one) ({
      ^bb0(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>):
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>):
        %next = stablehlo.add %i, %one : tensor<i32>
        %which = stablehlo.remainder %i, %three : tensor<i32>
        %y = "stablehlo.case"(%which) ({
          %t = stablehlo.add %a, %x : tensor<f32>
          stablehlo.return %t : tensor<f32>
        }, {
          %t = stablehlo.multiply %a, %b : tensor<f32>
          stablehlo.return %t : tensor<f32>
        }, {
          stablehlo.return %b : tensor<f32>
        }) : (tensor<i32>) -> tensor<f32>
        %odd = stablehlo.compare EQ, %which, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %z:2 = "stablehlo.if"(%odd) ({
          %s:2 = "stablehlo.while"(%which, %y) ({
          ^bb0(%j: tensor<i32>, %e: tensor<f32>):
            %again = stablehlo.compare LT, %j, %next : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %again : tensor<i1>
          }, {
          ^bb0(%j: tensor<i32>, %e: tensor<f32>):
            %k = stablehlo.add %j, %one : tensor<i32>
            %g = stablehlo.add %e, %a : tensor<f32>
            stablehlo.return %k, %g : tensor<i32>, tensor<f32>
          }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
          stablehlo.return %s#1, %s#0 : tensor<f32>, tensor<i32>
        }, {
          stablehlo.return %y, %c : tensor<f32>, tensor<i32>
        }) : (tensor<i1>) -> (tensor<f32>, tensor<i32>)
        stablehlo.return %next, %z#0, %a, %z#1 : tensor<i32>, tensor<f32>, tensor<f32>, tensor<i32>
      }) : (tensor<i32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<i32>, tensor<f32>, tensor<f32>, tensor<i32>)
      return %r#3, %r#1 : tensor<i32>, tensor<f32>
    })";
};
static_assert(source<branching>::is_supported);

TEST_CASE("loops and branches in loops") {
  for (i32 steps : {0, 1, 2, 3, 4, 5, 9})
    for (f32 x : {0.5f, -1.25f}) check<branching>(steps, x);
}

// The elements of a short tensor are numbers.
struct beside {
  static constexpr std::string_view text = R"(
    func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {
      %r:2 = "stablehlo.while"(%n, %x) ({
      ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
        %end = stablehlo.constant dense<9> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
        %next = stablehlo.add %i, %i : tensor<i32>
        %sum = stablehlo.add %a, %a : tensor<2xf32>
        stablehlo.return %next, %sum : tensor<i32>, tensor<2xf32>
      }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
      return %r#0, %r#1 : tensor<i32>, tensor<2xf32>
    })";
};
static_assert(source<beside>::is_supported);

TEST_CASE("a loop over a number and a tensor") {
  const i32 n = 1;
  const f32 x[] = {0.5f, -3};
  i32 steps = 0;
  f32 sums[2]{};
  const void* const arguments[] = {&n, x};
  void* const results[] = {&steps, sums};
  program<beside>::code::run(arguments, results);
  CHECK(steps == 16);
  CHECK(sums[0] == 8);
  CHECK(sums[1] == -48);
}

TEST_CASE("a scan reads and writes rows of tensors where they lie") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%x: tensor<9x3xf32>, %h: tensor<3xf32>) -> (tensor<3xf32>, tensor<9x3xf32>, tensor<9xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %none = stablehlo.constant dense<0.0> : tensor<9x3xf32>
      %sums = stablehlo.constant dense<0.5> : tensor<9xf32>
      %r:4 = "stablehlo.while"(%zero, %h, %none, %sums) ({
      ^bb0(%i: tensor<i32>, %s: tensor<3xf32>, %ys: tensor<9x3xf32>, %ts: tensor<9xf32>):
        %end = stablehlo.constant dense<9> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %s: tensor<3xf32>, %ys: tensor<9x3xf32>, %ts: tensor<9xf32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %start = stablehlo.constant dense<0> : tensor<i32>
        %c = stablehlo.constant dense<[[0.5, 0.25, -1.0]]> : tensor<1x3xf32>
        %null = stablehlo.constant dense<0.0> : tensor<f32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %row = stablehlo.dynamic_slice %x, %i, %start, sizes = [1, 3] : (tensor<9x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
        %scaled = stablehlo.multiply %row, %c : tensor<1x3xf32>
        %flat = stablehlo.reshape %scaled : (tensor<1x3xf32>) -> tensor<3xf32>
        %a = stablehlo.slice %s [0:1] : (tensor<3xf32>) -> tensor<1xf32>
        %b = stablehlo.slice %s [1:3] : (tensor<3xf32>) -> tensor<2xf32>
        %turned = stablehlo.concatenate %b, %a, dim = 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
        %back = stablehlo.reverse %turned, dims = [0] : tensor<3xf32>
        %added = stablehlo.add %back, %flat : tensor<3xf32>
        %bounded = stablehlo.tanh %added : tensor<3xf32>
        %total = stablehlo.reduce(%bounded init: %null) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
        %as_row = stablehlo.reshape %bounded : (tensor<3xf32>) -> tensor<1x3xf32>
        %rows = stablehlo.dynamic_update_slice %ys, %as_row, %i, %start : (tensor<9x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<9x3xf32>
        %one_total = stablehlo.reshape %total : (tensor<f32>) -> tensor<1xf32>
        %totals = stablehlo.dynamic_update_slice %ts, %one_total, %i : (tensor<9xf32>, tensor<1xf32>, tensor<i32>) -> tensor<9xf32>
        stablehlo.return %next, %bounded, %rows, %totals : tensor<i32>, tensor<3xf32>, tensor<9x3xf32>, tensor<9xf32>
      }) : (tensor<i32>, tensor<3xf32>, tensor<9x3xf32>, tensor<9xf32>) -> (tensor<i32>, tensor<3xf32>, tensor<9x3xf32>, tensor<9xf32>)
      return %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<9x3xf32>, tensor<9xf32>
    })")>());
}

// Large values change places, one is handed through, one is new in each turn; a product reads small values from memory.
// Of what is replaced where it lies only that counts.
struct filtered {
  static constexpr std::string_view text = R"(
    func.func @main(%xs: tensor<2000xf32>, %first: tensor<f32>) -> tensor<2000xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %r:3 = "stablehlo.while"(%zero, %first, %xs) ({
      ^bb0(%i: tensor<i32>, %state: tensor<f32>, %ys: tensor<2000xf32>):
        %n = stablehlo.constant dense<2000> : tensor<i32>
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %state: tensor<f32>, %ys: tensor<2000xf32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %row = stablehlo.dynamic_slice %xs, %i, sizes = [1] : (tensor<2000xf32>, tensor<i32>) -> tensor<1xf32>
        %x = stablehlo.reshape %row : (tensor<1xf32>) -> tensor<f32>
        %less = stablehlo.multiply %state, %half : tensor<f32>
        %y = stablehlo.add %less, %x : tensor<f32>
        %as_row = stablehlo.reshape %y : (tensor<f32>) -> tensor<1xf32>
        %all = stablehlo.dynamic_update_slice %ys, %as_row, %i : (tensor<2000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<2000xf32>
        stablehlo.return %next, %y, %all : tensor<i32>, tensor<f32>, tensor<2000xf32>
      }) : (tensor<i32>, tensor<f32>, tensor<2000xf32>) -> (tensor<i32>, tensor<f32>, tensor<2000xf32>)
      return %r#2 : tensor<2000xf32>
    })";
};
static_assert(source<filtered>::is_supported);

TEST_CASE("a scan over many steps") {
  static tensor<f32, 2000> xs;
  for (index_t i = 0; i < 2000; ++i) xs(i) = f32(i % 7);
  static tensor<f32, 2000> ys;
  program<filtered>{}.into(ys)(xs, tensor<f32>(1.0f));
  f32 state = 1;
  for (index_t i = 0; i < 2000; ++i) {
    state = state * 0.5f + xs(i);
    REQUIRE(ys(i) == state);
  }
}

TEST_CASE("values in registers and in memory hand over to each other") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%x: tensor<5x6xf64>, %y: tensor<5x6xf64>, %w: tensor<4x4xf64>, %v: tensor<4xf64>)
        -> (tensor<5x6xf64>, tensor<5x6xf64>, tensor<4xf64>, tensor<f64>, tensor<5x6xf64>, tensor<i64>) {
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %null = stablehlo.constant dense<0.0> : tensor<f64>
      %r:7 = "stablehlo.while"(%zero, %x, %y, %v, %null, %x, %w) ({
      ^bb0(%i: tensor<i64>, %a: tensor<5x6xf64>, %b: tensor<5x6xf64>, %s: tensor<4xf64>, %t: tensor<f64>, %n: tensor<5x6xf64>, %m: tensor<4x4xf64>):
        %end = stablehlo.constant dense<5> : tensor<i64>
        %first = stablehlo.slice %n [4:5, 5:6] : (tensor<5x6xf64>) -> tensor<1x1xf64>
        %number = stablehlo.reshape %first : (tensor<1x1xf64>) -> tensor<f64>
        %limit = stablehlo.constant dense<1.0e30> : tensor<f64>
        %small = stablehlo.compare LT, %number, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
        %less = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %more = stablehlo.and %less, %small : tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i64>, %a: tensor<5x6xf64>, %b: tensor<5x6xf64>, %s: tensor<4xf64>, %t: tensor<f64>, %n: tensor<5x6xf64>, %m: tensor<4x4xf64>):
        %one = stablehlo.constant dense<1> : tensor<i64>
        %next = stablehlo.add %i, %one : tensor<i64>
        %sum = stablehlo.add %a, %b : tensor<5x6xf64>
        %moved = stablehlo.dot_general %m, %s, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4xf64>) -> tensor<4xf64>
        %half = stablehlo.constant dense<0.125> : tensor<4xf64>
        %scaled = stablehlo.multiply %moved, %half : tensor<4xf64>
        %kept = stablehlo.subtract %scaled, %s : tensor<4xf64>
        %third = stablehlo.slice %kept [2:3] : (tensor<4xf64>) -> tensor<1xf64>
        %number = stablehlo.reshape %third : (tensor<1xf64>) -> tensor<f64>
        %more = stablehlo.maximum %t, %number : tensor<f64>
        %wide = stablehlo.broadcast_in_dim %more, dims = [] : (tensor<f64>) -> tensor<5x6xf64>
        %new = stablehlo.add %sum, %wide : tensor<5x6xf64>
        stablehlo.return %next, %b, %a, %kept, %more, %new, %m : tensor<i64>, tensor<5x6xf64>, tensor<5x6xf64>, tensor<4xf64>, tensor<f64>, tensor<5x6xf64>, tensor<4x4xf64>
      }) : (tensor<i64>, tensor<5x6xf64>, tensor<5x6xf64>, tensor<4xf64>, tensor<f64>, tensor<5x6xf64>, tensor<4x4xf64>) -> (tensor<i64>, tensor<5x6xf64>, tensor<5x6xf64>, tensor<4xf64>, tensor<f64>, tensor<5x6xf64>, tensor<4x4xf64>)
      return %r#1, %r#2, %r#3, %r#4, %r#5, %r#0 : tensor<5x6xf64>, tensor<5x6xf64>, tensor<4xf64>, tensor<f64>, tensor<5x6xf64>, tensor<i64>
    })")>());
}

// Branches give large values and small ones; a loop in a branch reads what the outer loop keeps in registers, and so
// does the region of an op with loops of its own.
TEST_CASE("branches within loops, with values of every kind") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%x: tensor<40xi32>, %y: tensor<3x2xi32>, %k: tensor<6xi32>) -> (tensor<40xi32>, tensor<3x2xi32>, tensor<6xi32>, tensor<2xi1>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %no = stablehlo.constant dense<false> : tensor<2xi1>
      %r:5 = "stablehlo.while"(%zero, %x, %y, %k, %no) ({
      ^bb0(%i: tensor<i32>, %a: tensor<40xi32>, %b: tensor<3x2xi32>, %c: tensor<6xi32>, %d: tensor<2xi1>):
        %end = stablehlo.constant dense<7> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<40xi32>, %b: tensor<3x2xi32>, %c: tensor<6xi32>, %d: tensor<2xi1>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %three = stablehlo.constant dense<3> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %which = stablehlo.remainder %i, %three : tensor<i32>
        %chosen:2 = "stablehlo.case"(%which) ({
          %wide = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<40xi32>
          %s = stablehlo.add %a, %wide : tensor<40xi32>
          %t = stablehlo.multiply %b, %b : tensor<3x2xi32>
          stablehlo.return %s, %t : tensor<40xi32>, tensor<3x2xi32>
        }, {
          %turned = stablehlo.transpose %b, dims = [1, 0] : (tensor<3x2xi32>) -> tensor<2x3xi32>
          %flat = stablehlo.reshape %turned : (tensor<2x3xi32>) -> tensor<3x2xi32>
          stablehlo.return %a, %flat : tensor<40xi32>, tensor<3x2xi32>
        }, {
          %s:2 = "stablehlo.while"(%which, %b) ({
          ^bb0(%j: tensor<i32>, %e: tensor<3x2xi32>):
            %again = stablehlo.compare LT, %j, %next : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %again : tensor<i1>
          }, {
          ^bb0(%j: tensor<i32>, %e: tensor<3x2xi32>):
            %m = stablehlo.add %j, %one : tensor<i32>
            %o = stablehlo.slice %e [0:3, 1:2] : (tensor<3x2xi32>) -> tensor<3x1xi32>
            %null = stablehlo.constant dense<-1> : tensor<i32>
            %p = stablehlo.pad %o, %null, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<3x1xi32>, tensor<i32>) -> tensor<3x2xi32>
            stablehlo.return %m, %p : tensor<i32>, tensor<3x2xi32>
          }) : (tensor<i32>, tensor<3x2xi32>) -> (tensor<i32>, tensor<3x2xi32>)
          %sorted = "stablehlo.sort"(%a) ({
          ^bb0(%u: tensor<i32>, %v: tensor<i32>):
            %l = stablehlo.subtract %u, %i : tensor<i32>
            %q = stablehlo.subtract %v, %i : tensor<i32>
            %less = stablehlo.compare GT, %l, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %less : tensor<i1>
          }) {dimension = 0 : i64, is_stable = true} : (tensor<40xi32>) -> tensor<40xi32>
          stablehlo.return %sorted, %s#1 : tensor<40xi32>, tensor<3x2xi32>
        }) : (tensor<i32>) -> (tensor<40xi32>, tensor<3x2xi32>)
        %rows = stablehlo.dynamic_slice %chosen#0, %i, sizes = [6] : (tensor<40xi32>, tensor<i32>) -> tensor<6xi32>
        %keys = stablehlo.add %rows, %c : tensor<6xi32>
        %pair = stablehlo.slice %keys [1:3] : (tensor<6xi32>) -> tensor<2xi32>
        %bound = stablehlo.broadcast_in_dim %next, dims = [] : (tensor<i32>) -> tensor<2xi32>
        %flags = stablehlo.compare LT, %pair, %bound : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
        %both = stablehlo.xor %flags, %d : tensor<2xi1>
        stablehlo.return %next, %chosen#0, %chosen#1, %keys, %both : tensor<i32>, tensor<40xi32>, tensor<3x2xi32>, tensor<6xi32>, tensor<2xi1>
      }) : (tensor<i32>, tensor<40xi32>, tensor<3x2xi32>, tensor<6xi32>, tensor<2xi1>) -> (tensor<i32>, tensor<40xi32>, tensor<3x2xi32>, tensor<6xi32>, tensor<2xi1>)
      return %r#1, %r#2, %r#3, %r#4 : tensor<40xi32>, tensor<3x2xi32>, tensor<6xi32>, tensor<2xi1>
    })")>());
}

// Starts of slices beyond the end are moved inside; elements are found by indices of small and of large tensors.
TEST_CASE("rows at positions that are known when the program runs") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%x: tensor<4x3xf32>, %big: tensor<30xf32>, %at: tensor<2x1xi32>) -> (tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>) {
      %begin = stablehlo.constant dense<-3> : tensor<i32>
      %two = stablehlo.constant dense<0.0> : tensor<2xf32>
      %three = stablehlo.constant dense<0.0> : tensor<3xf32>
      %r:4 = "stablehlo.while"(%begin, %x, %two, %three) ({
      ^bb0(%i: tensor<i32>, %a: tensor<4x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>):
        %end = stablehlo.constant dense<8> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<4x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %row = stablehlo.dynamic_slice %a, %i, %one, sizes = [1, 2] : (tensor<4x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
        %pair = stablehlo.reshape %row : (tensor<1x2xf32>) -> tensor<2xf32>
        %sum = stablehlo.add %pair, %b : tensor<2xf32>
        %some = stablehlo.dynamic_slice %big, %next, sizes = [3] : (tensor<30xf32>, tensor<i32>) -> tensor<3xf32>
        %all = stablehlo.add %some, %c : tensor<3xf32>
        %update = stablehlo.reshape %sum : (tensor<2xf32>) -> tensor<2x1xf32>
        %new = stablehlo.dynamic_update_slice %a, %update, %i, %next : (tensor<4x3xf32>, tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
        %found = "stablehlo.gather"(%all, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<3xf32>, tensor<2x1xi32>) -> tensor<2xf32>
        %last = stablehlo.subtract %sum, %found : tensor<2xf32>
        stablehlo.return %next, %new, %last, %all : tensor<i32>, tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>
      }) : (tensor<i32>, tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<i32>, tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>)
      return %r#1, %r#2, %r#3 : tensor<4x3xf32>, tensor<2xf32>, tensor<3xf32>
    })")>());
}

TEST_CASE("folds of single elements count their initial value") {
  CHECK(walked_alike<TENON_PROGRAM(R"(
    func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = "stablehlo.while"(%zero, %x) ({
      ^bb0(%i: tensor<i32>, %s: tensor<3xf32>):
        %end = stablehlo.constant dense<9> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %s: tensor<3xf32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %v63 = stablehlo.constant dense<0.5> : tensor<f32>
        %v62 = stablehlo.reduce(%s init: %v63) applies stablehlo.add across dimensions = [] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
        %v65 = stablehlo.constant dense<0.25> : tensor<f32>
        %v66 = "stablehlo.reduce_window"(%v62, %v65) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
        stablehlo.return %next, %v66 : tensor<i32>, tensor<3xf32>
      }) : (tensor<i32>, tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>)
      return %r#1, %r#0 : tensor<3xf32>, tensor<i32>
    })")>());
}

}  // namespace
