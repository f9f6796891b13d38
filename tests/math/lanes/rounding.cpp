// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/rounding.hpp>

#include <tenon/math/rounding.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::sign(d, x); },
                                  [](T x) { return math::sign(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::floor(d, x); },
                                  [](T x) { return math::floor(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::ceil(d, x); },
                                  [](T x) { return math::ceil(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::round_nearest_even(d, x); },
                                  [](T x) { return math::round_nearest_even(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::round_nearest_afz(d, x); },
                                  [](T x) { return math::round_nearest_afz(x); });
  tenon::test::check_same_bits_of_two<T>([](auto d, auto x, auto y) { return math::lanes::remainder(d, x, y); },
                                         [](T x, T y) { return math::remainder(x, y); });
}

}  // namespace
