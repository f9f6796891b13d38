// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

TEST_CASE("what goes with sorted keys goes where they go, equal ones in their order") {
  using sorts = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<2x300xf32>, %y: tensor<2x300xf64>, %z: tensor<2x300xi8>) -> (tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>, tensor<2x300xf64>, tensor<2x300xi8>) {
      %up:3 = "stablehlo.sort"(%x, %y, %z) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f64>, %d: tensor<f64>, %e: tensor<i8>, %f: tensor<i8>):
        %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64, is_stable = true} : (tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>) -> (tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>)
      %down:2 = "stablehlo.sort"(%y, %z) ({
      ^bb0(%c: tensor<f64>, %d: tensor<f64>, %e: tensor<i8>, %f: tensor<i8>):
        %less = stablehlo.compare LT, %f, %e : (tensor<i8>, tensor<i8>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<2x300xf64>, tensor<2x300xi8>) -> (tensor<2x300xf64>, tensor<2x300xi8>)
      return %up#0, %up#1, %up#2, %down#0, %down#1 : tensor<2x300xf32>, tensor<2x300xf64>, tensor<2x300xi8>, tensor<2x300xf64>, tensor<2x300xi8>
    }
  )");
  tensor<f32, 2, 300> x;
  tensor<f64, 2, 300> y;
  tensor<i8, 2, 300> z;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 300; ++j) {
      x(i, j) = f32((j * 37 + i * 11) % 101);
      y(i, j) = i * 300 + j;
      z(i, j) = i8((j * 7 + i * 5) % 13);
    }
  const auto [keys, doubles, bytes, columns, column_keys] = sorts{}(x, y, z);
  for (int i = 0; i < 2; ++i) {
    std::vector<int> order(300);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return x(i, a) < x(i, b) || (x(i, a) == x(i, b) && a < b); });
    for (int j = 0; j < 300; ++j) {
      const int from = order[std::size_t(j)];
      CHECK(keys(i, j) == x(i, from));
      CHECK(doubles(i, j) == y(i, from));
      CHECK(bytes(i, j) == z(i, from));
    }
  }
  for (int j = 0; j < 300; ++j) {
    const int first = z(1, j) > z(0, j) ? 1 : 0;
    CHECK(column_keys(0, j) == z(first, j));
    CHECK(columns(0, j) == y(first, j));
    CHECK(columns(1, j) == y(1 - first, j));
  }
}

// Rows that are long enough to be sorted otherwise than short ones, with zeros of both signs, and with NaN, which a
// merge sort leaves between runs.
TEST_CASE("long rows of numbers are sorted as a stable sort does it") {
  using sorts = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<3x500xf32>, %y: tensor<3x500xf64>, %z: tensor<3x500xi16>) -> (tensor<3x500xf32>, tensor<3x500xf64>, tensor<3x500xi16>, tensor<3x500xf32>, tensor<3x500xf64>) {
      %a = "stablehlo.sort"(%x) ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>):
        %less = stablehlo.compare LT, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<3x500xf32>) -> tensor<3x500xf32>
      %b = "stablehlo.sort"(%y) ({
      ^bb0(%c: tensor<f64>, %d: tensor<f64>):
        %less = stablehlo.compare GT, %c, %d : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<3x500xf64>) -> tensor<3x500xf64>
      %e = "stablehlo.sort"(%z) ({
      ^bb0(%c: tensor<i16>, %d: tensor<i16>):
        %less = stablehlo.compare GT, %c, %d : (tensor<i16>, tensor<i16>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<3x500xi16>) -> tensor<3x500xi16>
      %f:2 = "stablehlo.sort"(%x, %y) ({
      ^bb0(%c: tensor<f32>, %d: tensor<f32>, %g: tensor<f64>, %h: tensor<f64>):
        %less = stablehlo.compare GT, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<3x500xf32>, tensor<3x500xf64>) -> (tensor<3x500xf32>, tensor<3x500xf64>)
      return %a, %b, %e, %f#0, %f#1 : tensor<3x500xf32>, tensor<3x500xf64>, tensor<3x500xi16>, tensor<3x500xf32>, tensor<3x500xf64>
    }
  )");
  tensor<f32, 3, 500> x;
  tensor<f64, 3, 500> y;
  tensor<i16, 3, 500> z;
  unsigned state = 9;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 500; ++j) {
      state = state * 1664525u + 1013904223u;
      const int drawn = int(state >> 20) % 97 - 48;
      x(i, j) = drawn == 0 && j % 2 == 0 ? -0.0f : f32(drawn) * 0.75f;
      y(i, j) = drawn == 0 && j % 2 == 0 ? -0.0 : drawn * 1e10;
      z(i, j) = i16(drawn * 300);
    }
  // What a stable sort of such rows gives is one thing only without NaN.
  x(2, 250) = std::numeric_limits<f32>::quiet_NaN();
  const auto [up, down, integers, down_keys, carried] = sorts{}(x, y, z);
  for (int i = 0; i < 3; ++i) {
    const auto ordered = [](auto row, auto before) {
      std::vector<int> order(500);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(),
                [&](int p, int q) { return before(row[p], row[q]) || (!before(row[q], row[p]) && p < q); });
      return order;
    };
    const std::vector<int> b = ordered(&y(i, 0), std::greater<f64>()), c = ordered(&z(i, 0), std::greater<i16>());
    for (int j = 0; j < 500; ++j) {
      CHECK(std::bit_cast<std::uint64_t>(down(i, j)) == std::bit_cast<std::uint64_t>(y(i, b[std::size_t(j)])));
      CHECK(integers(i, j) == z(i, c[std::size_t(j)]));
    }
    if (i == 2) {
      CHECK(std::count_if(&up(i, 0), &up(i, 0) + 500, [](f32 each) { return each != each; }) == 1);
      continue;
    }
    const std::vector<int> a = ordered(&x(i, 0), std::less<f32>()), order = ordered(&x(i, 0), std::greater<f32>());
    for (int j = 0; j < 500; ++j) {
      const int from = order[std::size_t(j)];
      CHECK(std::bit_cast<std::uint32_t>(up(i, j)) == std::bit_cast<std::uint32_t>(x(i, a[std::size_t(j)])));
      CHECK(std::bit_cast<std::uint32_t>(down_keys(i, j)) == std::bit_cast<std::uint32_t>(x(i, from)));
      CHECK(carried(i, j) == y(i, from));
    }
  }
}

TEST_CASE("a comparator of several ops keeps equal elements in order") {
  using sorted = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<777xf32>, %i: tensor<777xi32>) -> (tensor<777xf32>, tensor<777xi32>) {
      %r:2 = "stablehlo.sort"(%x, %i) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %u = stablehlo.multiply %a, %a : tensor<f32>
        %v = stablehlo.multiply %b, %b : tensor<f32>
        %p = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<777xf32>, tensor<777xi32>) -> (tensor<777xf32>, tensor<777xi32>)
      return %r#0, %r#1 : tensor<777xf32>, tensor<777xi32>
    }
  )");
  tensor<f32, 777> x;
  tensor<i32, 777> places;
  for (int i = 0; i < 777; ++i) x.data()[i] = f32(i * i % 61) - 30, places.data()[i] = i;
  const auto [values, order] = sorted{}(x, places);
  bool seen[777]{};
  for (int i = 0; i < 777; ++i) {
    const i32 at = order.data()[i];
    REQUIRE((0 <= at && at < 777 && !seen[at]));
    seen[at] = true;
    CHECK(values.data()[i] == x.data()[at]);
    if (i == 0) continue;
    const f32 before = values.data()[i - 1] * values.data()[i - 1], here = values.data()[i] * values.data()[i];
    CHECK((before < here || (before == here && order.data()[i - 1] < at)));
  }
}

// As JAX writes it: zeros are equal, NaN is the largest.
TEST_CASE("a comparator of one function of both sides") {
  using sorts = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<300x3xf32>, %i: tensor<300x3xi32>, %y: tensor<2x40xf64>) -> (tensor<300x3xf32>, tensor<300x3xi32>, tensor<2x40xf64>, tensor<300x3xi32>, tensor<300x3xi32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %up:2 = "stablehlo.sort"(%x, %i) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %1 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f32>
        %3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %4 = stablehlo.select %3, %nan, %2 : tensor<i1>, tensor<f32>
        %5 = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %6 = stablehlo.select %5, %zero, %b : tensor<i1>, tensor<f32>
        %7 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %8 = stablehlo.select %7, %nan, %6 : tensor<i1>, tensor<f32>
        %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<300x3xf32>, tensor<300x3xi32>) -> (tensor<300x3xf32>, tensor<300x3xi32>)
      %total = "stablehlo.sort"(%y) ({
      ^bb0(%a: tensor<f64>, %b: tensor<f64>):
        %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<2x40xf64>) -> tensor<2x40xf64>
      %two = "stablehlo.sort"(%i) ({
      ^bb0(%c: tensor<i32>, %d: tensor<i32>):
        %1 = stablehlo.multiply %c, %c : tensor<i32>
        %2 = stablehlo.multiply %d, %d : tensor<i32>
        %3 = stablehlo.compare LT, %2, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<300x3xi32>) -> tensor<300x3xi32>
      // Not the same function of both sides.
      %other = "stablehlo.sort"(%i) ({
      ^bb0(%c: tensor<i32>, %d: tensor<i32>):
        %1 = stablehlo.add %c, %c : tensor<i32>
        %2 = stablehlo.subtract %d, %d : tensor<i32>
        %3 = stablehlo.compare LT, %1, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<300x3xi32>) -> tensor<300x3xi32>
      return %up#0, %up#1, %total, %two, %other : tensor<300x3xf32>, tensor<300x3xi32>, tensor<2x40xf64>, tensor<300x3xi32>, tensor<300x3xi32>
    }
  )");
  const f32 nan = std::numeric_limits<f32>::quiet_NaN();
  tensor<f32, 300, 3> x;
  tensor<i32, 300, 3> places;
  tensor<f64, 2, 40> y;
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 3; ++j) {
      const int drawn = (i * i * (j + 3)) % 23 - 11;
      x(i, j) = drawn == 11 ? nan : drawn == -11 ? -nan : drawn == 0 && i % 2 == 0 ? -0.0f : f32(drawn);
      places(i, j) = i - 150;
    }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 40; ++j) {
      const int drawn = (j * j + i) % 7 - 3;
      y(i, j) = drawn == 3 ? f64(nan) : drawn == -3 ? -f64(nan) : drawn == 0 && j % 3 == 0 ? -0.0 : drawn;
    }
  const auto [up, order, total, squares, others] = sorts{}(x, places, y);
  for (int j = 0; j < 3; ++j) {
    std::vector<int> expected(300);
    std::iota(expected.begin(), expected.end(), 0);
    const auto before = [&](int p, int q) {
      const f32 a = x(p, j), b = x(q, j);
      return a != a ? false : b != b ? true : a < b;
    };
    const auto sort_by = [](std::vector<int>& row, auto less) {
      std::sort(row.begin(), row.end(), [&](int p, int q) { return less(p, q) || (!less(q, p) && p < q); });
    };
    sort_by(expected, before);
    std::vector<int> by_square(300);
    std::iota(by_square.begin(), by_square.end(), -150);
    sort_by(by_square, [](int p, int q) { return q * q < p * p; });
    std::vector<int> left(300), seen(300);
    for (int i = 0; i < 300; ++i) {
      const int from = expected[std::size_t(i)];
      CHECK(order(i, j) == from - 150);
      CHECK(std::bit_cast<std::uint32_t>(up(i, j)) == std::bit_cast<std::uint32_t>(x(from, j)));
      CHECK(squares(i, j) == by_square[std::size_t(i)]);
      left[std::size_t(i)] = i - 150, seen[std::size_t(i)] = others(i, j);
    }
    // A comparator that is no order permutes all the same.
    std::sort(seen.begin(), seen.end());
    CHECK(seen == left);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 1; j < 40; ++j) {
      const auto rank = [](f64 a) {
        const std::int64_t bits = std::bit_cast<std::int64_t>(a);
        return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
      };
      CHECK(rank(total(i, j - 1)) >= rank(total(i, j)));
    }
}

namespace {

// Where a stable sort puts the elements of a row.
template <class Less>
std::vector<int> sorted_order(int count, Less less) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int p, int q) { return less(p, q) || (!less(q, p) && p < q); });
  return order;
}

}  // namespace

TEST_CASE("keys in order, however the comparator says it") {
  using sorts = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<500xf32>, %y: tensor<500xi16>, %z: tensor<500xf64>, %i: tensor<500xi32>) -> (tensor<500xi32>, tensor<500xi32>, tensor<500xi32>, tensor<500xi32>, tensor<500xi32>) {
      // As JAX writes two keys.
      %two:3 = "stablehlo.sort"(%x, %y, %i) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i16>, %d: tensor<i16>, %u: tensor<i32>, %v: tensor<i32>):
        %1 = stablehlo.compare LT, %c, %d, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %2 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %3 = stablehlo.compare EQ, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %4 = stablehlo.and %3, %1 : tensor<i1>
        %5 = stablehlo.or %2, %4 : tensor<i1>
        stablehlo.return %5 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<500xf32>, tensor<500xi16>, tensor<500xi32>) -> (tensor<500xf32>, tensor<500xi16>, tensor<500xi32>)
      // More bits than one integer has, one of them descending, chosen by selects.
      %three:4 = "stablehlo.sort"(%z, %y, %x, %i) ({
      ^bb0(%e: tensor<f64>, %f: tensor<f64>, %c: tensor<i16>, %d: tensor<i16>, %a: tensor<f32>, %b: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
        %1 = stablehlo.compare EQ, %c, %d : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %2 = stablehlo.compare GT, %c, %d : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %3 = stablehlo.compare NE, %e, %f : (tensor<f64>, tensor<f64>) -> tensor<i1>
        %4 = stablehlo.compare GT, %f, %e : (tensor<f64>, tensor<f64>) -> tensor<i1>
        %5 = stablehlo.compare GE, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %6 = stablehlo.not %5 : tensor<i1>
        %7 = stablehlo.select %3, %4, %6 : tensor<i1>, tensor<i1>
        %8 = stablehlo.select %1, %7, %2 : tensor<i1>, tensor<i1>
        stablehlo.return %8 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<500xf64>, tensor<500xi16>, tensor<500xf32>, tensor<500xi32>) -> (tensor<500xf64>, tensor<500xi16>, tensor<500xf32>, tensor<500xi32>)
      // Booleans, then floats of sixteen bits.
      %half:3 = "stablehlo.sort"(%x, %y, %i) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i16>, %d: tensor<i16>, %u: tensor<i32>, %v: tensor<i32>):
        %zero = stablehlo.constant dense<0> : tensor<i16>
        %1 = stablehlo.compare LT, %c, %zero : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %2 = stablehlo.compare LT, %d, %zero : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %3 = stablehlo.convert %a : (tensor<f32>) -> tensor<f16>
        %4 = stablehlo.convert %b : (tensor<f32>) -> tensor<f16>
        %5 = stablehlo.compare LT, %1, %2 : (tensor<i1>, tensor<i1>) -> tensor<i1>
        %6 = stablehlo.compare EQ, %1, %2 : (tensor<i1>, tensor<i1>) -> tensor<i1>
        %7 = stablehlo.compare LT, %3, %4, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
        %8 = stablehlo.and %6, %7 : tensor<i1>
        %9 = stablehlo.or %5, %8 : tensor<i1>
        stablehlo.return %9 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<500xf32>, tensor<500xi16>, tensor<500xi32>) -> (tensor<500xf32>, tensor<500xi16>, tensor<500xi32>)
      // It looks at both numbers at once.
      %least:3 = "stablehlo.sort"(%y, %i, %x) ({
      ^bb0(%c: tensor<i16>, %d: tensor<i16>, %u: tensor<i32>, %v: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.compare LT, %c, %d : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %2 = stablehlo.subtract %c, %d : tensor<i16>
        %3 = stablehlo.abs %2 : tensor<i16>
        %zero = stablehlo.constant dense<0> : tensor<i16>
        %4 = stablehlo.compare GT, %3, %zero : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %5 = stablehlo.and %1, %4 : tensor<i1>
        stablehlo.return %5 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<500xi16>, tensor<500xi32>, tensor<500xf32>) -> (tensor<500xi16>, tensor<500xi32>, tensor<500xf32>)
      // A key that never decides.
      %one:2 = "stablehlo.sort"(%y, %i) ({
      ^bb0(%c: tensor<i16>, %d: tensor<i16>, %u: tensor<i32>, %v: tensor<i32>):
        %1 = stablehlo.compare LT, %c, %d : (tensor<i16>, tensor<i16>) -> tensor<i1>
        %2 = stablehlo.compare LT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %3 = stablehlo.and %1, %2 : tensor<i1>
        %4 = stablehlo.or %1, %3 : tensor<i1>
        stablehlo.return %4 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<500xi16>, tensor<500xi32>) -> (tensor<500xi16>, tensor<500xi32>)
      return %two#2, %three#3, %half#2, %least#1, %one#1 : tensor<500xi32>, tensor<500xi32>, tensor<500xi32>, tensor<500xi32>, tensor<500xi32>
    }
  )");
  tensor<f32, 500> x;
  tensor<i16, 500> y;
  tensor<f64, 500> z;
  tensor<i32, 500> places;
  unsigned state = 5;
  for (int i = 0; i < 500; ++i) {
    state = state * 1664525u + 1013904223u;
    const int drawn = int(state >> 24) % 7 - 3;
    x.data()[i] = drawn == 0 && i % 2 == 0 ? -0.0f : f32(drawn) * 1.5f;
    y.data()[i] = i16(int(state >> 16) % 5 - 2);
    z.data()[i] = int(state >> 12) % 3 == 0 ? (i % 2 == 0 ? -0.0 : 0.0) : 1e100;
    places.data()[i] = i;
  }
  const auto [two, three, half, least, one] = sorts{}(x, y, z, places);
  const auto total_less = [&](int p, int q) {
    const f32 a = x.data()[p], b = x.data()[q];
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  };
  const auto check = [&](const tensor<i32, 500>& got, auto less) {
    const std::vector<int> wanted = sorted_order(500, less);
    CHECK(std::equal(wanted.begin(), wanted.end(), got.data()));
  };
  const i16* const integers = y.data();
  const f64* const doubles = z.data();
  check(two, [&](int p, int q) { return total_less(p, q) || (!total_less(q, p) && integers[p] < integers[q]); });
  check(three, [&](int p, int q) {
    if (integers[p] != integers[q]) return integers[p] > integers[q];
    return doubles[p] != doubles[q] ? doubles[p] < doubles[q] : total_less(p, q);
  });
  check(half, [&](int p, int q) {
    const bool first = integers[p] < 0, second = integers[q] < 0;
    return first != second ? second : total_less(p, q);
  });
  const auto by_integer = [&](int p, int q) { return integers[p] < integers[q]; };
  check(least, by_integer);
  check(one, by_integer);

  // Without an order of all numbers, the comparator itself is asked: places are still a permutation.
  z.data()[100] = std::numeric_limits<f64>::quiet_NaN();
  const auto [same, permuted, same_half, same_least, same_one] = sorts{}(x, y, z, places);
  CHECK(std::equal(two.data(), two.data() + 500, same.data()));
  std::vector<int> seen(permuted.data(), permuted.data() + 500);
  std::sort(seen.begin(), seen.end());
  CHECK(std::equal(seen.begin(), seen.end(), places.data()));
}

TEST_CASE("floats of sixteen bits along a first axis") {
  using sorts = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<200x3xf32>) -> (tensor<200x3xf32>, tensor<200x3xf32>) {
      %h = stablehlo.convert %x : (tensor<200x3xf32>) -> tensor<200x3xf16>
      %b = stablehlo.convert %x : (tensor<200x3xf32>) -> tensor<200x3xbf16>
      %up = "stablehlo.sort"(%h) ({
      ^bb0(%a: tensor<f16>, %c: tensor<f16>):
        %1 = stablehlo.compare LT, %a, %c : (tensor<f16>, tensor<f16>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<200x3xf16>) -> tensor<200x3xf16>
      %down = "stablehlo.sort"(%b) ({
      ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
        %1 = stablehlo.compare GT, %a, %c, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<200x3xbf16>) -> tensor<200x3xbf16>
      %r = stablehlo.convert %up : (tensor<200x3xf16>) -> tensor<200x3xf32>
      %s = stablehlo.convert %down : (tensor<200x3xbf16>) -> tensor<200x3xf32>
      return %r, %s : tensor<200x3xf32>, tensor<200x3xf32>
    }
  )");
  tensor<f32, 200, 3> x;
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < 3; ++j) x(i, j) = f32((i * (37 + j)) % 101 - 50);
  const auto [up, down] = sorts{}(x);
  for (int j = 0; j < 3; ++j) {
    std::vector<f32> column;
    for (int i = 0; i < 200; ++i) column.push_back(x(i, j));
    std::sort(column.begin(), column.end());
    for (int i = 0; i < 200; ++i) {
      CHECK(up(i, j) == column[std::size_t(i)]);
      CHECK(down(i, j) == column[std::size_t(199 - i)]);
    }
  }
}
