// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/long_float.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon::math::detail;

// 1 / 3 and sqrt(2) to about 106 bits.
static_assert((long_float(1) / long_float(3) * long_float(3) - 1).value() == 0);
static_assert((long_float(2) * long_float(0.5) - 1).value() == 0);
constexpr long_float root = square_root(long_float(2));
static_assert(root.high == 0x1.6a09e667f3bcdp+0 && root.low < -0x1.bdd34p-54 && root.low > -0x1.bdd342p-54);
constexpr long_float rest = root * root - 2;
static_assert(rest.value() < 0x1p-103 && rest.value() > -0x1p-103);

// The product of numbers of 53 bits has 106.
constexpr long_float square = long_float::product(1 + 0x1p-52, 1 + 0x1p-52);
static_assert(square.high == 1 + 0x1p-51 && square.low == 0x1p-104);
static_assert(long_float::sum(1, 0x1p-80).low == 0x1p-80);

constexpr double exact_sum() {
  double terms[] = {0x1p+60, 1, -0x1p+60, 0x1p-60, -1};
  return exact_total(terms).value();
}
static_assert(exact_sum() == 0x1p-60);

static_assert(scale(1.0, -1074) == 0x1p-1074 && scale(1.0, 1024) > 0x1.fffffffffffffp+1023 && scale(1.0, -3000) == 0);
static_assert(scale(0x1.8p-1074, 2000) == 0x1p+927);

constexpr circular_functions near_zero = longest_circular(0x1.921fb54442d18p+0);
static_assert(near_zero.sine.high == 1 && near_zero.cosine.high == 0x1.1a62633145c07p-54);
constexpr long_float growth = longest_exponential_minus_one(1.0);
static_assert(growth.high == 0x1.b7e151628aed3p+0 && growth.low < -0x1.5p-54 && growth.low > -0x1.7p-54);

TEST_CASE("the ways to the same number agree") {
  for (const double x : {0.01, -0.2, 0.33, 0.5, -3.0, 20.0}) {
    const scaled_float power = long_exponential(x);
    const long_float direct = longest_exponential_minus_one(x) + 1;
    const long_float difference = power.value.scaled(tenon::ieee::power_of_two<double>(power.exponent)) - direct;
    CAPTURE(x);
    CHECK(difference.value() / direct.value() == doctest::Approx(0).epsilon(0x1p-55));
    const circular_functions quick = long_circular(x), slow = longest_circular(x);
    CHECK((quick.sine - slow.sine).value() == doctest::Approx(0).epsilon(0x1p-55));
    CHECK((quick.cosine - slow.cosine).value() == doctest::Approx(0).epsilon(0x1p-55));
    const hyperbolic_functions parts = long_hyperbolic(x);
    const double unit = tenon::ieee::power_of_two<double>(parts.exponent);
    CHECK(((parts.sinh + parts.cosh).scaled(unit) - direct).value() / direct.value() ==
          doctest::Approx(0).epsilon(0x1p-50));
  }
}

}  // namespace
