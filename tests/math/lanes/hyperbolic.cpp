// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/hyperbolic.hpp>

#include <tenon/math/trigonometric.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::sinh(d, x); },
                                  [](T x) { return math::sinh(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::cosh(d, x); },
                                  [](T x) { return math::cosh(x); });
}

}  // namespace
