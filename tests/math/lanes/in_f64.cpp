// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/in_f64.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "math/samples.hpp"

namespace {

namespace lanes = tenon::math::lanes;
using tenon::one_lane::lane;
constexpr tenon::one_lane::tag<double> one;

// Widened, computed, rounded once: infinite from where f32 ends.
constexpr float squared(float x) {
  return lanes::detail::in_f64(
             tenon::one_lane::tag<float>(), [](auto, auto a) { return lanes::product(a, a); }, lane<float>{x})
      .raw;
}
static_assert(squared(3) == 9 && squared(0x1p+64f) == tenon::ieee::infinity<float> && squared(0x1p-75f) == 0);
static_assert(tenon::ieee::is_nan(squared(tenon::ieee::nan<float>)));

TEST_CASE("the short functions keep 33 bits") {
  for (const float sample : tenon::test::samples<float>()) {
    const double x = sample;
    if (std::abs(x) < 700) {
      const double result = lanes::detail::short_exponential(one, lane<double>{x}).raw;
      CHECK(std::abs(result / std::exp(x) - 1) < 0x1p-33);
    }
    if (x > 0 && x != 1 && std::isfinite(x)) {
      const double result = lanes::detail::short_logarithm(one, lane<double>{x}).raw;
      CHECK(std::abs(result / std::log(x) - 1) < 0x1p-32);
    }
  }
}

}  // namespace
