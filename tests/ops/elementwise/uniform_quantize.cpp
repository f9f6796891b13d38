// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/uniform_quantize.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::uniform_quantize{}, {f32_2x3}, {q8_2x3}, {}, &quantized_details) == q8_2x3);
static_assert(result_type(ops::uniform_quantize{}, {bf16_2x3}, {q8_bf16_2x3}, {}, &quantized_details) == q8_bf16_2x3);
static_assert(result_type(ops::uniform_quantize{}, {axis0_2x3}, {axis1_2x3}, {}, &quantized_details) == axis1_2x3);

// broken rules
static_assert(broken_by_quantized(ops::uniform_quantize{}, {i32_2x3}, {q8_2x3}) == "uniform_quantize_i1");
static_assert(broken_by_quantized(ops::uniform_quantize{}, {f32_2x3}) == "uniform_quantize_o1");
static_assert(broken_by_quantized(ops::uniform_quantize{}, {f32_2x3}, {f32_2x3}) == "uniform_quantize_o1");
static_assert(broken_by_quantized(ops::uniform_quantize{}, {f32_3x2}, {q8_2x3}) == "uniform_quantize_c1");
static_assert(broken_by_quantized(ops::uniform_quantize{}, {f32_2x3}, {q8_bf16_2x3}) == "uniform_quantize_c2");
static_assert(broken_by_quantized(ops::uniform_quantize{}, {q8_2x3}, {q8_bf16_2x3}) == "uniform_quantize_c2");

// values
std::vector<i8> quantize(const value& operand, const tensor_type& type) {
  return evaluate<i8>(ops::uniform_quantize{}, {operand}, {type}, {{}, {}, &quantized_details})[0].as<i8>();
}

TEST_CASE("uniform_quantize along a dimension") {
  const value operand = tensor_of<f32>({2, 1}, {4.0f, 15.0f});
  CHECK(quantize(operand, quantized(dtype::i8, 5, {2, 1})) == std::vector<i8>{10, 10});
}

TEST_CASE("uniform_quantize from one quantization to another") {
  value operand = tensor_of<i8>({2, 3}, {10, -30, 100, 10, -20, 127});
  operand.type = axis0_2x3;
  // 4, 0, 13 with scale 0.1; 15, 0, 73.5 with scale 0.5
  CHECK(quantize(operand, axis1_2x3) == std::vector<i8>{20, -30, 26, 127, -30, 127});
  CHECK(quantize(operand, other_scale_2x3) == std::vector<i8>{-12, -20, 6, 10, -20, 127});
}

TEST_CASE("uniform_quantize rounds to even, clamps, and takes NaN for zero") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const value operand = tensor_of<f32>({2, 3}, {0.25f, 0.75f, -1e30f, infinity, 73.75f, nan});
  CHECK(quantize(operand, other_scale_2x3) == std::vector<i8>{-20, -18, -128, 127, 127, 0});
}

TEST_CASE("uniform_quantize over many elements") {
  std::vector<f32> numbers;
  for (int i = 0; i < 7 * 3 * 31; ++i) numbers.push_back(f32(i % 97) * 0.173f - 7.0f);
  const std::vector<i8> got = quantize(tensor_of<f32>({7, 3, 31}, numbers), quantized(dtype::i8, 6, {7, 3, 31}));
  int wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t channel = i / 31 % 3;
    const float scale = float(quantized_details.scales[6 + channel]);
    const float exact = numbers[i] / scale + float(quantized_details.zero_points[6 + channel]);
    const float rounded = std::nearbyint(exact < -128 ? -128 : exact > 127 ? 127 : exact);
    wrong += float(got[i]) == rounded ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("uniform_quantize computes in the expressed type") {
  // In bf16 201 + 17 is exact, but 200.5 is not a number.
  const value operand = tensor_of<bf16>({1, 2}, {bf16(100.5f), bf16(-100.5f)});
  CHECK(quantize(operand, quantized(dtype::i8, 4, {1, 2})) == std::vector<i8>{118, -84});
}

}  // namespace
