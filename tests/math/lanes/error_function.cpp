// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/error_function.hpp>

#include <tenon/math/error_function.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::erf(d, x); },
                                  [](T x) { return math::erf(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::erfc(d, x); },
                                  [](T x) { return math::erfc(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::erf_inv(d, x); },
                                  [](T x) { return math::erf_inv(x); });
}

}  // namespace
