// SPDX-License-Identifier: Apache-2.0
//
// Regions of several ops, applied to many elements at a time: what they read, and what they give.
#include <tenon/kernels/lanes/lane_interpreter.hpp>

#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

constexpr index_t rows = 40, columns = 9;

tensor<f32, rows, columns> numbers(int seed) {
  tensor<f32, rows, columns> result;
  for (index_t i = 0; i < rows * columns; ++i) result.data()[i] = f32((i * (i + seed)) % 23) * 0.5f - 5;
  return result;
}

}  // namespace

TEST_CASE("bodies know values from outside, hand arguments through, and give one value twice") {
  using reduced = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<40x9xf32>, %y: tensor<40x9xf32>, %factor: tensor<f32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %r:4 = "stablehlo.reduce"(%x, %y, %x, %y, %zero, %one, %zero, %one) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>, %f: tensor<f32>, %g: tensor<f32>, %h: tensor<f32>):
        %less = stablehlo.multiply %a, %factor : tensor<f32>
        %next = stablehlo.add %less, %f : tensor<f32>
        %two = stablehlo.constant dense<2.0> : tensor<f32>
        %half = stablehlo.divide %b, %two : tensor<f32>
        %other = stablehlo.subtract %half, %a : tensor<f32>
        stablehlo.return %next, %other, %e, %next : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<40x9xf32>, tensor<40x9xf32>, tensor<40x9xf32>, tensor<40x9xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>)
      return %r#0, %r#1, %r#2, %r#3 : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
    }
  )");
  const auto x = numbers(3), y = numbers(4);
  const auto [first, second, third, fourth] = reduced{}(x, y, tensor<f32>(0.25f));
  for (index_t i = 0; i < rows; ++i) {
    f32 a = 0, b = 1, c = 0, d = 1;
    for (index_t j = 0; j < columns; ++j) {
      const f32 next = a * 0.25f + y(i, j), other = b / 2 - a;
      a = next, b = other, c = x(i, j), d = next;
    }
    CHECK(first(i) == a);
    CHECK(second(i) == b);
    CHECK(third(i) == c);
    CHECK(fourth(i) == d);
  }
}

TEST_CASE("bodies that keep a total, change places, or give a constant") {
  using reduced = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<40x9xf32>, %y: tensor<40x9xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
      %zero = stablehlo.constant dense<3.0> : tensor<f32>
      %one = stablehlo.constant dense<4.0> : tensor<f32>
      %kept = "stablehlo.reduce"(%x, %zero) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        stablehlo.return %a : tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<40x9xf32>, tensor<f32>) -> tensor<40xf32>
      %fixed = "stablehlo.reduce"(%x, %zero) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %five = stablehlo.constant dense<5.0> : tensor<f32>
        stablehlo.return %five : tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<40x9xf32>, tensor<f32>) -> tensor<40xf32>
      %turned:2 = "stablehlo.reduce"(%x, %y, %zero, %one) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
        stablehlo.return %b, %a : tensor<f32>, tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<40x9xf32>, tensor<40x9xf32>, tensor<f32>, tensor<f32>) -> (tensor<40xf32>, tensor<40xf32>)
      %shaped = "stablehlo.reduce"(%x, %zero) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %same = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
        %back = stablehlo.reshape %same : (tensor<1xf32>) -> tensor<f32>
        %difference = stablehlo.subtract %b, %back : tensor<f32>
        stablehlo.return %difference : tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<40x9xf32>, tensor<f32>) -> tensor<40xf32>
      return %kept, %fixed, %turned#0, %turned#1, %shaped : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
    }
  )");
  const auto x = numbers(3), y = numbers(4);
  const auto [kept, fixed, turned, other, shaped] = reduced{}(x, y);
  for (index_t i = 0; i < rows; ++i) {
    f32 difference = 3;
    for (index_t j = 0; j < columns; ++j) difference = x(i, j) - difference;
    CHECK(kept(i) == 3);
    CHECK(fixed(i) == 5);
    CHECK(turned(i) == 4);
    CHECK(other(i) == 3);
    CHECK(shaped(i) == difference);
  }
}

TEST_CASE("what reads an argument after its result is known still gets the argument") {
  using reduced = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<40x9xf32>, %y: tensor<40x9xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %r:2 = "stablehlo.reduce"(%x, %y, %zero, %zero) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
        %next = stablehlo.add %a, %c : tensor<f32>
        %product = stablehlo.multiply %next, %d : tensor<f32>
        %other = stablehlo.subtract %product, %a : tensor<f32>
        stablehlo.return %next, %other : tensor<f32>, tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<40x9xf32>, tensor<40x9xf32>, tensor<f32>, tensor<f32>) -> (tensor<40xf32>, tensor<40xf32>)
      return %r#0, %r#1 : tensor<40xf32>, tensor<40xf32>
    }
  )");
  const auto x = numbers(3), y = numbers(4);
  const auto [first, second] = reduced{}(x, y);
  for (index_t i = 0; i < rows; ++i) {
    f32 a = 0, b = 0;
    for (index_t j = 0; j < columns; ++j) {
      const f32 next = a + x(i, j);
      b = next * y(i, j) - a, a = next;
    }
    CHECK(first(i) == a);
    CHECK(second(i) == b);
  }
}

TEST_CASE("loops over numbers, which change places or stay") {
  using loops = TENON_PROGRAM(R"(
    func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<i64>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %start = stablehlo.constant dense<1> : tensor<i64>
      %r:3 = "stablehlo.while"(%zero, %x, %x) ({
      ^bb0(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>):
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>):
        %next = stablehlo.add %i, %one : tensor<i32>
        %sum = stablehlo.add %a, %b : tensor<f32>
        %difference = stablehlo.subtract %b, %a : tensor<f32>
        stablehlo.return %next, %sum, %difference : tensor<i32>, tensor<f32>, tensor<f32>
      }) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>)
      %s:3 = "stablehlo.while"(%zero, %start, %start) ({
      ^bb0(%i: tensor<i32>, %a: tensor<i64>, %b: tensor<i64>):
        %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<i64>, %b: tensor<i64>):
        %next = stablehlo.add %i, %one : tensor<i32>
        %sum = stablehlo.add %a, %b : tensor<i64>
        stablehlo.return %next, %b, %sum : tensor<i32>, tensor<i64>, tensor<i64>
      }) : (tensor<i32>, tensor<i64>, tensor<i64>) -> (tensor<i32>, tensor<i64>, tensor<i64>)
      return %r#0, %r#1, %r#2, %s#1, %s#2 : tensor<i32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<i64>
    }
  )");
  for (const int n : {-3, 0, 1, 2, 7, 20}) {
    f32 a = 1.5f, b = 1.5f;
    std::int64_t first = 1, second = 1;
    for (int i = 0; i < n; ++i) {
      const f32 sum = a + b, difference = b - a;
      a = sum, b = difference;
      const std::int64_t next = first + second;
      first = second, second = next;
    }
    const auto [i, got_a, got_b, got_first, got_second] = loops{}(tensor<i32>(n), tensor<f32>(1.5f));
    CHECK(i.data()[0] == (n < 0 ? 0 : n));
    CHECK(got_a.data()[0] == a);
    CHECK(got_b.data()[0] == b);
    CHECK(got_first.data()[0] == first);
    CHECK(got_second.data()[0] == second);
  }
}

TEST_CASE("bodies of loops and scans on rows, with constants and what changes places") {
  using turned = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<7x5xf32>, %y: tensor<5xf32>, %z: tensor<5xf32>) -> (tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
      %limit = stablehlo.constant dense<100.0> : tensor<f32>
      %two = stablehlo.constant dense<2.0> : tensor<5xf32>
      %r:3 = "chlo.scan"(%x, %y, %z) ({
      ^bb0(%a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>):
        %p = stablehlo.multiply %b, %two : tensor<5xf32>
        %q = stablehlo.add %p, %a : tensor<5xf32>
        stablehlo.return %q, %c, %q : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
      }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 2>, resultSegmentSizes = array<i32: 1, 2>} : (tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>)
      %w:2 = stablehlo.while(%a = %y, %b = %z) : tensor<5xf32>, tensor<5xf32>
      cond {
        %first = stablehlo.slice %a [0:1] : (tensor<5xf32>) -> tensor<1xf32>
        %number = stablehlo.reshape %first : (tensor<1xf32>) -> tensor<f32>
        %less = stablehlo.compare LT, %number, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      } do {
        %p = stablehlo.multiply %a, %two : tensor<5xf32>
        %q = stablehlo.subtract %b, %a : tensor<5xf32>
        stablehlo.return %p, %q : tensor<5xf32>, tensor<5xf32>
      }
      return %r#0, %r#1, %r#2, %w#1 : tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
    }
  )");
  tensor<f32, 7, 5> x;
  tensor<f32, 5> y, z;
  for (index_t i = 0; i < 35; ++i) x.data()[i] = f32(i % 8) - 2.5f;
  for (index_t i = 0; i < 5; ++i) y.data()[i] = f32(i + 1), z.data()[i] = f32(10 - 3 * i);
  const auto [sums, first, second, looped] = turned{}(x, y, z);
  for (index_t j = 0; j < 5; ++j) {
    f32 b = y(j), c = z(j);
    for (index_t i = 0; i < 7; ++i) {
      const f32 q = b * 2 + x(i, j);
      CHECK(sums(i, j) == q);
      b = c, c = q;
    }
    CHECK(first(j) == b);
    CHECK(second(j) == c);
    f32 whole = z(j);
    for (f32 number = y(0), part = y(j); number < 100; number *= 2, part *= 2) whole -= part;
    CHECK(looped(j) == whole);
  }
}
