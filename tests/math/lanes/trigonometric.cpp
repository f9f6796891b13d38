// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/trigonometric.hpp>

#include <tenon/math/trigonometric.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::sine(d, x); },
                                  [](T x) { return math::sine(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::cosine(d, x); },
                                  [](T x) { return math::cosine(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::tan(d, x); },
                                  [](T x) { return math::tan(x); });
  tenon::test::check_same_bits_of_two<T>([](auto d, auto x, auto y) { return math::lanes::atan2(d, x, y); },
                                         [](T x, T y) { return math::atan2(x, y); });
}

}  // namespace
