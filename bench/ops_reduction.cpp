// SPDX-License-Identifier: Apache-2.0

// Reductions, windows and sorting of 64 K elements, beside plain loops.

#include "programs.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

using namespace bench;

namespace {

constexpr index_t size = 65536;

std::string body_of(const std::string& op, const std::string& element) {
  const std::string type = "tensor<" + element + ">";
  return "({ ^bb0(%x: " + type + ", %y: " + type + "):\n%z = stablehlo." + op + " %x, %y : " + type +
         "\nstablehlo.return %z : " + type + "\n}) ";
}

// x[i][j][k] folded over j.
template <class T, class A = T, class Combine>
void fold(const std::string& name, index_t outer, index_t folded, index_t inner, const std::string& op,
          const std::string& initial, Combine combine, double tolerance) {
  const std::string element(tenon::name(dtype_of<T>));
  const ints from{outer, folded, inner}, to{outer, inner};
  compare_program<T>(
      name, result_of<T>(to),
      "%i = stablehlo.constant dense<" + initial + "> : tensor<" + element + ">\n%r = \"stablehlo.reduce\"(%a, %i) " +
          body_of(op, element) + "{dimensions = array<i64: 1>} : (" + type_text<T>(from) + ", tensor<" + element +
          ">) -> " + type_text<T>(to),
      tolerance, std::tuple{argument<T>(from, -2, 3)},
      way{"plain", [=](T* result, const T* x) {
            for (index_t i = 0; i < outer; ++i) {
              if (inner == 1) {
                A total = A(x[i * folded]);
                for (index_t j = 1; j < folded; ++j) total = combine(total, A(x[i * folded + j]));
                result[i] = T(total);
              } else {
                for (index_t k = 0; k < inner; ++k) result[i * inner + k] = x[i * folded * inner + k];
                for (index_t j = 1; j < folded; ++j)
                  for (index_t k = 0; k < inner; ++k)
                    result[i * inner + k] = T(combine(A(result[i * inner + k]), A(x[(i * folded + j) * inner + k])));
              }
            }
          }});
}

void folds() {
  const auto add = [](auto x, auto y) { return x + y; };
  const auto larger = [](auto x, auto y) { return x > y ? x : y; };
  fold<f32>("reduce add all", 1, size, 1, "add", "0.0", add, 1e-3);
  fold<f32>("reduce add last axis", 256, 256, 1, "add", "0.0", add, 1e-4);
  fold<f32>("reduce add first axis", 1, 256, 256, "add", "0.0", add, 1e-4);
  fold<f32>("reduce add middle axis 16x64x64", 16, 64, 64, "add", "0.0", add, 1e-4);
  fold<f32>("reduce add last axis of 8", 8192, 8, 1, "add", "0.0", add, 1e-4);
  fold<f32>("reduce add short middle axis 4096x4x4", 4096, 4, 4, "add", "0.0", add, 1e-4);
  fold<f32>("reduce maximum all", 1, size, 1, "maximum", "0xFF800000", larger, 0);
  fold<f32>("reduce maximum last axis", 256, 256, 1, "maximum", "0xFF800000", larger, 0);
  fold<f32>("reduce maximum first axis", 1, 256, 256, "maximum", "0xFF800000", larger, 0);
  fold<f64>("reduce add last axis f64", 256, 256, 1, "add", "0.0", add, 1e-12);
  fold<i32>("reduce add all i32", 1, size, 1, "add", "0", add, 0);
  fold<i8>("reduce add all i8", 1, size, 1, "add", "0", [](i8 x, i8 y) { return i8(x + y); }, 0);
  fold<i8>("reduce maximum last axis i8", 256, 256, 1, "maximum", "-128", larger, 0);
  fold<bf16, f32>("reduce maximum last axis bf16", 256, 256, 1, "maximum", "0xFF80", larger, 0);
  fold<bf16, f32>("reduce add first axis bf16", 1, 256, 256, "add", "0.0", add, 1);
  fold<f16, f32>("reduce maximum last axis f16", 256, 256, 1, "maximum", "0xFC00", larger, 0);
  fold<bool>("reduce or last axis i1", 256, 256, 1, "or", "false", [](bool x, bool y) { return x || y; }, 0);

  // A body that is not one op; more are in ops_bodies.cpp.
  compare_program<i32>("reduce all to the place of the largest", result_of<i32>({}),
                       R"(%n = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %c = stablehlo.iota dim = 0 : tensor<65536xi32>
      %q:2 = "stablehlo.reduce"(%a, %c, %n, %z) ({
      ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
        %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<f32>
        %v = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %u, %v : tensor<f32>, tensor<i32>
      }) {dimensions = array<i64: 0>} : (tensor<65536xf32>, tensor<65536xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
      %r = stablehlo.reshape %q#1 : (tensor<i32>) -> tensor<i32>)",
                       0, std::tuple{argument<f32>({size})}, way{"plain", [](i32* to, const f32* x) {
                                                                   i32 best = 0;
                                                                   for (i32 j = 1; j < size; ++j)
                                                                     if (x[j] > x[best]) best = j;
                                                                   *to = best;
                                                                 }});
}

// Images of height x width x channels.
template <class Combine>
void pool(const std::string& name, index_t width, index_t channels, index_t window, index_t stride,
          const std::string& op, const std::string& initial, bool channels_last, Combine combine) {
  const index_t out = (width - window) / stride + 1;
  const ints from = channels_last ? ints{1, width, width, channels} : ints{1, channels, width, width};
  const ints to = channels_last ? ints{1, out, out, channels} : ints{1, channels, out, out};
  const auto listed = [&](index_t each) {
    const std::string text = std::to_string(each);
    return channels_last ? "array<i64: 1, " + text + ", " + text + ", 1>"
                         : "array<i64: 1, 1, " + text + ", " + text + ">";
  };
  compare_program<f32>(
      name, result_of<f32>(to),
      "%i = stablehlo.constant dense<" + initial + "> : tensor<f32>\n%r = \"stablehlo.reduce_window\"(%a, %i) " +
          body_of(op, "f32") + "{window_dimensions = " + listed(window) + ", window_strides = " + listed(stride) +
          "} : (" + type_text<f32>(from) + ", tensor<f32>) -> " + type_text<f32>(to),
      1e-5, std::tuple{argument<f32>(from)},
      way{"plain", [=](f32* result, const f32* x) {
            const index_t step = channels_last ? channels : 1, plane = channels_last ? 1 : width * width;
            const index_t to_step = channels_last ? channels : 1, to_plane = channels_last ? 1 : out * out;
            if (channels_last) {
              for (index_t i = 0; i < out; ++i)
                for (index_t j = 0; j < out; ++j) {
                  f32* const at = result + (i * out + j) * channels;
                  const f32* const corner = x + (i * width + j) * stride * channels;
                  for (index_t c = 0; c < channels; ++c) at[c] = corner[c];
                  for (index_t p = 1; p < window * window; ++p)
                    for (index_t c = 0; c < channels; ++c)
                      at[c] = combine(at[c], corner[(p / window * width + p % window) * channels + c]);
                }
              return;
            }
            for (index_t c = 0; c < channels; ++c)
              for (index_t i = 0; i < out; ++i)
                for (index_t j = 0; j < out; ++j) {
                  const f32* const corner = x + c * plane + (i * width + j) * stride * step;
                  f32 total = *corner;
                  for (index_t p = 1; p < window * window; ++p)
                    total = combine(total, corner[(p / window * width + p % window) * step]);
                  result[c * to_plane + (i * out + j) * to_step] = total;
                }
          }});
}

void windows() {
  const auto add = [](f32 x, f32 y) { return x + y; };
  const auto larger = [](f32 x, f32 y) { return x > y ? x : y; };
  pool("max-pool 2x2 NHWC 32x32x64", 32, 64, 2, 2, "maximum", "0xFF800000", true, larger);
  pool("max-pool 3x3 stride 2 NHWC 33x33x64", 33, 64, 3, 2, "maximum", "0xFF800000", true, larger);
  pool("max-pool 2x2 NCHW 64x32x32", 32, 64, 2, 2, "maximum", "0xFF800000", false, larger);
  pool("sum-pool 3x3 NHWC 32x32x64", 32, 64, 3, 1, "add", "0.0", true, add);
  pool("sum-pool 3x3 NCHW 64x32x32", 32, 64, 3, 1, "add", "0.0", false, add);
  pool("max-pool 2x2 NHWC 112x112x64", 112, 64, 2, 2, "maximum", "0xFF800000", true, larger);
  compare_program<f32>(
      "reduce_window sum of 8", result_of<f32>({size - 7}),
      "%i = stablehlo.constant dense<0.0> : tensor<f32>\n%r = \"stablehlo.reduce_window\"(%a, %i) " +
          body_of("add", "f32") +
          "{window_dimensions = array<i64: 8>} : (tensor<65536xf32>, tensor<f32>) -> tensor<65529xf32>",
      1e-5, std::tuple{argument<f32>({size})}, way{"plain", [](f32* to, const f32* x) {
                                                     for (index_t i = 0; i < size - 7; ++i) {
                                                       f32 total = 0;
                                                       for (index_t j = 0; j < 8; ++j) total += x[i + j];
                                                       to[i] = total;
                                                     }
                                                   }});
  compare_program<f32>(
      "reduce_window cumulative sum of 256", result_of<f32>({256, 256}),
      "%i = stablehlo.constant dense<0.0> : tensor<f32>\n%r = \"stablehlo.reduce_window\"(%a, %i) " +
          body_of("add", "f32") +
          "{window_dimensions = array<i64: 1, 256>, padding = dense<[[0, 0], [255, 0]]> : tensor<2x2xi64>} : "
          "(tensor<256x256xf32>, tensor<f32>) -> tensor<256x256xf32>",
      1e-4, std::tuple{argument<f32>({256, 256})}, way{"plain", [](f32* to, const f32* x) {
                                                         for (index_t i = 0; i < 256; ++i)
                                                           for (index_t j = 0; j < 256; ++j) {
                                                             f32 total = 0;
                                                             for (index_t k = 0; k <= j; ++k) total += x[i * 256 + k];
                                                             to[i * 256 + j] = total;
                                                           }
                                                       }});
  compare_program<f32>("select_and_scatter", result_of<f32>({32, 32, 64}),
                       R"(%i = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.select_and_scatter"(%a, %b, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %p : tensor<f32>
      }) {window_dimensions = array<i64: 2, 2, 1>, window_strides = array<i64: 2, 2, 1>} : (tensor<32x32x64xf32>, tensor<16x16x64xf32>, tensor<f32>) -> tensor<32x32x64xf32>)",
                       0, std::tuple{argument<f32>({32, 32, 64}), argument<f32>({16, 16, 64}, -1, 1, 2)},
                       way{"plain", [](f32* to, const f32* x, const f32* source) {
                             for (index_t i = 0; i < size; ++i) to[i] = 0;
                             for (index_t i = 0; i < 16; ++i)
                               for (index_t j = 0; j < 16; ++j)
                                 for (index_t c = 0; c < 64; ++c) {
                                   index_t best = (2 * i * 32 + 2 * j) * 64 + c;
                                   for (index_t k = 0; k < 2; ++k)
                                     for (index_t l = 0; l < 2; ++l) {
                                       const index_t at = ((2 * i + k) * 32 + 2 * j + l) * 64 + c;
                                       if (x[at] > x[best]) best = at;
                                     }
                                   to[best] += source[(i * 16 + j) * 64 + c];
                                 }
                           }});
}

template <class T>
void sort_one(const std::string& name, index_t rows, index_t row, const std::string& direction) {
  const ints shape{rows, row};
  const std::string element(tenon::name(dtype_of<T>)), type = type_text<T>(shape);
  compare_program<T>(name, result_of<T>(shape),
                     "%r = \"stablehlo.sort\"(%a) ({ ^bb0(%x: tensor<" + element + ">, %y: tensor<" + element +
                         ">):\n%p = stablehlo.compare " + direction + ", %x, %y : (tensor<" + element + ">, tensor<" +
                         element + ">) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}) {dimension = 1 : i64} : (" +
                         type + ") -> " + type,
                     0, std::tuple{argument<T>(shape, -1e6, 1e6)},
                     way{"plain", [=](T* to, const T* x) {
                           std::memcpy(to, x, std::size_t(rows * row) * sizeof(T));
                           for (index_t i = 0; i < rows; ++i)
                             if (direction == "LT")
                               std::sort(to + i * row, to + (i + 1) * row);
                             else
                               std::sort(to + i * row, to + (i + 1) * row, std::greater<T>());
                         }});
}

void sorts() {
  sort_one<f32>("sort 64K f32", 1, size, "LT");
  sort_one<f32>("sort 64K f32 descending", 1, size, "GT");
  sort_one<i32>("sort 64K i32", 1, size, "LT");
  sort_one<f64>("sort 64K f64", 1, size, "LT");
  sort_one<i64>("sort 64K i64", 1, size, "LT");
  sort_one<f32>("sort rows 1024x64 f32", 1024, 64, "LT");
  compare_program<f32>("sort 64K f32 along a first axis of 256", result_of<f32>({256, 256}),
                       R"(%r = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<256x256xf32>) -> tensor<256x256xf32>)",
                       0, std::tuple{argument<f32>({256, 256})}, way{"plain", [](f32* to, const f32* x) {
                                                                       f32 column[256];
                                                                       for (index_t j = 0; j < 256; ++j) {
                                                                         for (index_t i = 0; i < 256; ++i)
                                                                           column[i] = x[i * 256 + j];
                                                                         std::sort(column, column + 256);
                                                                         for (index_t i = 0; i < 256; ++i)
                                                                           to[i * 256 + j] = column[i];
                                                                       }
                                                                     }});
  compare_program<f32>("sort 64K f32 by their squares", result_of<f32>({size}),
                       R"(%r = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %u = stablehlo.multiply %x, %x : tensor<f32>
        %v = stablehlo.multiply %y, %y : tensor<f32>
        %p = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<65536xf32>) -> tensor<65536xf32>)",
                       0, std::tuple{argument<f32>({size})},
                       way{"plain", [](f32* to, const f32* x) {
                             std::memcpy(to, x, size * sizeof(f32));
                             std::stable_sort(to, to + size, [](f32 a, f32 b) { return a * a < b * b; });
                           }});
  compare_program<f32>("sort 64K f32 as JAX writes it", result_of<f32>({size}),
                       R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
      %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %r = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.compare EQ, %x, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %2 = stablehlo.select %1, %z, %x : tensor<i1>, tensor<f32>
        %3 = stablehlo.compare NE, %x, %x, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %4 = stablehlo.select %3, %n, %2 : tensor<i1>, tensor<f32>
        %5 = stablehlo.compare EQ, %y, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %6 = stablehlo.select %5, %z, %y : tensor<i1>, tensor<f32>
        %7 = stablehlo.compare NE, %y, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %8 = stablehlo.select %7, %n, %6 : tensor<i1>, tensor<f32>
        %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %9 : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<65536xf32>) -> tensor<65536xf32>)",
                       0, std::tuple{argument<f32>({size})}, way{"plain", [](f32* to, const f32* x) {
                                                                   std::memcpy(to, x, size * sizeof(f32));
                                                                   std::stable_sort(to, to + size);
                                                                 }});
  compare_program<i32>("sort 64K i32 by two keys", result_of<i32>({size}),
                       R"(%l = stablehlo.constant dense<255> : tensor<65536xi32>
      %h = stablehlo.and %a, %l : tensor<65536xi32>
      %q:2 = "stablehlo.sort"(%h, %a) ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>, %u: tensor<i32>, %v: tensor<i32>):
        %1 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %2 = stablehlo.compare EQ, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %3 = stablehlo.compare LT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %4 = stablehlo.and %2, %3 : tensor<i1>
        %5 = stablehlo.or %1, %4 : tensor<i1>
        stablehlo.return %5 : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<65536xi32>, tensor<65536xi32>) -> (tensor<65536xi32>, tensor<65536xi32>)
      %r = stablehlo.reshape %q#1 : (tensor<65536xi32>) -> tensor<65536xi32>)",
                       0, std::tuple{argument<i32>({size}, -1e6, 1e6)},
                       way{"plain", [](i32* to, const i32* x) {
                             std::memcpy(to, x, size * sizeof(i32));
                             std::stable_sort(to, to + size, [](i32 a, i32 b) {
                               const i32 first = a & 255, second = b & 255;
                               return first != second ? first < second : a < b;
                             });
                           }});
  compare_program<i32>("sort 64K f32 with places, stable", result_of<i32>({size}),
                       R"(%i = stablehlo.iota dim = 0 : tensor<65536xi32>
      %q:2 = "stablehlo.sort"(%a, %i) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
        %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<65536xf32>, tensor<65536xi32>) -> (tensor<65536xf32>, tensor<65536xi32>)
      %r = stablehlo.reshape %q#1 : (tensor<65536xi32>) -> tensor<65536xi32>)",
                       0, std::tuple{argument<f32>({size})},
                       way{"plain", [](i32* to, const f32* x) {
                             std::iota(to, to + size, 0);
                             std::stable_sort(to, to + size, [x](i32 i, i32 j) { return x[i] < x[j]; });
                           }});
}

// Batch normalisation of 1024 x 64, feature by feature.
void normalisations() {
  constexpr index_t rows = 1024, features = 64;
  constexpr f32 epsilon = 1e-3f;
  const auto moments = [](const f32* x, index_t c, f32& mean, f32& variance) {
    f32 sum = 0, squares = 0;
    for (index_t i = 0; i < rows; ++i) sum += x[i * features + c];
    mean = sum / rows;
    for (index_t i = 0; i < rows; ++i) squares += (x[i * features + c] - mean) * (x[i * features + c] - mean);
    variance = squares / rows;
  };
  const auto vector = [](std::uint64_t seed) { return argument<f32>({features}, 0.5, 1.5, seed); };
  const std::string five = "(tensor<1024x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)";
  compare_program<f32>(
      "batch_norm_inference", result_of<f32>({rows, features}),
      "%r = \"stablehlo.batch_norm_inference\"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, "
      "feature_index = 1 : i64} : " +
          five + " -> tensor<1024x64xf32>",
      1e-5, std::tuple{argument<f32>({rows, features}), vector(2), vector(3), vector(4), vector(5)},
      way{"plain",
          [](f32* to, const f32* x, const f32* scale, const f32* offset, const f32* mean, const f32* variance) {
            for (index_t i = 0; i < rows; ++i)
              for (index_t c = 0; c < features; ++c)
                to[i * features + c] =
                    (x[i * features + c] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + offset[c];
          }});
  compare_program<f32>(
      "batch_norm_training", {{"tensor<1024x64xf32>", "tensor<64xf32>", "tensor<64xf32>"}, rows * features},
      "%r, %s, %t = \"stablehlo.batch_norm_training\"(%a, %b, %c) {epsilon = 1.0e-3 : f32, feature_index = 1 : i64} : "
      "(tensor<1024x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<1024x64xf32>, tensor<64xf32>, tensor<64xf32>)",
      1e-4, std::tuple{argument<f32>({rows, features}), vector(2), vector(3)},
      way{"plain", [moments](f32* to, const f32* x, const f32* scale, const f32* offset) {
            for (index_t c = 0; c < features; ++c) {
              f32 mean, variance;
              moments(x, c, mean, variance);
              const f32 factor = scale[c] / std::sqrt(variance + epsilon);
              for (index_t i = 0; i < rows; ++i)
                to[i * features + c] = (x[i * features + c] - mean) * factor + offset[c];
            }
          }});
  compare_program<f32>(
      "batch_norm_grad", {{"tensor<1024x64xf32>", "tensor<64xf32>", "tensor<64xf32>"}, rows * features},
      "%r, %s, %t = \"stablehlo.batch_norm_grad\"(%a, %b, %c, %d, %e) {epsilon = 1.0e-3 : f32, feature_index = 1 : "
      "i64} : (tensor<1024x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<1024x64xf32>) -> "
      "(tensor<1024x64xf32>, tensor<64xf32>, tensor<64xf32>)",
      1e-3,
      std::tuple{argument<f32>({rows, features}), vector(2), vector(3), vector(4),
                 argument<f32>({rows, features}, -1, 1, 5)},
      way{"plain", [](f32* to, const f32* x, const f32* scale, const f32* mean, const f32* variance, const f32* grad) {
            for (index_t c = 0; c < features; ++c) {
              const f32 inverse = 1 / std::sqrt(variance[c] + epsilon);
              f32 sum = 0, product = 0;
              for (index_t i = 0; i < rows; ++i) {
                sum += grad[i * features + c];
                product += grad[i * features + c] * (x[i * features + c] - mean[c]);
              }
              for (index_t i = 0; i < rows; ++i)
                to[i * features + c] = scale[c] * inverse / rows *
                                       (rows * grad[i * features + c] - sum -
                                        (x[i * features + c] - mean[c]) * product * inverse * inverse);
            }
          }});
}

[[maybe_unused]] const bool registered = (folds(), windows(), sorts(), normalisations(), true);

}  // namespace
