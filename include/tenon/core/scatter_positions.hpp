// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace tenon::core {

// The offset along an axis of a window that may begin at 0 to `last`; far below zero for any other index.
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

// Positions first + index * stride, for indices of i32 or i64 from 0 to `last`. @pre last >= 0
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

  // f(i, exact(i)) for all i < count whose index is within bounds.
  template <class Function>
  void for_each_inside(index_t count, const Function& f) const {
    const auto walk = [&, offset_of = drop_out_of_bounds{last, stride}, from = first](const auto* each) {
      for (index_t i = 0; i < count; ++i)
        if (offset_of.is_inside(each[i])) f(i, from + offset_of(each[i]));
    };
    are_narrow ? walk(static_cast<const std::int32_t*>(indices)) : walk(static_cast<const index_t*>(indices));
  }
  // to[i] = nearest(begin + i)
  template <class Position>
  void find_nearest(index_t begin, index_t count, Position* to) const {
    const auto walk = [=, limit = last, from = first]<class I>(const I* each, auto distance) {
      const I most = limit < std::numeric_limits<I>::max() ? I(limit) : std::numeric_limits<I>::max();
      for (index_t i = 0; i < count; ++i) {
        const I index = each[begin + i];
        to[i] = Position(from + index_t(index < 0 ? 0 : index > most ? most : index) * distance);
      }
    };
    // A distance that is known is not multiplied by.
    const auto walk_by_distance = [=, by = stride](const auto* each) {
      by == 1 ? walk(each, std::integral_constant<index_t, 1>()) : walk(each, by);
    };
    are_narrow ? walk_by_distance(static_cast<const std::int32_t*>(indices))
               : walk_by_distance(static_cast<const index_t*>(indices));
  }
};

}  // namespace tenon::core
