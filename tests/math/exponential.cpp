// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/exponential.hpp>

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

static_assert(math::exponential(0.0) == 1 && math::exponential(1.0f) == 2.7182817f);
static_assert(math::exponential(-infinity) == 0 && math::exponential(infinity) == infinity);
static_assert(math::exponential(710.0) == infinity && math::exponential(-746.0) == 0 && math::exponential(-745.0) > 0);
static_assert(math::exponential_minus_one(-infinity) == -1 && ieee::is_negative(math::exponential_minus_one(-0.0)));
static_assert(math::logistic(0.0f) == 0.5f && math::logistic(infinity) == 1 && math::logistic(-infinity) == 0);
static_assert(math::logistic(-100.0f) > 0.0f);
static_assert(math::tanh(infinity) == 1 && math::tanh(-40.0f) == -1.0f && ieee::is_negative(math::tanh(-0.0)));
static_assert(ieee::is_nan(math::exponential(nan)) && ieee::is_nan(math::tanh(nan)) &&
              ieee::is_nan(math::logistic(nan)));

TEST_CASE_TEMPLATE("at most one unit in the last place", T, float, double) {
  tenon::test::check_accuracy<T>([](T x) { return math::exponential(x); }, [](auto x) { return std::exp(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::exponential_minus_one(x); },
                                 [](auto x) { return std::expm1(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::logistic(x); }, [](auto x) { return 1 / (1 + std::exp(-x)); });
  tenon::test::check_accuracy<T>([](T x) { return math::tanh(x); }, [](auto x) { return std::tanh(x); });
}

// Constants at compile time have the bits of the same computation at run time.
TEST_CASE_TEMPLATE("constants of exponential", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::exponential(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::exponential(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of exponential_minus_one", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::exponential_minus_one(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::exponential_minus_one(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of logistic", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::logistic(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::logistic(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of tanh", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::tanh(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::tanh(T(input))));
  }
}

TEST_CASE_TEMPLATE("complex numbers", T, float, double) {
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::exponential(z); },
                                         [](auto z) { return std::exp(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::tanh(z); },
                                         [](auto z) { return std::tanh(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::exponential(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::exponential_minus_one(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::logistic(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::tanh(z); });
}

TEST_CASE("complex exponentials at the limits") {
  using tenon::test::same;
  CHECK(same(math::exponential(complex<double>{-infinity, 1.5}), complex<double>{0, 0}));
  CHECK(same(math::exponential(complex<double>{infinity, -1.5}), complex<double>{infinity, -infinity}));
  CHECK(same(math::exponential(complex<double>{infinity, 0}), complex<double>{infinity, 0}));
  CHECK(same(math::exponential(complex<double>{1, infinity}), complex<double>{nan, nan}));
  // Where the magnitude alone overflows, the part that the angle makes small is still finite.
  const complex<double> tilted = math::exponential(complex<double>{740, 1e-300});
  CHECK(tilted.real == infinity);
  CHECK(tilted.imag == doctest::Approx(1e-300 * std::exp(700.0) * std::exp(40.0)));
  // e^x cos(y) - 1 with e^x = 1 / cos(y), but for rounding
  const double y = 0.5, x = -std::log(std::cos(y));
  CHECK(math::exponential_minus_one(complex<double>{x, y}).real ==
        doctest::Approx(double(std::expm1l(static_cast<long double>(x)) * std::cos(static_cast<long double>(y)) -
                               2 * std::pow(std::sin(static_cast<long double>(y) / 2), 2)))
            .epsilon(1e-2));
  CHECK(same(math::tanh(complex<double>{infinity, 1}), complex<double>{1, 0}));
  CHECK(same(math::tanh(complex<double>{1e300, 0.7}), complex<double>{1, 0}));
  CHECK(same(math::logistic(complex<double>{0, 0}), complex<double>{0.5, 0}));
  CHECK(same(math::logistic(complex<double>{-1e4, 1}), complex<double>{0, 0}));
  // Beside the pole at pi i, rounded from 80 digits.
  constexpr double pi = 3.141592653589793;
  CHECK(same(math::logistic(complex<double>{0, pi}), complex<double>{0.5, 8165619676597685.0}));
  CHECK(same(math::logistic(complex<double>{1e-15, -pi}), complex<double>{985224006580181.125, -120655142610154.89}));
  CHECK(same(math::logistic(complex<double>{-1e-10, pi}), complex<double>{-9999999999.485002, 12246.467991455164}));
  CHECK(same(math::logistic(complex<float>{200, 1}), complex<float>{1, 0}));
}

static_assert(math::exponential(complex<double>{0, 0}) == complex<double>{1, 0});
static_assert(math::tanh(complex<float>{1, 0}).real == math::tanh(1.0f));

}  // namespace
