// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/fourier_sizes.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

// Eight or two first, where fours do not do, then the smallest divisor; numbers with a prime factor above 31 go by a
// longer power of two.
static_assert(ops::fourier::next_radix(24) == 8 && ops::fourier::next_radix(48) == 4 &&
              ops::fourier::next_radix(6) == 2);
static_assert(ops::fourier::next_radix(15) == 3 && ops::fourier::next_radix(35) == 5 &&
              ops::fourier::next_radix(31) == 31);
static_assert(ops::fourier::next_radix(37) > ops::fourier::largest_radix);
static_assert(ops::fourier::transform_length(1) == 1 && ops::fourier::transform_length(2 * 3 * 31) == 186);
static_assert(ops::fourier::transform_length(37) == 128 && ops::fourier::transform_length(64 * 37) == 8192);
static_assert(ops::fourier::is_direct(1000) && !ops::fourier::is_direct(74));

static_assert(ops::fourier::table_rows(1024) == 32 && ops::fourier::table_rows(1000) == 25 &&
              ops::fourier::table_rows(37) == 1);
static_assert(!ops::fourier::is_table(1000) && !ops::fourier::is_table(2 * 1021) && ops::fourier::is_table(4096));

// Working memory, the table of roots, and, where a convolution takes the place of a transform, its two tables; real
// numbers have the roots of twice as many.
static_assert(ops::fourier::line_bytes(8, 1, false) == 16 * (2 * 9 + 8));
static_assert(ops::fourier::line_bytes(8, 8, false) == 16 * (2 * 8 * 9 + 8));
static_assert(ops::fourier::line_bytes(8, 1, true) == 16 * (2 * 9 + 16));
static_assert(ops::fourier::line_bytes(37, 1, false) == 16 * (2 * 129 + 2 * 128 + 37));

TEST_CASE("roots of unity are exact at quarter turns, and on the circle elsewhere") {
  for (const index_t n : {1, 2, 3, 4, 8, 12, 37, 1000}) {
    for (index_t k = 0; k < n; ++k) {
      const complex<double> root = ops::root_of_unity(k, n);
      const double angle = -2 * 3.141592653589793 * double(k) / double(n);
      CHECK(std::abs(root.real - std::cos(angle)) < 1e-15);
      CHECK(std::abs(root.imag - std::sin(angle)) < 1e-15);
      if (4 * k % n == 0) {
        CHECK(root.real == double(k == 0) - double(2 * k == n));
        CHECK(root.imag == double(4 * k == 3 * n) - double(4 * k == n));
      }
    }
  }
}
