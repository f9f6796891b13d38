// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/root.hpp>

#include <tenon/math/root.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::sqrt(d, x); },
                                  [](T x) { return math::sqrt(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::rsqrt(d, x); },
                                  [](T x) { return math::rsqrt(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::cbrt(d, x); },
                                  [](T x) { return math::cbrt(x); });
}

}  // namespace
