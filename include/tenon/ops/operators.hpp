// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

// The operators of C++ on tensors, expressions and traced values: one side may be a plain number.

#include <tenon/core/apply.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/and.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/divide.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/negate.hpp>
#include <tenon/ops/elementwise/not.hpp>
#include <tenon/ops/elementwise/or.hpp>
#include <tenon/ops/elementwise/remainder.hpp>
#include <tenon/ops/elementwise/shift_left.hpp>
#include <tenon/ops/elementwise/shift_right_arithmetic.hpp>
#include <tenon/ops/elementwise/shift_right_logical.hpp>
#include <tenon/ops/elementwise/subtract.hpp>
#include <tenon/ops/elementwise/xor.hpp>

#include <type_traits>

namespace tenon {

namespace detail {

inline constexpr auto complaint_about_logic =
    complain("logic", "&& and || are for numbers; & and | are for the elements of tensors");
template <class T>
concept has_dimensions = has_static_type<T> && (std::remove_cvref_t<T>::type.rank() > 0);
template <class T>
concept assigned_in_place =
    (is_tensor<std::remove_cvref_t<T>> || requires { requires std::remove_cvref_t<T>::is_tracer; }) &&
    requires(T& x) { x = x; };
template <auto Op, class... Operands>
using kept = rules_kept_by<elementwise_call<Op>, Operands...>;
template <auto Op, class... Operands>
using broken = rule_broken_by<elementwise_call<Op>, Operands...>;
template <class... Operands>
struct logic_of_elements {};
template <class... Operands>
  requires(has_dimensions<Operands> || ...)
struct logic_of_elements<Operands...> : outcome_of<complaint_about_logic> {};

}  // namespace detail

// Sums, differences, products, quotients and remainders, element by element: `add`, `subtract`, `multiply`, `divide`
// and `remainder`. Both sides have one type, or one is a number; the result has that type.
template <class Lhs, class Rhs, class Rules = detail::kept<ops::add{}, Lhs, Rhs>>
constexpr auto operator+(Lhs&& lhs, Rhs&& rhs) {
  return add(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::add{}, Lhs, Rhs>>
void operator+(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::subtract{}, Lhs, Rhs>>
constexpr auto operator-(Lhs&& lhs, Rhs&& rhs) {
  return subtract(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::subtract{}, Lhs, Rhs>>
void operator-(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::multiply{}, Lhs, Rhs>>
constexpr auto operator*(Lhs&& lhs, Rhs&& rhs) {
  return multiply(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::multiply{}, Lhs, Rhs>>
void operator*(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::divide{}, Lhs, Rhs>>
constexpr auto operator/(Lhs&& lhs, Rhs&& rhs) {
  return divide(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::divide{}, Lhs, Rhs>>
void operator/(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::remainder{}, Lhs, Rhs>>
constexpr auto operator%(Lhs&& lhs, Rhs&& rhs) {
  return remainder(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::remainder{}, Lhs, Rhs>>
void operator%(Lhs&&, Rhs&&) = delete;
// Bit by bit for integers, logical for booleans: `and_`, `or_` and `xor_`.
template <class Lhs, class Rhs, class Rules = detail::kept<ops::and_{}, Lhs, Rhs>>
constexpr auto operator&(Lhs&& lhs, Rhs&& rhs) {
  return and_(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::and_{}, Lhs, Rhs>>
void operator&(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::or_{}, Lhs, Rhs>>
constexpr auto operator|(Lhs&& lhs, Rhs&& rhs) {
  return or_(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::or_{}, Lhs, Rhs>>
void operator|(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::xor_{}, Lhs, Rhs>>
constexpr auto operator^(Lhs&& lhs, Rhs&& rhs) {
  return xor_(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::xor_{}, Lhs, Rhs>>
void operator^(Lhs&&, Rhs&&) = delete;

// The negative of each element.
template <class Operand, class Rules = detail::kept<ops::negate{}, Operand>>
constexpr auto operator-(Operand&& operand) {
  return negate(static_cast<Operand&&>(operand));
}
template <class Operand, class Rule = detail::broken<ops::negate{}, Operand>>
void operator-(Operand&&) = delete;
// `~x` and `!x` are the same: bit by bit for integers, logical for booleans.
template <class Operand, class Rules = detail::kept<ops::not_{}, Operand>>
constexpr auto operator~(Operand&& operand) {
  return not_(static_cast<Operand&&>(operand));
}
template <class Operand, class Rule = detail::broken<ops::not_{}, Operand>>
void operator~(Operand&&) = delete;
template <class Operand, class Rules = detail::kept<ops::not_{}, Operand>>
constexpr auto operator!(Operand&& operand) {
  return not_(static_cast<Operand&&>(operand));
}
template <class Operand, class Rule = detail::broken<ops::not_{}, Operand>>
void operator!(Operand&&) = delete;

template <class Lhs, class Rhs, class Rule = typename detail::logic_of_elements<Lhs, Rhs>::broken>
void operator&&(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rule = typename detail::logic_of_elements<Lhs, Rhs>::broken>
void operator||(Lhs&&, Rhs&&) = delete;

// Comparisons give tensors of booleans.
template <class Lhs, class Rhs, class Rules = detail::kept<ops::compare{comparison_direction::EQ}, Lhs, Rhs>>
constexpr auto operator==(Lhs&& lhs, Rhs&& rhs) {
  return compare<comparison_direction::EQ>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::compare{comparison_direction::EQ}, Lhs, Rhs>>
void operator==(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::compare{comparison_direction::NE}, Lhs, Rhs>>
constexpr auto operator!=(Lhs&& lhs, Rhs&& rhs) {
  return compare<comparison_direction::NE>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::compare{comparison_direction::NE}, Lhs, Rhs>>
void operator!=(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::compare{comparison_direction::LT}, Lhs, Rhs>>
constexpr auto operator<(Lhs&& lhs, Rhs&& rhs) {
  return compare<comparison_direction::LT>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::compare{comparison_direction::LT}, Lhs, Rhs>>
void operator<(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::compare{comparison_direction::LE}, Lhs, Rhs>>
constexpr auto operator<=(Lhs&& lhs, Rhs&& rhs) {
  return compare<comparison_direction::LE>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::compare{comparison_direction::LE}, Lhs, Rhs>>
void operator<=(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::compare{comparison_direction::GT}, Lhs, Rhs>>
constexpr auto operator>(Lhs&& lhs, Rhs&& rhs) {
  return compare<comparison_direction::GT>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::compare{comparison_direction::GT}, Lhs, Rhs>>
void operator>(Lhs&&, Rhs&&) = delete;
template <class Lhs, class Rhs, class Rules = detail::kept<ops::compare{comparison_direction::GE}, Lhs, Rhs>>
constexpr auto operator>=(Lhs&& lhs, Rhs&& rhs) {
  return compare<comparison_direction::GE>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::compare{comparison_direction::GE}, Lhs, Rhs>>
void operator>=(Lhs&&, Rhs&&) = delete;

// The bits of integers, shifted left; 0 where the distance is not below the width.
template <class Lhs, class Rhs, class Rules = detail::kept<ops::shift_left{}, Lhs, Rhs>>
constexpr auto operator<<(Lhs&& lhs, Rhs&& rhs) {
  return shift_left(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::shift_left{}, Lhs, Rhs>>
void operator<<(Lhs&&, Rhs&&) = delete;

// In place, for tensors, views and traced values; elements that are read twice are read before they are written.
template <detail::assigned_in_place Lhs, class Rhs, class Rules = detail::kept<ops::add{}, Lhs, Rhs>>
constexpr decltype(auto) operator+=(Lhs&& lhs, Rhs&& rhs) {
  return lhs = lhs + static_cast<Rhs&&>(rhs);
}
template <detail::assigned_in_place Lhs, class Rhs, class Rule = detail::broken<ops::add{}, Lhs, Rhs>>
void operator+=(Lhs&&, Rhs&&) = delete;
template <detail::assigned_in_place Lhs, class Rhs, class Rules = detail::kept<ops::subtract{}, Lhs, Rhs>>
constexpr decltype(auto) operator-=(Lhs&& lhs, Rhs&& rhs) {
  return lhs = lhs - static_cast<Rhs&&>(rhs);
}
template <detail::assigned_in_place Lhs, class Rhs, class Rule = detail::broken<ops::subtract{}, Lhs, Rhs>>
void operator-=(Lhs&&, Rhs&&) = delete;
template <detail::assigned_in_place Lhs, class Rhs, class Rules = detail::kept<ops::multiply{}, Lhs, Rhs>>
constexpr decltype(auto) operator*=(Lhs&& lhs, Rhs&& rhs) {
  return lhs = lhs * static_cast<Rhs&&>(rhs);
}
template <detail::assigned_in_place Lhs, class Rhs, class Rule = detail::broken<ops::multiply{}, Lhs, Rhs>>
void operator*=(Lhs&&, Rhs&&) = delete;
template <detail::assigned_in_place Lhs, class Rhs, class Rules = detail::kept<ops::divide{}, Lhs, Rhs>>
constexpr decltype(auto) operator/=(Lhs&& lhs, Rhs&& rhs) {
  return lhs = lhs / static_cast<Rhs&&>(rhs);
}
template <detail::assigned_in_place Lhs, class Rhs, class Rule = detail::broken<ops::divide{}, Lhs, Rhs>>
void operator/=(Lhs&&, Rhs&&) = delete;

namespace detail {

template <class Lhs, class Rhs>
constexpr const auto& first_operand(const Lhs& lhs, const Rhs& rhs) {
  if constexpr (operand_like<Lhs>)
    return lhs;
  else
    return rhs;
}

}  // namespace detail

// As for C++ integers: signed ones keep their sign, unsigned ones are filled with zeros.
template <class Lhs, class Rhs, class Rules = detail::kept<ops::shift_right_logical{}, Lhs, Rhs>>
constexpr auto operator>>(Lhs&& lhs, Rhs&& rhs) {
  using operand = std::remove_cvref_t<decltype(detail::first_operand(lhs, rhs))>;
  if constexpr (requires { requires operand::is_tracer; }) {
    return is_unsigned_integer(type_of_operand(detail::first_operand(lhs, rhs)).element)
               ? shift_right_logical(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs))
               : shift_right_arithmetic(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
  } else if constexpr (is_unsigned_integer(operand::type.element)) {
    return shift_right_logical(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
  } else {
    return shift_right_arithmetic(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
  }
}
template <class Lhs, class Rhs, class Rule = detail::broken<ops::shift_right_logical{}, Lhs, Rhs>>
void operator>>(Lhs&&, Rhs&&) = delete;

}  // namespace tenon
