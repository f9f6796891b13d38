// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstdint>

namespace tenon {

// How far an index moves a window along an axis, on which it may begin at 0 to `last`; far below zero if it would begin
// elsewhere.
struct drop_out_of_bounds {
  index_t last, stride;

  constexpr bool is_inside(index_t index) const { return std::uint64_t(index) <= std::uint64_t(last); }
  constexpr index_t operator()(index_t index) const { return is_inside(index) ? index * stride : -(index_t(1) << 58); }
};
// The same, but windows are moved inside.
struct clamp_to_bounds {
  index_t last, stride;

  constexpr bool is_inside(index_t) const { return true; }
  constexpr index_t operator()(index_t index) const { return (index < 0 ? 0 : index > last ? last : index) * stride; }
};

// Positions that indices of i32 or i64 decide: first + index * stride for an index from 0 to `last`, which is not below
// 0.
struct scatter_positions {
  const void* indices;
  bool are_narrow;  // i32
  index_t first, last, stride;

  index_t index(index_t i) const {
    return are_narrow ? static_cast<const std::int32_t*>(indices)[i] : static_cast<const index_t*>(indices)[i];
  }
  // -1 for any other index.
  index_t exact(index_t i) const {
    const drop_out_of_bounds offset_of{last, stride};
    return offset_of.is_inside(index(i)) ? first + offset_of(index(i)) : -1;
  }
  // That of the nearest index for any other one.
  index_t nearest(index_t i) const { return first + clamp_to_bounds{last, stride}(index(i)); }
};

}  // namespace tenon
