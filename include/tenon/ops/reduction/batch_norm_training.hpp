// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/reduction/batch_norm.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#batch_norm_training
struct batch_norm_training {
  static constexpr std::string_view name = "batch_norm_training";
  static constexpr bool dequantizes = true;
  double epsilon = 0;  // rounded to f32, its type
  index_t feature_index = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("epsilon", self.epsilon) && visit("feature_index", self.feature_index);
  }

  // Operands: operand, scale, offset. Results: output, batch_mean, batch_var.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    constexpr const char* vector = "1-dimensional tensor of floating-point or per-tensor quantized type";
    const tensor_type operand = operands[0], scale = operands[1], offset = operands[2];
    rule("operands", "the number of operands is the one that the op takes", operands.size == 3);
    rule("batch_norm_training_i1", "operand: tensor of floating-point or per-tensor quantized type",
         rule.is(operand, batch_norm_kinds));
    rule("batch_norm_training_i2", vector, rule.is(scale, batch_norm_kinds) && scale.rank() == 1);
    rule("batch_norm_training_i3", vector, rule.is(offset, batch_norm_kinds) && offset.rank() == 1);
    rule("batch_norm_training_c1", "0 <= feature_index < rank(operand)",
         0 <= feature_index && feature_index < operand.rank());
    constexpr const char* same_elements =
        "operand, scale, offset, batch_mean, batch_var and output have the same baseline_element_type";
    rule("batch_norm_training_c2", same_elements,
         rule.baseline(scale) == rule.baseline(operand) && rule.baseline(offset) == rule.baseline(operand));
    const ints features{operand.dim(feature_index)};
    rule("batch_norm_training_c3", "size(scale) = dim(operand, feature_index)", scale.shape == features);
    rule("batch_norm_training_c4", "size(offset) = dim(operand, feature_index)", offset.shape == features);
    for (int i = 1; i < rule.declared.size; ++i)
      rule("batch_norm_training_c2", same_elements, rule.baseline(rule.declared[i]) == rule.baseline(operand));
    rule.result_shape("batch_norm_training_c5", "size(batch_mean) = dim(operand, feature_index)", features, 1);
    rule.result_shape("batch_norm_training_c6", "size(batch_var) = dim(operand, feature_index)", features, 2);
    results.push(
        batch_norm_result(rule, "batch_norm_training_c7", "baseline_type(output) = baseline_type(operand)", operand));
    results.push(batch_norm_result(rule, "batch_norm_training_c5", "batch_mean is like scale", scale, 1));
    results.push(batch_norm_result(rule, "batch_norm_training_c6", "batch_var is like scale", scale, 2));
  }

  // Mean and variance are those of all elements of the feature.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const ints shape = operands[0].shape;
    if (result == 0 && operand > 0) return indexing::axis_map(shape, feature_index);
    if (operand > 0) return indexing::nothing_map(results[result].shape, operands[operand].shape);
    if (result > 0) return indexing::broadcast_in_dim_output_map(shape, results[result].shape, {feature_index});
    return indexing::whole_axes_map(shape, shape, ints::range(shape.size).without({feature_index}));
  }

  // The variance is the mean of the squared distances from the mean. Narrow floats are computed in f32.
  template <class T>
  void evaluate(const evaluation& e) const {
    using A = compute_t<T>;
    const feature_layout<T> layout(e.operand_types[0].shape, feature_index);
    const T *const x = e.operand<T>(0), *const scales = e.operand<T>(1), *const offsets = e.operand<T>(2);
    T* const result = e.result<T>();
    const A count = layout.elements_per_feature(), least = A(float(epsilon));
    layout.for_each_block([&](index_t first, index_t some) {
      A means[layout.at_once], variances[layout.at_once], deviations[layout.at_once];
      A scale[layout.at_once], offset[layout.at_once];
      layout.sum(first, some, means, [&](index_t i, index_t) { return convert_to<A>(x[i]); });
      for (index_t f = 0; f < some; ++f) means[f] /= count;
      layout.sum(first, some, variances, [&](index_t i, index_t f) {
        const A distance = convert_to<A>(x[i]) - means[f];
        return float_multiply(distance, distance);
      });
      for (index_t f = 0; f < some; ++f) {
        variances[f] /= count;
        deviations[f] = math::sqrt(A(variances[f] + least));
        scale[f] = convert_to<A>(scales[first + f]);
        offset[f] = convert_to<A>(offsets[first + f]);
        e.result<T>(1)[first + f] = convert_to<T>(means[f]);
        e.result<T>(2)[first + f] = convert_to<T>(variances[f]);
      }
      layout.for_each(first, some, [&](index_t i, index_t f) {
        result[i] =
            convert_to<T>(float_multiply(scale[f], (convert_to<A>(x[i]) - means[f]) / deviations[f]) + offset[f]);
      });
    });
  }
};

}  // namespace tenon::ops

namespace tenon {

// batch_norm_training<ops::batch_norm_training{.epsilon = 1e-3, .feature_index = 3}>(operand, scale, offset): three
// results, as batch_norm_inference with the mean and the variance of the operand itself, and these two. Floats of one
// type; scale and offset have an element for each feature.
template <ops::batch_norm_training Op, operand_like... Operands>
constexpr auto batch_norm_training(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
