// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

#include <cstddef>
#include <utility>

namespace tenon::detail {

// What a function of booleans gives, as the bits of a number: bit 0 for operands that are all false, the first operand
// counting most.
template <class F, std::size_t... I>
constexpr unsigned truth_table(const F& f, std::index_sequence<I...>) {
  unsigned table = 0;
  for (unsigned row = 0; row < 1u << sizeof...(I); ++row)
    if (f((row >> (sizeof...(I) - 1 - I) & 1u) != 0 ...)) table |= 1u << row;
  return table;
}

// The same function on masks.
template <unsigned Table, class D>
HWY_INLINE hn::Mask<D> mask_by_table(D d) {
  return hn::FirstN(d, Table != 0 ? hn::Lanes(d) : 0);
}
template <unsigned Table, class D, class M, class... Rest>
HWY_INLINE hn::Mask<D> mask_by_table(D d, M first, Rest... rest) {
  constexpr unsigned rows = 1u << sizeof...(Rest), all = (1u << rows) - 1, low = Table & all, high = Table >> rows;
  if constexpr (low == high)
    return mask_by_table<low>(d, rest...);
  else if constexpr (low == 0 && high == all)
    return first;
  else if constexpr (low == all && high == 0)
    return hn::Not(first);
  else if constexpr (low == 0)
    return hn::And(first, mask_by_table<high>(d, rest...));
  else if constexpr (high == 0)
    return hn::AndNot(first, mask_by_table<low>(d, rest...));
  else if constexpr (high == all)
    return hn::Or(first, mask_by_table<low>(d, rest...));
  else if constexpr ((low ^ high) == all)
    return hn::Xor(first, mask_by_table<low>(d, rest...));
  else
    return hn::Or(hn::And(first, mask_by_table<high>(d, rest...)), hn::AndNot(first, mask_by_table<low>(d, rest...)));
}

}  // namespace tenon::detail
