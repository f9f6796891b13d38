// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/inverse.hpp>

#include <tenon/math/inverse.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::asin(d, x); },
                                  [](T x) { return math::asin(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::acos(d, x); },
                                  [](T x) { return math::acos(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::atan(d, x); },
                                  [](T x) { return math::atan(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::asinh(d, x); },
                                  [](T x) { return math::asinh(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::acosh(d, x); },
                                  [](T x) { return math::acosh(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::atanh(d, x); },
                                  [](T x) { return math::atanh(x); });
}

}  // namespace
