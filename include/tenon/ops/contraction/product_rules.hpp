// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>

namespace tenon::ops {

// The rules that dot_general, convolution and dynamic_conv share, each under the label of the op that asks.

// The declared element type and quantization of the result, else those of lhs, with this shape.
constexpr tensor_type product_type(const rules& rule, const tensor_type& lhs, const ints& shape) {
  const tensor_type& declared = rule.declared.empty() ? lhs : rule.declared.data[0];
  return (declared.element == dtype::none ? lhs : declared).with_shape(shape);
}

constexpr void check_product_shape(rules& rule, const char* label, const char* sentence, const ints& shape) {
  rule(label, sentence, shape.dropped == 0);
  if (!rule.declared.empty() && !has_open_shape(rule.declared.data[0])) rule.result_shape(label, sentence, shape);
}

struct quantized_product_labels {
  const char *quantized, *storage, *expressed, *granularity, *hybrid;
};

constexpr bool is_quantized_product(const tensor_type& lhs, const tensor_type& rhs, const tensor_type& result) {
  return lhs.is_quantized() || rhs.is_quantized() || result.is_quantized();
}

constexpr void check_quantized_product(rules& rule, const quantized_product_labels& labels, const tensor_type& lhs,
                                       const tensor_type& rhs, const tensor_type& result) {
  const quantization a = rule.quantization_of(lhs), b = rule.quantization_of(rhs), c = rule.quantization_of(result);
  rule(labels.quantized, "is_quantized(lhs) = is_quantized(result) and is_quantized(rhs)",
       lhs.is_quantized() == result.is_quantized() && rhs.is_quantized());
  if (lhs.is_quantized()) {
    rule(labels.storage, "storage_type(lhs) = storage_type(rhs)", a.storage == b.storage);
    rule(labels.expressed, "expressed_type(lhs) = expressed_type(rhs) = expressed_type(result)",
         a.expressed == b.expressed && b.expressed == c.expressed);
    rule(labels.granularity, "if is_per_tensor_quantized(rhs), then is_per_tensor_quantized(result)",
         b.per_axis() || !c.per_axis());
  } else {
    rule(labels.hybrid, "element_type(lhs) = expressed_type(rhs) = element_type(result)",
         lhs.element == b.expressed && b.expressed == result.element);
  }
}

}  // namespace tenon::ops
