// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/top_k.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr tensor_type f32_2x2 = type_of(dtype::f32, {2, 2}), i32_2x2 = type_of(dtype::i32, {2, 2});

// types
static_assert(result_type(ops::top_k{2}, {f32_2x3}) == f32_2x2);
static_assert(result_type(ops::top_k{2}, {f32_2x3}, {f32_2x2, i32_2x2}) == f32_2x2);
static_assert(result_type(ops::top_k{3}, {i32_2x3}) == i32_2x3);
constexpr tensor_type open_rows = [] {
  tensor_type type = f32_2x3;
  type.bound(0);
  return type;
}();
static_assert(result_type(ops::top_k{3}, {open_rows}) == open_rows);

// broken rules
static_assert(broken_by(ops::top_k{2}, {}) == "operands");
static_assert(broken_by(ops::top_k{2}, {c64_2x3}) == "top_k_i1");
static_assert(broken_by(ops::top_k{-1}, {f32_2x3}) == "top_k_i2");
static_assert(broken_by(ops::top_k{4}, {f32_2x3}) == "top_k_c1");
static_assert(broken_by(ops::top_k{0}, {f32_scalar}) == "top_k_c1");
static_assert(broken_by(ops::top_k{2}, {f32_2x3}, {i32_2x2, i32_2x2}) == "top_k_c2");
static_assert(broken_by(ops::top_k{2}, {f32_2x3}, {f32_2x2, f32_2x2}) == "top_k_c3");

}  // namespace

TEST_CASE("top_k: floats in total order") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> descending = {nan, infinity, 3, 3, 0x1p-149f, 0, -0.0f, -1, -infinity, -nan};
  std::vector<float> mixed;
  for (std::size_t i = 0; i < descending.size(); ++i) mixed.push_back(descending[i * 7 % descending.size()]);
  const auto results = evaluate<f32>(ops::top_k{10}, {tensor_of<f32>({10}, mixed)},
                                     {type_of(dtype::f32, {10}), type_of(dtype::i32, {10})});
  const std::vector<float> values = results[0].as<f32>();
  CHECK(std::memcmp(values.data(), descending.data(), 10 * sizeof(float)) == 0);
  const auto halves =
      evaluate<bf16>(ops::top_k{2}, {tensor_of<bf16>({4}, {bf16(-1.0f), bf16(2.0f), bf16(-3.0f), bf16(2.0f)})},
                     {type_of(dtype::bf16, {2}), type_of(dtype::i32, {2})});
  CHECK(halves[1].as<i32>() == std::vector<i32>{1, 3});
}

TEST_CASE("top_k: row by row") {
  const auto results = evaluate<f64>(ops::top_k{2}, {tensor_of<f64>({2, 3}, {1, 3, 2, 9, 7, 8})},
                                     {type_of(dtype::f64, {2, 2}), i32_2x2});
  CHECK(results[0].as<f64>() == std::vector<f64>{3, 2, 9, 8});
  CHECK(results[1].as<i32>() == std::vector<i32>{1, 2, 0, 2});
}
