// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

namespace tenon::ops {

// The low `Width` bits of an integer. Integers of 2 and 4 bits are computed in wider ones, where those above the width
// repeat the sign.
template <int Width, std::integral T>
constexpr std::make_unsigned_t<T> bits_of_width(T value) {
  using bits = std::make_unsigned_t<T>;
  constexpr int spare = 8 * int(sizeof(T)) - Width;
  static_assert(spare >= 0);
  return bits(bits(value) & bits(bits(~bits{}) >> spare));
}

}  // namespace tenon::ops
