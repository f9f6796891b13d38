// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/power.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;
using tenon::complex;

constexpr double infinity = ieee::infinity<double>, nan = ieee::nan<double>;

static_assert(math::power(2.0, 10.0) == 1024 && math::power(-2.0, 3.0) == -8 && math::power(10.0f, -2.0f) == 0.01f);
static_assert(ieee::is_nan(math::power(-36.0, 1.1)) && math::power(nan, 0.0) == 1 && math::power(1.0, nan) == 1);
static_assert(math::power(-0.0, -3.0) == -infinity && math::power(0.0, -2.0) == infinity);
static_assert(math::power(-infinity, 3.0) == -infinity && math::power(-infinity, 0.5) == infinity);
static_assert(math::power(-1.0, infinity) == 1 && math::power(0.5, -infinity) == infinity);
static_assert(math::power(2.0f, 128.0f) == ieee::infinity<float> && math::power(2.0f, -149.0f) == 0x1p-149f);

static_assert(math::power(3, 4) == 81 && math::power(-3, 3) == -27 && math::power(7, 0) == 1 && math::power(0, 0) == 1);
static_assert(math::power(2, -1) == 0 && math::power(1, -5) == 1 && math::power(-1, -5) == -1 &&
              math::power(-1, -4) == 1);
static_assert(math::power(0, -1) == 0);
// Wraps around.
static_assert(math::power(std::int8_t(3), std::int8_t(5)) == std::int8_t(-13));
static_assert(math::power(std::uint16_t(65535), std::uint16_t(2)) == 1);
static_assert(math::power(std::int64_t(2), std::int64_t(63)) == INT64_MIN);
static_assert(math::power(std::uint64_t(3), std::uint64_t(1) << 63) == 1);

TEST_CASE_TEMPLATE("at most one unit in the last place", T, float, double) {
  tenon::test::check_accuracy_of_two<T>([](T x, T y) { return math::power(x, y); },
                                        [](auto x, auto y) { return std::pow(x, y); });
}

TEST_CASE("complex powers") {
  using tenon::test::same;
  CHECK(same(math::power(complex<double>{0, 0}, complex<double>{0, 0}), complex<double>{1, 0}));
  CHECK(same(math::power(complex<double>{0, 0}, complex<double>{2, 1}), complex<double>{0, 0}));
  CHECK(same(math::power(complex<double>{0, 0}, complex<double>{-1, 0}), complex<double>{nan, nan}));
  CHECK(same(math::power(complex<double>{4, 0}, complex<double>{0.5, 0}), complex<double>{2, 0}));
  CHECK(math::power(complex<double>{1e200, 1}, complex<double>{2, 0}).real == infinity);
}

static_assert(math::square(-3.0) == 9);
static_assert(math::square(complex<double>{2, 1}) == complex<double>{3, 4});
static_assert(math::square(complex<double>{1e200, 1e200}) == complex<double>{0, infinity});
static_assert(ieee::is_nan(math::square(complex<double>{0, infinity}).imag));

TEST_CASE("accuracy of complex powers") {
  tenon::test::check_complex_accuracy<float>(
      [](complex<float> z) { return math::power(z, complex<float>{1.25f, -3.0f}); },
      [](auto z) { return std::pow(z, std::complex<double>(1.25, -3)); });
}

static_assert(math::power(complex<double>{0, 1}, complex<double>{0, 0}) == complex<double>{1, 0});

}  // namespace
