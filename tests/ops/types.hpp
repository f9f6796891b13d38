// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>
#include <tenon/ops/op.hpp>

#include <shared/inference.hpp>

// Types that the tests of the ops speak about.
namespace tenon::test {
using namespace core;

inline constexpr tensor_type i1_scalar = type_of(dtype::i1), i1_2x3 = type_of(dtype::i1, {2, 3}),
                             i4_2x3 = type_of(dtype::i4, {2, 3}), i32_scalar = type_of(dtype::i32),
                             i32_2x3 = type_of(dtype::i32, {2, 3}), i64_2x3 = type_of(dtype::i64, {2, 3}),
                             ui8_2x3 = type_of(dtype::ui8, {2, 3}), ui32_2x3 = type_of(dtype::ui32, {2, 3}),
                             f16_2x3 = type_of(dtype::f16, {2, 3}), bf16_2x3 = type_of(dtype::bf16, {2, 3}),
                             f32_scalar = type_of(dtype::f32), f32_2x3 = type_of(dtype::f32, {2, 3}),
                             f32_3x2 = type_of(dtype::f32, {3, 2}), f64_scalar = type_of(dtype::f64),
                             f64_2x3 = type_of(dtype::f64, {2, 3}), c64_2x3 = type_of(dtype::complex_f32, {2, 3}),
                             c128_2x3 = type_of(dtype::complex_f64, {2, 3}), token = token_type();

// Quantized types of shape 2x3, by the number of their parameters in `quantizations`.
constexpr tensor_type quantized(dtype storage, std::int16_t number, const ints& shape = {2, 3}) {
  return {storage, 0, number, 0, shape};
}
inline constexpr tensor_type q8_2x3 = quantized(dtype::i8, 1), other_scale_2x3 = quantized(dtype::i8, 2),
                             q4_2x3 = quantized(dtype::i4, 3), q8_bf16_2x3 = quantized(dtype::i8, 4),
                             axis0_2x3 = quantized(dtype::i8, 5), axis1_2x3 = quantized(dtype::i8, 6),
                             qu8_2x3 = quantized(dtype::ui8, 7);

struct quantizations final : type_details {
  double scales[9] = {0.1, 0.5, 1, 1, 0.1, 0.5, 0.1, 0.2, 0.5};
  index_t zero_points[9] = {-30, -20, 1, 17, -30, -20, -20, -30, 0};

  double equal_scales[3] = {0.1, 0.1, 0.1};
  index_t equal_zero_points[3] = {-30, -30, -30};

  constexpr quantization quantization_of(const tensor_type& type) const override {
    switch (type.quantization) {
      case 1:
        return {dtype::i8, dtype::f32, -128, 127, -1, {scales, 1}, {zero_points, 1}};
      case 2:
        return {dtype::i8, dtype::f32, -128, 127, -1, {scales + 1, 1}, {zero_points + 1, 1}};
      case 3:
        return {dtype::i4, dtype::f32, -8, 7, -1, {scales + 2, 1}, {zero_points + 2, 1}};
      case 4:
        return {dtype::i8, dtype::bf16, -128, 127, -1, {scales + 3, 1}, {zero_points + 3, 1}};
      case 5:
        return {dtype::i8, dtype::f32, -128, 127, 0, {scales + 4, 2}, {zero_points + 4, 2}};
      case 6:
        return {dtype::i8, dtype::f32, -128, 127, 1, {scales + 6, 3}, {zero_points + 6, 3}};
      case 7:
        return {dtype::ui8, dtype::f32, 0, 255, -1, {scales, 1}, {zero_points + 8, 1}};
      case 8:
        return {dtype::i8, dtype::f32, -128, 127, 1, {scales + 4, 2}, {zero_points + 4, 2}};
      case 9:
        return {dtype::i8, dtype::f32, -128, 127, 0, {scales + 4, 1}, {zero_points + 4, 1}};
      case 10:
        return {dtype::i8, dtype::f32, -128, 127, 0, {equal_scales, 3}, {equal_zero_points, 3}};
      default:
        return {};
    }
  }
};
inline constexpr quantizations quantized_details;

// The rule that the op breaks for types that may be quantized.
template <class Op>
constexpr std::string_view broken_by_quantized(const Op& self, std::initializer_list<tensor_type> operands,
                                               std::initializer_list<tensor_type> declared = {}) {
  return broken_by(self, operands, declared, {}, &quantized_details);
}

}  // namespace tenon::test
