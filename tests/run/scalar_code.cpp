// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/scalar_code.hpp>

#include <shared/shared_program.hpp>
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace tenon;

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
  static constexpr plan opened_plan = program<Program>::code::plan();
  static constexpr int node = [] {
    int found = -1;
    for (int n = 0; n < opened_graph.nodes.size; ++n)
      if (opened_graph.nodes[n].region_count > 0) found = n;
    return found;
  }();
  static constexpr bool serves = scalar_code<source, node>::serves();
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
static_assert(source<counting>::serves);

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
static_assert(source<branching>::serves);

TEST_CASE("loops and branches in loops") {
  for (i32 steps : {0, 1, 2, 3, 4, 5, 9})
    for (f32 x : {0.5f, -1.25f}) check<branching>(steps, x);
}

// A tensor of two elements is no number.
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
static_assert(!source<beside>::serves);

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

}  // namespace
