// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/reduction/batch_norm.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#batch_norm_inference
struct batch_norm_inference {
  static constexpr std::string_view name = "batch_norm_inference";
  static constexpr bool dequantizes = true;
  double epsilon = 0;  // rounded to f32, its type
  index_t feature_index = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("epsilon", self.epsilon) && visit("feature_index", self.feature_index);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& scale,
                              const tensor_type& offset, const tensor_type& mean, const tensor_type& variance) const {
    constexpr const char* vector = "1-dimensional tensor of floating-point or per-tensor quantized type";
    const auto is_vector = [&](const tensor_type& type) { return rule.is(type, batch_norm_kinds) && type.rank() == 1; };
    rule("batch_norm_inference_i1", "operand: tensor of floating-point or per-tensor quantized type",
         rule.is(operand, batch_norm_kinds));
    rule("batch_norm_inference_i2", vector, is_vector(scale));
    rule("batch_norm_inference_i3", vector, is_vector(offset));
    rule("batch_norm_inference_i4", vector, is_vector(mean));
    rule("batch_norm_inference_i5", vector, is_vector(variance));
    rule("batch_norm_inference_c1", "0 <= feature_index < rank(operand)",
         0 <= feature_index && feature_index < operand.rank());
    for (const tensor_type& other : {scale, offset, mean, variance})
      rule("batch_norm_inference_c2",
           "operand, scale, offset, mean, variance and result have the same baseline_element_type",
           rule.baseline(other) == rule.baseline(operand));
    const index_t features = operand.dim(feature_index);
    rule("batch_norm_inference_c3", "size(scale) = dim(operand, feature_index)", scale.dim(0) == features);
    rule("batch_norm_inference_c4", "size(offset) = dim(operand, feature_index)", offset.dim(0) == features);
    rule("batch_norm_inference_c5", "size(mean) = dim(operand, feature_index)", mean.dim(0) == features);
    rule("batch_norm_inference_c6", "size(variance) = dim(operand, feature_index)", variance.dim(0) == features);
    return batch_norm_result(rule, "batch_norm_inference_c7", "baseline_type(operand) = baseline_type(result)",
                             operand);
  }

  // The vectors have an element for each feature.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type>, list<tensor_type> results) const {
    return operand == 0 ? indexing::identity_map(results[0].shape)
                        : indexing::axis_map(results[0].shape, feature_index);
  }

  // (operand - mean) / sqrt(variance + epsilon) * scale + offset; narrow floats are computed in f32.
  template <class T>
  void evaluate(const evaluation& e) const {
    using A = compute_t<T>;
    const feature_layout<T> layout(e.operand_types[0].shape, feature_index);
    const T* const x = e.operand<T>(0);
    T* const result = e.result<T>();
    layout.for_each_block([&](index_t first, index_t some) {
      A scale[layout.at_once], offset[layout.at_once], mean[layout.at_once], deviation[layout.at_once];
      for (index_t f = 0; f < some; ++f) {
        const auto parameter = [&](int operand) { return convert_to<A>(e.operand<T>(operand)[first + f]); };
        scale[f] = parameter(1), offset[f] = parameter(2), mean[f] = parameter(3);
        deviation[f] = math::sqrt(A(parameter(4) + A(float(epsilon))));
      }
      layout.for_each(first, some, [&](index_t i, index_t f) {
        const A normalized = (convert_to<A>(x[i]) - mean[f]) / deviation[f];
        result[i] = convert_to<T>(float_multiply(scale[f], normalized) + offset[f]);
      });
    });
  }
};

}  // namespace tenon::ops

namespace tenon {

// batch_norm_inference<ops::batch_norm_inference{.epsilon = 1e-3, .feature_index = 3}>(operand, scale, offset, mean,
// variance): (operand - mean) / sqrt(variance + epsilon) * scale + offset. Floats of one type; all but the operand,
// whose type the result has, have an element for each feature.
template <ops::batch_norm_inference Op, operand_like... Operands>
constexpr auto batch_norm_inference(Operands&&... operands) {
  return apply<Op>(static_cast<Operands&&>(operands)...);
}

}  // namespace tenon
