// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstdint>

namespace tenon {

// Positions that indices of i32 or i64 decide: first + index * stride for an index from 0 to `last`, which is not below
// 0.
struct placing_indices {
  const void* indices;
  bool are_narrow;  // i32
  index_t first, last, stride;

  index_t index(index_t i) const {
    return are_narrow ? static_cast<const std::int32_t*>(indices)[i] : static_cast<const index_t*>(indices)[i];
  }
  // -1 for any other index.
  index_t exact(index_t i) const {
    const index_t at = index(i);
    return std::uint64_t(at) <= std::uint64_t(last) ? first + at * stride : -1;
  }
  // That of the nearest index for any other one.
  index_t nearest(index_t i) const {
    const index_t at = index(i);
    return first + (at < 0 ? 0 : at > last ? last : at) * stride;
  }
};

}  // namespace tenon
