// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/bessel.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;

constexpr double infinity = ieee::infinity<double>;

static_assert(math::bessel_i1e(0.0) == 0 && math::bessel_i1e(infinity) == 0 && math::bessel_i1e(-1.0f) < 0);
static_assert(ieee::is_negative(math::bessel_i1e(-0.0f)) && ieee::is_nan(math::bessel_i1e(ieee::nan<double>)));

TEST_CASE("bessel_i1e") {
  for (double x = 0x1p-20; x < 600; x *= 1.11) {
    CAPTURE(x);
    const double exact = double(std::cyl_bessel_il(1.0L, x) * std::exp(-static_cast<long double>(x)));
    CHECK(math::bessel_i1e(x) == doctest::Approx(exact).epsilon(4e-15));
    CHECK(math::bessel_i1e(-float(x)) == doctest::Approx(-exact).epsilon(4e-7));
  }
  // Next to where the formula changes.
  CHECK(math::bessel_i1e(25.0) == doctest::Approx(math::bessel_i1e(std::nextafter(25.0, 0.0))).epsilon(2e-15));
  CHECK(math::bessel_i1e(0x1p+1000) > 0);
}

}  // namespace
