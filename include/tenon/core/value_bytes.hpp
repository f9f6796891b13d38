// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>

namespace tenon::core {

// Values begin at multiples of this many bytes.
inline constexpr index_t value_alignment = 64;

// Saturates at the largest index_t.
constexpr index_t aligned(index_t bytes) {
  if (bytes > INT64_MAX - value_alignment) return INT64_MAX;
  return (bytes + value_alignment - 1) / value_alignment * value_alignment;
}

// Bytes of any value in memory. Tensors are dense; tuples and futures hold their members one after another, each
// aligned; tokens take nothing.
constexpr index_t value_bytes(const tensor_type& type, const type_details* details) {
  if (type.is_tensor()) return byte_size(type);
  index_t bytes = 0;
  if (type.members != 0 && details != nullptr) {
    for (const tensor_type& member : details->members_of(type)) {
      const index_t more = aligned(value_bytes(member, details));
      bytes = bytes > INT64_MAX - more ? INT64_MAX : bytes + more;
    }
  }
  return bytes;
}

// Where member `index` of a tuple or future begins.
constexpr index_t member_offset(const tensor_type& type, int index, const type_details* details) {
  index_t offset = 0;
  for (const tensor_type& member : details->members_of(type).part(0, index))
    offset += aligned(value_bytes(member, details));
  return offset;
}

}  // namespace tenon::core
