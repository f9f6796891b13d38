// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/magnitude.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;
using tenon::complex;

constexpr double infinity = ieee::infinity<double>, nan = ieee::nan<double>;

static_assert(math::abs(-2.5) == 2.5 && !ieee::is_negative(math::abs(-0.0f)));
static_assert(math::sign(-3.0) == -1 && math::sign(1e-320) == 1 && ieee::is_negative(math::sign(-0.0)));
static_assert(ieee::is_nan(math::sign(nan)) && math::sign(infinity) == 1);
static_assert(math::abs(complex<double>{3, -4}) == 5 && math::abs(complex<float>{0, 0}) == 0);
static_assert(math::abs(complex<double>{nan, -infinity}) == infinity &&
              ieee::is_nan(math::abs(complex<float>{ieee::nan<float>, 1})));
static_assert(math::abs(complex<double>{3e-320, 4e-320}) == 5e-320);
static_assert(math::abs(complex<double>{0x1.8p+1023, 0x1.8p+1023}) == infinity);
static_assert(math::abs(complex<float>{3e38f, 1e38f}) == 3.1622777e38f);
static_assert(math::sign(complex<double>{0, 0}) == complex<double>{0, 0});
static_assert(math::sign(complex<double>{0x1.8p+1023, 0x1.8p+1023}).real == 0x1.6a09e667f3bcdp-1);

TEST_CASE_TEMPLATE("magnitudes and directions of complex numbers", T, float, double) {
  tenon::test::check_complex_accuracy<T>(
      [](complex<T> z) { return complex<T>{math::abs(z), 0}; },
      [](auto z) { return std::decay_t<decltype(z)>(std::hypot(z.real(), z.imag()), 0); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::sign(z); },
                                         [](auto z) { return z / std::hypot(z.real(), z.imag()); });
  CHECK(ieee::is_nan(math::sign(complex<T>{ieee::infinity<T>, 1}).real));
  CHECK(ieee::is_nan(math::sign(complex<T>{1, ieee::nan<T>}).imag));
}

}  // namespace
