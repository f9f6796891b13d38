// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/error_function.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;

constexpr double infinity = ieee::infinity<double>, nan = ieee::nan<double>;

static_assert(math::erf(0.5) == 0x1.0a7ef5c18edd2p-1 && math::erf(infinity) == 1 && math::erf(-6.0f) == -1);
static_assert(ieee::is_negative(math::erf(-0.0)) && ieee::is_nan(math::erf(nan)) && ieee::is_nan(math::erfc(nan)));
static_assert(math::erfc(-infinity) == 2 && math::erfc(27.0) > 0 && math::erfc(28.0) == 0 && math::erfc(0.0f) == 1);
static_assert(math::erf_inv(1.0) == infinity && math::erf_inv(-1.0f) == -ieee::infinity<float>);
static_assert(ieee::is_nan(math::erf_inv(1.5)) && math::erf_inv(0x1p-1074) == 0x1p-1074);

template <class T>
void check(auto function, auto exact, std::uint64_t tolerance) {
  if constexpr (tenon::test::has_wider<T>) {
    std::uint64_t largest = 0;
    T worst = 0;
    for (const T x : tenon::test::samples<T>()) {
      const std::uint64_t d = tenon::test::distance(function(x), T(exact(tenon::test::wider_t<T>(x))));
      if (d > largest) largest = d, worst = x;
    }
    CAPTURE(worst);
    CHECK(largest <= tolerance);
  }
}

TEST_CASE_TEMPLATE("erf and erfc", T, float, double) {
  check<T>([](T x) { return math::erf(x); }, [](auto x) { return std::erf(x); }, 1);
  check<T>([](T x) { return math::erfc(x); }, [](auto x) { return std::erfc(x); }, sizeof(T) == 4 ? 1 : 2);
}

// The inverse one step of Newton's method further.
TEST_CASE_TEMPLATE("erf_inv", T, float, double) {
  check<T>([](T x) { return math::erf_inv(x); },
           [](auto x) {
             using wider = decltype(x);
             const wider y = wider(math::erf_inv(double(x))), slope = wider(0.886226925452758013649L);
             if (!std::isfinite(y) || std::abs(x) < wider(1e-300L)) return y;
             const wider off =
                 std::abs(x) < wider(0.5L) ? std::erf(y) - x : (y > 0 ? 1 - x - std::erfc(y) : std::erfc(-y) - 1 - x);
             return y - off * slope * std::exp(y * y);
           },
           sizeof(T) == 4 ? 1 : 2);
}

}  // namespace
