// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/value.hpp>

// Gradients of the ops that work element by element, StableHLO's and CHLO's. At edges they are those of JAX
// (docs/gradients.md).
namespace tenon::gradients {

inline constexpr double pi = 3.141592653589793238463, root_of_pi = 1.772453850905516027298;

constexpr value partial(const ops::multiply&, const auto& at, int i) { return at.x(1 - i); }
constexpr value partial(const ops::divide&, const auto& at, int i) {
  return i == 0 ? 1 / at.x(1) : -(at.y() / at.x(1));
}
constexpr value partial(const ops::exponential&, const auto& at, int) { return at.y(); }
constexpr value partial(const ops::exponential_minus_one&, const auto& at, int) { return at.y() + 1; }
constexpr value partial(const ops::log&, const auto& at, int) { return 1 / at.x(0); }
constexpr value partial(const ops::log_plus_one&, const auto& at, int) { return 1 / (at.x(0) + 1); }
constexpr value partial(const ops::logistic&, const auto& at, int) { return at.y() * (1 - at.y()); }
constexpr value partial(const ops::tanh&, const auto& at, int) { return 1 - at.y() * at.y(); }
constexpr value partial(const ops::tan&, const auto& at, int) { return 1 + at.y() * at.y(); }
constexpr value partial(const ops::sine&, const auto& at, int) { return apply_to(ops::cosine{}, at.x(0)); }
constexpr value partial(const ops::cosine&, const auto& at, int) { return -apply_to(ops::sine{}, at.x(0)); }
constexpr value partial(const ops::sqrt&, const auto& at, int) { return 0.5 / at.y(); }
constexpr value partial(const ops::rsqrt&, const auto& at, int) { return -0.5 * (at.y() / at.x(0)); }
constexpr value partial(const ops::cbrt&, const auto& at, int) { return (1.0 / 3) / (at.y() * at.y()); }

constexpr value partial(const ops::square&, const auto& at, int) { return 2 * at.x(0); }
constexpr value partial(const ops::asin&, const auto& at, int) { return rsqrt(1 - at.x(0) * at.x(0)); }
constexpr value partial(const ops::acos&, const auto& at, int) { return -rsqrt(1 - at.x(0) * at.x(0)); }
constexpr value partial(const ops::atan&, const auto& at, int) { return 1 / (1 + at.x(0) * at.x(0)); }
constexpr value partial(const ops::asinh&, const auto& at, int) { return rsqrt(at.x(0) * at.x(0) + 1); }
constexpr value partial(const ops::acosh&, const auto& at, int) { return rsqrt((at.x(0) - 1) * (at.x(0) + 1)); }
constexpr value partial(const ops::atanh&, const auto& at, int) { return 1 / ((1 - at.x(0)) * (1 + at.x(0))); }
constexpr value partial(const ops::sinh&, const auto& at, int) { return apply_to(ops::cosh{}, at.x(0)); }
constexpr value partial(const ops::cosh&, const auto& at, int) { return apply_to(ops::sinh{}, at.x(0)); }
constexpr value partial(const ops::erf&, const auto& at, int) { return 2 / root_of_pi * exp(-(at.x(0) * at.x(0))); }
constexpr value partial(const ops::erfc&, const auto& at, int) { return -2 / root_of_pi * exp(-(at.x(0) * at.x(0))); }
constexpr value partial(const ops::erf_inv&, const auto& at, int) { return root_of_pi / 2 * exp(at.y() * at.y()); }
constexpr value partial(const ops::lgamma&, const auto& at, int) { return apply_to(ops::digamma{}, at.x(0)); }
constexpr value partial(const ops::digamma&, const auto& at, int) {
  return apply_to(ops::polygamma{}, like(at.x(0), 1), at.x(0));
}
constexpr value partial(const ops::polygamma&, const auto& at, int i) {
  if (i == 0) at.refuse("grad_polygamma", "there is no derivative by the order");
  return apply_to(ops::polygamma{}, at.x(0) + 1, at.x(1));
}
constexpr value partial(const ops::zeta&, const auto& at, int i) {
  if (i == 0) at.refuse("grad_zeta", "there is no derivative by the exponent");
  return -(at.x(0) * apply_to(ops::zeta{}, at.x(0) + 1, at.x(1)));
}

// Half each of a tie.
template <class Op>
  requires(std::same_as<Op, ops::maximum> || std::same_as<Op, ops::minimum>)
constexpr value partial(const Op&, const auto& at, int i) {
  const value x = at.x(i), y = at.x(1 - i), z = at.y();
  return where(equal(x, z), select(equal(y, z), like(z, 0.5), like(z, 1)));
}

constexpr value with_replaced_zeros(value x) { return select(equal(x, like(x, 0)), like(x, 1), x); }
constexpr value partial(const ops::power&, const auto& at, int i) {
  const value x = at.x(0), y = at.x(1);
  if (i == 1) return apply_to(ops::log{}, with_replaced_zeros(x)) * at.y();
  const value is_zero = equal(y, like(y, 0));
  return select(is_zero, like(y, 0), y * apply_to(ops::power{}, x, select(is_zero, like(y, 1), y - 1)));
}
constexpr value partial(const ops::atan2&, const auto& at, int i) {
  const value x = at.x(1), y = at.x(0);
  return (i == 0 ? x : -y) / (x * x + y * y);
}
// The quotient is cut towards zero.
constexpr value partial(const ops::remainder&, const auto& at, int i) {
  if (i == 0) return like(at.y(), 1);
  const value q = at.x(0) / at.x(1);
  return -(apply_to(ops::sign{}, q) * apply_to(ops::floor{}, apply_to(ops::abs{}, q)));
}

// At zero that of x.
constexpr void pushforward(const ops::abs&, const auto& at) {
  const value x = at.x(0), dx = at.dx(0), zero = like(x, 0);
  if (is_complex(x.type().element)) return at.set(0, real(dx * conjugate(x)) / with_replaced_zeros(at.y()));
  at.set(0, dx * select(compare(x, comparison_direction::GE, zero), like(x, 1), like(x, -1)));
}

// Strictly inside, but for where the bounds meet. Bounds without dimensions are those of all elements.
constexpr value clamp_mask(const auto& at, int i) {
  const value low = spread(at.x(0), at.y().shape()), x = at.x(1), high = spread(at.x(2), at.y().shape());
  if (i == 0) return both(less(x, low), less(low, high));
  return i == 1 ? both(less(low, x), less(x, high)) : less(high, x);
}
constexpr void pushforward(const ops::clamp&, const auto& at) {
  value total;
  for (int i = 0; i < 3; ++i)
    if (at.dx(i)) total = total + where(clamp_mask(at, i), spread(at.dx(i), at.y().shape()));
  at.set(0, total);
}

// Linear ones.
constexpr unsigned linear_operands(const ops::add&) { return 0b11; }
constexpr value transposed(const ops::add&, const auto&, value ct, int) { return ct; }
constexpr void pushforward(const ops::add&, const auto& at) { at.set(0, at.dx(0) + at.dx(1)); }
constexpr value transposed(const ops::subtract&, const auto&, value ct, int i) { return i == 0 ? ct : -ct; }
constexpr unsigned linear_operands(const ops::subtract&) { return 0b11; }
constexpr void pushforward(const ops::subtract&, const auto& at) { at.set(0, at.dx(0) - at.dx(1)); }
constexpr value transposed(const ops::negate&, const auto&, value ct, int) { return -ct; }
constexpr unsigned linear_operands(const ops::select&) { return 0b110; }
constexpr value transposed(const ops::select&, const auto& at, value ct, int i) {
  const value zero = like(ct, 0);
  return select(at.x(0), i == 1 ? ct : zero, i == 1 ? zero : ct);
}
constexpr value transposed(const ops::reduce_precision& op, const auto&, value ct, int) { return apply_to(op, ct); }

// Between real and complex numbers: <ct, y> is the real part of ct * y, and no factor is conjugated.
constexpr value transposed(const ops::real&, const auto& at, value ct, int) {
  return is_complex(at.x(0).type().element) ? complex_of(ct, like(ct, 0)) : ct;
}
constexpr value transposed(const ops::imag&, const auto& at, value ct, int) {
  return is_complex(at.x(0).type().element) ? complex_of(like(ct, 0), -ct) : like(ct, 0);
}
constexpr unsigned linear_operands(const ops::complex&) { return 0b11; }
constexpr value transposed(const ops::complex&, const auto&, value ct, int i) { return i == 0 ? real(ct) : -imag(ct); }
constexpr value transposed(const ops::conj& op, const auto&, value ct, int) { return apply_to(op, ct); }
constexpr value transposed(const ops::convert&, const auto& at, value ct, int) {
  const dtype element = at.x(0).type().element;
  return convert(is_complex(ct.type().element) && !is_complex(element) ? real(ct) : ct, element);
}

// z / |z|, which differs from one complex number to the next; of real numbers it is a step.
constexpr void decomposed(const ops::sign&, const auto& at, value* y) {
  const value x = at.x(0);
  y[0] = like(x, 0);
  if (is_complex(x.type().element)) {
    const value length = x.to->emit(ops::abs{}, {x}, x.type().with_element(real_type(x.type().element)));
    y[0] = x / complex_of(with_replaced_zeros(length), like(length, 0));
  }
}

}  // namespace tenon::gradients
