// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/logarithm.hpp>

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

static_assert(math::log(1.0) == 0 && !ieee::is_negative(math::log(1.0f)) && math::log(infinity) == infinity);
static_assert(math::log(0.0) == -infinity && math::log(-0.0) == -infinity && ieee::is_nan(math::log(-1.0)));
static_assert(math::log(std::numeric_limits<double>::denorm_min()) == -744.4400719213812);
static_assert(math::log_plus_one(-1.0) == -infinity && ieee::is_nan(math::log_plus_one(-1.5)));
static_assert(math::log_plus_one(1e-300) == 1e-300 && ieee::is_negative(math::log_plus_one(-0.0f)));
static_assert(math::log_plus_one(infinity) == infinity && ieee::is_nan(math::log_plus_one(nan)));

TEST_CASE_TEMPLATE("at most one unit in the last place", T, float, double) {
  tenon::test::check_accuracy<T>([](T x) { return math::log(x); }, [](auto x) { return std::log(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::log_plus_one(x); }, [](auto x) { return std::log1p(x); });
}

// Constants at compile time have the bits of the same computation at run time.
TEST_CASE_TEMPLATE("constants of log", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::log(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::log(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of log_plus_one", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::log_plus_one(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::log_plus_one(T(input))));
  }
}

TEST_CASE_TEMPLATE("complex numbers", T, float, double) {
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::log(z); }, [](auto z) { return std::log(z); });
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::log_plus_one(z); },
                                         [](auto z) { return std::log(std::decay_t<decltype(z)>(1) + z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::log(z); });
  tenon::test::check_conjugates<T>([](complex<T> z) { return math::log_plus_one(z); });
}

TEST_CASE("complex logarithms at the limits") {
  using tenon::test::same;
  constexpr double pi = 3.141592653589793;
  CHECK(same(math::log(complex<double>{0, 0}), complex<double>{-infinity, 0}));
  CHECK(same(math::log(complex<double>{-0.0, 0}), complex<double>{-infinity, pi}));
  CHECK(same(math::log(complex<double>{-infinity, infinity}), complex<double>{infinity, 3 * pi / 4}));
  CHECK(same(math::log(complex<double>{infinity, nan}), complex<double>{infinity, nan}));
  CHECK(same(math::log(complex<double>{nan, 1}), complex<double>{nan, nan}));
  // Squares would overflow or vanish.
  CHECK(math::log(complex<double>{1.5e308, 1.5e308}).real == doctest::Approx(std::log(1.5e308) + std::log(2.0) / 2));
  CHECK(math::log(complex<double>{3e-320, 4e-320}).real == doctest::Approx(std::log(5e-320)));
  // |z|^2 = 1 + 2^-52 + 2^-60 + ...: only its distance from one matters.
  const complex<double> near{0x1p+0, 0x1p-30};
  CHECK(math::log(near).real == 0x1.ffffffffffffffep-62);
  CHECK(math::log_plus_one(complex<double>{-0x1p-61, 0x1p-30}).real == doctest::Approx(-0x1p-121 * 1.5).epsilon(1e-9));
  CHECK(same(math::log_plus_one(complex<double>{-1, 0}), complex<double>{-infinity, 0}));
  CHECK(math::log_plus_one(complex<float>{0, 1e-20f}).real == 4.9999998e-41f);
}

static_assert(math::log(complex<double>{1, 0}) == complex<double>{0, 0});
static_assert(math::log(complex<float>{-1, 0}).imag == 3.1415927f);

}  // namespace
