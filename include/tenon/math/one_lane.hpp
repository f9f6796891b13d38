// SPDX-License-Identifier: Apache-2.0
#pragma once

// A Highway target with one lane that also works in constant evaluation. The kernels in this folder call Highway's
// functions unqualified; with `lane` they find these, so scalars, constants and vectors share every line and every bit.

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/math/ieee.hpp>

#include <cstddef>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace one_lane {

// Stands for hn::Simd.
template <class Lane>
struct tag {
  using T = Lane;
  template <class Other>
  using Rebind = tag<Other>;
};

template <class T>
struct lane {
  T raw{};
};

template <class T>
struct mask {
  bool raw{};
};

template <class T>
HWY_INLINE constexpr std::size_t MaxLanes(tag<T>) {
  return 1;
}
template <class T>
HWY_INLINE constexpr std::size_t Lanes(tag<T>) {
  return 1;
}
template <class T>
HWY_INLINE constexpr lane<T> Set(tag<T>, T value) {
  return {value};
}
template <class T>
HWY_INLINE constexpr lane<T> Zero(tag<T>) {
  return {};
}
template <class T>
HWY_INLINE constexpr lane<T> Load(tag<T>, const T* from) {
  return {*from};
}
template <class T>
HWY_INLINE constexpr void Store(lane<T> value, tag<T>, T* to) {
  *to = value.raw;
}
template <class To, class From>
HWY_INLINE constexpr lane<To> BitCast(tag<To>, lane<From> x) {
  return {bit_cast<To>(x.raw)};
}

HWY_INLINE constexpr lane<double> PromoteTo(tag<double>, lane<float> x) { return {double(x.raw)}; }
HWY_INLINE constexpr lane<float> DemoteTo(tag<float>, lane<double> x) { return {ieee::narrow(x.raw)}; }

template <class T>
HWY_INLINE constexpr lane<T> Add(lane<T> a, lane<T> b) {
  if constexpr (binary_float<T>)
    return {ieee::add(a.raw, b.raw)};
  else
    return {T(a.raw + b.raw)};
}
template <class T>
HWY_INLINE constexpr lane<T> Sub(lane<T> a, lane<T> b) {
  if constexpr (binary_float<T>)
    return {ieee::subtract(a.raw, b.raw)};
  else
    return {T(a.raw - b.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> Mul(lane<T> a, lane<T> b) {
  return {ieee::multiply(a.raw, b.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> Div(lane<T> a, lane<T> b) {
  return {ieee::divide(a.raw, b.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> MulAdd(lane<T> a, lane<T> b, lane<T> c) {
  return {ieee::fused_multiply_add(a.raw, b.raw, c.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> NegMulAdd(lane<T> a, lane<T> b, lane<T> c) {
  return {ieee::fused_multiply_add(ieee::negate(a.raw), b.raw, c.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> MulSub(lane<T> a, lane<T> b, lane<T> c) {
  return {ieee::fused_multiply_add(a.raw, b.raw, ieee::negate(c.raw))};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> Sqrt(lane<T> x) {
  return {ieee::square_root(x.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> Neg(lane<T> x) {
  return {ieee::negate(x.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> Abs(lane<T> x) {
  return {ieee::magnitude(x.raw)};
}
template <binary_float T>
HWY_INLINE constexpr lane<T> CopySign(lane<T> x, lane<T> sign) {
  return {ieee::with_sign_of(x.raw, sign.raw)};
}

// Bitwise, on floats too.
template <class T>
HWY_INLINE constexpr lane<T> And(lane<T> a, lane<T> b) {
  if constexpr (binary_float<T>)
    return {ieee::from_bits<T>(ieee::to_bits(a.raw) & ieee::to_bits(b.raw))};
  else
    return {T(a.raw & b.raw)};
}
template <class T>
HWY_INLINE constexpr lane<T> Or(lane<T> a, lane<T> b) {
  if constexpr (binary_float<T>)
    return {ieee::from_bits<T>(ieee::to_bits(a.raw) | ieee::to_bits(b.raw))};
  else
    return {T(a.raw | b.raw)};
}
template <class T>
HWY_INLINE constexpr lane<T> Xor(lane<T> a, lane<T> b) {
  if constexpr (binary_float<T>)
    return {ieee::from_bits<T>(ieee::to_bits(a.raw) ^ ieee::to_bits(b.raw))};
  else
    return {T(a.raw ^ b.raw)};
}
template <int Bits, class T>
HWY_INLINE constexpr lane<T> ShiftLeft(lane<T> x) {
  return {T(std::make_unsigned_t<T>(x.raw) << Bits)};
}
template <int Bits, class T>
HWY_INLINE constexpr lane<T> ShiftRight(lane<T> x) {
  return {T(x.raw >> Bits)};
}

template <class T>
HWY_INLINE constexpr mask<T> Eq(lane<T> a, lane<T> b) {
  return {ieee::equal(a.raw, b.raw)};
}
template <class T>
HWY_INLINE constexpr mask<T> Lt(lane<T> a, lane<T> b) {
  return {ieee::less(a.raw, b.raw)};
}
template <class T>
HWY_INLINE constexpr mask<T> Le(lane<T> a, lane<T> b) {
  return {ieee::less_or_equal(a.raw, b.raw)};
}
template <class T>
HWY_INLINE constexpr mask<T> Gt(lane<T> a, lane<T> b) {
  return Lt(b, a);
}
template <class T>
HWY_INLINE constexpr mask<T> Ge(lane<T> a, lane<T> b) {
  return Le(b, a);
}

template <class T>
HWY_INLINE constexpr mask<T> And(mask<T> a, mask<T> b) {
  return {a.raw && b.raw};
}
template <class T>
HWY_INLINE constexpr mask<T> Or(mask<T> a, mask<T> b) {
  return {a.raw || b.raw};
}
template <class T>
HWY_INLINE constexpr mask<T> Xor(mask<T> a, mask<T> b) {
  return {a.raw != b.raw};
}
template <class T>
HWY_INLINE constexpr mask<T> Not(mask<T> a) {
  return {!a.raw};
}
template <class To, class From>
HWY_INLINE constexpr mask<To> RebindMask(tag<To>, mask<From> m) {
  return {m.raw};
}
template <class T>
HWY_INLINE constexpr bool AllFalse(tag<T>, mask<T> m) {
  return !m.raw;
}
template <class T>
HWY_INLINE constexpr bool AllTrue(tag<T>, mask<T> m) {
  return m.raw;
}
template <class T>
HWY_INLINE constexpr lane<T> IfThenElse(mask<T> m, lane<T> yes, lane<T> no) {
  return m.raw ? yes : no;
}
template <class T>
HWY_INLINE constexpr lane<T> IfThenElseZero(mask<T> m, lane<T> yes) {
  return m.raw ? yes : lane<T>{};
}
template <class T>
HWY_INLINE constexpr lane<T> IfThenZeroElse(mask<T> m, lane<T> no) {
  return m.raw ? lane<T>{} : no;
}

}  // namespace one_lane

}  // namespace tenon::inline HWY_NAMESPACE
