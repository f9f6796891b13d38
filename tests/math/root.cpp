// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/root.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;
using tenon::complex;

constexpr double infinity = ieee::infinity<double>, nan = ieee::nan<double>;

static_assert(math::sqrt(2.0) == 0x1.6a09e667f3bcdp+0 && ieee::is_nan(math::sqrt(-1.0)));
static_assert(math::rsqrt(4.0) == 0.5 && math::rsqrt(0.0) == infinity && math::rsqrt(-0.0) == -infinity);
static_assert(math::rsqrt(infinity) == 0 && ieee::is_nan(math::rsqrt(-1.0f)) && ieee::is_nan(math::rsqrt(nan)));
static_assert(math::cbrt(27.0) == 3 && math::cbrt(-8.0f) == -2 && ieee::is_negative(math::cbrt(-0.0)));
static_assert(math::cbrt(-infinity) == -infinity && ieee::is_nan(math::cbrt(nan)));
static_assert(math::rsqrt(std::numeric_limits<float>::denorm_min()) == 0x1.6a09e6p+74f);

TEST_CASE_TEMPLATE("at most one unit in the last place", T, float, double) {
  tenon::test::check_accuracy<T>([](T x) { return math::sqrt(x); }, [](auto x) { return std::sqrt(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::rsqrt(x); }, [](auto x) { return 1 / std::sqrt(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::cbrt(x); }, [](auto x) { return std::cbrt(x); });
}

// Constants at compile time have the bits of the same computation at run time.
TEST_CASE_TEMPLATE("constants of sqrt", T, float, double) {
  static constexpr T inputs[] = {T(0),
                                 T(-0.0),
                                 T(1e-9),
                                 T(0.3),
                                 T(-0.7),
                                 T(1),
                                 T(2.5),
                                 T(-30),
                                 T(1e5),
                                 T(1e30),
                                 T(-1),
                                 T(88),
                                 ieee::infinity<T>,
                                 -ieee::infinity<T>,
                                 ieee::nan<T>,
                                 std::numeric_limits<T>::denorm_min()};
  static constexpr auto constants = [] {
    std::array<T, std::size(inputs)> results{};
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::sqrt(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::sqrt(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of rsqrt", T, float, double) {
  static constexpr T inputs[] = {T(0),
                                 T(-0.0),
                                 T(1e-9),
                                 T(0.3),
                                 T(-0.7),
                                 T(1),
                                 T(2.5),
                                 T(-30),
                                 T(1e5),
                                 T(1e30),
                                 T(-1),
                                 T(88),
                                 ieee::infinity<T>,
                                 -ieee::infinity<T>,
                                 ieee::nan<T>,
                                 std::numeric_limits<T>::denorm_min()};
  static constexpr auto constants = [] {
    std::array<T, std::size(inputs)> results{};
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::rsqrt(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::rsqrt(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of cbrt", T, float, double) {
  static constexpr T inputs[] = {T(0),
                                 T(-0.0),
                                 T(1e-9),
                                 T(0.3),
                                 T(-0.7),
                                 T(1),
                                 T(2.5),
                                 T(-30),
                                 T(1e5),
                                 T(1e30),
                                 T(-1),
                                 T(88),
                                 ieee::infinity<T>,
                                 -ieee::infinity<T>,
                                 ieee::nan<T>,
                                 std::numeric_limits<T>::denorm_min()};
  static constexpr auto constants = [] {
    std::array<T, std::size(inputs)> results{};
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::cbrt(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::cbrt(T(input))));
  }
}

TEST_CASE_TEMPLATE("complex numbers", T, float, double) {
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::sqrt(z); },
                                         [](auto z) { return std::sqrt(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::rsqrt(z); },
                                         [](auto z) { return std::decay_t<decltype(z)>(1) / std::sqrt(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::cbrt(z); },
                                         [](auto z) { return std::polar(std::cbrt(std::abs(z)), std::arg(z) / 3); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::sqrt(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::cbrt(z); });
}

TEST_CASE("complex roots at the limits") {
  using tenon::test::same;
  CHECK(same(math::sqrt(complex<double>{-4, 0}), complex<double>{0, 2}));
  CHECK(same(math::sqrt(complex<double>{-4, -0.0}), complex<double>{0, -2}));
  CHECK(same(math::sqrt(complex<double>{-0.0, -0.0}), complex<double>{0, -0.0}));
  CHECK(same(math::sqrt(complex<double>{nan, infinity}), complex<double>{infinity, infinity}));
  CHECK(same(math::sqrt(complex<double>{-infinity, 2}), complex<double>{0, infinity}));
  CHECK(same(math::sqrt(complex<double>{infinity, -2}), complex<double>{infinity, -0.0}));
  CHECK(math::sqrt(complex<double>{0x1p+1023, 0x1p+1023}).real == doctest::Approx(std::ldexp(1.5537739740300374, 511)));
  CHECK(math::sqrt(complex<double>{-0x1p+200, 0x1p-950}).real == 0x1p-1051);
  CHECK(same(math::rsqrt(complex<double>{-4, 0}), complex<double>{0, -0.5}));
  CHECK(same(math::rsqrt(complex<double>{0, 0}), complex<double>{infinity, nan}));
  CHECK(same(math::rsqrt(complex<double>{-infinity, 3}), complex<double>{0, -0.0}));
  CHECK(same(math::cbrt(complex<double>{8, 0}), complex<double>{2, 0}));
  CHECK(math::cbrt(complex<double>{1e300, 3e-20}).imag == doctest::Approx(1e-220));
}

static_assert(math::sqrt(complex<double>{3, 4}) == complex<double>{2, 1});
static_assert(math::rsqrt(complex<float>{0.25f, 0}) == complex<float>{2, 0});

}  // namespace
