// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/fourier_sizes.hpp>

#include <concepts>
#include <utility>

// The numbers at one position of the lines that a Fourier transform computes together.
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

// The numbers at one position of one line per lane of f64.
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

// roots[k] = root_of_unity(k, n) for all 0 <= k < n. An eighth of a turn says all of them, to the bit.
inline void list_roots_of_unity(index_t n, complex<double>* roots) {
  if (n % 8 != 0) {
    for (index_t k = 0; k < n; ++k) roots[k] = ops::root_of_unity(k, n);
    return;
  }
  const index_t quarter = n / 4;
  for (index_t k = 0; k <= n / 8; ++k) {
    const complex<double> root = ops::root_of_unity(k, n);
    roots[quarter - k] = {-root.imag, -root.real};
    roots[k] = root;
  }
  for (index_t k = quarter + 1; k < n; ++k) roots[k] = {roots[k - quarter].imag, -roots[k - quarter].real};
  // For the signs of their zeros.
  for (index_t k = 0; k < n; k += quarter) roots[k] = ops::root_of_unity(k, n);
}

// The spectrum of 2 m real numbers, from the transform of m complex numbers that are two neighbours each: m + 1 numbers
// in place of m. turn(k) = root_of_unity(k, 2 m).
template <class Numbers, class Turn>
void split_spectrum(typename Numbers::stored* values, index_t m, Turn turn) {
  using number = typename Numbers::number;
  const auto load = [&](index_t k) { return Numbers::load(values[k]); };
  const number first = load(0), reversed = Numbers::exchanged(first);
  Numbers::store(Numbers::real_part(first + reversed), values[0]);
  Numbers::store(Numbers::real_part(first - reversed), values[m]);
  for (index_t k = 1; 2 * k <= m; ++k) {
    const number a = load(k), b = Numbers::conjugated(load(m - k));
    const number even = Numbers::scaled(a + b, 0.5), odd = Numbers::turned(Numbers::scaled(a - b, 0.5) * turn(k));
    Numbers::store(even + odd, values[k]);
    Numbers::store(Numbers::conjugated(even - odd), values[m - k]);
  }
}
// The other way round, times 2, and real and imaginary parts exchanged, for an inverse transform. What must be real is
// taken for real.
template <class Numbers, class Turn>
void join_spectrum(typename Numbers::stored* values, index_t m, Turn turn) {
  using number = typename Numbers::number;
  const auto load = [&](index_t k) { return Numbers::load(values[k]); };
  const number first = Numbers::real_part(load(0)), last = Numbers::real_part(load(m));
  Numbers::store(first - last + Numbers::exchanged(first + last), values[0]);
  for (index_t k = 1; 2 * k <= m; ++k) {
    const number a = load(k), b = Numbers::conjugated(load(m - k));
    // With the conjugate of the root: conjugate(conjugate(x) w) = x conjugate(w).
    const number even = a + b, odd = Numbers::turned(Numbers::conjugated(Numbers::conjugated(b - a) * turn(k)));
    Numbers::store(Numbers::exchanged(even + odd), values[k]);
    Numbers::store(Numbers::exchanged(Numbers::conjugated(even - odd)), values[m - k]);
  }
}

// The discrete Fourier transform of n complex numbers, in O(n log n) for every n: Stockham's algorithm with radices of
// 8, 4, 2 and odd primes, or, where one of these is large, Bluestein's convolution with a power of two. Of one line, or
// of several side by side: `Numbers` says how many.
template <class Numbers>
class fourier_line {
 public:
  using stored = typename Numbers::stored;
  using root = complex<double>;

  // halves: for 2 n real numbers, taken two by two for n complex ones.
  static constexpr index_t scratch_bytes(index_t n, bool halves = false) {
    return ops::fourier::line_bytes(n, Numbers::count, halves);
  }

  fourier_line(index_t n, void* memory, bool halves = false) : n_(n), length_(ops::fourier::transform_length(n)) {
    values_ = static_cast<stored*>(memory);
    other_ = values_ + length_ + 1;
    roots_ = turns_ = static_cast<root*>(static_cast<void*>(other_ + length_ + 1));
    if (halves) list_roots_of_unity(2 * n, turns_);
    if (length_ == n) {
      root_step_ = halves ? 2 : 1;
      if (!halves) list_roots_of_unity(n, roots_);
      return;
    }
    if (halves) roots_ += 2 * n;
    list_roots_of_unity(length_, roots_);
    chirp_ = roots_ + length_;
    filter_ = chirp_ + n;
    // k * k modulo 2 n, without overflow.
    for (index_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k)
      chirp_[k] = ops::root_of_unity(square, 2 * n);
    for (index_t k = 0; k < length_; ++k) values_[k] = Numbers::filled({});
    for (index_t k = 0; k < n; ++k)
      values_[k] = values_[(length_ - k) % length_] = Numbers::filled({chirp_[k].real, -chirp_[k].imag});
    transform();
    const root scale{1 / double(length_), 0};
    for (index_t k = 0; k < length_; ++k) filter_[k] = Numbers::get(values_[k], 0) * scale;
  }
  fourier_line(const fourier_line&) = delete;

  // Where n numbers of each line go in, and where they come out after `run`; there is room for n + 1.
  stored* numbers() { return values_; }
  stored& operator[](index_t i) { return values_[i]; }

  void run() {
    if (length_ == n_) return transform();
    for (index_t k = 0; k < n_; ++k) store(load(k) * chirp_[k], k);
    for (index_t k = n_; k < length_; ++k) values_[k] = Numbers::filled({});
    transform();
    // The inverse transform is the transform with real and imaginary parts exchanged.
    for (index_t k = 0; k < length_; ++k) store(Numbers::exchanged(load(k) * filter_[k]), k);
    transform();
    for (index_t k = 0; k < n_; ++k) store(Numbers::exchanged(load(k)) * chirp_[k], k);
  }
  // With `halves`: behind `run`, and before it.
  void split() {
    split_spectrum<Numbers>(values_, n_, [this](index_t k) { return turns_[k]; });
  }
  void join() {
    join_spectrum<Numbers>(values_, n_, [this](index_t k) { return turns_[k]; });
  }

 private:
  using number = typename Numbers::number;

  number load(index_t k) const { return Numbers::load(values_[k]); }
  void store(const number& z, index_t k) { Numbers::store(z, values_[k]); }

  // values_[k * done + j] is the transform of every (length / done)th number from k on, at frequency j.
  void transform() {
    for (index_t done = 1; done < length_;) {
      const index_t radix = ops::fourier::next_radix(length_ / done), rest = length_ / (done * radix);
      if (radix == 2)
        pass_2(rest);
      else if (radix == 4)
        pass_4(done, rest);
      else if (radix == 8)
        pass_8(rest);
      else if (radix == 3)
        pass_odd<3>(radix, done, rest);
      else if (radix == 5)
        pass_odd<5>(radix, done, rest);
      else
        pass_odd<0>(radix, done, rest);
      std::swap(values_, other_);
      done *= radix;
    }
  }
  void pass_2(index_t rest) {
    for (index_t k = 0; k < rest; ++k) {
      const number a = load(k), b = load(rest + k);
      Numbers::store(a + b, other_[2 * k]);
      Numbers::store(a - b, other_[2 * k + 1]);
    }
  }
  static HWY_INLINE void transform_4(number& a, number& b, number& c, number& d) {
    const number even = a + c, odd = a - c, sum = b + d, difference = Numbers::turned(b - d);
    a = even + sum;
    b = odd + difference;
    c = even - sum;
    d = odd - difference;
  }
  void pass_4(index_t done, index_t rest) {
    const index_t step = rest * done, turn = rest * root_step_;
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        const stored* const from = values_ + k * done + j;
        number a = Numbers::load(from[0]), b = Numbers::load(from[step]), c = Numbers::load(from[2 * step]),
               d = Numbers::load(from[3 * step]);
        if (j > 0) b = b * roots_[j * turn], c = c * roots_[2 * j * turn], d = d * roots_[3 * j * turn];
        transform_4(a, b, c, d);
        stored* const to = other_ + 4 * k * done + j;
        Numbers::store(a, to[0]);
        Numbers::store(b, to[done]);
        Numbers::store(c, to[2 * done]);
        Numbers::store(d, to[3 * done]);
      }
  }
  void pass_8(index_t rest) {
    constexpr double half_root = 0.70710678118654752;
    for (index_t k = 0; k < rest; ++k) {
      const stored* const from = values_ + k;
      stored* const to = other_ + 8 * k;
      number b = Numbers::load(from[rest]), d = Numbers::load(from[3 * rest]), f = Numbers::load(from[5 * rest]),
             h = Numbers::load(from[7 * rest]);
      transform_4(b, d, f, h);
      d = d + Numbers::turned(d);
      f = Numbers::turned(f);
      h = Numbers::turned(h) - h;
      number a = Numbers::load(from[0]), c = Numbers::load(from[2 * rest]), e = Numbers::load(from[4 * rest]),
             g = Numbers::load(from[6 * rest]);
      transform_4(a, c, e, g);
      Numbers::store(a + b, to[0]);
      Numbers::store(Numbers::plus_scaled(c, d, half_root), to[1]);
      Numbers::store(e + f, to[2]);
      Numbers::store(Numbers::plus_scaled(g, h, half_root), to[3]);
      Numbers::store(a - b, to[4]);
      Numbers::store(Numbers::plus_scaled(c, d, -half_root), to[5]);
      Numbers::store(e - f, to[6]);
      Numbers::store(Numbers::plus_scaled(g, h, -half_root), to[7]);
    }
  }
  // Frequencies p and radix - p are sums of the same products: of cosines by what terms q and radix - q have in common,
  // and of sines by what they differ in.
  template <int Radix>
  void pass_odd(index_t given, index_t done, index_t rest) {
    const index_t radix = Radix > 0 ? Radix : given, half = radix / 2;
    const index_t turn = rest * root_step_, whole = length_ / radix * root_step_;
    constexpr int most = (Radix > 0 ? Radix : int(ops::fourier::largest_radix)) / 2;
    number sums[most], differences[most];
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        const number first = load(k * done + j);
        number total = first;
        for (index_t q = 1; q <= half; ++q) {
          number a = load((q * rest + k) * done + j), b = load(((radix - q) * rest + k) * done + j);
          if (j > 0) a = a * roots_[q * j * turn], b = b * roots_[(radix - q) * j * turn];
          sums[q - 1] = a + b;
          differences[q - 1] = a - b;
          total = total + sums[q - 1];
        }
        stored* const to = other_ + k * radix * done + j;
        Numbers::store(total, to[0]);
        for (index_t p = 1; p <= half; ++p) {
          number even = Numbers::plus_scaled(first, sums[0], roots_[p * whole].real);
          number odd = Numbers::scaled(differences[0], roots_[p * whole].imag);
          for (index_t q = 2, at = 2 * p % radix; q <= half; ++q, at = at + p < radix ? at + p : at + p - radix) {
            even = Numbers::plus_scaled(even, sums[q - 1], roots_[at * whole].real);
            odd = Numbers::plus_scaled(odd, differences[q - 1], roots_[at * whole].imag);
          }
          odd = Numbers::turned(odd);
          Numbers::store(even - odd, to[p * done]);
          Numbers::store(even + odd, to[(radix - p) * done]);
        }
      }
  }

  index_t n_, length_, root_step_ = 1;
  stored *values_, *other_;
  root *roots_, *turns_, *chirp_ = nullptr, *filter_ = nullptr;
};

}  // namespace tenon::kernels
