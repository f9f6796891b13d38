// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/complex_exponential.hpp>

#include <tenon/math/exponential.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_complex_bits.hpp"

namespace tenon {
namespace {

namespace lanes = math::lanes;

TEST_CASE_TEMPLATE("lanes and one number give the same bits", T, float, double) {
  test::check_same_complex_bits<T, lanes::exponential_kernel>(math::detail::exponential_of,
                                                              [](complex<T> z) { return math::exponential(z); });
  test::check_same_complex_bits<T, lanes::tanh_kernel>(math::detail::tanh_of,
                                                       [](complex<T> z) { return math::tanh(z); });
}

}  // namespace
}  // namespace tenon
