// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/own_lanes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/math/lanes/exact.hpp>
#include <tenon/ops/convert_element.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>

namespace tenon::ops {

// Integers of less than 32 bits are mostly added up in results of 32.
template <class T>
struct accumulator {
  static constexpr bool is_small = is_integer(dtype_of<T>) && num_bits(dtype_of<T>) < 32;
  using narrow = std::conditional_t<!is_small, compute_t<T>,
                                    std::conditional_t<is_unsigned_integer(dtype_of<T>), std::uint32_t, std::int32_t>>;
  using wide = widest_t<T>;
};
template <>
struct accumulator<bool> {
  using narrow = bool;
  using wide = bool;
};

// Calls f.template operator()<A>() with the type in which products of T are summed for this element type of the result:
// f32 at least for floats, 32 bits for integers, which wrap around, and as wide as the result for all.
template <class T, class Function>
void with_accumulator(dtype result, Function f) {
  using types = accumulator<T>;
  if constexpr (std::same_as<typename types::narrow, typename types::wide>) {
    f.template operator()<typename types::wide>();
  } else {
    if (num_bits(result) > num_bits(dtype_of<typename types::narrow>))
      f.template operator()<typename types::wide>();
    else
      f.template operator()<typename types::narrow>();
  }
}

// sum + lhs * rhs, rounded once where the target can, as tiles do; for booleans sum or (lhs and rhs).
template <class A>
constexpr A multiply_add(A lhs, A rhs, A sum) {
  if constexpr (std::same_as<A, bool>)
    return sum || (lhs && rhs);
  else if constexpr (binary_float<A> && math::lanes::is_fused<A>)
    return std::is_constant_evaluated() ? sum + lhs * rhs : ieee::fused_multiply_add(lhs, rhs, sum);
  else
    return wrap::add(sum, wrap::multiply(lhs, rhs));
}

template <class A>
void store_sum(dtype result, void* to, index_t position, A sum) {
  std::byte* at = static_cast<std::byte*>(to) + position * storage_bytes(result);
  if (result == dtype_of<A>)
    std::memcpy(at, &sum, sizeof sum);
  else
    write_element(result, at, convert_to<widest_t<A>>(sum));
}

}  // namespace tenon::ops
