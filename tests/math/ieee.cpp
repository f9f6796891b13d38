// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/ieee.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;

constexpr double infinity = ieee::infinity<double>, nan = ieee::nan<double>;
constexpr double largest = std::numeric_limits<double>::max(), smallest = std::numeric_limits<double>::denorm_min();

// What compilers refuse to evaluate as it stands.
static_assert(ieee::add(largest, largest) == infinity);
static_assert(ieee::is_nan(ieee::add(infinity, -infinity)));
static_assert(ieee::add(largest, 0x1p969) == largest);
static_assert(ieee::add(largest, 0x1p970) == infinity);
static_assert(ieee::subtract(-largest, largest) == -infinity);
static_assert(ieee::multiply(largest, -2.0) == -infinity);
static_assert(ieee::multiply(0x1.fffffffffffffp+511, 0x1p+512) == 0x1.fffffffffffffp+1023);
static_assert(ieee::is_nan(ieee::multiply(0.0, infinity)));
static_assert(ieee::is_negative(ieee::multiply(-0.0, 3.0)));
static_assert(ieee::divide(1.0f, -0.0f) == -ieee::infinity<float>);
static_assert(ieee::is_nan(ieee::divide(0.0, 0.0)));
static_assert(ieee::divide(1.0, smallest) == infinity);
static_assert(ieee::divide(infinity, -2.0) == -infinity);
static_assert(!ieee::less(nan, 1.0) && !ieee::less_or_equal(1.0, nan) && !ieee::equal(nan, nan));
static_assert(ieee::less(1.0f, 2.0f) && ieee::less_or_equal(-0.0f, 0.0f) && ieee::equal(0.0, -0.0));
static_assert(ieee::square_root(2.0) == 0x1.6a09e667f3bcdp+0);
static_assert(ieee::square_root(smallest) == 0x1p-537);
static_assert(ieee::is_nan(ieee::square_root(-1.0f)));
static_assert(ieee::is_negative(ieee::square_root(-0.0)));
static_assert(ieee::exponent_of(smallest) == -1074 && ieee::exponent_of(-1.5f) == 0);

TEST_CASE_TEMPLATE("the square root and the fused multiply-add of constants are those of the processor", T, float,
                   double) {
  std::uint64_t root_differs = 0, sum_differs = 0;
  const std::vector<T> values = tenon::test::samples<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T a = values[i], b = values[(i * 7919 + 13) % values.size()], c = values[(i * 104729 + 7) % values.size()];
    root_differs += !tenon::test::same(ieee::detail::square_root(a), std::sqrt(a));
    for (const T addend : {c, T(-a * b)}) {
      const T exact = std::fma(a, b, addend);
      // Below the normal numbers the one for constants rounds twice.
      if (exact != 0 && std::fabs(exact) < 2 * std::numeric_limits<T>::min()) continue;
      sum_differs += !tenon::test::same(ieee::detail::fused_multiply_add(a, b, addend), exact);
    }
  }
  CHECK(root_differs == 0);
  CHECK(sum_differs == 0);
}

}  // namespace
