// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/rounding.hpp>

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

static_assert(math::floor(-0.5) == -1 && math::floor(2.0f) == 2 && ieee::is_negative(math::floor(-0.0)));
static_assert(ieee::is_negative(math::ceil(-0.5)) && math::ceil(0.5f) == 1 && math::ceil(1e300) == 1e300);
static_assert(math::round_nearest_even(2.5) == 2 && math::round_nearest_even(-3.5f) == -4);
static_assert(math::round_nearest_even(0.49999999999999994) == 0 && math::round_nearest_even(0.5) == 0);
static_assert(math::round_nearest_afz(2.5) == 3 && math::round_nearest_afz(-0.5f) == -1);
static_assert(math::round_nearest_afz(0.49999999999999994) == 0 && math::round_nearest_afz(infinity) == infinity);
static_assert(ieee::is_nan(math::floor(nan)) && ieee::is_nan(math::round_nearest_afz(nan)));
static_assert(math::remainder(17.0, 3.0) == 2 && math::remainder(-17.0, 3.0) == -2 && math::remainder(17.0, -3.0) == 2);
static_assert(ieee::is_negative(math::remainder(-6.0f, 3.0f)) && math::remainder(5.0f, ieee::infinity<float>) == 5);
static_assert(ieee::is_nan(math::remainder(1.0, 0.0)) && ieee::is_nan(math::remainder(infinity, 1.0)));
static_assert(math::remainder(0x1p+1023, 3.0) == 2);
static_assert(math::remainder(std::numeric_limits<double>::max(), 5e-324) == 0);

TEST_CASE_TEMPLATE("exact", T, float, double) {
  tenon::test::check_accuracy<T>([](T x) { return math::floor(x); }, [](auto x) { return std::floor(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::ceil(x); }, [](auto x) { return std::ceil(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::round_nearest_even(x); },
                                 [](auto x) { return std::nearbyint(x); });
  tenon::test::check_accuracy<T>([](T x) { return math::round_nearest_afz(x); }, [](auto x) { return std::round(x); });
}

TEST_CASE_TEMPLATE("the remainder is exact", T, float, double) {
  const std::vector<T> values = tenon::test::samples<T>();
  std::uint64_t differing = 0;
  const auto check = [&](T x, T y) { differing += !tenon::test::same(math::remainder(x, y), std::fmod(x, y)); };
  for (const T x : tenon::test::special_values<T>())
    for (const T y : tenon::test::special_values<T>()) check(x, y);
  for (std::size_t i = 0; i < values.size(); ++i) check(values[i], values[(i * 7919 + 13) % values.size()]);
  CHECK(differing == 0);
}

// Constants at compile time have the bits of the same computation at run time.
TEST_CASE_TEMPLATE("constants of floor", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::floor(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::floor(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of ceil", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::ceil(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::ceil(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of round_nearest_even", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::round_nearest_even(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::round_nearest_even(T(input))));
  }
}
TEST_CASE_TEMPLATE("constants of round_nearest_afz", T, float, double) {
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
    for (std::size_t i = 0; i < std::size(inputs); ++i) results[i] = math::round_nearest_afz(inputs[i]);
    return results;
  }();
  for (std::size_t i = 0; i < std::size(inputs); ++i) {
    volatile T input = inputs[i];
    CAPTURE(inputs[i]);
    CHECK(tenon::test::same(constants[i], math::round_nearest_afz(T(input))));
  }
}

}  // namespace
