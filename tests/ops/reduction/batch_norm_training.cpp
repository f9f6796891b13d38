// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/batch_norm_training.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr tensor_type f32_3 = type_of(dtype::f32, {3}), f32_2 = type_of(dtype::f32, {2}),
                      f64_3 = type_of(dtype::f64, {3}), q8_3 = quantized(dtype::i8, 1, {3});

// Types.

constexpr std::string_view broken(std::initializer_list<tensor_type> operands, index_t feature_index = 1,
                                  std::initializer_list<tensor_type> declared = {}) {
  return broken_by_quantized(ops::batch_norm_training{0, feature_index}, operands, declared);
}
static_assert(result_type(ops::batch_norm_training{0, 1}, {f32_2x3, f32_3, f32_3}) == f32_2x3);
static_assert(broken({f32_2x3, f32_3, f32_3}, 1, {f32_2x3, f32_3, f32_3}).empty());
static_assert(broken({q8_2x3, q8_3, q8_3}, 1, {other_scale_2x3, q8_3, q8_3}).empty());

// Broken rules.

static_assert(broken({f32_2x3, f32_3}) == "operands");
static_assert(broken({i32_2x3, f32_3, f32_3}) == "batch_norm_training_i1");
static_assert(broken({f32_2x3, f32_2x3, f32_3}) == "batch_norm_training_i2");
static_assert(broken({f32_2x3, f32_3, f32_scalar}) == "batch_norm_training_i3");
static_assert(broken({f32_2x3, f32_3, f32_3}, 2) == "batch_norm_training_c1");
static_assert(broken({f32_2x3, f32_3, f64_3}) == "batch_norm_training_c2");
static_assert(broken({f32_2x3, f32_3, f32_3}, 1, {f32_2x3, f64_3, f32_3}) == "batch_norm_training_c2");
static_assert(broken({f32_2x3, f32_2, f32_3}) == "batch_norm_training_c3");
static_assert(broken({f32_2x3, f32_3, f32_2}) == "batch_norm_training_c4");
static_assert(broken({f32_2x3, f32_3, f32_3}, 1, {f32_2x3, f32_2, f32_3}) == "batch_norm_training_c5");
static_assert(broken({f32_2x3, f32_3, f32_3}, 1, {f32_2x3, f32_3, f32_2}) == "batch_norm_training_c6");
static_assert(broken({f32_2x3, f32_3, f32_3}, 1, {f32_3x2, f32_3, f32_3}) == "batch_norm_training_c7");
static_assert(broken({f32_2x3, f32_3, f32_3}, 1, {f32_2x3, f32_3}) == "results");

}  // namespace

TEST_CASE("batch_norm_training: the specification's example") {
  const value ones = tensor_of<f64>({2}, {1, 1});
  const tensor_type vector = type_of(dtype::f64, {2});
  const std::vector<value> results =
      evaluate<f64>(ops::batch_norm_training{0, 2}, {tensor_of<f64>({2, 2, 2}, {1, 2, 3, 4, 3, 4, 1, 2}), ones, ones},
                    {type_of(dtype::f64, {2, 2, 2}), vector, vector});
  CHECK(results[0].as<f64>() == std::vector<f64>{0, 0, 2, 2, 2, 2, 0, 0});
  CHECK(results[1].as<f64>() == std::vector<f64>{2, 3});
  CHECK(results[2].as<f64>() == std::vector<f64>{1, 1});
}

TEST_CASE("batch_norm_training: the variance of numbers far from zero") {
  const value operand = tensor_of<f32>({4, 1}, {1000001, 1000003, 1000001, 1000003});
  const tensor_type vector = type_of(dtype::f32, {1});
  const std::vector<value> results =
      evaluate<f32>(ops::batch_norm_training{3, 1}, {operand, tensor_of<f32>({1}, {6}), tensor_of<f32>({1}, {1})},
                    {operand.type, vector, vector});
  CHECK(results[0].as<f32>() == std::vector<f32>{-2, 4, -2, 4});
  CHECK(results[1].as<f32>() == std::vector<f32>{1000002});
  CHECK(results[2].as<f32>() == std::vector<f32>{1});
}

TEST_CASE("batch_norm_training: epsilon is a number of f32") {
  const value operand = tensor_of<f64>({2, 1}, {0, 2}), one = tensor_of<f64>({1}, {1}), zero = tensor_of<f64>({1}, {0});
  const std::vector<value> results =
      evaluate<f64>(ops::batch_norm_training{0.1, 1}, {operand, one, zero}, {operand.type, one.type, one.type});
  CHECK(results[0].as<f64>()[1] == 1 / std::sqrt(1 + double(0.1f)));
}
