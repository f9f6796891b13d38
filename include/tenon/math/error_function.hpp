// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/function_of_one.hpp>
#include <tenon/math/lanes/error_function.hpp>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

// The error function, 1 - erf(x) without its cancellation, and the inverse of erf.
inline constexpr function_of_one erf{[](auto d, auto x) { return lanes::erf(d, x); }};
inline constexpr function_of_one erfc{[](auto d, auto x) { return lanes::erfc(d, x); }};
inline constexpr function_of_one erf_inv{[](auto d, auto x) { return lanes::erf_inv(d, x); }};

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
