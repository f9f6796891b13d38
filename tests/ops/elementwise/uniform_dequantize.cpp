// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/uniform_dequantize.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

// types
static_assert(result_type(ops::uniform_dequantize{}, {q8_2x3}, {}, {}, &quantized_details) == f32_2x3);
static_assert(result_type(ops::uniform_dequantize{}, {q8_bf16_2x3}, {bf16_2x3}, {}, &quantized_details) == bf16_2x3);
static_assert(result_type(ops::uniform_dequantize{}, {axis1_2x3}, {f32_2x3}, {}, &quantized_details) == f32_2x3);

// broken rules
static_assert(broken_by_quantized(ops::uniform_dequantize{}, {f32_2x3}) == "uniform_dequantize_i1");
static_assert(broken_by_quantized(ops::uniform_dequantize{}, {q8_2x3}, {f32_3x2}) == "uniform_dequantize_c1");
static_assert(broken_by_quantized(ops::uniform_dequantize{}, {q8_2x3}, {f64_2x3}) == "uniform_dequantize_c2");

// values
template <class T>
value stored(const tensor_type& type, std::initializer_list<T> elements) {
  value result = tensor_of(type.shape, elements);
  result.type = type;
  return result;
}

template <class T>
std::vector<T> dequantize(const value& operand) {
  const tensor_type type = operand.type.with_element(dtype_of<T>);
  return evaluate<T>(ops::uniform_dequantize{}, {operand}, {type}, {{}, {}, &quantized_details})[0].template as<T>();
}

TEST_CASE("uniform_dequantize") {
  CHECK(dequantize<f32>(stored<i8>(quantized(dtype::i8, 5, {2, 1}), {10, 10})) == std::vector<f32>{4, 15});
  CHECK(dequantize<f32>(stored<i8>(axis1_2x3, {-10, -30, 0, 127, -128, -1})) ==
        std::vector<f32>{10 * 0.1f, 0, 0, 147 * 0.1f, -98 * 0.2f, -0.5f});
  CHECK(dequantize<f32>(stored<ui8>(qu8_2x3, {255, 0, 1, 2, 3, 128}))[0] == 255 * 0.1f);
  CHECK(dequantize<f32>(stored<i4>(q4_2x3, {i4(-8), i4(7), i4(0), i4(1), i4(2), i4(3)})) ==
        std::vector<f32>{-9, 6, -1, 0, 1, 2});
}

TEST_CASE("uniform_dequantize computes in the expressed type") {
  const std::vector<bf16> got = dequantize<bf16>(stored<i8>(q8_bf16_2x3, {-128, 127, 17, 0, 1, 2}));
  CHECK(f32(got[0]) == -145.0f);
  CHECK(f32(got[1]) == 110.0f);
}

TEST_CASE("uniform_dequantize of more elements than a block") {
  value operand = counting<i8>({1, 100});
  operand.type = quantized(dtype::i8, 2, {1, 100});
  const std::vector<f32> got = dequantize<f32>(operand);
  for (int i = 0; i < 100; ++i) CHECK(got[std::size_t(i)] == f32(i + 1 + 20) * 0.5f);
}

}  // namespace
