// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/power.hpp>

#include <tenon/math/power.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits_of_two<T>([](auto d, auto x, auto y) { return math::lanes::power(d, x, y); },
                                         [](T x, T y) { return math::power(x, y); });
}

}  // namespace
