// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/exponential.hpp>

#include <tenon/math/exponential.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::exponential(d, x); },
                                  [](T x) { return math::exponential(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::exponential_minus_one(d, x); },
                                  [](T x) { return math::exponential_minus_one(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::logistic(d, x); },
                                  [](T x) { return math::logistic(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::tanh(d, x); },
                                  [](T x) { return math::tanh(x); });
}

}  // namespace
