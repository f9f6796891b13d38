// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/bessel.hpp>

#include <tenon/math/bessel.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::bessel_i1e(d, x); },
                                  [](T x) { return math::bessel_i1e(x); });
}

}  // namespace
