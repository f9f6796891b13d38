// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/rooms.hpp>
#include <tenon/core/tensor_type.hpp>

namespace tenon::gradients {

using namespace detail;

// The forms of a derivative.
enum class derivative {
  value_and_gradients,  // f(x...) -> the value, the gradients
  gradients,            // f(x...) -> the gradients
  pullback,             // f(x..., cotangents...) -> the results, the cotangents of arguments
  pushforward           // f(x..., tangents...) -> the results, their tangents
};

// Why a program has no gradient.
struct refusal {
  const char* label = nullptr;
  const char* sentence = nullptr;
  int source = -1;  // where the op stands in the text
  tensor_type operand;
  message_text<40> target = {};  // of a call into a library

  constexpr explicit operator bool() const { return label != nullptr; }
};

constexpr bool is_differentiable(const tensor_type& type) {
  return type.is_tensor() && !type.is_quantized() && (is_float(type.element) || is_complex(type.element));
}
constexpr refusal check_differentiable(const tensor_type& type) {
  if (is_differentiable(type)) return {};
  return {"grad_argument", "what is differentiated by has elements of floating-point or complex type", -1, type};
}
constexpr refusal check_loss(const tensor_type& type) {
  if (is_differentiable(type) && is_float(type.element) && type.rank() == 0) return {};
  return {"grad_loss", "what is differentiated is one real number, of floating-point type and without dimensions", -1,
          type};
}

}  // namespace tenon::gradients
