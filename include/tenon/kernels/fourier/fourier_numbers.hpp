// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/ops/contraction/accumulator.hpp>

#include <concepts>

// What stands at one place of the lines that a Fourier transform works on at a time.
namespace tenon::kernels {

// One number of a line.
struct one_line {
  static constexpr index_t count = 1;
  using stored = complex<double>;
  struct number {
    double real, imag;

    friend constexpr number operator+(const number& a, const number& b) { return {a.real + b.real, a.imag + b.imag}; }
    friend constexpr number operator-(const number& a, const number& b) { return {a.real - b.real, a.imag - b.imag}; }
    template <class Factor>
    friend constexpr number operator*(const number& a, const Factor& b) {
      return {ops::multiply_add(a.real, b.real, -float_multiply(a.imag, b.imag)),
              ops::multiply_add(a.real, b.imag, float_multiply(a.imag, b.real))};
    }
  };

  static constexpr number load(const stored& from) { return {from.real, from.imag}; }
  static constexpr void store(const number& z, stored& to) { to = {z.real, z.imag}; }
  static constexpr stored filled(const complex<double>& z) { return z; }
  static constexpr void set(stored& to, index_t, const complex<double>& z) { to = z; }
  static constexpr complex<double> get(const stored& from, index_t) { return from; }

  // `count` complex numbers that lie side by side in memory, as pairs of f32 or f64.
  template <class T>
  static constexpr number load_adjacent(const T* from) {
    return {double(from[0]), double(from[1])};
  }
  template <class T>
  static constexpr void store_adjacent(const number& z, T* to) {
    to[0] = T(z.real);
    to[1] = T(z.imag);
  }
  // Lane l of number i and lane i of number l change places.
  static constexpr void transpose(number (&)[count]) {}

  static constexpr number exchanged(const number& z) { return {z.imag, z.real}; }
  static constexpr number conjugated(const number& z) { return {z.real, -z.imag}; }
  static constexpr number real_part(const number& z) { return {z.real, 0}; }
  static constexpr number turned(const number& z) { return {z.imag, -z.real}; }  // -i z
  static constexpr number scaled(const number& z, double factor) {
    return {float_multiply(z.real, factor), float_multiply(z.imag, factor)};
  }
  static constexpr number plus_scaled(const number& sum, const number& z, double factor) {
    return {ops::multiply_add(z.real, factor, sum.real), ops::multiply_add(z.imag, factor, sum.imag)};
  }
};

#if HWY_HAVE_FLOAT64 && !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

}  // namespace tenon::kernels

namespace tenon::kernels::inline HWY_NAMESPACE {

// The numbers at one place of as many lines as a vector of f64 has lanes.
struct lines_in_lanes {
  using lanes_tag = hn::CappedTag<double, 8>;
  using lanes = hn::Vec<lanes_tag>;
  static constexpr index_t count = index_t(hn::MaxLanes(lanes_tag()));
  struct stored {
    double real[count];
    double imag[count];
  };
  struct number {
    lanes real, imag;

    friend HWY_INLINE number operator+(const number& a, const number& b) {
      return {hn::Add(a.real, b.real), hn::Add(a.imag, b.imag)};
    }
    friend HWY_INLINE number operator-(const number& a, const number& b) {
      return {hn::Sub(a.real, b.real), hn::Sub(a.imag, b.imag)};
    }
    friend HWY_INLINE number operator*(const number& a, const number& b) {
      return {hn::MulSub(a.real, b.real, hn::Mul(a.imag, b.imag)), hn::MulAdd(a.real, b.imag, hn::Mul(a.imag, b.real))};
    }
    friend HWY_INLINE number operator*(const number& a, const complex<double>& b) {
      return a * number{hn::Set(lanes_tag(), b.real), hn::Set(lanes_tag(), b.imag)};
    }
  };

  static HWY_INLINE number load(const stored& from) {
    return {hn::LoadU(lanes_tag(), from.real), hn::LoadU(lanes_tag(), from.imag)};
  }
  static HWY_INLINE void store(const number& z, stored& to) {
    hn::StoreU(z.real, lanes_tag(), to.real);
    hn::StoreU(z.imag, lanes_tag(), to.imag);
  }
  static stored filled(const complex<double>& z) {
    stored all;
    for (index_t line = 0; line < count; ++line) set(all, line, z);
    return all;
  }
  static void set(stored& to, index_t line, const complex<double>& z) {
    to.real[line] = z.real;
    to.imag[line] = z.imag;
  }
  static complex<double> get(const stored& from, index_t line) { return {from.real[line], from.imag[line]}; }

  template <class T>
  static HWY_INLINE number load_adjacent(const T* from) {
    const hn::Rebind<T, lanes_tag> d;
    hn::Vec<decltype(d)> real, imag;
    hn::LoadInterleaved2(d, from, real, imag);
    if constexpr (std::same_as<T, double>)
      return {real, imag};
    else
      return {hn::PromoteTo(lanes_tag(), real), hn::PromoteTo(lanes_tag(), imag)};
  }
  template <class T>
  static HWY_INLINE void store_adjacent(const number& z, T* to) {
    const hn::Rebind<T, lanes_tag> d;
    if constexpr (std::same_as<T, double>)
      hn::StoreInterleaved2(z.real, z.imag, d, to);
    else
      hn::StoreInterleaved2(hn::DemoteTo(d, z.real), hn::DemoteTo(d, z.imag), d, to);
  }
  static HWY_INLINE void transpose(number (&z)[count]) {
    const lanes_tag d;
    const auto exchange = [&](index_t i, index_t distance, auto first, auto second) {
      number &a = z[i], &b = z[i + distance];
      const number old = a;
      a = {first(old.real, b.real), first(old.imag, b.imag)};
      b = {second(old.real, b.real), second(old.imag, b.imag)};
    };
    if constexpr (count >= 4)
      for (index_t i = 0; i < count / 2; ++i)
        exchange(
            i, count / 2, [=](lanes a, lanes b) { return hn::ConcatLowerLower(d, b, a); },
            [=](lanes a, lanes b) { return hn::ConcatUpperUpper(d, b, a); });
    if constexpr (count == 8)
      for (const index_t i : {0, 1, 4, 5})
        exchange(
            i, 2, [](lanes a, lanes b) { return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a); },
            [](lanes a, lanes b) { return hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)); });
    for (index_t i = 0; i < count; i += 2)
      exchange(
          i, 1, [=](lanes a, lanes b) { return hn::InterleaveLower(d, a, b); },
          [=](lanes a, lanes b) { return hn::InterleaveUpper(d, a, b); });
  }

  static HWY_INLINE number exchanged(const number& z) { return {z.imag, z.real}; }
  static HWY_INLINE number conjugated(const number& z) { return {z.real, hn::Neg(z.imag)}; }
  static HWY_INLINE number real_part(const number& z) { return {z.real, hn::Zero(lanes_tag())}; }
  static HWY_INLINE number turned(const number& z) { return {z.imag, hn::Neg(z.real)}; }
  static HWY_INLINE number scaled(const number& z, double factor) {
    const lanes by = hn::Set(lanes_tag(), factor);
    return {rounded(hn::Mul(z.real, by)), rounded(hn::Mul(z.imag, by))};
  }
  static HWY_INLINE number plus_scaled(const number& sum, const number& z, double factor) {
    const lanes by = hn::Set(lanes_tag(), factor);
    return {hn::MulAdd(z.real, by, sum.real), hn::MulAdd(z.imag, by, sum.imag)};
  }
};

}  // namespace tenon::kernels::inline HWY_NAMESPACE

namespace tenon::kernels {

#else
using lines_in_lanes = one_line;
#endif

}  // namespace tenon::kernels
