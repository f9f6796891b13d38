// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/logarithm.hpp>

#include <tenon/math/logarithm.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::log(d, x); },
                                  [](T x) { return math::log(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::log_plus_one(d, x); },
                                  [](T x) { return math::log_plus_one(x); });
}

}  // namespace
