// SPDX-License-Identifier: Apache-2.0

// Ops that move, look up or make elements, 64 K of them, beside plain loops.

#include "programs.hpp"

#include <algorithm>
#include <cstring>
#include <random>

using namespace bench;

namespace {

constexpr index_t size = 65536;

// Plain loops take any index as the ops do: a gather's is clamped, a scatter's has no effect outside.
index_t clamped(i32 index, index_t count) { return std::clamp<index_t>(index, 0, count - 1); }
bool is_inside(i32 index, index_t count) { return 0 <= index && index < count; }

template <class T, class Plain>
void moving(const std::string& name, const ints& from, const ints& to, const std::string& op, Plain plain) {
  compare_program<T>(name, result_of<T>(to), "%r = " + op + " : (" + type_text<T>(from) + ") -> " + type_text<T>(to), 0,
                     std::tuple{argument<T>(from)}, way{"plain", plain});
}

// A transpose of four dimensions, looped over in the order of the result.
template <class T>
void transpose(const std::string& name, const ints& from, const ints& permutation) {
  const ints to = from.select(permutation), strides = strides_of(from).select(permutation);
  std::string text;
  for (index_t axis : permutation) text += (text.empty() ? "" : ", ") + std::to_string(axis);
  ints sizes, steps;
  for (int i = 0; i < 4 - to.size; ++i) sizes.push(1), steps.push(0);
  moving<T>(name, from, to, "stablehlo.transpose %a, dims = [" + text + "]",
            [sizes = sizes + to, steps = steps + strides](T* target, const T* source) {
              const index_t n0 = sizes[0], n1 = sizes[1], n2 = sizes[2], n3 = sizes[3];
              const index_t s0 = steps[0], s1 = steps[1], s2 = steps[2], s3 = steps[3];
              for (index_t i = 0; i < n0; ++i)
                for (index_t j = 0; j < n1; ++j)
                  for (index_t k = 0; k < n2; ++k)
                    for (index_t l = 0; l < n3; ++l) *target++ = source[i * s0 + j * s1 + k * s2 + l * s3];
            });
}

void transposes() {
  transpose<f32>("transpose 256x256 f32", {256, 256}, {1, 0});
  transpose<f64>("transpose 256x256 f64", {256, 256}, {1, 0});
  transpose<i8>("transpose 256x256 i8", {256, 256}, {1, 0});
  transpose<bf16>("transpose 256x256 bf16", {256, 256}, {1, 0});
  transpose<f32>("transpose 1024x64 f32", {1024, 64}, {1, 0});
  transpose<f32>("transpose 1024x1024 f32", {1024, 1024}, {1, 0});
  transpose<f32>("transpose NHWC to NCHW 1x32x32x64 f32", {1, 32, 32, 64}, {0, 3, 1, 2});
  transpose<f32>("transpose NCHW to NHWC 1x64x32x32 f32", {1, 64, 32, 32}, {0, 2, 3, 1});
  transpose<f32>("transpose NHWC to NCHW 8x56x56x64 f32", {8, 56, 56, 64}, {0, 3, 1, 2});
  transpose<f32>("transpose NHWC to NCHW 1x128x128x3 f32", {1, 128, 128, 3}, {0, 3, 1, 2});
  transpose<f32>("transpose NCHW to NHWC 1x3x128x128 f32", {1, 3, 128, 128}, {0, 2, 3, 1});
  transpose<f32>("transpose heads 64x8x128 f32", {64, 8, 128}, {1, 0, 2});
  transpose<f32>("transpose 16x16x16x16 reversed f32", {16, 16, 16, 16}, {3, 2, 1, 0});
}

void movements() {
  moving<f32>("broadcast_in_dim row", {256}, {256, 256}, "stablehlo.broadcast_in_dim %a, dims = [1]",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < 256; ++i)
                  for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[j];
              });
  moving<f32>("broadcast_in_dim column", {256}, {256, 256}, "stablehlo.broadcast_in_dim %a, dims = [0]",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < 256; ++i)
                  for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[i];
              });
  moving<f32>("broadcast_in_dim scalar", {}, {size}, "stablehlo.broadcast_in_dim %a, dims = []",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < size; ++i) to[i] = *x;
              });
  moving<f32>("broadcast", {256}, {256, 256}, "\"stablehlo.broadcast\"(%a) {broadcast_sizes = array<i64: 256>}",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < 256; ++i)
                  for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[j];
              });
  compare_program<f32>("dynamic_broadcast_in_dim", result_of<f32>({256, 256}),
                       "%n = stablehlo.constant dense<256> : tensor<2xi64>\n%r = stablehlo.dynamic_broadcast_in_dim "
                       "%a, %n, dims = [1] : (tensor<256xf32>, tensor<2xi64>) -> tensor<256x256xf32>",
                       0, std::tuple{argument<f32>({256})}, way{"plain", [](f32* to, const f32* x) {
                                                                  for (index_t i = 0; i < 256; ++i)
                                                                    for (index_t j = 0; j < 256; ++j)
                                                                      to[i * 256 + j] = x[j];
                                                                }});
  const auto copy = [](f32* to, const f32* x) { std::memcpy(to, x, size * sizeof(f32)); };
  moving<f32>("reshape", {256, 256}, {size}, "stablehlo.reshape %a", copy);
  compare_program<f32>("dynamic_reshape", result_of<f32>({256, 256}),
                       "%n = stablehlo.constant dense<256> : tensor<2xi64>\n%r = stablehlo.dynamic_reshape %a, %n : "
                       "(tensor<65536xf32>, tensor<2xi64>) -> tensor<256x256xf32>",
                       0, std::tuple{argument<f32>({size})}, way{"plain", copy});
  compare_program<i32>("bitcast_convert", result_of<i32>({size}),
                       "%r = stablehlo.bitcast_convert %a : (tensor<65536xf32>) -> tensor<65536xi32>", 0,
                       std::tuple{argument<f32>({size})},
                       way{"plain", [](i32* to, const f32* x) { std::memcpy(to, x, size * sizeof(f32)); }});
  compare_program<i8>("bitcast_convert to bytes", result_of<i8>({size, 4}),
                      "%r = stablehlo.bitcast_convert %a : (tensor<65536xf32>) -> tensor<65536x4xi8>", 0,
                      std::tuple{argument<f32>({size})},
                      way{"plain", [](i8* to, const f32* x) { std::memcpy(to, x, size * sizeof(f32)); }});
  const auto reverse = [](auto* to, const auto* x) {
    for (index_t i = 0; i < size; ++i) to[i] = x[size - 1 - i];
  };
  moving<f32>("reverse", {size}, {size}, "\"stablehlo.reverse\"(%a) {dimensions = array<i64: 0>}", reverse);
  moving<f32>("reverse rows", {256, 256}, {256, 256}, "\"stablehlo.reverse\"(%a) {dimensions = array<i64: 0>}",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < 256; ++i)
                  for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[(255 - i) * 256 + j];
              });
  moving<f32>("slice", {512, 512}, {256, 256}, "stablehlo.slice %a [100:356, 100:356]", [](f32* to, const f32* x) {
    for (index_t i = 0; i < 256; ++i)
      for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[(100 + i) * 512 + 100 + j];
  });
  moving<f32>("slice with strides", {512, 512}, {256, 256}, "stablehlo.slice %a [0:512:2, 0:512:2]",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < 256; ++i)
                  for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[2 * i * 512 + 2 * j];
              });
  compare_program<f32>("concatenate rows", result_of<f32>({256, 256}),
                       "%r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<256x128xf32>, tensor<256x128xf32>) -> "
                       "tensor<256x256xf32>",
                       0, std::tuple{argument<f32>({256, 128}), argument<f32>({256, 128}, -1, 1, 2)},
                       way{"plain", [](f32* to, const f32* x, const f32* y) {
                             for (index_t i = 0; i < 256; ++i) {
                               for (index_t j = 0; j < 128; ++j) to[i * 256 + j] = x[i * 128 + j];
                               for (index_t j = 0; j < 128; ++j) to[i * 256 + 128 + j] = y[i * 128 + j];
                             }
                           }});
  const auto padded = [](f32* to, const f32* x, const f32* value) {
    for (index_t i = 0; i < 256; ++i)
      for (index_t j = 0; j < 256; ++j) {
        const bool inside = 1 <= i && i < 255 && 1 <= j && j < 255;
        to[i * 256 + j] = inside ? x[(i - 1) * 254 + j - 1] : *value;
      }
  };
  compare_program<f32>("pad", result_of<f32>({256, 256}),
                       "%r = stablehlo.pad %a, %b, low = [1, 1], high = [1, 1], interior = [0, 0] : "
                       "(tensor<254x254xf32>, tensor<f32>) -> tensor<256x256xf32>",
                       0, std::tuple{argument<f32>({254, 254}), argument<f32>({})}, way{"plain", padded});
  compare_program<f32>("pad interior", result_of<f32>({255, 255}),
                       "%r = stablehlo.pad %a, %b, low = [0, 0], high = [0, 0], interior = [1, 1] : "
                       "(tensor<128x128xf32>, tensor<f32>) -> tensor<255x255xf32>",
                       0, std::tuple{argument<f32>({128, 128}), argument<f32>({})},
                       way{"plain", [](f32* to, const f32* x, const f32* value) {
                             for (index_t i = 0; i < 255; ++i)
                               for (index_t j = 0; j < 255; ++j)
                                 to[i * 255 + j] = (i | j) % 2 == 0 ? x[i / 2 * 128 + j / 2] : *value;
                           }});
  compare_program<f32>("dynamic_pad", result_of<f32>({256, 256}),
                       "%n = stablehlo.constant dense<1> : tensor<2xi64>\n%z = stablehlo.constant dense<0> : "
                       "tensor<2xi64>\n%r = \"stablehlo.dynamic_pad\"(%a, %b, %n, %n, %z) : (tensor<254x254xf32>, "
                       "tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<256x256xf32>",
                       0, std::tuple{argument<f32>({254, 254}), argument<f32>({})}, way{"plain", padded});
  compare_program<f32>("set_dimension_size", {"tensor<?xf32, #stablehlo.bounds<65536>>", size},
                       "%r = \"stablehlo.set_dimension_size\"(%a, %b) {dimension = 0 : i64} : (tensor<65536xf32>, "
                       "tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<65536>>",
                       0, std::tuple{argument<f32>({size}), argument<i32>(ints{}, size, size)},
                       way{"plain", [](f32* to, const f32* x, const i32* count) {
                             std::memcpy(to, x, std::size_t(*count) * sizeof(f32));
                           }});
}

// Rows that are shorter than vectors.
void short_rows() {
  constexpr index_t rows = 20000;
  moving<f32>("slice rows of 3", {rows, 4}, {rows, 3}, "stablehlo.slice %a [0:20000, 1:4]", [](f32* to, const f32* x) {
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < 3; ++j) to[i * 3 + j] = x[i * 4 + j + 1];
  });
  moving<f32>("reverse rows of 3", {rows, 3}, {rows, 3}, "\"stablehlo.reverse\"(%a) {dimensions = array<i64: 1>}",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < rows; ++i)
                  for (index_t j = 0; j < 3; ++j) to[i * 3 + j] = x[i * 3 + 2 - j];
              });
  moving<f32>("broadcast_in_dim rows of 3", {rows}, {rows, 3}, "stablehlo.broadcast_in_dim %a, dims = [0]",
              [](f32* to, const f32* x) {
                for (index_t i = 0; i < rows; ++i)
                  for (index_t j = 0; j < 3; ++j) to[i * 3 + j] = x[i];
              });
  transpose<f32>("transpose 4096 matrices 4x4 f32", {4096, 4, 4}, {0, 2, 1});
  transpose<i8>("transpose 4096 matrices 4x4 i8", {4096, 4, 4}, {0, 2, 1});
  compare_program<f32>("concatenate rows of 3 and 1", result_of<f32>({rows, 4}),
                       "%r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<20000x3xf32>, tensor<20000x1xf32>) -> "
                       "tensor<20000x4xf32>",
                       0, std::tuple{argument<f32>({rows, 3}), argument<f32>({rows, 1}, -1, 1, 2)},
                       way{"plain", [](f32* to, const f32* x, const f32* y) {
                             for (index_t i = 0; i < rows; ++i) {
                               for (index_t j = 0; j < 3; ++j) to[i * 4 + j] = x[i * 3 + j];
                               to[i * 4 + 3] = y[i];
                             }
                           }});
}

// Elements of other sizes than four bytes.
template <class T>
void sized_elements() {
  const std::string type = " " + std::string(name(dtype_of<T>));
  transpose<T>("transpose 1024x64" + type, {1024, 64}, {1, 0});
  transpose<T>("transpose NHWC to NCHW 1x128x128x3" + type, {1, 128, 128, 3}, {0, 3, 1, 2});
  moving<T>("reverse" + type, {size}, {size}, "\"stablehlo.reverse\"(%a) {dimensions = array<i64: 0>}",
            [](T* to, const T* x) {
              for (index_t i = 0; i < size; ++i) to[i] = x[size - 1 - i];
            });
  moving<T>("slice" + type, {512, 512}, {256, 256}, "stablehlo.slice %a [100:356, 100:356]", [](T* to, const T* x) {
    for (index_t i = 0; i < 256; ++i)
      for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[(100 + i) * 512 + 100 + j];
  });
  moving<T>("slice with strides" + type, {512, 512}, {256, 256}, "stablehlo.slice %a [0:512:2, 0:512:2]",
            [](T* to, const T* x) {
              for (index_t i = 0; i < 256; ++i)
                for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[2 * i * 512 + 2 * j];
            });
  const auto padding = [&](const std::string& name, const ints& from, const std::string& numbers, auto source) {
    compare_program<T>(name + type, result_of<T>({256, 256}),
                       "%r = stablehlo.pad %a, %b, " + numbers + " : (" + type_text<T>(from) + ", " + type_text<T>({}) +
                           ") -> " + type_text<T>({256, 256}),
                       0, std::tuple{argument<T>(from), argument<T>({})},
                       way{"plain", [source](T* to, const T* x, const T* value) {
                             for (index_t i = 0; i < 256; ++i)
                               for (index_t j = 0; j < 256; ++j) {
                                 const index_t at = source(i, j);
                                 to[i * 256 + j] = at >= 0 ? x[at] : *value;
                               }
                           }});
  };
  padding("pad", {254, 254}, "low = [1, 1], high = [1, 1], interior = [0, 0]",
          [](index_t i, index_t j) { return 1 <= i && i < 255 && 1 <= j && j < 255 ? (i - 1) * 254 + j - 1 : -1; });
  padding("pad interior", {128, 128}, "low = [0, 0], high = [1, 1], interior = [1, 1]",
          [](index_t i, index_t j) { return (i | j) % 2 == 0 ? i / 2 * 128 + j / 2 : -1; });
  padding("pad negative", {300, 300}, "low = [-20, -20], high = [-24, -24], interior = [0, 0]",
          [](index_t i, index_t j) { return (i + 20) * 300 + j + 20; });
  const std::string scalars = ", tensor<i32>, tensor<i32>) -> " + type_text<T>({256, 256});
  compare_program<T>(
      "dynamic_slice" + type, result_of<T>({256, 256}),
      "%r = stablehlo.dynamic_slice %a, %b, %b, sizes = [256, 256] : (" + type_text<T>({512, 512}) + scalars, 0,
      std::tuple{argument<T>({512, 512}), argument<i32>(ints{}, 100, 101)},
      way{"plain", [](T* to, const T* x, const i32* at) {
            const index_t start = std::clamp<index_t>(*at, 0, 256);
            for (index_t i = 0; i < 256; ++i)
              for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[(start + i) * 512 + start + j];
          }});
  compare_program<T>("dynamic_update_slice" + type, result_of<T>({256, 256}),
                     "%r = stablehlo.dynamic_update_slice %a, %b, %c, %c : (" + type_text<T>({256, 256}) + ", " +
                         type_text<T>({128, 128}) + scalars,
                     0,
                     std::tuple{argument<T>({256, 256}), argument<T>({128, 128}, 2, 3), argument<i32>(ints{}, 50, 51)},
                     way{"plain", [](T* to, const T* x, const T* y, const i32* at) {
                           for (index_t i = 0; i < size; ++i) to[i] = x[i];
                           const index_t start = std::clamp<index_t>(*at, 0, 128);
                           for (index_t i = 0; i < 128; ++i)
                             for (index_t j = 0; j < 128; ++j) to[(start + i) * 256 + start + j] = y[i * 128 + j];
                         }});
  compare_program<T>("gather rows" + type, result_of<T>({256, 256}),
                     "%r = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [1], "
                     "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
                     "array<i64: 1, 256>} : (" +
                         type_text<T>({1000, 256}) + ", tensor<256xi32>) -> " + type_text<T>({256, 256}),
                     0, std::tuple{argument<T>({1000, 256}), argument<i32>(ints{256}, 0, 1000, 2)},
                     way{"plain", [](T* to, const T* x, const i32* at) {
                           for (index_t i = 0; i < 256; ++i)
                             for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[clamped(at[i], 1000) * 256 + j];
                         }});
  compare_program<T>("gather elements" + type, result_of<T>({size}),
                     "%r = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims "
                     "= [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (" +
                         type_text<T>({size}) + ", tensor<65536xi32>) -> " + type_text<T>({size}),
                     0, std::tuple{argument<T>({size}), argument<i32>(ints{size}, 0, size, 2)},
                     way{"plain", [](T* to, const T* x, const i32* at) {
                           for (index_t i = 0; i < size; ++i) to[i] = x[clamped(at[i], size)];
                         }});
  compare_program<T>("concatenate rows of 3 and 1" + type, result_of<T>({20000, 4}),
                     "%r = stablehlo.concatenate %a, %b, dim = 1 : (" + type_text<T>({20000, 3}) + ", " +
                         type_text<T>({20000, 1}) + ") -> " + type_text<T>({20000, 4}),
                     0, std::tuple{argument<T>({20000, 3}), argument<T>({20000, 1}, -1, 1, 2)},
                     way{"plain", [](T* to, const T* x, const T* y) {
                           for (index_t i = 0; i < 20000; ++i) {
                             for (index_t j = 0; j < 3; ++j) to[i * 4 + j] = x[i * 3 + j];
                             to[i * 4 + 3] = y[i];
                           }
                         }});
}

void creation() {
  const auto count = [](i32* to, const i32*) {
    for (index_t i = 0; i < size; ++i) to[i] = i32(i);
  };
  compare_program<i32>("iota", result_of<i32>({size}), "%r = stablehlo.iota dim = 0 : tensor<65536xi32>", 0,
                       std::tuple{argument<i32>({1})}, way{"plain", count});
  compare_program<f32>("iota rows f32", result_of<f32>({256, 256}), "%r = stablehlo.iota dim = 0 : tensor<256x256xf32>",
                       0, std::tuple{argument<i32>({1})}, way{"plain", [](f32* to, const i32*) {
                                                                for (index_t i = 0; i < 256; ++i)
                                                                  for (index_t j = 0; j < 256; ++j)
                                                                    to[i * 256 + j] = f32(i);
                                                              }});
  compare_program<i32>("dynamic_iota", result_of<i32>({size}),
                       "%n = stablehlo.constant dense<65536> : tensor<1xi64>\n%r = stablehlo.dynamic_iota %n, dim = 0 "
                       ": (tensor<1xi64>) -> tensor<65536xi32>",
                       0, std::tuple{argument<i32>({1})}, way{"plain", count});
  compare_program<f32>("constant", result_of<f32>({size}), "%r = stablehlo.constant dense<1.5> : tensor<65536xf32>", 0,
                       std::tuple{argument<i32>({1})}, way{"plain", [](f32* to, const i32*) {
                                                             for (index_t i = 0; i < size; ++i) to[i] = 1.5f;
                                                           }});
  compare_program<i32>("get_dimension_size", result_of<i32>({}),
                       "%r = \"stablehlo.get_dimension_size\"(%a) {dimension = 0 : i64} : (tensor<65536xf32>) -> "
                       "tensor<i32>",
                       0, std::tuple{argument<f32>({size})}, way{"plain", [](i32* to, const f32*) { *to = size; }});
  // Other numbers than those of the standard library: compared only in time, hence the infinite tolerance.
  compare_program<f32>("rng uniform", result_of<f32>({size}),
                       "%l = stablehlo.constant dense<0.0> : tensor<f32>\n%h = stablehlo.constant dense<1.0> : "
                       "tensor<f32>\n%n = stablehlo.constant dense<65536> : tensor<1xi64>\n%r = stablehlo.rng %l, %h, "
                       "%n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<65536xf32>",
                       1e9, std::tuple{argument<i32>({1})}, way{"plain", [](f32* to, const i32*) {
                                                                  static std::mt19937 random;
                                                                  std::uniform_real_distribution<float> distribution;
                                                                  for (index_t i = 0; i < size; ++i)
                                                                    to[i] = distribution(random);
                                                                }});
  compare_program<f32>("rng normal", result_of<f32>({size}),
                       "%l = stablehlo.constant dense<0.0> : tensor<f32>\n%h = stablehlo.constant dense<1.0> : "
                       "tensor<f32>\n%n = stablehlo.constant dense<65536> : tensor<1xi64>\n%r = stablehlo.rng %l, %h, "
                       "%n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<65536xf32>",
                       1e9, std::tuple{argument<i32>({1})}, way{"plain", [](f32* to, const i32*) {
                                                                  static std::mt19937 random;
                                                                  std::normal_distribution<float> distribution;
                                                                  for (index_t i = 0; i < size; ++i)
                                                                    to[i] = distribution(random);
                                                                }});
  const auto bits = [](const std::string& algorithm, int words, auto plain) {
    const std::string state = "tensor<" + std::to_string(words) + "xui64>";
    compare_program<ui64>("rng_bit_generator " + algorithm, {{state, "tensor<65536xui32>"}, words},
                          "%r, %s = stablehlo.rng_bit_generator %a, algorithm = " + algorithm + " : (" + state +
                              ") -> (" + state + ", tensor<65536xui32>)",
                          1e30, std::tuple{argument<ui64>({words}, 0, 1000)}, way{"plain", plain});
  };
  bits("THREE_FRY", 2, [](ui64* state, const ui64* from) {
    static std::uint32_t output[size];
    const std::uint32_t key[] = {std::uint32_t(from[0]), std::uint32_t(from[0] >> 32)};
    const std::uint32_t keys[] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
    constexpr int rotations[] = {13, 15, 26, 6, 17, 29, 16, 24};
    for (index_t i = 0; i < size / 2; ++i) {
      const std::uint64_t counter = from[1] + std::uint64_t(i);
      std::uint32_t x = std::uint32_t(counter) + keys[0], y = std::uint32_t(counter >> 32) + keys[1];
      for (int round = 0; round < 20; ++round) {
        x += y;
        y = std::rotl(y, rotations[round % 8]) ^ x;
        if (round % 4 == 3) {
          x += keys[(round / 4 + 1) % 3];
          y += keys[(round / 4 + 2) % 3] + std::uint32_t(round / 4 + 1);
        }
      }
      output[2 * i] = x;
      output[2 * i + 1] = y;
    }
    benchmark::DoNotOptimize(output);
    state[0] = from[0];
    state[1] = from[1] + size / 2;
  });
  bits("PHILOX", 3, [](ui64* state, const ui64* from) {
    static std::uint32_t output[size];
    for (index_t i = 0; i < size / 4; ++i) {
      const std::uint64_t counter = from[1] + std::uint64_t(i);
      std::uint32_t x[] = {std::uint32_t(counter), std::uint32_t(counter >> 32), std::uint32_t(from[2]),
                           std::uint32_t(from[2] >> 32)};
      std::uint32_t key[] = {std::uint32_t(from[0]), std::uint32_t(from[0] >> 32)};
      for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t(x[0]) * 0xD2511F53u, b = std::uint64_t(x[2]) * 0xCD9E8D57u;
        const std::uint32_t next[] = {std::uint32_t(b >> 32) ^ x[1] ^ key[0], std::uint32_t(b),
                                      std::uint32_t(a >> 32) ^ x[3] ^ key[1], std::uint32_t(a)};
        std::memcpy(x, next, sizeof x);
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
      }
      std::memcpy(output + 4 * i, x, sizeof x);
    }
    benchmark::DoNotOptimize(output);
    state[0] = from[0];
    state[1] = from[1] + size / 4;
    state[2] = from[2];
  });
}

void lookups() {
  const auto rows = [](f32* to, const f32* x, const i32* at) {
    for (index_t i = 0; i < 256; ++i)
      for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[clamped(at[i], 1000) * 256 + j];
  };
  const std::string row_numbers =
      "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
      "index_vector_dim = 1>";
  const auto row_arguments = [] {
    return std::tuple{argument<f32>({1000, 256}), argument<i32>(ints{256}, 0, 1000, 2)};
  };
  compare_program<f32>("gather rows", result_of<f32>({256, 256}),
                       "%r = \"stablehlo.gather\"(%a, %b) {" + row_numbers +
                           ", slice_sizes = array<i64: 1, 256>} : (tensor<1000x256xf32>, tensor<256xi32>) -> "
                           "tensor<256x256xf32>",
                       0, row_arguments(), way{"plain", rows});
  compare_program<f32>("dynamic_gather rows", result_of<f32>({256, 256}),
                       "%n = stablehlo.constant dense<[1, 256]> : tensor<2xi64>\n%r = "
                       "\"stablehlo.dynamic_gather\"(%a, %b, %n) {" +
                           row_numbers +
                           "} : (tensor<1000x256xf32>, tensor<256xi32>, tensor<2xi64>) -> tensor<256x256xf32>",
                       0, row_arguments(), way{"plain", rows});
  compare_program<f32>("gather elements", result_of<f32>({size}),
                       "%r = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims "
                       "= [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : "
                       "(tensor<65536xf32>, tensor<65536xi32>) -> tensor<65536xf32>",
                       0, std::tuple{argument<f32>({size}), argument<i32>(ints{size}, 0, size, 2)},
                       way{"plain", [](f32* to, const f32* x, const i32* at) {
                             for (index_t i = 0; i < size; ++i) to[i] = x[clamped(at[i], size)];
                           }});
  compare_program<f32>("gather columns", result_of<f32>({16, 4096}),
                       "%r = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [0], "
                       "collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = "
                       "array<i64: 16, 1>} : (tensor<16x1000xf32>, tensor<4096xi32>) -> tensor<16x4096xf32>",
                       0, std::tuple{argument<f32>({16, 1000}), argument<i32>(ints{4096}, 0, 1000, 2)},
                       way{"plain", [](f32* to, const f32* x, const i32* at) {
                             for (index_t i = 0; i < 16; ++i)
                               for (index_t j = 0; j < 4096; ++j) to[i * 4096 + j] = x[i * 1000 + clamped(at[j], 1000)];
                           }});
  compare_program<f32>("dynamic_slice", result_of<f32>({256, 256}),
                       "%r = stablehlo.dynamic_slice %a, %b, %b, sizes = [256, 256] : (tensor<512x512xf32>, "
                       "tensor<i32>, tensor<i32>) -> tensor<256x256xf32>",
                       0, std::tuple{argument<f32>({512, 512}), argument<i32>(ints{}, 100, 101)},
                       way{"plain", [](f32* to, const f32* x, const i32* at) {
                             const index_t start = std::clamp<index_t>(*at, 0, 256);
                             for (index_t i = 0; i < 256; ++i)
                               for (index_t j = 0; j < 256; ++j) to[i * 256 + j] = x[(start + i) * 512 + start + j];
                           }});
  compare_program<f32>("real_dynamic_slice", result_of<f32>({256, 256}),
                       "%l = stablehlo.constant dense<100> : tensor<2xi64>\n%h = stablehlo.constant dense<356> : "
                       "tensor<2xi64>\n%o = stablehlo.constant dense<1> : tensor<2xi64>\n%r = "
                       "\"stablehlo.real_dynamic_slice\"(%a, %l, %h, %o) : (tensor<512x512xf32>, tensor<2xi64>, "
                       "tensor<2xi64>, tensor<2xi64>) -> tensor<256x256xf32>",
                       0, std::tuple{argument<f32>({512, 512})}, way{"plain", [](f32* to, const f32* x) {
                                                                       for (index_t i = 0; i < 256; ++i)
                                                                         for (index_t j = 0; j < 256; ++j)
                                                                           to[i * 256 + j] =
                                                                               x[(100 + i) * 512 + 100 + j];
                                                                     }});
  compare_program<f32>(
      "dynamic_update_slice", result_of<f32>({256, 256}),
      "%r = stablehlo.dynamic_update_slice %a, %b, %c, %c : (tensor<256x256xf32>, "
      "tensor<128x128xf32>, tensor<i32>, tensor<i32>) -> tensor<256x256xf32>",
      0, std::tuple{argument<f32>({256, 256}), argument<f32>({128, 128}, 2, 3), argument<i32>(ints{}, 50, 51)},
      way{"plain", [](f32* to, const f32* x, const f32* y, const i32* at) {
            for (index_t i = 0; i < size; ++i) to[i] = x[i];
            const index_t start = std::clamp<index_t>(*at, 0, 128);
            for (index_t i = 0; i < 128; ++i)
              for (index_t j = 0; j < 128; ++j) to[(start + i) * 256 + start + j] = y[i * 128 + j];
          }});
  const auto scatter = [](const std::string& name, const std::string& body, auto combine) {
    const auto arguments = [](index_t count, const ints& updates) {
      return std::tuple{argument<f32>({1000, 256}), argument<i32>(ints{count, 1}, 0, 1000, 2),
                        argument<f32>(updates, 1, 2, 3)};
    };
    const std::string region = "({ ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" + body + "}) ";
    compare_program<f32>("scatter rows, " + name, result_of<f32>({1000, 256}),
                         "%r = \"stablehlo.scatter\"(%a, %b, %c) " + region +
                             "{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                             "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : "
                             "(tensor<1000x256xf32>, tensor<256x1xi32>, tensor<256x256xf32>) -> tensor<1000x256xf32>",
                         1e-6, arguments(256, {256, 256}),
                         way{"plain", [combine](f32* to, const f32* x, const i32* at, const f32* updates) {
                               for (index_t i = 0; i < 256000; ++i) to[i] = x[i];
                               for (index_t i = 0; i < 256; ++i)
                                 if (is_inside(at[i], 1000))
                                   for (index_t j = 0; j < 256; ++j)
                                     to[at[i] * 256 + j] = combine(to[at[i] * 256 + j], updates[i * 256 + j]);
                             }});
    compare_program<f32>(
        "scatter elements, " + name, result_of<f32>({size}),
        "%r = \"stablehlo.scatter\"(%a, %b, %c) " + region +
            "{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<65536xf32>, "
            "tensor<65536x1xi32>, tensor<65536xf32>) -> tensor<65536xf32>",
        1e-6,
        std::tuple{argument<f32>({size}), argument<i32>(ints{size, 1}, 0, size, 2), argument<f32>({size}, 1, 2, 3)},
        way{"plain", [combine](f32* to, const f32* x, const i32* at, const f32* updates) {
              for (index_t i = 0; i < size; ++i) to[i] = x[i];
              for (index_t i = 0; i < size; ++i)
                if (is_inside(at[i], size)) to[at[i]] = combine(to[at[i]], updates[i]);
            }});
  };
  scatter("replace", "stablehlo.return %y : tensor<f32>\n", [](f32, f32 y) { return y; });
  scatter("add", "%z = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %z : tensor<f32>\n",
          [](f32 x, f32 y) { return x + y; });
}

[[maybe_unused]] const bool registered =
    (transposes(), movements(), short_rows(), sized_elements<i8>(), sized_elements<bf16>(),
     sized_elements<tenon::complex<f32>>(), sized_elements<tenon::complex<f64>>(), creation(), lookups(), true);

}  // namespace
