// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>

namespace tenon::ops {

// The element types that an input accepts, and the specification's words for them.
struct accepted_kinds {
  kinds set;
  const char* sentence;
};

namespace accepts {

inline constexpr accepted_kinds anything{kinds::any, "tensor"};
inline constexpr accepted_kinds anything_or_quantized{kinds::any | kinds::per_tensor_quantized,
                                                      "tensor or per-tensor quantized tensor"};
inline constexpr accepted_kinds boolean_or_integer{kinds::boolean | kinds::integer,
                                                   "tensor of boolean or integer type"};
inline constexpr accepted_kinds integer{kinds::integer, "tensor of integer type"};
inline constexpr accepted_kinds floating_point{kinds::floating_point, "tensor of floating-point type"};
inline constexpr accepted_kinds number{kinds::integer | kinds::floating_point | kinds::complex,
                                       "tensor of integer, floating-point or complex type"};
inline constexpr accepted_kinds floating_point_or_complex{kinds::floating_point | kinds::complex,
                                                          "tensor of floating-point or complex type"};
inline constexpr accepted_kinds floating_point_or_quantized{
    kinds::floating_point | kinds::per_tensor_quantized,
    "tensor of floating-point type or per-tensor quantized tensor"};
inline constexpr accepted_kinds floating_point_complex_or_quantized{
    kinds::floating_point | kinds::complex | kinds::per_tensor_quantized,
    "tensor of floating-point or complex type or per-tensor quantized tensor"};
inline constexpr accepted_kinds signed_or_quantized{
    kinds::signed_integer | kinds::floating_point | kinds::complex | kinds::per_tensor_quantized,
    "tensor of signed integer, floating-point, or complex type or per-tensor quantized tensor"};
inline constexpr accepted_kinds number_or_quantized{
    kinds::integer | kinds::floating_point | kinds::complex | kinds::per_tensor_quantized,
    "tensor of integer, floating-point or complex type or per-tensor quantized tensor"};

}  // namespace accepts

// The rules that elementwise ops share, each under the label of the op that asks.

constexpr void check_kind(rules& rule, const char* label, const accepted_kinds& accepted, const tensor_type& type) {
  rule(label, accepted.sentence, rule.is(type, accepted.set));
}

// The baseline type of the result is that of `like`: its quantization may be another one, if the result's type is
// declared. Gives the type of the result.
constexpr tensor_type infer_result(rules& rule, const char* label, const char* sentence, const tensor_type& like) {
  if (rule.declared.empty()) return like;
  const bool same = same_baseline(rule, rule.declared[0], like);
  rule(label, sentence, same);
  return same ? rule.declared[0] : like;
}

struct unary_labels {
  const char* operand;
  const char* types;
  const char* result = nullptr;
};
struct binary_labels {
  const char* lhs;
  const char* rhs;
  const char* types;
  const char* result = nullptr;
};

// baseline_type(operand) = baseline_type(result).
constexpr tensor_type infer_same_baseline(rules& rule, const unary_labels& labels, const accepted_kinds& accepted,
                                          const tensor_type& operand) {
  check_kind(rule, labels.operand, accepted, operand);
  const tensor_type result =
      infer_result(rule, labels.types, "baseline_type(operand) = baseline_type(result)", operand);
  check_kind(rule, labels.result, accepted, result);
  return result;
}

// baseline_type(lhs) = baseline_type(rhs) = baseline_type(result).
constexpr tensor_type infer_same_baseline(rules& rule, const binary_labels& labels, const accepted_kinds& accepted,
                                          const tensor_type& lhs, const tensor_type& rhs) {
  constexpr const char* sentence = "baseline_type(lhs) = baseline_type(rhs) = baseline_type(result)";
  check_kind(rule, labels.lhs, accepted, lhs);
  check_kind(rule, labels.rhs, accepted, rhs);
  rule(labels.types, sentence, same_baseline(rule, lhs, rhs));
  const tensor_type result = infer_result(rule, labels.types, sentence, lhs);
  check_kind(rule, labels.result, accepted, result);
  return result;
}

// The real type of the operand, for a part of a complex number.
constexpr tensor_type infer_part(rules& rule, const char* operand_label, const char* shape_label, const char* label,
                                 const tensor_type& operand) {
  check_kind(rule, operand_label, accepts::floating_point_or_complex, operand);
  const tensor_type result = operand.with_element(real_type(operand.element));
  rule.result_shape(shape_label, "shape(result) = shape(operand)", operand.shape);
  rule.result_element(label,
                      "element_type(result) = complex_element_type(element_type(operand)) if complex, "
                      "element_type(operand) otherwise",
                      result);
  return result;
}

// type(operand) = type(result), for ops without quantized operands.
constexpr tensor_type infer_same_type(rules& rule, const unary_labels& labels, const accepted_kinds& accepted,
                                      const tensor_type& operand) {
  check_kind(rule, labels.operand, accepted, operand);
  return rule.result(labels.types, "type(operand) = type(result)", operand);
}

// type(lhs) = type(rhs) = type(result), for ops without quantized operands.
constexpr tensor_type infer_same_type(rules& rule, const binary_labels& labels, const accepted_kinds& accepted,
                                      const tensor_type& lhs, const tensor_type& rhs) {
  constexpr const char* sentence = "type(lhs) = type(rhs) = type(result)";
  check_kind(rule, labels.lhs, accepted, lhs);
  check_kind(rule, labels.rhs, accepted, rhs);
  rule(labels.types, sentence, lhs == rhs);
  return rule.result(labels.types, sentence, lhs);
}

}  // namespace tenon::ops
