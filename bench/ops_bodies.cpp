// SPDX-License-Identifier: Apache-2.0

// Regions of several ops on 64 K elements, in programs that are known while compiling and in the same ones read when
// the benchmark runs: beside plain loops that have the region written into them; and, where the region is only known
// when it is read, beside plain loops that are called for one op after the other, as a program has to that knows no
// more.

#include "programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

using namespace bench;

namespace {

constexpr index_t size = 65536;

// A plain loop for each op, called through memory: compilers do not know which one it is.
template <class Op, class R>
void loop_over(R* to, const f32* a, const f32* b, index_t count) {
  for (index_t i = 0; i < count; ++i) to[i] = Op()(a[i], b[i]);
}
template <class T>
void loop_over_choices(T* to, const bool* which, const T* a, const T* b, index_t count) {
  for (index_t i = 0; i < count; ++i) to[i] = which[i] ? a[i] : b[i];
}
struct larger_of {
  f32 operator()(f32 a, f32 b) const { return a > b ? a : b; }
};
template <class R>
using binary_loop = void (*volatile)(R*, const f32*, const f32*, index_t);
template <class T>
using select_loop = void (*volatile)(T*, const bool*, const T*, const T*, index_t);
binary_loop<f32> add = &loop_over<std::plus<f32>>, subtract = &loop_over<std::minus<f32>>;
binary_loop<f32> multiply = &loop_over<std::multiplies<f32>>, maximum = &loop_over<larger_of>;
binary_loop<bool> not_less = &loop_over<std::greater_equal<f32>>;
select_loop<f32> select_numbers = &loop_over_choices<f32>;
select_loop<i32> select_places = &loop_over_choices<i32>;

constexpr index_t row = 256;
template <class T>
struct row_of {
  T at[row];
  explicit row_of(T element) { std::fill_n(at, row, element); }
};

// total = total / 2 + element, for a row of them.
void decay(f32* totals, const f32* elements, index_t count) {
  static const row_of<f32> half(0.5f);
  f32 halves[row];
  multiply(halves, totals, half.at, count);
  add(totals, halves, elements, count);
}
// The largest and its place: the first one of equals.
void keep_larger(f32* largest, i32* places, const f32* elements, const i32* here) {
  bool stays[row];
  not_less(stays, largest, elements, row);
  select_numbers(largest, stays, largest, elements, row);
  select_places(places, stays, places, here, row);
}
constexpr f32 lowest = -std::numeric_limits<f32>::infinity();

void folds() {
  using decayed_rows = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<256x256xf32>) -> tensor<256xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.reduce"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %h = stablehlo.constant dense<0.5> : tensor<f32>
        %p = stablehlo.multiply %x, %h : tensor<f32>
        %z = stablehlo.add %p, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) {dimensions = array<i64: 1>} : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
      return %r : tensor<256xf32>
    })");
  compare_both<decayed_rows, f32>("reduce last axis by x / 2 + y", 256, 1e-6, std::tuple{argument<f32>({256, 256})},
                                  way{"plain",
                                      [](f32* to, const f32* x) {
                                        for (index_t i = 0; i < 256; ++i) {
                                          f32 total = 0;
                                          for (index_t j = 0; j < 256; ++j) total = total * 0.5f + x[i * 256 + j];
                                          to[i] = total;
                                        }
                                      }},
                                  way{"op by op", [](f32* to, const f32* x) {
                                        f32 column[row];
                                        for (index_t i = 0; i < row; ++i) to[i] = 0;
                                        for (index_t j = 0; j < row; ++j) {
                                          for (index_t i = 0; i < row; ++i) column[i] = x[i * row + j];
                                          decay(to, column, row);
                                        }
                                      }});
  using decayed_columns = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<256x256xf32>) -> tensor<256xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.reduce"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %h = stablehlo.constant dense<0.5> : tensor<f32>
        %p = stablehlo.multiply %x, %h : tensor<f32>
        %z = stablehlo.add %p, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
      return %r : tensor<256xf32>
    })");
  compare_both<decayed_columns, f32>("reduce first axis by x / 2 + y", 256, 1e-6, std::tuple{argument<f32>({256, 256})},
                                     way{"plain",
                                         [](f32* to, const f32* x) {
                                           for (index_t j = 0; j < 256; ++j) to[j] = 0;
                                           for (index_t i = 0; i < 256; ++i)
                                             for (index_t j = 0; j < 256; ++j) to[j] = to[j] * 0.5f + x[i * 256 + j];
                                         }},
                                     way{"op by op", [](f32* to, const f32* x) {
                                           for (index_t j = 0; j < row; ++j) to[j] = 0;
                                           for (index_t i = 0; i < row; ++i) decay(to, x + i * row, row);
                                         }});
  using two_sums = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %r:2 = "stablehlo.reduce"(%a, %b, %i, %i) ({
      ^bb0(%m: tensor<f32>, %s: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.multiply %x, %y : tensor<f32>
        %q = stablehlo.multiply %p, %x : tensor<f32>
        %u = stablehlo.add %m, %p : tensor<f32>
        %v = stablehlo.add %s, %q : tensor<f32>
        %w = stablehlo.maximum %u, %v : tensor<f32>
        stablehlo.return %u, %w : tensor<f32>, tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<256x256xf32>, tensor<256x256xf32>, tensor<f32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>)
      return %r#1 : tensor<256xf32>
    })");
  compare_both<two_sums, f32>("reduce first axis to two sums", 256, 1e-5,
                              std::tuple{argument<f32>({256, 256}), argument<f32>({256, 256}, 0, 1, 2)},
                              way{"plain",
                                  [](f32* to, const f32* x, const f32* y) {
                                    f32 sums[256]{};
                                    for (index_t j = 0; j < 256; ++j) to[j] = 0;
                                    for (index_t i = 0; i < 256; ++i)
                                      for (index_t j = 0; j < 256; ++j) {
                                        const f32 p = x[i * 256 + j] * y[i * 256 + j], s = to[j] + p * x[i * 256 + j];
                                        sums[j] += p;
                                        to[j] = sums[j] > s ? sums[j] : s;
                                      }
                                  }},
                              way{"op by op", [](f32* to, const f32* x, const f32* y) {
                                    f32 sums[row]{}, p[row], q[row], next[row];
                                    for (index_t j = 0; j < row; ++j) to[j] = 0;
                                    for (index_t i = 0; i < row; ++i) {
                                      multiply(p, x + i * row, y + i * row, row);
                                      multiply(q, p, x + i * row, row);
                                      add(sums, sums, p, row);
                                      add(next, to, q, row);
                                      maximum(to, sums, next, row);
                                    }
                                  }});
  using places = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<256x256xf32>) -> tensor<256xi32> {
      %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.iota dim = 1 : tensor<256x256xi32>
      %q:2 = "stablehlo.reduce"(%a, %c, %n, %z) ({
      ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
        %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
        %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %u, %v : tensor<f32>, tensor<i32>
      }) {dimensions = array<i64: 1>} : (tensor<256x256xf32>, tensor<256x256xi32>, tensor<f32>, tensor<i32>) -> (tensor<256xf32>, tensor<256xi32>)
      return %q#1 : tensor<256xi32>
    })");
  compare_both<places, i32>("reduce last axis to the place of the largest", 256, 0,
                            std::tuple{argument<f32>({256, 256})},
                            way{"plain",
                                [](i32* to, const f32* x) {
                                  for (index_t i = 0; i < 256; ++i) {
                                    i32 best = 0;
                                    for (i32 j = 1; j < 256; ++j)
                                      if (x[i * 256 + j] > x[i * 256 + best]) best = j;
                                    to[i] = best;
                                  }
                                }},
                            way{"op by op", [](i32* to, const f32* x) {
                                  row_of<f32> largest(lowest);
                                  f32 column[row];
                                  for (index_t i = 0; i < row; ++i) to[i] = 0;
                                  for (i32 j = 0; j < row; ++j) {
                                    for (index_t i = 0; i < row; ++i) column[i] = x[i * row + j];
                                    keep_larger(largest.at, to, column, row_of<i32>(j).at);
                                  }
                                }});
}

void windows() {
  using decayed = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<256x256xf32>) -> tensor<254x254xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.reduce_window"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %h = stablehlo.constant dense<0.5> : tensor<f32>
        %p = stablehlo.multiply %x, %h : tensor<f32>
        %z = stablehlo.add %p, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) {window_dimensions = array<i64: 3, 3>} : (tensor<256x256xf32>, tensor<f32>) -> tensor<254x254xf32>
      return %r : tensor<254x254xf32>
    })");
  compare_both<decayed, f32>("reduce_window x / 2 + y of 3x3", 254 * 254, 1e-6, std::tuple{argument<f32>({256, 256})},
                             way{"plain",
                                 [](f32* to, const f32* x) {
                                   for (index_t i = 0; i < 254; ++i)
                                     for (index_t j = 0; j < 254; ++j) {
                                       f32 total = 0;
                                       for (index_t k = 0; k < 3; ++k)
                                         for (index_t l = 0; l < 3; ++l)
                                           total = total * 0.5f + x[(i + k) * 256 + j + l];
                                       to[i * 254 + j] = total;
                                     }
                                 }},
                             way{"op by op", [](f32* to, const f32* x) {
                                   for (index_t i = 0; i < 254; ++i) {
                                     for (index_t j = 0; j < 254; ++j) to[i * 254 + j] = 0;
                                     for (index_t k = 0; k < 9; ++k)
                                       decay(to + i * 254, x + (i + k / 3) * row + k % 3, 254);
                                   }
                                 }});
  using places = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<64x32x32xf32>) -> tensor<64x16x16xi32> {
      %n = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %f = stablehlo.iota dim = 0 : tensor<65536xi32>
      %c = stablehlo.reshape %f : (tensor<65536xi32>) -> tensor<64x32x32xi32>
      %q:2 = "stablehlo.reduce_window"(%a, %c, %n, %z) ({
      ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
        %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
        %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %u, %v : tensor<f32>, tensor<i32>
      }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>} : (tensor<64x32x32xf32>, tensor<64x32x32xi32>, tensor<f32>, tensor<i32>) -> (tensor<64x16x16xf32>, tensor<64x16x16xi32>)
      return %q#1 : tensor<64x16x16xi32>
    })");
  compare_both<places, i32>("reduce_window 2x2 to the place of the largest", 64 * 16 * 16, 0,
                            std::tuple{argument<f32>({64, 32, 32})},
                            way{"plain",
                                [](i32* to, const f32* x) {
                                  for (i32 c = 0; c < 64; ++c)
                                    for (i32 i = 0; i < 16; ++i)
                                      for (i32 j = 0; j < 16; ++j) {
                                        f32 largest = lowest;
                                        i32 place = 0;
                                        for (i32 p = 0; p < 4; ++p) {
                                          const i32 at = (c * 32 + 2 * i + p / 2) * 32 + 2 * j + p % 2;
                                          if (!(largest >= x[at])) largest = x[at], place = at;
                                        }
                                        to[(c * 16 + i) * 16 + j] = place;
                                      }
                                }},
                            way{"op by op", [](i32* to, const f32* x) {
                                  f32 elements[row];
                                  i32 here[row];
                                  for (i32 c = 0; c < 64; ++c, to += row) {
                                    row_of<f32> largest(lowest);
                                    for (index_t k = 0; k < row; ++k) to[k] = 0;
                                    for (i32 p = 0; p < 4; ++p) {
                                      for (i32 i = 0; i < 16; ++i)
                                        for (i32 j = 0; j < 16; ++j) {
                                          const i32 at = (c * 32 + 2 * i + p / 2) * 32 + 2 * j + p % 2;
                                          elements[i * 16 + j] = x[at], here[i * 16 + j] = at;
                                        }
                                      keep_larger(largest.at, to, elements, here);
                                    }
                                  }
                                }});
  const auto scattered = [](index_t window, index_t stride, index_t low, auto larger, auto give) {
    return [=](f32* to, const f32* x, const f32* source) {
      const index_t out = (32 + 2 * low - window) / stride + 1;
      for (index_t i = 0; i < size; ++i) to[i] = 0;
      for (index_t i = 0; i < out; ++i)
        for (index_t j = 0; j < out; ++j)
          for (index_t c = 0; c < 64; ++c) {
            index_t best = -1;
            for (index_t k = 0; k < window; ++k)
              for (index_t l = 0; l < window; ++l) {
                const index_t y = i * stride + k - low, z = j * stride + l - low;
                if (y < 0 || y >= 32 || z < 0 || z >= 32) continue;
                const index_t at = (y * 32 + z) * 64 + c;
                if (best < 0 || larger(x[at], x[best])) best = at;
              }
            to[best] = give(to[best], source[(i * out + j) * 64 + c]);
          }
    };
  };
  using padded = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<32x32x64xf32>, %b: tensor<16x16x64xf32>) -> tensor<32x32x64xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.select_and_scatter"(%a, %b, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %p : tensor<f32>
      }) {window_dimensions = array<i64: 3, 3, 1>, window_strides = array<i64: 2, 2, 1>, padding = dense<[[1, 1], [1, 1], [0, 0]]> : tensor<3x2xi64>} : (tensor<32x32x64xf32>, tensor<16x16x64xf32>, tensor<f32>) -> tensor<32x32x64xf32>
      return %r : tensor<32x32x64xf32>
    })");
  compare_both<padded, f32>(
      "select_and_scatter padded 3x3 stride 2 NHWC 32x32x64", size, 1e-5,
      std::tuple{argument<f32>({32, 32, 64}), argument<f32>({16, 16, 64}, -1, 1, 2)},
      way{"plain", scattered(3, 2, 1, [](f32 x, f32 y) { return x > y; }, [](f32 x, f32 y) { return x + y; })});
  using general = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<32x32x64xf32>, %b: tensor<16x16x64xf32>) -> tensor<32x32x64xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.select_and_scatter"(%a, %b, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %u = stablehlo.abs %x : tensor<f32>
        %v = stablehlo.abs %y : tensor<f32>
        %p = stablehlo.compare GE, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %h = stablehlo.constant dense<0.5> : tensor<f32>
        %u = stablehlo.multiply %x, %h : tensor<f32>
        %p = stablehlo.add %u, %y : tensor<f32>
        stablehlo.return %p : tensor<f32>
      }) {window_dimensions = array<i64: 2, 2, 1>, window_strides = array<i64: 2, 2, 1>} : (tensor<32x32x64xf32>, tensor<16x16x64xf32>, tensor<f32>) -> tensor<32x32x64xf32>
      return %r : tensor<32x32x64xf32>
    })");
  compare_both<general, f32>("select_and_scatter by magnitude, x / 2 + y, 2x2 NHWC 32x32x64", size, 1e-5,
                             std::tuple{argument<f32>({32, 32, 64}), argument<f32>({16, 16, 64}, -1, 1, 2)},
                             way{"plain", scattered(
                                              2, 2, 0, [](f32 x, f32 y) { return std::fabs(x) > std::fabs(y); },
                                              [](f32 x, f32 y) { return x * 0.5f + y; })});
}

void others() {
  using rows = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<1000x256xf32>, %b: tensor<256x1xi32>, %c: tensor<256x256xf32>) -> tensor<1000x256xf32> {
      %r = "stablehlo.scatter"(%a, %b, %c) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %h = stablehlo.constant dense<0.5> : tensor<f32>
        %p = stablehlo.multiply %x, %h : tensor<f32>
        %z = stablehlo.add %p, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<1000x256xf32>, tensor<256x1xi32>, tensor<256x256xf32>) -> tensor<1000x256xf32>
      return %r : tensor<1000x256xf32>
    })");
  compare_both<rows, f32>("scatter rows by x / 2 + y", 256000, 1e-6,
                          std::tuple{argument<f32>({1000, 256}), argument<i32>(ints{256, 1}, 0, 1000, 2),
                                     argument<f32>({256, 256}, 1, 2, 3)},
                          way{"plain",
                              [](f32* to, const f32* x, const i32* at, const f32* updates) {
                                for (index_t i = 0; i < 256000; ++i) to[i] = x[i];
                                for (index_t i = 0; i < 256; ++i)
                                  if (0 <= at[i] && at[i] < 1000)
                                    for (index_t j = 0; j < 256; ++j)
                                      to[at[i] * 256 + j] = to[at[i] * 256 + j] * 0.5f + updates[i * 256 + j];
                              }},
                          way{"op by op", [](f32* to, const f32* x, const i32* at, const f32* updates) {
                                std::memcpy(to, x, 256000 * sizeof(f32));
                                for (index_t i = 0; i < row; ++i)
                                  if (0 <= at[i] && at[i] < 1000) decay(to + at[i] * row, updates + i * row, row);
                              }});
  using elements = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<65536xf32>, %b: tensor<65536x1xi32>, %c: tensor<65536xf32>) -> tensor<65536xf32> {
      %r = "stablehlo.scatter"(%a, %b, %c) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %h = stablehlo.constant dense<0.5> : tensor<f32>
        %p = stablehlo.multiply %x, %h : tensor<f32>
        %z = stablehlo.add %p, %y : tensor<f32>
        stablehlo.return %z : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<65536xf32>, tensor<65536x1xi32>, tensor<65536xf32>) -> tensor<65536xf32>
      return %r : tensor<65536xf32>
    })");
  compare_both<elements, f32>(
      "scatter elements by x / 2 + y", size, 1e-6,
      std::tuple{argument<f32>({size}), argument<i32>(ints{size, 1}, 0, size, 2), argument<f32>({size}, 1, 2, 3)},
      way{"plain",
          [](f32* to, const f32* x, const i32* at, const f32* updates) {
            for (index_t i = 0; i < size; ++i) to[i] = x[i];
            for (index_t i = 0; i < size; ++i)
              if (0 <= at[i] && at[i] < size) to[at[i]] = to[at[i]] * 0.5f + updates[i];
          }},
      way{"op by op", [](f32* to, const f32* x, const i32* at, const f32* updates) {
            std::memcpy(to, x, size * sizeof(f32));
            for (index_t i = 0; i < size; ++i)
              if (0 <= at[i] && at[i] < size) decay(to + at[i], updates + i, 1);
          }});
  using mapped = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<65536xf32>, %b: tensor<65536xf32>) -> tensor<65536xf32> {
      %r = "stablehlo.map"(%a, %b) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.multiply %x, %y : tensor<f32>
        %q = stablehlo.add %p, %x : tensor<f32>
        %s = stablehlo.maximum %q, %y : tensor<f32>
        %t = stablehlo.subtract %s, %p : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
      return %r : tensor<65536xf32>
    })");
  compare_both<mapped, f32>("map by four ops", size, 1e-6,
                            std::tuple{argument<f32>({size}), argument<f32>({size}, -1, 1, 2)},
                            way{"plain",
                                [](f32* to, const f32* x, const f32* y) {
                                  for (index_t i = 0; i < size; ++i) {
                                    const f32 p = x[i] * y[i], q = p + x[i];
                                    to[i] = (q > y[i] ? q : y[i]) - p;
                                  }
                                }},
                            way{"op by op", [](f32* to, const f32* x, const f32* y) {
                                  static const buffer<f32> p(size), q(size);
                                  multiply(p.data(), x, y, size);
                                  add(q.data(), p.data(), x, size);
                                  maximum(q.data(), q.data(), y, size);
                                  subtract(to, q.data(), p.data(), size);
                                }});
  using sums = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<65536xf32>) -> tensor<65536xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<f32>
      %r:2 = "chlo.scan"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %z = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %z, %z : tensor<f32>, tensor<f32>
      }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<65536xf32>, tensor<f32>) -> (tensor<65536xf32>, tensor<f32>)
      return %r#0 : tensor<65536xf32>
    })");
  compare_both<sums, f32>("scan, cumulative sum", size, 1e-5, std::tuple{argument<f32>({size})},
                          way{"plain",
                              [](f32* to, const f32* x) {
                                f32 total = 0;
                                for (index_t i = 0; i < size; ++i) to[i] = total += x[i];
                              }},
                          way{"op by op", [](f32* to, const f32* x) {
                                const f32 none = 0;
                                for (index_t i = 0; i < size; ++i) add(to + i, x + i, i > 0 ? to + i - 1 : &none, 1);
                              }});
  using row_sums = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
      %i = stablehlo.constant dense<0.0> : tensor<256xf32>
      %r:2 = "chlo.scan"(%a, %i) ({
      ^bb0(%x: tensor<256xf32>, %y: tensor<256xf32>):
        %z = stablehlo.add %x, %y : tensor<256xf32>
        stablehlo.return %z, %z : tensor<256xf32>, tensor<256xf32>
      }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<256x256xf32>, tensor<256xf32>) -> (tensor<256x256xf32>, tensor<256xf32>)
      return %r#0 : tensor<256x256xf32>
    })");
  compare_both<row_sums, f32>("scan of rows of 256, cumulative sum", size, 1e-5, std::tuple{argument<f32>({256, 256})},
                              way{"plain",
                                  [](f32* to, const f32* x) {
                                    for (index_t j = 0; j < 256; ++j) to[j] = x[j];
                                    for (index_t i = 256; i < size; ++i) to[i] = to[i - 256] + x[i];
                                  }},
                              way{"op by op", [](f32* to, const f32* x) {
                                    const row_of<f32> none(0);
                                    add(to, x, none.at, row);
                                    for (index_t i = row; i < size; i += row) add(to + i, x + i, to + i - row, row);
                                  }});
  using magnitudes = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<65536xf32>) -> tensor<65536xf32> {
      %r = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %u = stablehlo.abs %x : tensor<f32>
        %v = stablehlo.abs %y : tensor<f32>
        %p = stablehlo.compare LT, %u, %v, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<65536xf32>) -> tensor<65536xf32>
      return %r : tensor<65536xf32>
    })");
  compare_both<magnitudes, f32>("sort by the total order of magnitudes", size, 0, std::tuple{argument<f32>({size})},
                                way{"plain", [](f32* to, const f32* x) {
                                      std::memcpy(to, x, size * sizeof(f32));
                                      std::stable_sort(to, to + size,
                                                       [](f32 a, f32 b) { return std::fabs(a) < std::fabs(b); });
                                    }});
  using differences = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<65536xf32>) -> tensor<65536xf32> {
      %r = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %h = stablehlo.constant dense<0.5> : tensor<f32>
        %z = stablehlo.constant dense<0.0> : tensor<f32>
        %u = stablehlo.multiply %x, %h : tensor<f32>
        %d = stablehlo.subtract %u, %y : tensor<f32>
        %e = stablehlo.add %d, %u : tensor<f32>
        %p = stablehlo.compare LT, %e, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<65536xf32>) -> tensor<65536xf32>
      return %r : tensor<65536xf32>
    })");
  compare_both<differences, f32>("sort by the sign of a difference", size, 0, std::tuple{argument<f32>({size})},
                                 way{"plain", [](f32* to, const f32* x) {
                                       std::memcpy(to, x, size * sizeof(f32));
                                       std::stable_sort(to, to + size,
                                                        [](f32 a, f32 b) { return a * 0.5f - b + a * 0.5f < 0; });
                                     }});
  using largest = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<256x256xf32>) -> tensor<256x8xf32> {
      %r:2 = chlo.top_k(%a, k = 8) : tensor<256x256xf32> -> (tensor<256x8xf32>, tensor<256x8xi32>)
      return %r#0 : tensor<256x8xf32>
    })");
  compare_both<largest, f32>("top_k 8 of rows of 256", 256 * 8, 0, std::tuple{argument<f32>({256, 256})},
                             way{"plain", [](f32* to, const f32* x) {
                                   for (index_t i = 0; i < 256; ++i)
                                     std::partial_sort_copy(x + i * 256, x + (i + 1) * 256, to + i * 8,
                                                            to + (i + 1) * 8, std::greater<f32>());
                                 }});
  using larger = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<65536xf32>) -> tensor<100xf32> {
      %r:2 = chlo.top_k(%a, k = 100) : tensor<65536xf32> -> (tensor<100xf32>, tensor<100xi32>)
      return %r#0 : tensor<100xf32>
    })");
  compare_both<larger, f32>("top_k 100 of 64K", 100, 0, std::tuple{argument<f32>({size})},
                            way{"plain", [](f32* to, const f32* x) {
                                  std::partial_sort_copy(x, x + size, to, to + 100, std::greater<f32>());
                                }});
}

[[maybe_unused]] const bool registered = (folds(), windows(), others(), true);

}  // namespace
