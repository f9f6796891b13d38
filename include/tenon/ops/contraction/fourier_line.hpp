// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/math/trigonometric.hpp>

namespace tenon {

// exp(-2 pi i k / n) for 0 <= k < n; exact where the angle is a multiple of a quarter turn.
inline complex<double> root_of_unity(index_t k, index_t n) {
  const index_t quarter = (8 * k + n) / (2 * n);  // the nearest
  const double angle = 1.5707963267948966 * (double(4 * k - quarter * n) / double(n));
  const double c = math::cosine(angle), s = math::sine(angle);
  switch (quarter % 4) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

// roots[k] = root_of_unity(k, n) for all 0 <= k < n. An eighth of a turn says all of them, to the bit.
inline void list_roots_of_unity(index_t n, complex<double>* roots) {
  if (n % 8 != 0) {
    for (index_t k = 0; k < n; ++k) roots[k] = root_of_unity(k, n);
    return;
  }
  const index_t quarter = n / 4;
  for (index_t k = 0; k <= n / 8; ++k) {
    const complex<double> root = root_of_unity(k, n);
    roots[quarter - k] = {-root.imag, -root.real};
    roots[k] = root;
  }
  for (index_t k = quarter + 1; k < n; ++k) roots[k] = {roots[k - quarter].imag, -roots[k - quarter].real};
  // For the signs of their zeros.
  for (index_t k = 0; k < n; k += quarter) roots[k] = root_of_unity(k, n);
}

// The discrete Fourier transform of n complex numbers, in O(n log n) for every n: Stockham's algorithm with the prime
// factors of n as radices, or, where one of them is large, Bluestein's convolution with a power of two.
class fourier_line {
 public:
  using number = complex<double>;

  // Of the tables and of working memory.
  static constexpr index_t scratch_bytes(index_t n) {
    const index_t length = transform_length(n);
    return (3 * length + (length == n ? 0 : n + length)) * index_t(sizeof(number));
  }

  fourier_line(index_t n, void* memory) : n_(n), length_(transform_length(n)) {
    roots_ = static_cast<number*>(memory);
    values_ = roots_ + length_;
    other_ = values_ + length_;
    chirp_ = other_ + length_;
    filter_ = chirp_ + n;
    list_roots_of_unity(length_, roots_);
    if (length_ == n) return;
    // k * k modulo 2 n, without overflow.
    for (index_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k)
      chirp_[k] = root_of_unity(square, 2 * n);
    for (index_t k = 0; k < length_; ++k) values_[k] = {};
    for (index_t k = 0; k < n; ++k) values_[k] = values_[(length_ - k) % length_] = conjugate(chirp_[k]);
    transform();
    for (index_t k = 0; k < length_; ++k) filter_[k] = values_[k];
  }
  fourier_line(const fourier_line&) = delete;

  // Where n numbers go in, and where they come out after `run`.
  number& operator[](index_t i) { return values_[i]; }

  void run() {
    if (length_ == n_) return transform();
    for (index_t k = 0; k < n_; ++k) values_[k] = values_[k] * chirp_[k];
    for (index_t k = n_; k < length_; ++k) values_[k] = {};
    transform();
    // The inverse transform is the transform with real and imaginary parts exchanged.
    for (index_t k = 0; k < length_; ++k) values_[k] = exchanged(values_[k] * filter_[k]);
    transform();
    const double scale = 1 / double(length_);
    for (index_t k = 0; k < n_; ++k) {
      const number convolved = exchanged(values_[k]);
      values_[k] = number{convolved.real * scale, convolved.imag * scale} * chirp_[k];
    }
  }

 private:
  static constexpr index_t largest_radix = 31;

  static constexpr number conjugate(number z) { return {z.real, -z.imag}; }
  static constexpr number exchanged(number z) { return {z.imag, z.real}; }
  static constexpr number turned(number z) { return {z.imag, -z.real}; }  // -i z

  static constexpr index_t next_radix(index_t n) {
    if (n % 4 == 0) return 4;
    index_t radix = 2;
    while (n % radix != 0 && radix <= largest_radix) ++radix;
    return radix;
  }
  // n itself, or the power of two for Bluestein's convolution.
  static constexpr index_t transform_length(index_t n) {
    index_t rest = n;
    while (rest > 1) {
      const index_t radix = next_radix(rest);
      if (radix > largest_radix) {
        index_t power = 1;
        while (power < 2 * n - 1) power *= 2;
        return power;
      }
      rest /= radix;
    }
    return n;
  }

  // values_[k * done + j] is the transform of every (length / done)th number from k on, at frequency j.
  void transform() {
    for (index_t done = 1; done < length_;) {
      const index_t radix = next_radix(length_ / done), rest = length_ / (done * radix);
      if (radix == 4)
        pass_4(done, rest);
      else if (radix == 2)
        pass_2(done, rest);
      else
        pass(radix, done, rest);
      number* const written = other_;
      other_ = values_;
      values_ = written;
      done *= radix;
    }
  }
  void pass_2(index_t done, index_t rest) {
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        const number a = values_[k * done + j], b = values_[(rest + k) * done + j] * roots_[j * rest];
        other_[2 * k * done + j] = a + b;
        other_[(2 * k + 1) * done + j] = a - b;
      }
  }
  void pass_4(index_t done, index_t rest) {
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        const number* const from = values_ + k * done + j;
        const index_t step = rest * done;
        const number a = from[0], b = from[step] * roots_[j * rest];
        const number c = from[2 * step] * roots_[2 * j * rest], d = from[3 * step] * roots_[3 * j * rest];
        const number even = a + c, odd = a - c, sum = b + d, difference = turned(b - d);
        number* const to = other_ + 4 * k * done + j;
        to[0] = even + sum;
        to[done] = odd + difference;
        to[2 * done] = even - sum;
        to[3 * done] = odd - difference;
      }
  }
  void pass(index_t radix, index_t done, index_t rest) {
    const index_t turn = length_ / radix;
    number terms[largest_radix];
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        for (index_t q = 0; q < radix; ++q) terms[q] = values_[(q * rest + k) * done + j] * roots_[q * j * rest];
        for (index_t p = 0; p < radix; ++p) {
          number sum = terms[0];
          for (index_t q = 1; q < radix; ++q) sum = sum + terms[q] * roots_[p * q % radix * turn];
          other_[(k * radix + p) * done + j] = sum;
        }
      }
  }

  index_t n_, length_;
  number *roots_, *values_, *other_, *chirp_, *filter_;
};

}  // namespace tenon
