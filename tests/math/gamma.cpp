// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/gamma.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;

constexpr double infinity = ieee::infinity<double>, nan = ieee::nan<double>;

static_assert(math::lgamma(1.0) == 0 && math::lgamma(2.0f) == 0 && math::lgamma(3.0) == 0x1.62e42fefa39efp-1);
static_assert(math::lgamma(0.0) == infinity && math::lgamma(-1.0) == infinity && math::lgamma(-infinity) == infinity);
static_assert(math::digamma(1.0) == -0x1.2788cfc6fb619p-1 && math::digamma(infinity) == infinity);
static_assert(ieee::is_nan(math::digamma(0.0f)) && ieee::is_nan(math::digamma(-5.0)) &&
              ieee::is_nan(math::digamma(nan)));
static_assert(math::zeta(2.0, 1.0) == 0x1.a51a6625307d3p+0 && math::zeta(1.0, 5.0) == infinity);
static_assert(ieee::is_nan(math::zeta(0.5, 1.0)) && math::zeta(4.0, -3.0) == infinity &&
              math::zeta(3.0, infinity) == 0);
static_assert(math::zeta(0.0, -1.0) == infinity && ieee::is_nan(math::zeta(-0.5, -1.0)));
static_assert(math::polygamma(0.0, 1.0) == math::digamma(1.0) && ieee::is_nan(math::polygamma(1.5, 1.0)));

// Below 0 the C library is the less exact one next to zeros, so only positive numbers count.
TEST_CASE_TEMPLATE("lgamma", T, float, double) {
  if constexpr (tenon::test::has_wider<T>) {
    std::uint64_t largest = 0;
    T worst = 0;
    for (const T x : tenon::test::samples<T>()) {
      if (!(x > 0)) continue;
      const std::uint64_t d = tenon::test::distance(math::lgamma(x), T(std::lgamma(tenon::test::wider_t<T>(x))));
      if (d > largest) largest = d, worst = x;
    }
    CAPTURE(worst);
    CHECK(largest <= 1);
  }
}

TEST_CASE("lgamma below 0") {
  for (double x = -0.25; x > -30; x -= 0.75) {
    if (x == std::floor(x)) continue;
    CHECK(math::lgamma(x) == doctest::Approx(std::lgamma(x)).epsilon(1e-13));
    CHECK(math::lgamma(float(x)) == doctest::Approx(std::lgamma(x)).epsilon(1e-6));
  }
}

TEST_CASE("every input has a result") {
  for (const double x : tenon::test::samples<double>()) {
    CHECK(ieee::is_nan(math::lgamma(x)) == ieee::is_nan(x));
    if (x > 0) CHECK_FALSE(ieee::is_nan(math::digamma(x)));
    if (x > 1) CHECK_FALSE(ieee::is_nan(math::zeta(x, 0.75)));
    CHECK(ieee::is_nan(math::zeta(2.0, x)) == ieee::is_nan(x));
    math::polygamma(x, 2.5), math::polygamma(3.0, x);
  }
}

// digamma(x + 1) = digamma(x) + 1 / x, and likewise for its derivatives and zeta.
TEST_CASE("recurrences") {
  for (double x = 0.0625; x < 40; x *= 1.3) {
    CHECK(math::digamma(x + 1) == doctest::Approx(math::digamma(x) + 1 / x).epsilon(1e-13));
    CHECK(math::digamma(-x) == doctest::Approx(math::digamma(1 - x) + 1 / x).epsilon(1e-12));
    CHECK(math::polygamma(1.0, x) == doctest::Approx(math::polygamma(1.0, x + 1) + 1 / (x * x)).epsilon(1e-13));
    for (const double s : {1.5, 3.0, 20.0})
      CHECK(math::zeta(s, x) == doctest::Approx(math::zeta(s, x + 1) + std::pow(x, -s)).epsilon(1e-13));
  }
}

}  // namespace
