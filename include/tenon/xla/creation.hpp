// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/reduction.hpp>

// Values that come from nowhere.
namespace tenon::xla {

using RandomAlgorithm = rng_algorithm;
inline constexpr RandomAlgorithm RNG_DEFAULT = rng_algorithm::DEFAULT, RNG_THREE_FRY = rng_algorithm::THREE_FRY,
                                 RNG_PHILOX = rng_algorithm::PHILOX;

constexpr XlaOp Parameter(detail::recorder* builder, std::int64_t parameter_number, const Shape& shape,
                          std::string_view /*name*/ = {}) {
  return detail::recorder_of(builder).parameter(parameter_number, shape);
}
constexpr XlaOp Constant(detail::recorder* builder, const Literal& literal) {
  return detail::recorder_of(builder).constant(literal);
}
inline constexpr auto& ConstantLiteral = Constant;
template <class T>
constexpr XlaOp ConstantR0(detail::recorder* builder, T value) {
  return detail::recorder_of(builder).constant(LiteralUtil::CreateR0<T>(value));
}
template <class T>
constexpr XlaOp ConstantR1(detail::recorder* builder, Span<T> values) {
  return detail::recorder_of(builder).constant(LiteralUtil::CreateR1<T>(values));
}
template <class T>
constexpr XlaOp ConstantR1(detail::recorder* builder, std::int64_t length, T value) {
  const XlaOp repeated = ConstantR0<T>(builder, value);
  return detail::broadcast_function{}(repeated, ints{length});
}
template <class T>
constexpr XlaOp ConstantR2(detail::recorder* builder, LiteralUtil::Values<LiteralUtil::Values<T>> values) {
  return detail::recorder_of(builder).constant(LiteralUtil::CreateR2<T>(values));
}
template <class T>
constexpr XlaOp ConstantR3(detail::recorder* builder,
                           LiteralUtil::Values<LiteralUtil::Values<LiteralUtil::Values<T>>> values) {
  return detail::recorder_of(builder).constant(LiteralUtil::CreateR3<T>(values));
}
constexpr XlaOp Iota(detail::recorder* builder, const Shape& shape, std::int64_t iota_dimension) {
  return detail::recorder_of(builder).record(ops::iota{iota_dimension}, {}, {shape.type()});
}
constexpr XlaOp Iota(detail::recorder* builder, PrimitiveType type, std::int64_t size) {
  return Iota(builder, type_of(type, {size}), 0);
}

// The number that is kept between runs, before it grows by delta.
constexpr XlaOp RngGetAndUpdateState(detail::recorder* builder, std::int64_t delta,
                                     const Shape& shape = type_of(U64, {2})) {
  return detail::recorder_of(builder).record(ops::rng_get_and_update_state{delta}, {}, {shape.type()});
}

namespace detail {

template <rng_distribution Distribution>
struct random_function {
  constexpr XlaOp operator()(const XlaOp& a, const XlaOp& b, const Shape& shape) const {
    return record(ops::rng{Distribution}, {a, b, recorder_of({a, b}).constant(shape.dimensions())}, {shape.type()});
  }
};
// Numbers below `mean` among those of the uniform distribution.
struct bernoulli_function {
  constexpr XlaOp operator()(const XlaOp& mean, const Shape& shape) const {
    recorder& r = recorder_of(mean);
    const PrimitiveType element = mean.type().element;
    const XlaOp drawn = random_function<rng_distribution::UNIFORM>{}(r.constant(LiteralUtil::Zero(element)),
                                                                     r.constant(LiteralUtil::One(element)),
                                                                     Shape(type_of(element, shape.dimensions())));
    return convert_function{}(comparison<comparison_direction::LT>{}(drawn, mean), shape.element_type());
  }
};
struct zeros_like_function {
  constexpr XlaOp operator()(const XlaOp& prototype) const {
    const XlaOp zero = recorder_of(prototype).constant(LiteralUtil::Zero(prototype.type().element));
    return broadcast_function{}(zero, prototype.type().shape);
  }
};
// The next state, and the bits.
struct random_bits_function {
  constexpr XlaOp operator()(RandomAlgorithm algorithm, const XlaOp& initial_state, const Shape& shape) const {
    return record(ops::rng_bit_generator{algorithm}, {initial_state}, {initial_state.type(), shape.type()});
  }
};

}  // namespace detail

inline constexpr detail::random_function<rng_distribution::UNIFORM> RngUniform;
inline constexpr detail::random_function<rng_distribution::NORMAL> RngNormal;
inline constexpr detail::bernoulli_function RngBernoulli;
inline constexpr detail::random_bits_function RngBitGenerator;
inline constexpr detail::zeros_like_function ZerosLike;

}  // namespace tenon::xla
