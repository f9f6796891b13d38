// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

namespace tenon::xla {

constexpr XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
                       const ints& slice_sizes, bool indices_are_sorted = false) {
  return detail::record(ops::gather{dimension_numbers, slice_sizes, indices_are_sorted}, input, start_indices);
}
template <int Count>
constexpr XlaOp DynamicSlice(XlaOp operand, const XlaOp (&start_indices)[Count], const ints& slice_sizes) {
  return detail::record_all(ops::dynamic_slice{slice_sizes}, start_indices, operand);
}
template <int Count>
constexpr XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, const XlaOp (&start_indices)[Count]) {
  return detail::record_all(ops::dynamic_update_slice{}, start_indices, operand, update);
}

}  // namespace tenon::xla
