// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>

namespace tenon::ops {

// The written type of the result of an op whose operands do not decide it. Where it says nothing of the elements they
// are those of `like`.
constexpr tensor_type declared_result(rules& rule, const char* label, const tensor_type& like = {}) {
  rule(label, "the type of the result is written", !rule.declared.empty());
  tensor_type result = rule.declared[0];
  if (result.element == dtype::none) {
    result.element = like.element;
    result.quantization = like.quantization;
  }
  return result;
}

// The differences that two quantized element types may have.
enum class differing { nothing, quantization_dimension, quantization_dimension_and_scales };

// Types of elements that are equal but for that; tensors along a dimension of which something else happens keep their
// other parameters.
constexpr bool same_elements(const rules& rule, const tensor_type& a, const tensor_type& b,
                             differing but = differing::nothing) {
  if (a.element != b.element || a.is_quantized() != b.is_quantized()) return false;
  if (a.quantization == b.quantization) return true;
  if (but == differing::nothing) return false;
  const quantization p = rule.quantization_of(a), q = rule.quantization_of(b);
  if (!p.per_axis() || !q.per_axis() || p.storage != q.storage || p.expressed != q.expressed ||
      p.storage_min != q.storage_min || p.storage_max != q.storage_max)
    return false;
  return but == differing::quantization_dimension_and_scales ||
         (p.scales == q.scales && p.zero_points == q.zero_points);
}

// Sizes before, along and after the quantization dimension are the same.
constexpr bool same_sizes_around(const rules& rule, const tensor_type& a, const tensor_type& b) {
  const auto part = [](const ints& shape, int first, int last) {
    ints sizes;
    for (int i = first; i < last; ++i) sizes.push(shape[i]);
    return sizes.product();
  };
  const int p = rule.quantization_of(a).dimension, q = rule.quantization_of(b).dimension;
  return p >= 0 && q >= 0 && part(a.shape, 0, p) == part(b.shape, 0, q) && a.dim(p) == b.dim(q) &&
         part(a.shape, p + 1, a.rank()) == part(b.shape, q + 1, b.rank());
}

// The rules of broadcasting along `axes` as broadcast_in_dim and its dynamic form state them: C1 to C6 of either.
struct broadcast_labels {
  const char *c1, *c2, *c3, *c4, *c5, *c6;
};
constexpr void check_broadcast(rules& rule, const broadcast_labels& labels, const tensor_type& operand,
                               const tensor_type& result, const ints& axes) {
  const bool per_axis = rule.is_per_axis_quantized(operand);
  rule(labels.c1, "element_type(result) = element_type(operand), but for the parameters along the quantized dimension",
       same_elements(rule, operand, result,
                     per_axis ? differing::quantization_dimension_and_scales : differing::nothing));
  rule(labels.c2, "size(broadcast_dimensions) = rank(operand)", axes.size == operand.rank() && axes.dropped == 0);
  rule(labels.c3, "0 <= broadcast_dimensions < rank(result)", axes.within(0, result.rank()));
  rule(labels.c4, "is_unique(broadcast_dimensions)", axes.unique());
  for (int d = 0; d < operand.rank(); ++d)
    rule(labels.c5, "dim(operand, d) = 1 or dim(operand, d) = dim(result, broadcast_dimensions[d])",
         operand.dim(d) == 1 || operand.dim(d) == result.dim(axes[d]));
  if (!per_axis) return;
  const quantization from = rule.quantization_of(operand), to = rule.quantization_of(result);
  rule(labels.c6, "quantization_dimension(result) = broadcast_dimensions[quantization_dimension(operand)]",
       to.dimension == axes[from.dimension]);
  const bool spread = operand.dim(from.dimension) == 1;
  bool same = to.scales.size == to.zero_points.size && (spread || to.scales.size == from.scales.size);
  for (int i = 0; i < to.scales.size && same; ++i)
    same = to.scales[i] == from.scales[spread ? 0 : i] && to.zero_points[i] == from.zero_points[spread ? 0 : i];
  rule(labels.c6, "scales(result)[i] = scales(operand)[0], zero_points(result)[i] = zero_points(operand)[0]", same);
}

}  // namespace tenon::ops
