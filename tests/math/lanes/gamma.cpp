// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/gamma.hpp>

#include <tenon/math/gamma.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_bits.hpp"

namespace {

namespace math = tenon::math;

TEST_CASE_TEMPLATE("lanes and scalars give the same bits", T, float, double) {
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::lgamma(d, x, math::detail::real_lgamma); },
                                  [](T x) { return math::lgamma(x); });
  tenon::test::check_same_bits<T>([](auto d, auto x) { return math::lanes::digamma(d, x, math::detail::real_digamma); },
                                  [](T x) { return math::digamma(x); });
}

}  // namespace
