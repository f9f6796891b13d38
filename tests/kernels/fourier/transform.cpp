// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/fourier/transform.hpp>

#include <tenon/ops/contraction/fft.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>
#include <shared/inference.hpp>

#include <cmath>
#include <complex>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

constexpr ops::fft forward(const ints& length) { return {fft_type::FFT, length}; }
constexpr ops::fft to_complex_half(const ints& length) { return {fft_type::RFFT, length}; }
constexpr ops::fft to_real(const ints& length) { return {fft_type::IRFFT, length}; }

using wide = std::complex<long double>;

// The definition.
std::vector<wide> transformed(const std::vector<wide>& x, bool inverse = false) {
  const long double turn = (inverse ? 2 : -2) * 3.141592653589793238462643383279502884L;
  const std::size_t n = x.size();
  std::vector<wide> result(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) result[k] += x[i] * std::polar(1.0L, turn * (long double)(i * k % n) / n);
    if (inverse) result[k] /= (long double)n;
  }
  return result;
}
std::vector<wide> sample(std::size_t n) {
  std::vector<wide> x;
  unsigned state = 7;
  for (std::size_t i = 0; i < n; ++i) {
    const auto next = [&] { return (long double)((state = state * 1664525u + 1013904223u) >> 20) / 4096 - 0.5L; };
    const long double re = next(), im = next();
    x.emplace_back(re, im);
  }
  return x;
}
// The largest error relative to the root mean square of the expected values.
template <class T>
double largest_error(const std::vector<T>& got, const std::vector<wide>& expected) {
  long double worst = 0, power = 0;
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    wide value;
    if constexpr (std::is_arithmetic_v<T>)
      value = {got[i], expected[i].imag()};
    else
      value = {got[i].real, got[i].imag};
    worst = std::max(worst, std::abs(value - expected[i]));
    power += std::norm(expected[i]) / (long double)got.size();
  }
  return double(worst / std::sqrt(power));
}
template <class T>
value packed(const ints& shape, const std::vector<wide>& x) {
  std::vector<T> elements;
  for (const wide& z : x) {
    if constexpr (std::is_arithmetic_v<T>)
      elements.push_back(T(z.real()));
    else
      elements.push_back({typename T::value_type(z.real()), typename T::value_type(z.imag())});
  }
  return tensor_of<T>(shape, elements);
}
// Which the op says too, in sums as long as the line, up to their rounding.
template <class R, class T>
std::vector<R> run(const ops::fft& op, const value& x) {
  const std::vector<tensor_type> types{result_type(op, {x.type})};
  const std::vector<R> results = evaluate_by_kernel(&transform_kernel<ops::fft, T>, op, {x}, types)[0].template as<R>();
  if (results.size() <= 512) {
    const std::vector<R> wanted = evaluate<T>(op, {x}, types)[0].template as<R>();
    const auto differ = [](auto a, auto b) { return std::abs(a - b) > 2e-6; };
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if constexpr (std::is_arithmetic_v<R>)
        REQUIRE(!differ(results[i], wanted[i]));
      else
        REQUIRE((!differ(results[i].real, wanted[i].real) && !differ(results[i].imag, wanted[i].imag)));
    }
  }
  return results;
}

}  // namespace

TEST_CASE("fft: the specification's example, and other exact results") {
  using c = complex<f32>;
  CHECK(run<c, c>(forward({4}), tensor_of<c>({4}, {{1, 0}, {0, 0}, {0, 0}, {0, 0}})) == std::vector<c>(4, c{1, 0}));
  CHECK(run<c, c>(forward({4}), tensor_of<c>({4}, {{1, 0}, {2, 0}, {3, 0}, {4, 0}})) ==
        std::vector<c>{{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}});
  CHECK(run<c, c>({fft_type::IFFT, {4}}, tensor_of<c>({4}, {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}})) ==
        std::vector<c>{{1, 0}, {2, 0}, {3, 0}, {4, 0}});
  CHECK(run<c, f32>(to_complex_half({4}), tensor_of<f32>({4}, {1, 2, 3, 4})) ==
        std::vector<c>{{10, 0}, {-2, 2}, {-2, 0}});
  CHECK(run<f32, c>(to_real({4}), tensor_of<c>({3}, {{10, 0}, {-2, 2}, {-2, 0}})) == std::vector<f32>{1, 2, 3, 4});
  // The imaginary parts of what must be real do not matter.
  CHECK(run<f32, c>(to_real({4}), tensor_of<c>({3}, {{10, 9}, {-2, 2}, {-2, 7}})) == std::vector<f32>{1, 2, 3, 4});
}

TEST_CASE("fft: every small length, primes and their multiples, against the definition") {
  std::vector<index_t> lengths;
  for (index_t n = 1; n <= 80; ++n) lengths.push_back(n);
  for (index_t n : {97, 128, 148, 211, 360, 1009, 1024, 1155}) lengths.push_back(n);
  for (index_t n : lengths) {
    CAPTURE(n);
    const std::vector<wide> x = sample(std::size_t(n));
    const ints shape{n};
    CHECK(largest_error(run<complex<f64>, complex<f64>>(forward(shape), packed<complex<f64>>(shape, x)),
                        transformed(x)) < 4e-15);
    CHECK(largest_error(run<complex<f64>, complex<f64>>({fft_type::IFFT, shape}, packed<complex<f64>>(shape, x)),
                        transformed(x, true)) < 4e-15);
    std::vector<wide> real = x;
    for (wide& z : real) z = z.real();
    std::vector<wide> half = transformed(real);
    half.resize(std::size_t(n / 2 + 1));
    const ints half_shape{n / 2 + 1};
    CHECK(largest_error(run<complex<f64>, f64>(to_complex_half(shape), packed<f64>(shape, real)), half) < 4e-15);
    CHECK(largest_error(run<f64, complex<f64>>(to_real(shape), packed<complex<f64>>(half_shape, half)), real) < 4e-15);
    CHECK(largest_error(run<complex<f32>, complex<f32>>(forward(shape), packed<complex<f32>>(shape, x)),
                        transformed(x)) < 4e-7);
  }
}

TEST_CASE("fft: two and three dimensions, one line at a time") {
  const ints shape{2, 3, 4, 5};
  std::vector<wide> x = sample(120);
  // Transforms along one axis, in place.
  const auto along = [&](std::vector<wide>& data, int axis, bool inverse) {
    const ints strides = strides_of(shape), one{axis};
    for_each_offset(
        shape.without(one),
        [&](index_t first) {
          std::vector<wide> line;
          for (index_t i = 0; i < shape[axis]; ++i) line.push_back(data[std::size_t(first + i * strides[axis])]);
          line = transformed(line, inverse);
          for (index_t i = 0; i < shape[axis]; ++i) data[std::size_t(first + i * strides[axis])] = line[std::size_t(i)];
        },
        strides.without(one));
  };
  using c = complex<f64>;
  for (int dimensions : {2, 3}) {
    ints length;
    for (int i = 4 - dimensions; i < 4; ++i) length.push(shape[i]);
    for (bool inverse : {false, true}) {
      std::vector<wide> expected = x;
      for (int axis = 4 - dimensions; axis < 4; ++axis) along(expected, axis, inverse);
      CHECK(largest_error(run<c, c>({inverse ? fft_type::IFFT : fft_type::FFT, length}, packed<c>(shape, x)),
                          expected) < 4e-15);
    }
    std::vector<wide> real = x;
    for (wide& z : real) z = z.real();
    std::vector<wide> spectrum = real, half;
    for (int axis = 4 - dimensions; axis < 4; ++axis) along(spectrum, axis, false);
    for (std::size_t i = 0; i < spectrum.size(); ++i)
      if (i % 5 < 3) half.push_back(spectrum[i]);
    const ints half_shape{2, 3, 4, 3};
    CHECK(largest_error(run<c, f64>(to_complex_half(length), packed<f64>(shape, real)), half) < 4e-15);
    CHECK(largest_error(run<f64, c>(to_real(length), packed<c>(half_shape, half)), real) < 4e-15);
  }
}

TEST_CASE("fft: empty dimensions") {
  CHECK(run<complex<f32>, complex<f32>>(forward({0}), tensor_of<complex<f32>>({2, 0}, {})).empty());
  CHECK(run<complex<f32>, complex<f32>>(forward({3}), tensor_of<complex<f32>>({0, 3}, {})).empty());
  CHECK(run<complex<f32>, f32>(to_complex_half({0}), tensor_of<f32>({2, 0}, {})).empty());
}

TEST_CASE("fft: lines are worked on several at a time, and know nothing of each other") {
  using c = complex<f64>;
  for (index_t rows : {1, 3, 4, 8, 11, 17})
    for (index_t n : {12, 13, 37}) {
      CAPTURE(rows);
      CAPTURE(n);
      const std::vector<wide> x = sample(std::size_t(rows * n));
      std::vector<wide> forwards, backwards, half;
      for (index_t row = 0; row < rows; ++row) {
        const auto first = x.begin() + row * n;
        const std::vector<wide> line(first, first + n), there = transformed(line), back = transformed(line, true);
        forwards.insert(forwards.end(), there.begin(), there.end());
        backwards.insert(backwards.end(), back.begin(), back.end());
        std::vector<wide> real = line;
        for (wide& z : real) z = z.real();
        const std::vector<wide> spectrum = transformed(real);
        half.insert(half.end(), spectrum.begin(), spectrum.begin() + n / 2 + 1);
      }
      const ints shape{rows, n}, half_shape{rows, n / 2 + 1};
      CHECK(largest_error(run<c, c>(forward({n}), packed<c>(shape, x)), forwards) < 4e-15);
      CHECK(largest_error(run<c, c>({fft_type::IFFT, {n}}, packed<c>(shape, x)), backwards) < 4e-15);
      CHECK(largest_error(run<c, f64>(to_complex_half({n}), packed<f64>(shape, x)), half) < 4e-15);
      std::vector<wide> real = x;
      for (wide& z : real) z = z.real();
      CHECK(largest_error(run<f64, c>(to_real({n}), packed<c>(half_shape, half)), real) < 4e-15);

      // What is no number stays in its line.
      std::vector<c> wild = packed<c>(shape, x).template as<c>();
      wild[0] = {std::nan(""), 0};
      const std::vector<c> got = run<c, c>(forward({n}), tensor_of<c>(shape, wild));
      for (std::size_t i = 0; i < got.size(); ++i) REQUIRE(std::isnan(got[i].real) == (i < std::size_t(n)));
    }
}

TEST_CASE("fft: long lines of real numbers, and long columns, are what shorter ways make of them") {
  using c = complex<f64>;
  // Taken as tables: of half as many complex numbers; 2390 has a large factor.
  for (index_t n : {2400, 4096, 2390, 4097}) {
    CAPTURE(n);
    std::vector<wide> real = sample(std::size_t(n));
    for (wide& z : real) z = z.real();
    std::vector<wide> spectrum;
    for (const c& z : run<c, c>(forward({n}), packed<c>({n}, real))) spectrum.emplace_back(z.real, z.imag);
    spectrum.resize(std::size_t(n / 2 + 1));
    CHECK(largest_error(run<c, f64>(to_complex_half({n}), packed<f64>({n}, real)), spectrum) < 4e-15);
    CHECK(largest_error(run<f64, c>(to_real({n}), packed<c>({n / 2 + 1}, spectrum)), real) < 4e-15);
  }
  const index_t n = 4096;
  const std::vector<wide> rows = sample(std::size_t(2 * n));
  std::vector<wide> columns, wanted;
  for (std::size_t i = 0; i < std::size_t(n); ++i) columns.insert(columns.end(), {rows[i], rows[std::size_t(n) + i]});
  const std::vector<c> each = run<c, c>(forward({n}), packed<c>({2, n}, rows));
  for (std::size_t k = 0; k < std::size_t(n); ++k) {
    const wide a(each[k].real, each[k].imag), b(each[std::size_t(n) + k].real, each[std::size_t(n) + k].imag);
    wanted.insert(wanted.end(), {a + b, a - b});
  }
  CHECK(largest_error(run<c, c>(forward({n, 2}), packed<c>({n, 2}, columns)), wanted) < 4e-15);
}
