// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/kernels/fourier/fourier_numbers.hpp>
#include <tenon/ops/contraction/fourier_sizes.hpp>

namespace tenon {

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
// factors of n as radices, or, where one of them is large, Bluestein's convolution with a power of two. Of one line, or
// of several side by side: `Numbers` says how many.
template <class Numbers>
class fourier_line {
 public:
  using stored = typename Numbers::stored;
  using root = complex<double>;

  static constexpr index_t scratch_bytes(index_t n) { return fourier::line_bytes(n, Numbers::count); }

  fourier_line(index_t n, void* memory) : n_(n), length_(fourier::transform_length(n)) {
    values_ = static_cast<stored*>(memory);
    other_ = values_ + length_;
    roots_ = static_cast<root*>(static_cast<void*>(other_ + length_));
    chirp_ = roots_ + length_;
    filter_ = chirp_ + n;
    list_roots_of_unity(length_, roots_);
    if (length_ == n) return;
    // k * k modulo 2 n, without overflow.
    for (index_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k)
      chirp_[k] = root_of_unity(square, 2 * n);
    for (index_t k = 0; k < length_; ++k) values_[k] = Numbers::filled({});
    for (index_t k = 0; k < n; ++k)
      values_[k] = values_[(length_ - k) % length_] = Numbers::filled({chirp_[k].real, -chirp_[k].imag});
    transform();
    for (index_t k = 0; k < length_; ++k) filter_[k] = Numbers::get(values_[k], 0);
  }
  fourier_line(const fourier_line&) = delete;

  // Where n numbers of each line go in, and where they come out after `run`.
  stored& operator[](index_t i) { return values_[i]; }

  void run() {
    if (length_ == n_) return transform();
    for (index_t k = 0; k < n_; ++k) store(load(k) * chirp_[k], k);
    for (index_t k = n_; k < length_; ++k) values_[k] = Numbers::filled({});
    transform();
    // The inverse transform is the transform with real and imaginary parts exchanged.
    for (index_t k = 0; k < length_; ++k) store(Numbers::exchanged(load(k) * filter_[k]), k);
    transform();
    const root scale{1 / double(length_), 0};
    for (index_t k = 0; k < n_; ++k) store(Numbers::exchanged(load(k)) * scale * chirp_[k], k);
  }

 private:
  using number = typename Numbers::number;

  number load(index_t k) const { return Numbers::load(values_[k]); }
  void store(const number& z, index_t k) { Numbers::store(z, values_[k]); }

  // values_[k * done + j] is the transform of every (length / done)th number from k on, at frequency j.
  void transform() {
    for (index_t done = 1; done < length_;) {
      const index_t radix = fourier::next_radix(length_ / done), rest = length_ / (done * radix);
      if (radix == 4)
        pass_4(done, rest);
      else if (radix == 2)
        pass_2(done, rest);
      else
        pass(radix, done, rest);
      stored* const written = other_;
      other_ = values_;
      values_ = written;
      done *= radix;
    }
  }
  void pass_2(index_t done, index_t rest) {
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        const number a = load(k * done + j), b = load((rest + k) * done + j) * roots_[j * rest];
        Numbers::store(a + b, other_[2 * k * done + j]);
        Numbers::store(a - b, other_[(2 * k + 1) * done + j]);
      }
  }
  void pass_4(index_t done, index_t rest) {
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        const index_t from = k * done + j, step = rest * done;
        const number a = load(from), b = load(from + step) * roots_[j * rest];
        const number c = load(from + 2 * step) * roots_[2 * j * rest], d = load(from + 3 * step) * roots_[3 * j * rest];
        const number even = a + c, odd = a - c, sum = b + d, difference = Numbers::turned(b - d);
        stored* const to = other_ + 4 * k * done + j;
        Numbers::store(even + sum, to[0]);
        Numbers::store(odd + difference, to[done]);
        Numbers::store(even - sum, to[2 * done]);
        Numbers::store(odd - difference, to[3 * done]);
      }
  }
  void pass(index_t radix, index_t done, index_t rest) {
    const index_t turn = length_ / radix;
    number terms[fourier::largest_radix];
    for (index_t k = 0; k < rest; ++k)
      for (index_t j = 0; j < done; ++j) {
        for (index_t q = 0; q < radix; ++q) terms[q] = load((q * rest + k) * done + j) * roots_[q * j * rest];
        for (index_t p = 0; p < radix; ++p) {
          number sum = terms[0];
          for (index_t q = 1; q < radix; ++q) sum = sum + terms[q] * roots_[p * q % radix * turn];
          Numbers::store(sum, other_[(k * radix + p) * done + j]);
        }
      }
  }

  index_t n_, length_;
  stored *values_, *other_;
  root *roots_, *chirp_, *filter_;
};

}  // namespace tenon
