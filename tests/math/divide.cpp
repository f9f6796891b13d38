// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/divide.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;
using tenon::complex;

constexpr double infinity = ieee::infinity<double>;

static_assert(math::divide(1.0, 0.0) == infinity && math::divide(7.0f, 2.0f) == 3.5f);
static_assert(math::divide(complex<double>{4, 2}, complex<double>{1, 1}) == complex<double>{3, -1});

TEST_CASE("complex quotients") {
  using tenon::test::same;
  // Neither the squares nor the sums of products may overflow, vanish or cancel.
  CHECK(same(math::divide(complex<double>{1e308, 1e308}, complex<double>{1e308, 1e308}), complex<double>{1, 0}));
  CHECK(same(math::divide(complex<double>{1e-320, 0}, complex<double>{0, 1e-320}), complex<double>{0, -1}));
  CHECK(
      same(math::divide(complex<double>{1, 1}, complex<double>{1, 0x1p+1022}), complex<double>{0x1p-1022, -0x1p-1022}));
  CHECK(tenon::test::distance(math::divide(complex<double>{1 + 0x1p-30, 1}, complex<double>{1, 1 + 0x1p-30}).imag,
                              -(0x1p-29 + 0x1p-60) / (2 + 0x1p-29)) <= 1);
  CHECK(same(math::divide(complex<double>{1, 2}, complex<double>{0, 0}), complex<double>{infinity, infinity}));
  CHECK(same(math::divide(complex<double>{1, 2}, complex<double>{infinity, 0}), complex<double>{0, 0}));
  CHECK(same(math::divide(complex<float>{3e38f, 0}, complex<float>{3e38f, 3e38f}), complex<float>{0.5f, -0.5f}));
}

TEST_CASE_TEMPLATE("accuracy of complex quotients", T, float, double) {
  tenon::test::check_complex_accuracy<T>([](complex<T> z) { return math::divide(complex<T>{T(1.25), T(-3)}, z); },
                                         [](auto z) { return std::decay_t<decltype(z)>(1.25, -3) / z; });
}

}  // namespace
