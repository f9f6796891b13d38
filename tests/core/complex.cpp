// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/complex.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <random>
#include <type_traits>

using namespace tenon;

namespace {

using c32 = complex<float>;
using c64 = complex<double>;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

static_assert(std::is_aggregate_v<c32> && std::is_trivially_copyable_v<c64>);
static_assert(sizeof(c32) == 8 && sizeof(c64) == 16);

static_assert(c64{1, 2} + c64{3, -4} == c64{4, -2} && c64{1, 2} - c64{3, -4} == c64{-2, 6});
static_assert(c64{1, 2} * c64{3, -4} == c64{11, 2} && -c64{1, -2} == c64{-1, 2});
static_assert(c64{11, 2} / c64{3, -4} == c64{1, 2} && c64{11, 2} / c64{1, 2} == c64{3, -4});
static_assert(c64{0.0, 1} == c64{-0.0, 1} && !(c64{not_a_number, 0} == c64{not_a_number, 0}));

// The squares of the parts would overflow or vanish.
static_assert(c64{0x1p1000, 0x1p1000} / c64{0x1p1000, 0x1p1000} == c64{1, 0});
static_assert(c64{0x1p-1000, 0} / c64{0x1p-1000, 0x1p-1000} == c64{0.5, -0.5});
static_assert(c64{largest, 0} / c64{largest, 0} == c64{1, 0});

static_assert(c64{1, 2} / c64{0, 0} == c64{infinite, infinite});
static_assert(c64{1, -2} / c64{-0.0, 0} == c64{-infinite, infinite});
static_assert(c64{infinite, 2} / c64{1, 1} == c64{infinite, -infinite});
static_assert(c64{1, 2} / c64{infinite, 3} == c64{0, 0} && c64{1, 2} / c64{infinite, infinite} == c64{0, 0});
static_assert(c64{1e308, 0} * c64{10, 0} == c64{infinite, 0});
static_assert(c32{3e38f, 1} + c32{3e38f, 1} == c32{float(infinite), 2});

constexpr bool is_nan(double x) { return x != x; }
static_assert(is_nan((c64{0, 0} / c64{0, 0}).real) && is_nan((c64{0, 0} / c64{0, 0}).imag));
static_assert(is_nan((c64{not_a_number, not_a_number} / c64{1, 1}).real));

}  // namespace

TEST_CASE("std::complex and back") {
  const std::complex<float> copied = c32{1, 2};
  const std::complex<float> direct{c32{3, 4}};
  CHECK(copied == std::complex<float>(1, 2));
  CHECK(direct == std::complex<float>(3, 4));
  static_assert(!std::is_convertible_v<c32, std::complex<double>>);
}

TEST_CASE("compound assignment") {
  c64 z{1, 2};
  z += c64{1, 1};
  z *= c64{0, 1};
  z -= c64{0, 1};
  CHECK(z == c64{-3, 1});
  z /= c64{0, 1};
  CHECK(z == c64{1, 3});
}

TEST_CASE("division is accurate over the whole range") {
  std::mt19937_64 random(2);
  const auto part = [&](int scale) {
    const double x = std::ldexp(double(random() >> 11) * 0x1p-53 + 1, scale + int(random() % 40) - 20);
    return random() % 2 != 0 ? x : -x;
  };
  for (int i = 0; i < 20000; ++i) {
    const int scale = int(random() % 1800) - 900;
    const c64 a{part(0), part(0)};
    const c64 b{part(0), part(0)};
    const c64 expected = a / b;
    const c64 scaled = c64{std::ldexp(a.real, scale), std::ldexp(a.imag, scale)} /
                       c64{std::ldexp(b.real, scale), std::ldexp(b.imag, scale)};
    REQUIRE(scaled == expected);
    const long double norm = (long double)b.real * b.real + (long double)b.imag * b.imag;
    const long double real = ((long double)a.real * b.real + (long double)a.imag * b.imag) / norm;
    const long double imag = ((long double)a.imag * b.real - (long double)a.real * b.imag) / norm;
    const long double size = std::sqrt(real * real + imag * imag);
    REQUIRE(std::abs(double((expected.real - real) / size)) < 1e-15);
    REQUIRE(std::abs(double((expected.imag - imag) / size)) < 1e-15);
  }
}
