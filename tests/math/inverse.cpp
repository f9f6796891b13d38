// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/inverse.hpp>

#include <tenon/math/trigonometric.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;
using tenon::complex;

constexpr double infinity = ieee::infinity<double>;

static_assert(math::asin(1.0) == 0x1.921fb54442d18p+0 && ieee::is_nan(math::asin(1.5)) && math::acos(1.0f) == 0);
static_assert(math::acos(-1.0) == 0x1.921fb54442d18p+1 && math::atan(infinity) == 0x1.921fb54442d18p+0);
static_assert(math::acosh(1.0) == 0 && ieee::is_nan(math::acosh(0.5f)) && math::acosh(infinity) == infinity);
static_assert(math::atanh(1.0) == infinity && ieee::is_nan(math::atanh(-2.0)) && ieee::is_negative(math::asinh(-0.0)));
static_assert(math::sinh(-infinity) == -infinity && math::cosh(-infinity) == infinity && math::cosh(0.0f) == 1);

// f32 results pass through f64; f64 ones add up a few roundings.
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

TEST_CASE_TEMPLATE("real arguments", T, float, double) {
  check<T>([](T x) { return math::asin(x); }, [](auto x) { return std::asin(x); }, sizeof(T) == 4 ? 1 : 2);
  check<T>([](T x) { return math::acos(x); }, [](auto x) { return std::acos(x); }, sizeof(T) == 4 ? 1 : 2);
  check<T>([](T x) { return math::atan(x); }, [](auto x) { return std::atan(x); }, sizeof(T) == 4 ? 1 : 2);
  check<T>([](T x) { return math::asinh(x); }, [](auto x) { return std::asinh(x); }, sizeof(T) == 4 ? 1 : 2);
  check<T>([](T x) { return math::acosh(x); }, [](auto x) { return std::acosh(x); }, sizeof(T) == 4 ? 1 : 2);
  check<T>([](T x) { return math::atanh(x); }, [](auto x) { return std::atanh(x); }, sizeof(T) == 4 ? 1 : 2);
  check<T>([](T x) { return math::sinh(x); }, [](auto x) { return std::sinh(x); }, sizeof(T) == 4 ? 1 : 2);
  check<T>([](T x) { return math::cosh(x); }, [](auto x) { return std::cosh(x); }, sizeof(T) == 4 ? 1 : 2);
}

TEST_CASE_TEMPLATE("complex numbers", T, float, double) {
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::asin(z); },
                                         [](auto z) { return std::asin(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::asin(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::acos(z); },
                                         [](auto z) { return std::acos(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::acos(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::atan(z); },
                                         [](auto z) { return std::atan(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::atan(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::asinh(z); },
                                         [](auto z) { return std::asinh(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::asinh(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::acosh(z); },
                                         [](auto z) { return std::acosh(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::acosh(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::atanh(z); },
                                         [](auto z) { return std::atanh(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::atanh(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::sinh(z); },
                                         [](auto z) { return std::sinh(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::sinh(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::cosh(z); },
                                         [](auto z) { return std::cosh(z); }, 2);
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::cosh(z); });
}

TEST_CASE("complex numbers at the limits") {
  using tenon::test::same;
  constexpr double pi = 0x1.921fb54442d18p+1;
  CHECK(same(math::acos(complex<double>{-1, 0}), complex<double>{pi, -0.0}));
  CHECK(same(math::asin(complex<double>{infinity, infinity}), complex<double>{pi / 4, infinity}));
  CHECK(same(math::atanh(complex<double>{1, 0}), complex<double>{infinity, 0}));
  CHECK(same(math::atan(complex<double>{0, infinity}), complex<double>{pi / 2, 0}));
  // Above and below the cut.
  CHECK(math::asin(complex<double>{2, 0.0}).imag == doctest::Approx(1.3169578969248168));
  CHECK(math::asin(complex<double>{2, -0.0}).imag == doctest::Approx(-1.3169578969248168));
  // Neither squares that overflow nor those that vanish matter.
  CHECK(math::asinh(complex<double>{1e300, 1e300}).real == doctest::Approx(std::log(2e300) + std::log(2.0) / 2));
  CHECK(math::acos(complex<double>{1, 5e-324}).real == doctest::Approx(2.2227587494850775e-162));
  CHECK(math::asin(complex<double>{0.5, 1e-300}).imag == doctest::Approx(1e-300 / std::sqrt(0.75)));
  CHECK(math::acosh(complex<double>{3, 1e-300}).imag == doctest::Approx(1e-300 / std::sqrt(8.0)));
  CHECK(math::atanh(complex<double>{1e-200, 1e200}).real == 0);
  CHECK(math::atanh(complex<double>{1e250, 1e200}).real == doctest::Approx(1e-250));
}

static_assert(math::asin(complex<double>{0, 0}) == complex<double>{0, 0});
static_assert(math::acosh(complex<float>{1, 0}) == complex<float>{0, 0});

}  // namespace
