// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/complex_logarithm.hpp>

#include <tenon/math/logarithm.hpp>
#include <tenon/math/power.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_complex_bits.hpp"

namespace tenon {
namespace {

namespace lanes = math::lanes;

TEST_CASE_TEMPLATE("lanes and one number give the same bits", T, float, double) {
  test::check_same_complex_bits<T, lanes::logarithm_kernel>(math::detail::log_of,
                                                            [](complex<T> z) { return math::log(z); });
  test::check_same_complex_bits<T, lanes::power_kernel>(math::detail::power_of,
                                                        [](complex<T> z, complex<T> w) { return math::power(z, w); });
}

}  // namespace
}  // namespace tenon
