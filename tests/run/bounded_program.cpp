// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>
#include <tenon/run/trace.hpp>

#include "core/failure_of.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

namespace {

// Softmax down the columns, and how many rows there are.
using softmax = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?x2xf32, #stablehlo.bounds<5, ?>>)
      -> (tensor<?x2xf32, #stablehlo.bounds<5, ?>>, tensor<i32>) {
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>) -> tensor<i32>
    %max = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [0]
        : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>, tensor<f32>) -> tensor<2xf32>
    %all = stablehlo.broadcast_in_dim %max, dims = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #stablehlo.bounds<5, ?>>
    %less = stablehlo.subtract %x, %all : tensor<?x2xf32, #stablehlo.bounds<5, ?>>
    %e = stablehlo.exponential %less : tensor<?x2xf32, #stablehlo.bounds<5, ?>>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<?x2xf32, #stablehlo.bounds<5, ?>>, tensor<f32>) -> tensor<2xf32>
    %sums = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<2xf32>) -> tensor<?x2xf32, #stablehlo.bounds<5, ?>>
    %y = stablehlo.divide %e, %sums : tensor<?x2xf32, #stablehlo.bounds<5, ?>>
    return %y, %n : tensor<?x2xf32, #stablehlo.bounds<5, ?>>, tensor<i32>
  }
)");

// x as often as n says, each time with what a function makes of it behind.
using growing = TENON_PROGRAM(R"(
  func.func private @doubled(%x: tensor<?xi32, #stablehlo.bounds<9>>) -> tensor<?xi32, #stablehlo.bounds<9>> {
    %y = stablehlo.add %x, %x : tensor<?xi32, #stablehlo.bounds<9>>
    return %y : tensor<?xi32, #stablehlo.bounds<9>>
  }
  func.func @main(%x: tensor<?xi32, #stablehlo.bounds<9>>, %n: tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<9>> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<?xi32, #stablehlo.bounds<9>>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %d = func.call @doubled(%v) : (tensor<?xi32, #stablehlo.bounds<9>>) -> tensor<?xi32, #stablehlo.bounds<9>>
      %p = stablehlo.concatenate %v, %d, dim = 0
          : (tensor<?xi32, #stablehlo.bounds<9>>, tensor<?xi32, #stablehlo.bounds<9>>)
          -> tensor<?xi32, #stablehlo.bounds<18>>
      %size = stablehlo.get_dimension_size %p, dim = 0 : (tensor<?xi32, #stablehlo.bounds<18>>) -> tensor<i32>
      %shape = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
      %start = stablehlo.constant dense<0> : tensor<1xi32>
      %stride = stablehlo.constant dense<1> : tensor<1xi32>
      %s = stablehlo.real_dynamic_slice %p, %start, %shape, %stride
          : (tensor<?xi32, #stablehlo.bounds<18>>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
          -> tensor<?xi32, #stablehlo.bounds<9>>
      stablehlo.return %j, %s : tensor<i32>, tensor<?xi32, #stablehlo.bounds<9>>
    }
    return %r#1 : tensor<?xi32, #stablehlo.bounds<9>>
  }
)");

using sum = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xf32, #stablehlo.bounds<4>>, %y: tensor<?xf32, #stablehlo.bounds<4>>)
      -> tensor<?xf32, #stablehlo.bounds<4>> {
    %z = stablehlo.add %x, %y : tensor<?xf32, #stablehlo.bounds<4>>
    return %z : tensor<?xf32, #stablehlo.bounds<4>>
  }
)");

// XLA's example of SetDimensionSize: sizes that are known, in types that are bounded.
using first_five_and_six = TENON_PROGRAM(R"(
  HloModule set_dimension_size
  sum {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT c = f32[] add(a, b)
  }
  ENTRY main {
    v = f32[10] parameter(0)
    five = s32[] constant(5)
    six = s32[] constant(6)
    zero = f32[] constant(0)
    padded_v_five = f32[<=10] set-dimension-size(v, five), dimensions={0}
    padded_v_six = f32[<=10] set-dimension-size(v, six), dimensions={0}
    sum_of_five = f32[] reduce(padded_v_five, zero), dimensions={0}, to_apply=sum
    sum_of_six = f32[] reduce(padded_v_six, zero), dimensions={0}, to_apply=sum
    ROOT both = (f32[], f32[]) tuple(sum_of_five, sum_of_six)
  }
)");

using halves = TENON_PROGRAM(R"(
  HloModule halves
  ENTRY main {
    x = f32[<=6] parameter(0)
    n = s32[] get-dimension-size(x), dimensions={0}
    two = s32[] constant(2)
    half = s32[] divide(n, two)
    ROOT first = f32[<=6] set-dimension-size(x, half), dimensions={0}
  }
)");

constexpr auto shortened = trace([](auto x, auto n) { return negate(set_dimension_size<0>(x, n)); });

}  // namespace

TEST_CASE("arguments and results are as large as they are") {
  static_assert(std::is_same_v<softmax::argument<0>, bounded_tensor<f32, 5, 2>>);
  static_assert(std::is_same_v<softmax::result<0>, bounded_tensor<f32, 5, 2>>);
  static_assert(std::is_same_v<softmax::result<1>, tensor<i32>>);
  for (index_t rows = 0; rows <= 5; ++rows) {
    bounded_tensor<f32, 5, 2> x;
    for (index_t i = 0; i < 5; ++i)
      for (index_t j = 0; j < 2; ++j) x(i, j) = i < rows ? f32(i * j) : f32(NAN);
    x.resize({rows, 2});
    const auto [y, n] = softmax{}(x);
    CHECK(y.shape() == ints{rows, 2});
    CHECK(*n.data() == rows);
    for (index_t i = 0; i < rows; ++i) {
      CHECK(y(i, 0) == doctest::Approx(1.0 / double(rows)));
      f64 total = 0;
      for (index_t k = 0; k < rows; ++k) total += std::exp(f64(k));
      CHECK(y(i, 1) == doctest::Approx(std::exp(f64(i)) / total));
    }
  }
}

TEST_CASE("a tensor that is no larger than the bounds is an argument, too") {
  const auto [y, n] = softmax{}(tensor<f32, 2, 2>{{1, 1}, {1, 1}});
  CHECK(y.shape() == ints{2, 2});
  CHECK(equal(y.as<2, 2>(), tensor<f32, 2, 2>::filled(0.5f)));
  const auto [all, five] = softmax{}(tensor<f32, 5, 2>());
  CHECK(*five.data() == 5);
  CHECK(all(4, 1) == 0.2f);
}

TEST_CASE("results in memory that is there, also that of an argument") {
  bounded_tensor<f32, 5, 2> x(ints{4, 2});
  tensor<i32> n;
  softmax{}.into(x, n)(x);
  CHECK(x.shape() == ints{4, 2});
  CHECK(x(3, 1) == 0.25f);
  arena<softmax::arena_bytes> memory;
  bounded_tensor<f32, 5, 2> y;
  softmax{}.on(memory).into(y, n)(x);
  CHECK(y.shape() == ints{4, 2});
}

TEST_CASE("a loop carries sizes along") {
  const auto [once] = growing{}(tensor<i32, 2>{1, 5}, tensor<i32>(1));
  CHECK(equal(once.as<4>(), tensor<i32, 4>{1, 5, 2, 10}));
  const auto [twice] = growing{}(tensor<i32, 2>{1, 5}, tensor<i32>(2));
  CHECK(equal(twice.as<8>(), tensor<i32, 8>{1, 5, 2, 10, 2, 10, 4, 20}));
  const auto [never] = growing{}(tensor<i32, 3>{1, 2, 3}, tensor<i32>(0));
  CHECK(never.shape() == ints{3});
  CHECK(failure_of([] { growing{}(tensor<i32, 3>{1, 2, 3}, tensor<i32>(2)); }) ==
        "real_dynamic_slice: dimension 0 has size 12, it may have 0 to 9");
}

TEST_CASE("sizes that must be the same") {
  const auto [z] = sum{}(tensor<f32, 2>{1, 2}, tensor<f32, 2>{3, 4});
  CHECK(equal(z.as<2>(), tensor<f32, 2>{4, 6}));
  CHECK(failure_of([] { sum{}(tensor<f32, 2>{1, 2}, tensor<f32, 3>{3, 4, 5}); }) ==
        "add: the sizes 2 and 3 of dimension 0 differ");
}

TEST_CASE("a known size in a bounded type") {
  const auto [five, six] = first_five_and_six{}(tensor<f32, 10>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(five() == 15);
  CHECK(six() == 21);
}

TEST_CASE("HLO") {
  const auto [first] = halves{}(tensor<f32, 5>{1, 2, 3, 4, 5});
  CHECK(equal(first.as<2>(), tensor<f32, 2>{1, 2}));
}

TEST_CASE("a traced function") {
  const bounded_tensor<f32, 3> y = shortened(tensor<f32, 3>{1, 2, 3}, tensor<i32>(2));
  CHECK(equal(y.as<2>(), tensor<f32, 2>{-1, -2}));
  CHECK(failure_of([] { shortened(tensor<f32, 3>{1, 2, 3}, tensor<i32>(4)); }) ==
        "set_dimension_size: dimension 0 has size 4, it may have 0 to 3");
}

TEST_CASE("a call that knows nothing of sizes works at the bounds, and says so") {
  const f32 x[4] = {1, 2, 3, 4};
  f32 z[4] = {};
  const void* const arguments[] = {x, x};
  void* const results[] = {z};
  sum::code::run(arguments, results);
  CHECK(z[3] == 8);
  const index_t sizes[] = {2, 2};
  CHECK(failure_of([&] { sum::code::run_sized(arguments, sizes, results, nullptr); }) ==
        "result 0: dimension 0 has size 2 below its bound 4, and nobody asked for it");
  const index_t wrong[] = {2, -2};
  CHECK(failure_of([&] { sum::code::run_sized(arguments, wrong, results, nullptr); }) ==
        "argument 1: dimension 0 has size -2, it may have 0 to 4");
}
