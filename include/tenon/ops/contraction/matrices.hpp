// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/rules.hpp>

namespace tenon::ops {

// The element types of ops on stacks of matrices.
inline constexpr kinds matrix_kinds = kinds::floating_point | kinds::complex | kinds::per_tensor_quantized;

// The number of matrices in a stack of this shape.
constexpr index_t stack_size(const ints& shape) { return shape.without({shape.size - 2, shape.size - 1}).product(); }

template <class T>
constexpr T conjugate(T value) {
  if constexpr (is_complex(dtype_of<T>))
    return {value.real, -value.imag};
  else
    return value;
}

// The written type of the result, whose baseline type must be that of `like`.
constexpr tensor_type matrix_result(rules& rule, const char* label, const char* sentence, const tensor_type& like) {
  if (rule.declared.empty()) return like;
  const tensor_type& declared = rule.declared.data[0];
  rule(label, sentence, same_baseline(rule, declared, like) && rule.is(declared, matrix_kinds));
  return declared;
}

}  // namespace tenon::ops
