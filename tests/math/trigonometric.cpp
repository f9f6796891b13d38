// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/trigonometric.hpp>

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

static_assert(math::sine(0.0) == 0 && ieee::is_negative(math::sine(-0.0)) && math::cosine(0.0f) == 1);
static_assert(ieee::is_nan(math::sine(infinity)) && ieee::is_nan(math::cosine(-infinity)) &&
              ieee::is_nan(math::tan(nan)));
// Next to a multiple of pi / 2, by less than 2^-60.
static_assert(math::cosine(0x1.6ac5b262ca1ffp+849) == -0x1.14ae72e6ba22fp-61);
static_assert(math::sine(1e22) == -0.8522008497671888);
static_assert(math::atan2(1.0, 0.0) == 0x1.921fb54442d18p+0 && math::atan2(0.0, -0.0) == 0x1.921fb54442d18p+1);
static_assert(ieee::is_negative(math::atan2(-0.0, 1.0)) && math::atan2(-infinity, -infinity) == -0x1.2d97c7f3321d2p+1);
static_assert(ieee::is_nan(math::atan2(nan, infinity)) && math::atan2(1.0f, ieee::infinity<float>) == 0);

TEST_CASE_TEMPLATE("at most one unit in the last place", T, float, double) {
  tenon::test::check_accuracy<T>([](T x) { return math::sine(x); }, [](auto x) { return std::sin(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::cosine(x); }, [](auto x) { return std::cos(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::tan(x); }, [](auto x) { return std::tan(x); });
  tenon::test::check_accuracy_of_two<T>([](T x, T y) { return math::atan2(x, y); },
                                        [](auto x, auto y) { return std::atan2(x, y); });
}

// Constants at compile time have the bits of the same computation at run time.
TEST_CASE_TEMPLATE("constants of sine", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::sine(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::sine(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of cosine", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::cosine(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::cosine(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of tan", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::tan(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::tan(T(input))));
  }
}

TEST_CASE_TEMPLATE("complex numbers", T, float, double) {
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::sine(z); },
                                         [](auto z) { return std::sin(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::cosine(z); },
                                         [](auto z) { return std::cos(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::tan(z); }, [](auto z) { return std::tan(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::sine(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::cosine(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::tan(z); });
}

TEST_CASE("complex sines at the limits") {
  using tenon::test::same;
  CHECK(same(math::sine(complex<double>{0, infinity}), complex<double>{0, infinity}));
  CHECK(same(math::sine(complex<double>{1, infinity}), complex<double>{infinity, infinity}));
  CHECK(same(math::sine(complex<double>{infinity, 0}), complex<double>{nan, 0}));
  CHECK(same(math::cosine(complex<double>{0, infinity}), complex<double>{infinity, -0.0}));
  CHECK(same(math::tan(complex<double>{1, infinity}), complex<double>{0, 1}));
  CHECK(same(math::tan(complex<double>{0.5, 1e300}), complex<double>{0, 1}));
  CHECK(math::sine(complex<double>{1e-300, 720}).imag == infinity);
  CHECK(math::sine(complex<double>{1e-300, 720}).real == doctest::Approx(0.5e-300 * std::exp(700.0) * std::exp(20.0)));
  CHECK(math::sine(complex<double>{1e-310, 1}).real == doctest::Approx(1e-310 * std::cosh(1.0)));
}

TEST_CASE_TEMPLATE("the angle of complex coordinates", T, float, double) {
  const complex<T> real = math::atan2(complex<T>{T(-1), 0}, complex<T>{T(-2), 0});
  CHECK(double(real.real) == doctest::Approx(std::atan2(-1.0, -2.0)));
  CHECK(double(real.imag) == doctest::Approx(0.0));
  // In the right half plane it is atan(y / x).
  const std::complex<double> y(0.5, 0.25), x(2, -0.5), expected = std::atan(y / x);
  const complex<T> angle = math::atan2(complex<T>{T(0.5), T(0.25)}, complex<T>{T(2), T(-0.5)});
  CHECK(double(angle.real) == doctest::Approx(expected.real()));
  CHECK(double(angle.imag) == doctest::Approx(expected.imag()));
}

static_assert(math::sine(complex<double>{0, 0}) == complex<double>{0, 0});
static_assert(math::cosine(complex<float>{1, 0}).real == math::cosine(1.0f));

}  // namespace
