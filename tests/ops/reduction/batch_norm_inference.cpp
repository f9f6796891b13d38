// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/batch_norm_inference.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr ops::batch_norm_inference over_1{0, 1};
constexpr tensor_type f32_3 = type_of(dtype::f32, {3}), f32_2 = type_of(dtype::f32, {2}),
                      f64_3 = type_of(dtype::f64, {3}), q8_3 = quantized(dtype::i8, 1, {3});

// Types.

static_assert(result_type(over_1, {f32_2x3, f32_3, f32_3, f32_3, f32_3}) == f32_2x3);
static_assert(broken_by_quantized(over_1, {q8_2x3, q8_3, q8_3, q8_3, q8_3}, {other_scale_2x3}).empty());

// Broken rules.

constexpr std::string_view broken(std::initializer_list<tensor_type> operands, index_t feature_index = 1,
                                  std::initializer_list<tensor_type> declared = {}) {
  return broken_by_quantized(ops::batch_norm_inference{0, feature_index}, operands, declared);
}
static_assert(broken({i32_2x3, f32_3, f32_3, f32_3, f32_3}) == "batch_norm_inference_i1");
static_assert(broken({axis0_2x3, q8_3, q8_3, q8_3, q8_3}) == "batch_norm_inference_i1");
static_assert(broken({f32_2x3, f32_2x3, f32_3, f32_3, f32_3}) == "batch_norm_inference_i2");
static_assert(broken({f32_2x3, f32_3, f32_2x3, f32_3, f32_3}) == "batch_norm_inference_i3");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_scalar, f32_3}) == "batch_norm_inference_i4");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, i32_2x3}) == "batch_norm_inference_i5");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_3}, 2) == "batch_norm_inference_c1");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_3}, -1) == "batch_norm_inference_c1");
static_assert(broken({f32_2x3, f32_3, f32_3, f64_3, f32_3}) == "batch_norm_inference_c2");
static_assert(broken({f32_2x3, f32_2, f32_3, f32_3, f32_3}) == "batch_norm_inference_c3");
static_assert(broken({f32_2x3, f32_3, f32_2, f32_3, f32_3}) == "batch_norm_inference_c4");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_2, f32_3}) == "batch_norm_inference_c5");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_2}) == "batch_norm_inference_c6");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_3}, 1, {f64_2x3}) == "batch_norm_inference_c7");

}  // namespace

TEST_CASE("batch_norm_inference: the specification's example") {
  const value ones = tensor_of<f64>({2}, {1, 1});
  CHECK(evaluate<f64>(
            ops::batch_norm_inference{0, 2},
            {tensor_of<f64>({2, 2, 2}, {1, 2, 3, 4, 3, 4, 1, 2}), ones, ones, tensor_of<f64>({2}, {2, 3}), ones},
            {type_of(dtype::f64, {2, 2, 2})})[0]
            .as<f64>() == std::vector<f64>{0, 0, 2, 2, 2, 2, 0, 0});
}

TEST_CASE("batch_norm_inference: a feature dimension in the middle, narrow floats in f32") {
  const auto halves = [](std::initializer_list<float> values) {
    std::vector<f16> result;
    for (float v : values) result.push_back(f16(v));
    return result;
  };
  const value operand = tensor_of<f16>({1, 2, 2}, halves({1, 2, 3, 4}));
  const std::vector<f16> result =
      evaluate<f16>(ops::batch_norm_inference{0.5, 1},
                    {operand, tensor_of<f16>({2}, halves({2, 4})), tensor_of<f16>({2}, halves({10, 20})),
                     tensor_of<f16>({2}, halves({1, 1})), tensor_of<f16>({2}, halves({3.5, 0.5}))},
                    {operand.type})[0]
          .as<f16>();
  CHECK(result == halves({10, 11, 28, 32}));
}

TEST_CASE("batch_norm_inference: epsilon is a number of f32") {
  const value zero = tensor_of<f64>({1}, {0}), one = tensor_of<f64>({1}, {1});
  CHECK(evaluate<f64>(ops::batch_norm_inference{0.1, 0}, {one, one, zero, zero, zero}, {one.type})[0].as<f64>() ==
        std::vector<f64>{1 / std::sqrt(double(0.1f))});
}
