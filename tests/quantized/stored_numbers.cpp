// SPDX-License-Identifier: Apache-2.0
#include <tenon/quantized/stored_numbers.hpp>

#include <tenon/programs.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tenon;

// Whether a compiled program knows nothing of quantized types.
template <class Program>
constexpr bool has_plain_types = [] {
  using code = execution::compiled<detail::program_source<Program>>;
  if (code::graph().quantizations.size > 0) return false;
  for (int v = 0; v < code::graph().values.size; ++v)
    if (code::graph().type_of_value(v).is_quantized()) return false;
  return true;
}();

struct products {
  static constexpr std::string_view text = R"(
  func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>,
                  %w: tensor<3x4x!quant.uniform<i8<-127:127>:f32:0, {0.25, 0.5, 0.75}>>)
      -> (tensor<2x3x!quant.uniform<i32:f32:1, {0.125, 0.25, 0.375}>>, tensor<2x3x!quant.uniform<i8:f32, 3.0:-7>>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
        : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4x!quant.uniform<i8<-127:127>:f32:0, {0.25, 0.5, 0.75}>>)
        -> tensor<2x3x!quant.uniform<i32:f32:1, {0.125, 0.25, 0.375}>>
    %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
        : (tensor<2x4x!quant.uniform<i8:f32, 0.5:3>>, tensor<3x4x!quant.uniform<i8<-127:127>:f32:0, {0.25, 0.5, 0.75}>>)
        -> tensor<2x3x!quant.uniform<i8:f32, 3.0:-7>>
    return %0, %1 : tensor<2x3x!quant.uniform<i32:f32:1, {0.125, 0.25, 0.375}>>, tensor<2x3x!quant.uniform<i8:f32, 3.0:-7>>
  })";
};
static_assert(has_plain_types<products>);

// Two groups; the window reaches 1 beyond the beginning and 2 beyond the end of a dilated base.
struct windows {
  static constexpr std::string_view text = R"(
  func.func @main(%x: tensor<1x5x4x!quant.uniform<i8:f32, 0.5:-9>>,
                  %w: tensor<3x2x6x!quant.uniform<i8:f32:2, {0.5, 1.0, 2.0, 4.0, 8.0, 16.0}>>)
      -> tensor<1x5x6x!quant.uniform<i32:f32:2, {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}>> {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {stride = [2], pad = [[1, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
        : (tensor<1x5x4x!quant.uniform<i8:f32, 0.5:-9>>,
           tensor<3x2x6x!quant.uniform<i8:f32:2, {0.5, 1.0, 2.0, 4.0, 8.0, 16.0}>>)
        -> tensor<1x5x6x!quant.uniform<i32:f32:2, {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}>>
    return %0 : tensor<1x5x6x!quant.uniform<i32:f32:2, {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}>>
  })";
};
static_assert(has_plain_types<windows>);

struct conversions {
  static constexpr std::string_view text = R"(
  func.func @main(%x: tensor<8xf32>, %q: tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-3, 0.3:5}>>)
      -> (tensor<8x!quant.uniform<i8:f32, 0.1:-3>>, tensor<8x!quant.uniform<u8<1:200>:f32, 0.1:128>>, tensor<2x4xf32>,
          tensor<2x4x!quant.uniform<i8:f32, 0.7:1>>) {
    %0 = stablehlo.uniform_quantize %x : (tensor<8xf32>) -> tensor<8x!quant.uniform<i8:f32, 0.1:-3>>
    %1 = stablehlo.uniform_quantize %x : (tensor<8xf32>) -> tensor<8x!quant.uniform<u8<1:200>:f32, 0.1:128>>
    %2 = stablehlo.uniform_dequantize %q : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-3, 0.3:5}>>) -> tensor<2x4xf32>
    %3 = stablehlo.uniform_quantize %q : (tensor<2x4x!quant.uniform<i8:f32:0, {0.1:-3, 0.3:5}>>)
        -> tensor<2x4x!quant.uniform<i8:f32, 0.7:1>>
    return %0, %1, %2, %3 : tensor<8x!quant.uniform<i8:f32, 0.1:-3>>, tensor<8x!quant.uniform<u8<1:200>:f32, 0.1:128>>,
        tensor<2x4xf32>, tensor<2x4x!quant.uniform<i8:f32, 0.7:1>>
  })";
};
static_assert(has_plain_types<conversions>);

// As the specification says it, in f32.
int quantized(float value, float scale, float zero_point, float min, float max) {
  if (std::isnan(value)) return 0;
  volatile float quotient = value / scale;
  volatile float shifted = quotient + zero_point;
  return int(std::nearbyint(std::fmin(std::fmax(shifted, min), max)));
}

}  // namespace

TEST_CASE("products of quantized numbers are sums of integers") {
  const tensor<i8, 2, 4> x{{1, 2, 3, 4}, {-128, 6, 7, 127}};
  const tensor<i8, 3, 4> w{{1, -1, 2, 3}, {4, 5, 6, 7}, {-1, -2, -3, 127}};
  const auto [sums, rounded] = program<products>{}(x, w);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      int sum = 0;
      for (int k = 0; k < 4; ++k) sum += (x(i, k) - 3) * w(j, k);
      CHECK(sums(i, j) == sum);
      CHECK(rounded(i, j) == quantized(float(sum) * 0.125f * float(j + 1), 3, -7, -128, 127));
    }
}

TEST_CASE("what a window meets outside the operand is the zero point") {
  tensor<i8, 1, 5, 4> x;
  tensor<i8, 3, 2, 6> w;
  for (int i = 0; i < 20; ++i) x.data()[i] = i8(i * 37 - 128);
  for (int i = 0; i < 36; ++i) w.data()[i] = i8(i * 53 - 100);
  const tensor<i32, 1, 5, 6> sums = program<windows>{}(x, w);
  for (int pixel = 0; pixel < 5; ++pixel)
    for (int output = 0; output < 6; ++output) {
      int sum = 0;
      for (int place = 0; place < 3; ++place)
        for (int input = 0; input < 2; ++input)
          if (const int at = 2 * pixel + place - 1; at >= 0 && at % 2 == 0 && at / 2 < 5)
            sum += (x(0, at / 2, output / 3 * 2 + input) + 9) * w(place, input, output);
      CHECK(sums(0, pixel, output) == sum);
    }
}

TEST_CASE("conversions round and clamp as the specification says") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const tensor<f32, 8> x{0.05f, -0.15f, 3.14159f, 1e30f, -1e30f, nan, infinity, -0.25f};
  const tensor<i8, 2, 4> q{{-128, -3, 0, 127}, {-128, 5, 6, 127}};
  const auto [a, b, c, d] = program<conversions>{}(x, q);
  for (int i = 0; i < 8; ++i) {
    CHECK(a(i) == quantized(x(i), 0.1f, -3, -128, 127));
    CHECK(b(i) == quantized(x(i), 0.1f, 128, 1, 200));
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const float value = float(q(i, j) - (i == 0 ? -3 : 5)) * (i == 0 ? 0.1f : 0.3f);
      CHECK(c(i, j) == value);
      CHECK(d(i, j) == quantized(value, 0.7f, 1, -128, 127));
    }
}
