// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/fourier/fourier_line.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;

namespace {

// Exact in both ways of multiplying: small multiples of a half.
complex<double> sample(index_t line, double scale) { return {scale * double(line + 1), 0.5 - scale * double(line)}; }
template <class Numbers>
typename Numbers::number filled(double scale) {
  typename Numbers::stored memory = Numbers::filled({});
  for (index_t line = 0; line < Numbers::count; ++line) Numbers::set(memory, line, sample(line, scale));
  return Numbers::load(memory);
}

}  // namespace

TEST_CASE_TEMPLATE("each line has numbers of its own", numbers, one_line, lines_in_lanes) {
  const auto a = filled<numbers>(1.5), b = filled<numbers>(-2);
  const complex<double> root{0.5, -2};
  typename numbers::stored results[5];
  numbers::store(a + b, results[0]);
  numbers::store(a - b, results[1]);
  numbers::store(a * root, results[2]);
  numbers::store(numbers::exchanged(a), results[3]);
  numbers::store(numbers::turned(a), results[4]);
  for (index_t line = 0; line < numbers::count; ++line) {
    const complex<double> x = sample(line, 1.5), y = sample(line, -2);
    CHECK(numbers::get(results[0], line) == x + y);
    CHECK(numbers::get(results[1], line) == x - y);
    CHECK(numbers::get(results[2], line) == x * root);
    CHECK(numbers::get(results[3], line) == complex<double>{x.imag, x.real});
    CHECK(numbers::get(results[4], line) == complex<double>{x.imag, -x.real});
  }
}
