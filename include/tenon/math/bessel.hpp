// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/bessel.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

inline constexpr function_of_one bessel_i1e{[](auto d, auto x) { return lanes::bessel_i1e(d, x); }};

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
