// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>

// What stands at one place of the lines that a Fourier transform works on at a time.
namespace tenon {

// One number of a line.
struct one_line {
  static constexpr index_t count = 1;
  using stored = complex<double>;
  using number = complex<double>;

  static constexpr number load(const stored& from) { return from; }
  static constexpr void store(const number& z, stored& to) { to = z; }
  static constexpr stored filled(const complex<double>& z) { return z; }
  static constexpr void set(stored& to, index_t, const complex<double>& z) { to = z; }
  static constexpr complex<double> get(const stored& from, index_t) { return from; }

  static constexpr number exchanged(const number& z) { return {z.imag, z.real}; }
  static constexpr number turned(const number& z) { return {z.imag, -z.real}; }  // -i z
};

#if HWY_HAVE_FLOAT64 && !HWY_HAVE_SCALABLE && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
}  // namespace tenon

namespace tenon::inline HWY_NAMESPACE {

// The numbers at one place of eight lines, in as many vectors as they fill.
struct eight_lines {
  static constexpr index_t count = 8;
  using lanes_tag = hn::CappedTag<double, std::size_t(count)>;
  using lanes = hn::Vec<lanes_tag>;
  static constexpr int vectors = int(count) / int(hn::MaxLanes(lanes_tag()));
  struct stored {
    double real[count];
    double imag[count];
  };
  struct number {
    lanes real[vectors], imag[vectors];

    friend HWY_INLINE number operator+(const number& a, const number& b) {
      number sum;
      for (int v = 0; v < vectors; ++v)
        sum.real[v] = hn::Add(a.real[v], b.real[v]), sum.imag[v] = hn::Add(a.imag[v], b.imag[v]);
      return sum;
    }
    friend HWY_INLINE number operator-(const number& a, const number& b) {
      number difference;
      for (int v = 0; v < vectors; ++v)
        difference.real[v] = hn::Sub(a.real[v], b.real[v]), difference.imag[v] = hn::Sub(a.imag[v], b.imag[v]);
      return difference;
    }
    friend HWY_INLINE number operator*(const number& a, const complex<double>& b) {
      const lanes re = hn::Set(lanes_tag(), b.real), im = hn::Set(lanes_tag(), b.imag);
      number product;
      for (int v = 0; v < vectors; ++v) {
        product.real[v] = hn::MulSub(a.real[v], re, hn::Mul(a.imag[v], im));
        product.imag[v] = hn::MulAdd(a.real[v], im, hn::Mul(a.imag[v], re));
      }
      return product;
    }
    friend HWY_INLINE number operator*(const number& a, const number& b) {
      number product;
      for (int v = 0; v < vectors; ++v) {
        product.real[v] = hn::MulSub(a.real[v], b.real[v], hn::Mul(a.imag[v], b.imag[v]));
        product.imag[v] = hn::MulAdd(a.real[v], b.imag[v], hn::Mul(a.imag[v], b.real[v]));
      }
      return product;
    }
  };

  static HWY_INLINE number load(const stored& from) {
    number z;
    for (int v = 0; v < vectors; ++v) {
      z.real[v] = hn::LoadU(lanes_tag(), from.real + v * step);
      z.imag[v] = hn::LoadU(lanes_tag(), from.imag + v * step);
    }
    return z;
  }
  static HWY_INLINE void store(const number& z, stored& to) {
    for (int v = 0; v < vectors; ++v) {
      hn::StoreU(z.real[v], lanes_tag(), to.real + v * step);
      hn::StoreU(z.imag[v], lanes_tag(), to.imag + v * step);
    }
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

  static HWY_INLINE number exchanged(const number& z) {
    number result;
    for (int v = 0; v < vectors; ++v) result.real[v] = z.imag[v], result.imag[v] = z.real[v];
    return result;
  }
  static HWY_INLINE number turned(const number& z) {
    number result;
    for (int v = 0; v < vectors; ++v) result.real[v] = z.imag[v], result.imag[v] = hn::Neg(z.real[v]);
    return result;
  }

 private:
  static constexpr int step = int(hn::MaxLanes(lanes_tag()));
};

}  // namespace tenon::inline HWY_NAMESPACE

namespace tenon {
#else
using eight_lines = one_line;
#endif

}  // namespace tenon
