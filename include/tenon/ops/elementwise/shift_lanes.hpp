// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

#include <cstdint>

namespace tenon::ops::inline HWY_NAMESPACE {

// Lanes whose bits can be shifted, each by its own amount. Highway lacks those of 64 bits to the right on WebAssembly.
template <class D>
concept shifts_lanes = requires { typename D::T; } && (HWY_TARGET != HWY_SCALAR || sizeof(typename D::T) >= 4) &&
                       (HWY_TARGET != HWY_WASM || sizeof(typename D::T) <= 4);

// Bits moved by an amount that counts as unsigned; zeros come in, and all that is left by the width or more. `Left`
// says where to. Machines have no shifts of bytes: those at even and at odd places are shifted in 16 bits each.
template <bool Left, class D, class V>
HWY_INLINE V shift_lanes(D d, V lhs, V rhs) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> unsigned_d;
  const auto last = hn::Set(unsigned_d, 8 * sizeof(T) - 1);
  const auto all_bits = hn::BitCast(unsigned_d, lhs), all_amounts = hn::BitCast(unsigned_d, rhs);
  const auto shifted = [&](auto bits, auto amount) HWY_ATTR {
    if constexpr (Left)
      return hn::Shl(bits, amount);
    else
      return hn::Shr(bits, amount);
  };
  const auto result = [&](auto bits, auto amounts) HWY_ATTR {
    if constexpr (sizeof(T) > 1) {
      return shifted(bits, amounts);
    } else {
      const hn::Repartition<std::uint16_t, D> wide;
      const auto pairs = hn::BitCast(wide, bits), amount = hn::BitCast(wide, amounts);
      const auto low = hn::Set(wide, 0xFF);
      const auto even = shifted(Left ? pairs : hn::And(pairs, low), hn::And(amount, low));
      const auto odd = shifted(hn::AndNot(low, pairs), hn::ShiftRight<8>(amount));
      return hn::BitCast(unsigned_d, hn::Or(hn::And(even, low), hn::AndNot(low, odd)));
    }
  };
  return hn::BitCast(d, hn::IfThenZeroElse(hn::Gt(all_amounts, last), result(all_bits, hn::And(all_amounts, last))));
}

}  // namespace tenon::ops::inline HWY_NAMESPACE
