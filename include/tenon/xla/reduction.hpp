// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

// A computation is an XlaComputation, an op of tenon, or a function object of XlaOps.
namespace tenon::xla {

template <class Computation>
constexpr XlaOp Reduce(XlaOp operand, XlaOp init_value, Computation, const ints& dimensions_to_reduce) {
  return detail::record<bodies<Computation>>(ops::reduce{dimensions_to_reduce}, operand, init_value);
}
template <class Computation>
constexpr XlaOp ReduceAll(XlaOp operand, XlaOp init_value, Computation computation) {
  return Reduce(operand, init_value, computation, ints::range(operand.type().rank()));
}
template <class Computation>
constexpr XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, Computation,
                                               const ints& window_dimensions, const ints& window_strides,
                                               const ints& base_dilations, const ints& window_dilations,
                                               const ints_table& padding) {
  return detail::record<bodies<Computation>>(
      ops::reduce_window{window_dimensions, window_strides, base_dilations, window_dilations, padding}, operand,
      init_value);
}
template <class Computation>
constexpr XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, Computation computation, const ints& window_dimensions,
                             const ints& window_strides, Padding padding) {
  return ReduceWindowWithGeneralPadding(
      operand, init_value, computation, window_dimensions, window_strides, {}, {},
      detail::padding_of(padding, operand.type().shape, window_dimensions, window_strides));
}
// The comparator takes two values of each operand: (a0, b0, a1, b1, ...).
template <class Comparator, int Count>
constexpr auto Sort(const XlaOp (&operands)[Count], Comparator, std::int64_t dimension = -1, bool is_stable = false) {
  return detail::record_all<bodies<Comparator>>(ops::sort{dimension, is_stable}, operands);
}

}  // namespace tenon::xla
