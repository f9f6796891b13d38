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
}

}  // namespace
