// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

namespace tenon::xla {

constexpr XlaOp Abs(XlaOp operand) { return detail::record(ops::abs{}, operand); }
constexpr XlaOp Cbrt(XlaOp operand) { return detail::record(ops::cbrt{}, operand); }
constexpr XlaOp Ceil(XlaOp operand) { return detail::record(ops::ceil{}, operand); }
constexpr XlaOp Clz(XlaOp operand) { return detail::record(ops::count_leading_zeros{}, operand); }
constexpr XlaOp Cos(XlaOp operand) { return detail::record(ops::cosine{}, operand); }
constexpr XlaOp Exp(XlaOp operand) { return detail::record(ops::exponential{}, operand); }
constexpr XlaOp Expm1(XlaOp operand) { return detail::record(ops::exponential_minus_one{}, operand); }
constexpr XlaOp Floor(XlaOp operand) { return detail::record(ops::floor{}, operand); }
constexpr XlaOp Imag(XlaOp operand) { return detail::record(ops::imag{}, operand); }
constexpr XlaOp IsFinite(XlaOp operand) { return detail::record(ops::is_finite{}, operand); }
constexpr XlaOp Log(XlaOp operand) { return detail::record(ops::log{}, operand); }
constexpr XlaOp Log1p(XlaOp operand) { return detail::record(ops::log_plus_one{}, operand); }
constexpr XlaOp Logistic(XlaOp operand) { return detail::record(ops::logistic{}, operand); }
constexpr XlaOp Neg(XlaOp operand) { return detail::record(ops::negate{}, operand); }
constexpr XlaOp Not(XlaOp operand) { return detail::record(ops::not_{}, operand); }
constexpr XlaOp PopulationCount(XlaOp operand) { return detail::record(ops::popcnt{}, operand); }
constexpr XlaOp Real(XlaOp operand) { return detail::record(ops::real{}, operand); }
constexpr XlaOp Round(XlaOp operand) { return detail::record(ops::round_nearest_afz{}, operand); }
constexpr XlaOp RoundNearestEven(XlaOp operand) { return detail::record(ops::round_nearest_even{}, operand); }
constexpr XlaOp Rsqrt(XlaOp operand) { return detail::record(ops::rsqrt{}, operand); }
constexpr XlaOp Sign(XlaOp operand) { return detail::record(ops::sign{}, operand); }
constexpr XlaOp Sin(XlaOp operand) { return detail::record(ops::sine{}, operand); }
constexpr XlaOp Sqrt(XlaOp operand) { return detail::record(ops::sqrt{}, operand); }
constexpr XlaOp Tan(XlaOp operand) { return detail::record(ops::tan{}, operand); }
constexpr XlaOp Tanh(XlaOp operand) { return detail::record(ops::tanh{}, operand); }
constexpr XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits) {
  return detail::record(ops::reduce_precision{exponent_bits, mantissa_bits}, operand);
}
constexpr XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type) {
  return detail::record_as(operand.type().with_element(new_element_type), ops::convert{}, operand);
}

constexpr XlaOp Add(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::add{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Sub(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::subtract{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Mul(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::multiply{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Div(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::divide{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Rem(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::remainder{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Max(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::maximum{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Min(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::minimum{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Pow(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::power{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp And(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::and_{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Or(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::or_{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Xor(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::xor_{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Atan2(XlaOp y, XlaOp x, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::atan2{}, y, x, broadcast_dimensions);
}
constexpr XlaOp Complex(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::complex{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp ShiftLeft(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::shift_left{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp ShiftRightArithmetic(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::shift_right_arithmetic{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp ShiftRightLogical(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::shift_right_logical{}, lhs, rhs, broadcast_dimensions);
}

constexpr XlaOp Compare(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions, comparison_direction direction,
                        comparison_type compare_type = comparison_type::NOTYPE) {
  return detail::binary(ops::compare{direction, compare_type}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Compare(XlaOp lhs, XlaOp rhs, comparison_direction direction) {
  return Compare(lhs, rhs, {}, direction);
}
constexpr XlaOp Eq(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::EQ);
}
constexpr XlaOp Ne(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::NE);
}
constexpr XlaOp Ge(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::GE);
}
constexpr XlaOp Gt(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::GT);
}
constexpr XlaOp Le(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::LE);
}
constexpr XlaOp Lt(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::LT);
}

constexpr XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false) {
  return detail::record(ops::select{}, pred, on_true, on_false);
}
constexpr XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max) { return detail::record(ops::clamp{}, min, operand, max); }

}  // namespace tenon::xla
