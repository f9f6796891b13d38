// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/ops/convert_element.hpp>

#include <cstring>

namespace tenon::ops {

inline void copy_bytes(void* target, const void* source, index_t bytes) {
  if (bytes > 0 && target != source) std::memcpy(target, source, std::size_t(bytes));
}

// Result i becomes operand i, whose elements may have another type of the same kind.
inline void copy_converted(const evaluation& e, int i) {
  const tensor_type &from = e.operand_types.data[i], &to = e.result_types.data[i];
  if (from == to) return copy_bytes(e.results.data[i], e.operands.data[i], byte_size(to));
  const index_t from_step = storage_bytes(from.element), to_step = storage_bytes(to.element);
  for (index_t k = 0; k < to.size(); ++k)
    convert_element(e.details, from, e.operand<unsigned char>(i) + k * from_step, to,
                    e.result<unsigned char>(i) + k * to_step);
}

// Result i becomes zero everywhere.
inline void fill_with_zeros(const evaluation& e, int i) {
  const tensor_type& type = e.result_types.data[i];
  auto* const to = e.result<unsigned char>(i);
  const index_t bytes = byte_size(type), step = storage_bytes(type.element);
  if (type.is_quantized()) {
    for (index_t k = 0; k < bytes; k += step) quantize_element(e.details, type, 0, to + k);
  } else if (bytes > 0) {
    std::memset(to, 0, std::size_t(bytes));
  }
}

}  // namespace tenon::ops
