// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/fourier/fourier_line.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

TEST_CASE("roots of unity lie on the circle, the axes exactly") {
  CHECK(ops::root_of_unity(0, 7) == complex<double>{1, 0});
  CHECK(ops::root_of_unity(1, 4) == complex<double>{0, -1});
  CHECK(ops::root_of_unity(2, 4) == complex<double>{-1, 0});
  CHECK(ops::root_of_unity(3, 4) == complex<double>{0, 1});
  for (index_t n : {3, 8, 97, 1000})
    for (index_t k = 0; k < n; ++k) {
      const complex<double> root = ops::root_of_unity(k, n);
      const double angle = -2 * 3.14159265358979323846 * double(k) / double(n);
      CHECK(std::abs(root.real - std::cos(angle)) < 1e-15 * 8);
      CHECK(std::abs(root.imag - std::sin(angle)) < 1e-15 * 8);
    }
}

// Powers of two and four, small and mixed radices, primes below and above the largest radix, and their products.
TEST_CASE_TEMPLATE("lines of any length are transformed as the definition says", numbers, one_line, lines_in_lanes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (index_t n : {1, 2, 3, 4, 5, 8, 12, 16, 30, 31, 32, 37, 60, 74, 97, 128, 211, 31 * 31}) {
    CAPTURE(n);
    std::vector<unsigned char> memory(std::size_t(fourier_line<numbers>::scratch_bytes(n)) + 64);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    fourier_line<numbers> line(n, memory.data() + (64 - address % 64) % 64);
    // Twice, as the tables are kept.
    for (int repetition = 0; repetition < 2; ++repetition) {
      std::vector<complex<double>> x(std::size_t(n * numbers::count));
      for (index_t i = 0; i < n; ++i)
        for (index_t l = 0; l < numbers::count; ++l) {
          const complex<double> z{uniform(random), uniform(random)};
          numbers::set(line[i], l, x[std::size_t(l * n + i)] = z);
        }
      line.run();
      double worst = 0;
      for (index_t l = 0; l < numbers::count; ++l)
        for (index_t k = 0; k < n; ++k) {
          complex<double> sum{0, 0};
          for (index_t i = 0; i < n; ++i) sum = sum + x[std::size_t(l * n + i)] * ops::root_of_unity(i * k % n, n);
          const complex<double> found = numbers::get(line[k], l);
          worst = std::max(worst, std::abs(found.real - sum.real) + std::abs(found.imag - sum.imag));
        }
      CHECK(worst < 1e-13 * double(n));
    }
  }
}

TEST_CASE("all roots of unity are those that are computed one by one, to the bit") {
  for (index_t n : {1, 2, 3, 4, 7, 8, 12, 16, 24, 40, 64, 1000, 1024, 4096}) {
    std::vector<complex<double>> roots(static_cast<std::size_t>(n));
    list_roots_of_unity(n, roots.data());
    for (index_t k = 0; k < n; ++k) {
      const complex<double> wanted = ops::root_of_unity(k, n), got = roots[std::size_t(k)];
      REQUIRE(std::bit_cast<std::uint64_t>(got.real) == std::bit_cast<std::uint64_t>(wanted.real));
      REQUIRE(std::bit_cast<std::uint64_t>(got.imag) == std::bit_cast<std::uint64_t>(wanted.imag));
    }
  }
}
