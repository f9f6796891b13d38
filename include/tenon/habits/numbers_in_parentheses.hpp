// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/apply.hpp>

// Shapes, axes and counts in parentheses, as NumPy has them, are refused with the form to write.
namespace tenon {
#define TENON_REFUSE(function, form, ...)                                                                            \
  inline constexpr auto numbers_of_##function = core::complain("arguments", "write " form);                          \
  template <class... T, class Words = std::enable_if_t<(sizeof...(T) < 9), core::outcome_of<numbers_of_##function>>, \
            class Rule = typename Words::broken_function>                                                            \
  void function(__VA_ARGS__, ...) = delete;
TENON_REFUSE(arange, "arange<f32, 3>()", index_t)
TENON_REFUSE(eye, "eye<f32, 3>()", index_t)
TENON_REFUSE(full, "full<f32, ints{2, 3}>(1.5)", index_t)
TENON_REFUSE(ones, "ones<f32, ints{2, 3}>()", index_t)
TENON_REFUSE(zeros, "zeros<f32, ints{2, 3}>()", index_t)
TENON_REFUSE(broadcast_to, "broadcast<ints{2, 3}>(x)", operand_like auto&&, index_t)
TENON_REFUSE(expand_dims, "expand_dims<0>(x)", operand_like auto&&, index_t)
TENON_REFUSE(pad, "pad<1>(x)", operand_like auto&&, index_t)
TENON_REFUSE(reshape, "reshape<ints{3, 2}>(x)", operand_like auto&&, index_t)
TENON_REFUSE(roll, "roll<1>(x)", operand_like auto&&, index_t)
TENON_REFUSE(slice, "x(at<0>, range<1, 3>)", operand_like auto&&, index_t)
TENON_REFUSE(split, "split<2>(x)", operand_like auto&&, index_t)
TENON_REFUSE(transpose, "transpose<ints{1, 0}>(x)", operand_like auto&&, index_t)
#undef TENON_REFUSE
}  // namespace tenon
