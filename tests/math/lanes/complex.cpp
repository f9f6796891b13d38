// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/complex.hpp>

#include <doctest/doctest.h>

#include "math/lanes/same_complex_bits.hpp"

namespace tenon {
namespace {

using core::complex_vector;

// The conjugate of what has a positive real part.
struct conjugate_kernel {
  template <bool ForF32, class D, class M>
  static constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& z) {
    using namespace core::hn;
    usual = Gt(z.real, Zero(d));
    return {z.real, Neg(z.imag)};
  }
};
constexpr complex<double> doubled(complex<double> z) { return {ieee::add(z.real, z.real), ieee::add(z.imag, z.imag)}; }
template <class T>
constexpr complex<T> changed(complex<T> z) {
  return math::lanes::complex_function_of_one<conjugate_kernel>(doubled, z);
}

static_assert(changed(complex<double>{1, 2}) == complex<double>{1, -2});
static_assert(changed(complex<float>{-1, 2}) == complex<float>{-2, 4});
static_assert(changed(complex<float>{-0x1p+127f, 2}) == complex<float>{-ieee::infinity<float>, 4});

TEST_CASE_TEMPLATE("rare numbers go one by one, also between usual ones", T, float, double) {
  test::check_same_complex_bits<T, conjugate_kernel>(doubled, [](complex<T> z) { return changed(z); });
}

}  // namespace
}  // namespace tenon
