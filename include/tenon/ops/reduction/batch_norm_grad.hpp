// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/reduction/batch_norm.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#batch_norm_grad
struct batch_norm_grad {
  static constexpr std::string_view name = "batch_norm_grad";
  static constexpr bool dequantizes = true;
  double epsilon = 0;  // rounded to f32, its type
  index_t feature_index = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("epsilon", self.epsilon) && visit("feature_index", self.feature_index);
  }

  // Operands: operand, scale, mean, variance, grad_output. Results: grad_operand, grad_scale, grad_offset.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    constexpr const char* vector = "1-dimensional tensor of floating-point or per-tensor quantized type";
    const tensor_type operand = operands[0], scale = operands[1], mean = operands[2], variance = operands[3],
                      grad_output = operands[4];
    const auto is_vector = [&](const tensor_type& type) { return rule.is(type, batch_norm_kinds) && type.rank() == 1; };
    rule("operands", "the number of operands is the one that the op takes", operands.size == 5);
    rule("batch_norm_grad_i1", "operand: tensor of floating-point or per-tensor quantized type",
         rule.is(operand, batch_norm_kinds));
    rule("batch_norm_grad_i2", vector, is_vector(scale));
    rule("batch_norm_grad_i3", vector, is_vector(mean));
    rule("batch_norm_grad_i4", vector, is_vector(variance));
    rule("batch_norm_grad_i5", "grad_output: tensor of floating-point or per-tensor quantized type",
         rule.is(grad_output, batch_norm_kinds));
    rule("batch_norm_grad_c1", "0 <= feature_index < rank(operand)",
         0 <= feature_index && feature_index < operand.rank());
    constexpr const char* same_elements =
        "operand, scale, mean, variance, grad_output and the results have the same baseline_element_type";
    for (const tensor_type& other : {scale, mean, variance, grad_output})
      rule("batch_norm_grad_c2", same_elements, rule.baseline(other) == rule.baseline(operand));
    for (const tensor_type& declared : rule.declared)
      rule("batch_norm_grad_c2", same_elements, rule.baseline(declared) == rule.baseline(operand));
    constexpr const char* same_shapes = "operand, grad_output and grad_operand have the same shape";
    rule("batch_norm_grad_c3", same_shapes, grad_output.shape == operand.shape);
    rule.result_shape("batch_norm_grad_c3", same_shapes, operand.shape);
    constexpr const char* same_sizes = "scale, mean, variance, grad_scale and grad_offset have the same shape";
    rule("batch_norm_grad_c4", same_sizes, mean.shape == scale.shape && variance.shape == scale.shape);
    for (int i : {1, 2}) rule.result_shape("batch_norm_grad_c4", same_sizes, scale.shape, i);
    rule("batch_norm_grad_c5", "size(scale) = dim(operand, feature_index)", scale.dim(0) == operand.dim(feature_index));
    results.push(batch_norm_result(rule, "batch_norm_grad_c2", same_elements, operand));
    for (int i : {1, 2}) results.push(batch_norm_result(rule, "batch_norm_grad_c2", same_elements, scale, i));
  }

  // The gradients of scale and offset are sums over all elements of the feature; that of the operand needs both.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const ints shape = operands[0].shape;
    const bool is_vector = 0 < operand && operand < 4;
    if (result == 0)
      return is_vector ? indexing::axis_map(shape, feature_index)
                       : indexing::whole_axes_map(shape, shape, ints::range(shape.size).without({feature_index}));
    // The offset's needs grad_output alone, the scale's not the scale.
    if ((result == 2 && operand < 4) || (result == 1 && operand == 1))
      return indexing::nothing_map(results[result].shape, operands[operand].shape);
    return is_vector ? indexing::identity_map(results[result].shape)
                     : indexing::broadcast_in_dim_output_map(shape, results[result].shape, {feature_index});
  }

  // As the specification derives it from batch_norm_training. Narrow floats are computed in f32.
  template <class T>
  void evaluate(const evaluation& e) const {
    using A = compute_t<T>;
    const feature_layout<T> layout(e.operand_types[0].shape, feature_index);
    const A count = layout.elements_per_feature(), least = A(float(epsilon));
    const T *const x = e.operand<T>(0), *const grads = e.operand<T>(4);
    T* const result = e.result<T>();
    layout.for_each_block([&](index_t first, index_t some) {
      A mean[layout.at_once], variance[layout.at_once], deviation[layout.at_once], factor[layout.at_once];
      A grad_sum[layout.at_once], centered_sum[layout.at_once], grad_scale[layout.at_once];
      for (index_t f = 0; f < some; ++f) {
        const auto parameter = [&](int operand) { return convert_to<A>(e.operand<T>(operand)[first + f]); };
        mean[f] = parameter(2);
        variance[f] = parameter(3) + least;
        deviation[f] = math::sqrt(variance[f]);
        factor[f] = parameter(1) / deviation[f] / count;
      }
      const auto centered = [&](index_t i, index_t f) { return A(convert_to<A>(x[i]) - mean[f]); };
      const auto grad = [&](index_t i) { return convert_to<A>(grads[i]); };
      layout.sum(first, some, grad_sum, [&](index_t i, index_t) { return grad(i); });
      layout.sum(first, some, centered_sum,
                 [&](index_t i, index_t f) { return float_multiply(grad(i), centered(i, f)); });
      layout.sum(first, some, grad_scale,
                 [&](index_t i, index_t f) { return float_multiply(grad(i), centered(i, f) / deviation[f]); });
      layout.for_each(first, some, [&](index_t i, index_t f) {
        const A rest = float_multiply(grad(i), count) - grad_sum[f] - centered_sum[f] * centered(i, f) / variance[f];
        result[i] = convert_to<T>(A(factor[f] * rest));
      });
      for (index_t f = 0; f < some; ++f) {
        e.result<T>(1)[first + f] = convert_to<T>(grad_scale[f]);
        e.result<T>(2)[first + f] = convert_to<T>(grad_sum[f]);
      }
    });
  }
};

}  // namespace tenon::ops

namespace tenon {

// batch_norm_grad<ops::batch_norm_grad{.epsilon = 1e-3, .feature_index = 3}>(operand, scale, mean, variance,
// grad_output): three results, the gradients by operand, scale and offset. Floats of one type; operand and grad_output
// have one shape, the others an element for each feature.
template <ops::batch_norm_grad Op, operand_like... Operands>
constexpr auto batch_norm_grad(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
