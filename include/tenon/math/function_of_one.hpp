// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/magnitude.hpp>
#include <tenon/math/one_lane.hpp>

#include <cstddef>
#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

// A function of one number: of floats by its vector form, so that scalars and vectors have the same bits, and, where
// there is one, of complex numbers by a function that computes in f64.
template <class Lanes, class ComplexFunction = std::nullptr_t>
struct function_of_one {
  Lanes of_lanes;
  ComplexFunction of_complex{};

  template <binary_float T>
  [[gnu::always_inline]] constexpr T operator()(T x) const {
    return Lanes()(one_lane::tag<T>(), one_lane::lane<T>{x}).raw;
  }
  template <binary_float T>
    requires(!std::is_null_pointer_v<ComplexFunction>)
  constexpr complex<T> operator()(complex<T> z) const {
    return detail::in_double(of_complex, z);
  }
};
template <class... Forms>
function_of_one(Forms...) -> function_of_one<Forms...>;

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
