// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/complex_root.hpp>

#include <tenon/math/divide.hpp>
#include <tenon/math/magnitude.hpp>
#include <tenon/math/root.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_complex_bits.hpp"

namespace tenon {
namespace {

namespace lanes = math::lanes;

TEST_CASE_TEMPLATE("lanes and one number give the same bits", T, float, double) {
  test::check_same_complex_bits<T, lanes::magnitude_kernel>(math::detail::magnitude_of,
                                                            [](complex<T> z) { return complex<T>{math::abs(z), 0}; });
  test::check_same_complex_bits<T, lanes::divide_kernel>(math::detail::quotient,
                                                         [](complex<T> a, complex<T> b) { return math::divide(a, b); });
  test::check_same_complex_bits<T, lanes::square_root_kernel>(math::detail::sqrt_of,
                                                              [](complex<T> z) { return math::sqrt(z); });
}

}  // namespace
}  // namespace tenon
