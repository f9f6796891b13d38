// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/body.hpp>

// Elementwise functions. Each is an object, so that XlaBuilder has it as a member too.
namespace tenon::xla {

// Accepted; every function keeps its error below the bounds of docs/accuracy.md whatever is asked for.
using ResultAccuracy = result_accuracy;
using ComparisonDirection = comparison_direction;
struct Comparison {
  using Direction = comparison_direction;
  using Type = comparison_type;
};

namespace detail {

template <auto Op>
struct unary {
  constexpr XlaOp operator()(const XlaOp& operand, const std::optional<ResultAccuracy>& accuracy = {}) const {
    auto op = Op;
    if constexpr (requires { op.result_accuracy = *accuracy; })
      op.result_accuracy = accuracy.value_or(op.result_accuracy);
    return record(op, {operand});
  }
};

// The value in a shape, its dimensions along these; one whose size is 1 stretches.
constexpr XlaOp expand(const XlaOp& operand, const ints& shape, const ints& dimensions) {
  if (operand.type().shape == shape) return operand;
  tensor_type result = operand.type().with_shape(shape);
  for (int i = 0; i < dimensions.size; ++i)
    if (operand.type().is_bounded(i)) result.bound(dimensions[i]);
  return record(ops::broadcast_in_dim{dimensions}, {operand}, {result});
}

// Makes the shapes of two operands equal: a scalar goes everywhere, dimensions of size 1 stretch, and the operand of
// lower rank is laid along `broadcast_dimensions` of the other.
// https://openxla.org/xla/broadcasting
constexpr bool broadcast_together(XlaOp& lhs, XlaOp& rhs, const ints& broadcast_dimensions) {
  const XlaOp both[] = {lhs, rhs};
  recorder& r = recorder_of(both);
  const tensor_type a = lhs.type(), b = rhs.type();
  const int rank = a.rank() > b.rank() ? a.rank() : b.rank();
  ints of_lhs = ints::range(a.rank()), of_rhs = ints::range(b.rank());
  ints& lower = a.rank() < b.rank() ? of_lhs : of_rhs;
  bool fits = lower.size == rank || lower.size == 0;
  if (!broadcast_dimensions.empty()) {
    fits = broadcast_dimensions.size == lower.size && broadcast_dimensions.within(0, rank) &&
           broadcast_dimensions.sorted() && broadcast_dimensions.unique();
    lower = broadcast_dimensions;
  }
  ints shape = ints::filled(rank, 1);
  const auto merge = [&](const ints& sizes, const ints& dimensions) {
    for (int i = 0; i < sizes.size; ++i) {
      const index_t so_far = shape[dimensions[i]];
      if (sizes[i] == 1 || sizes[i] == so_far) continue;
      fits = fits && so_far == 1;
      shape.set(dimensions[i], sizes[i]);
    }
  };
  merge(a.shape, of_lhs);
  merge(b.shape, of_rhs);
  if (!r.admit(both) ||
      !r.check("xla_broadcast",
               "shapes are equal but for dimensions of size 1, or one operand is a scalar or laid along "
               "broadcast_dimensions",
               fits, both))
    return false;
  lhs = expand(lhs, shape, of_lhs);
  rhs = expand(rhs, shape, of_rhs);
  return true;
}

template <auto Op>
struct binary {
  constexpr XlaOp operator()(XlaOp lhs, XlaOp rhs, const Int64Span& broadcast_dimensions = {}) const {
    if (!broadcast_together(lhs, rhs, broadcast_dimensions)) return recorder_of({lhs, rhs}).nothing();
    return record(Op, {lhs, rhs});
  }
};

template <comparison_direction Direction>
using comparison = binary<ops::compare{Direction}>;
// -NaN < -Inf < -1 < -0 < +0 < 1 < Inf < NaN among floats.
template <comparison_direction Direction>
struct total_comparison {
  constexpr XlaOp operator()(const XlaOp& lhs, const XlaOp& rhs, const Int64Span& broadcast_dimensions = {}) const {
    if (!is_float(lhs.type().element)) return comparison<Direction>{}(lhs, rhs, broadcast_dimensions);
    return binary<ops::compare{Direction, comparison_type::TOTALORDER}>{}(lhs, rhs, broadcast_dimensions);
  }
};

struct compare_function {
  constexpr XlaOp operator()(XlaOp lhs, XlaOp rhs, const Int64Span& broadcast_dimensions,
                             comparison_direction direction,
                             comparison_type compare_type = comparison_type::NOTYPE) const {
    if (!broadcast_together(lhs, rhs, broadcast_dimensions)) return recorder_of({lhs, rhs}).nothing();
    return record(ops::compare{direction, compare_type}, {lhs, rhs});
  }
  constexpr XlaOp operator()(XlaOp lhs, XlaOp rhs, comparison_direction direction) const {
    return (*this)(lhs, rhs, {}, direction);
  }
};

// Of tuples, element by element.
struct select_function {
  constexpr XlaOp operator()(const XlaOp& pred, const XlaOp& on_true, const XlaOp& on_false) const {
    recorder& r = recorder_of({pred, on_true, on_false});
    if (!r.is_tuple(on_true)) return r.record(ops::select{}, {pred, on_true, on_false});
    if (!r.check("xla_select", "tuples have the same shape, and the predicate of tuples is a scalar",
                 r.shape_of(on_true) == r.shape_of(on_false) && pred.type().rank() == 0, {pred}))
      return r.nothing();
    std::vector<XlaOp> parts;
    for (int i = 0; i < r.member_count(on_true); ++i)
      parts.push_back((*this)(pred, r.member(on_true, i), r.member(on_false, i)));
    return r.tuple_of(parts);
  }
};
struct clamp_function {
  constexpr XlaOp operator()(const XlaOp& min, const XlaOp& operand, const XlaOp& max) const {
    return record(ops::clamp{}, {min, operand, max});
  }
};
struct convert_function {
  constexpr XlaOp operator()(const XlaOp& operand, PrimitiveType new_element_type) const {
    return record(ops::convert{}, {operand}, {operand.type().with_element(new_element_type)});
  }
};
struct bitcast_convert_function {
  constexpr XlaOp operator()(const XlaOp& operand, PrimitiveType new_element_type) const {
    return record(ops::bitcast_convert{}, {operand}, {with_open_shape(new_element_type)});
  }
};
struct reduce_precision_function {
  constexpr XlaOp operator()(const XlaOp& operand, int exponent_bits, int mantissa_bits) const {
    return record(ops::reduce_precision{exponent_bits, mantissa_bits}, {operand});
  }
};

}  // namespace detail

inline constexpr detail::unary<ops::abs{}> Abs;
inline constexpr detail::unary<ops::asin{}> Asin;
inline constexpr detail::unary<ops::cbrt{}> Cbrt;
inline constexpr detail::unary<ops::ceil{}> Ceil;
inline constexpr detail::unary<ops::count_leading_zeros{}> Clz;
inline constexpr detail::unary<ops::cosine{}> Cos;
inline constexpr detail::unary<ops::cosh{}> Cosh;
inline constexpr detail::unary<ops::erf{}> Erf;
inline constexpr detail::unary<ops::exponential{}> Exp;
inline constexpr detail::unary<ops::exponential_minus_one{}> Expm1;
inline constexpr detail::unary<ops::floor{}> Floor;
inline constexpr detail::unary<ops::imag{}> Imag;
inline constexpr detail::unary<ops::is_finite{}> IsFinite;
inline constexpr detail::unary<ops::log{}> Log;
inline constexpr detail::unary<ops::log_plus_one{}> Log1p;
inline constexpr detail::unary<ops::logistic{}> Logistic;
inline constexpr detail::unary<ops::negate{}> Neg;
inline constexpr detail::unary<ops::not_{}> Not, LogicalNot;
inline constexpr detail::unary<ops::popcnt{}> PopulationCount;
inline constexpr detail::unary<ops::real{}> Real;
inline constexpr detail::unary<ops::round_nearest_afz{}> Round, RoundNearestAfz;
inline constexpr detail::unary<ops::round_nearest_even{}> RoundNearestEven;
inline constexpr detail::unary<ops::rsqrt{}> Rsqrt;
inline constexpr detail::unary<ops::sign{}> Sign;
inline constexpr detail::unary<ops::sine{}> Sin;
inline constexpr detail::unary<ops::sinh{}> Sinh;
inline constexpr detail::unary<ops::sqrt{}> Sqrt;
inline constexpr detail::unary<ops::square{}> Square;
inline constexpr detail::unary<ops::tan{}> Tan;
inline constexpr detail::unary<ops::tanh{}> Tanh;

inline constexpr detail::binary<ops::add{}> Add;
inline constexpr detail::binary<ops::and_{}> And, LogicalAnd;
inline constexpr detail::binary<ops::atan2{}> Atan2;
inline constexpr detail::binary<ops::complex{}> Complex;
inline constexpr detail::binary<ops::divide{}> Div;
inline constexpr detail::binary<ops::maximum{}> Max;
inline constexpr detail::binary<ops::minimum{}> Min;
inline constexpr detail::binary<ops::multiply{}> Mul;
inline constexpr detail::binary<ops::or_{}> Or, LogicalOr;
inline constexpr detail::binary<ops::power{}> Pow;
inline constexpr detail::binary<ops::remainder{}> Rem;
inline constexpr detail::binary<ops::shift_left{}> ShiftLeft;
inline constexpr detail::binary<ops::shift_right_arithmetic{}> ShiftRightArithmetic;
inline constexpr detail::binary<ops::shift_right_logical{}> ShiftRightLogical;
inline constexpr detail::binary<ops::subtract{}> Sub;
inline constexpr detail::binary<ops::xor_{}> Xor;

inline constexpr detail::comparison<comparison_direction::EQ> Eq;
inline constexpr detail::comparison<comparison_direction::NE> Ne;
inline constexpr detail::comparison<comparison_direction::GE> Ge;
inline constexpr detail::comparison<comparison_direction::GT> Gt;
inline constexpr detail::comparison<comparison_direction::LE> Le;
inline constexpr detail::comparison<comparison_direction::LT> Lt;
inline constexpr detail::total_comparison<comparison_direction::EQ> EqTotalOrder;
inline constexpr detail::total_comparison<comparison_direction::NE> NeTotalOrder;
inline constexpr detail::total_comparison<comparison_direction::GE> GeTotalOrder;
inline constexpr detail::total_comparison<comparison_direction::GT> GtTotalOrder;
inline constexpr detail::total_comparison<comparison_direction::LE> LeTotalOrder;
inline constexpr detail::total_comparison<comparison_direction::LT> LtTotalOrder;

inline constexpr detail::compare_function Compare;
inline constexpr detail::select_function Select;
inline constexpr detail::clamp_function Clamp;
inline constexpr detail::convert_function ConvertElementType;
inline constexpr detail::bitcast_convert_function BitcastConvertType;
inline constexpr detail::reduce_precision_function ReducePrecision;

constexpr XlaOp operator-(const XlaOp& x) { return Neg(x); }
constexpr XlaOp operator~(const XlaOp& x) { return Not(x); }
constexpr XlaOp operator+(const XlaOp& x, const XlaOp& y) { return Add(x, y); }
constexpr XlaOp operator-(const XlaOp& x, const XlaOp& y) { return Sub(x, y); }
constexpr XlaOp operator*(const XlaOp& x, const XlaOp& y) { return Mul(x, y); }
constexpr XlaOp operator/(const XlaOp& x, const XlaOp& y) { return Div(x, y); }
constexpr XlaOp operator%(const XlaOp& x, const XlaOp& y) { return Rem(x, y); }
constexpr XlaOp operator&(const XlaOp& x, const XlaOp& y) { return And(x, y); }
constexpr XlaOp operator|(const XlaOp& x, const XlaOp& y) { return Or(x, y); }
constexpr XlaOp operator^(const XlaOp& x, const XlaOp& y) { return Xor(x, y); }

}  // namespace tenon::xla
