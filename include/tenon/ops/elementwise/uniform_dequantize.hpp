// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/map.hpp>
#include <tenon/ops/elementwise/expressed_values.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#uniform_dequantize
struct uniform_dequantize {
  static constexpr std::string_view name = "uniform_dequantize";
  static constexpr int typed_by = -1;

  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    rule("uniform_dequantize_i1", "operand: quantized tensor", rule.is(operand, kinds::quantized));
    const tensor_type result = operand.with_element(rule.baseline(operand));
    rule.result_shape("uniform_dequantize_c1", "shape(operand) = shape(result)", operand.shape);
    rule.result_element("uniform_dequantize_c2", "element_type(result) = expressed_type(operand)", result);
    return result;
  }

  // Element by element.
  static constexpr indexing::indexing_map reads(int, int, list<tensor_type>, list<tensor_type> results) {
    return indexing::identity_map(results[0].shape);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    if constexpr (is_float(dtype_of<T>)) {
      const tensor_type& operand = e.operand_types.data[0];
      const quantization from = e.details->quantization_of(operand);
      scale_walk scales(from, operand);
      if constexpr (std::same_as<T, f32>) {
        const auto in_lanes = [&]<class S>(S) {
          dequantize_in_lanes(e.operand<S>(0), e.result<f32>(), operand.size(), scales);
        };
        if (with_lanes_of(from, scales, in_lanes)) return;
      }
      expressed_values values;
      index_t count = 0;
      for (index_t i = 0; i < operand.size(); i += count) {
        count = operand.size() - i < values.capacity ? operand.size() - i : values.capacity;
        values.read(operand.element, e.operands.data[0], i, count);
        values.dequantize(from, scales, count);
        values.write(e.result<T>(), i, count);
      }
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// The numbers that a quantized tensor stands for: (stored - zero point) * scale. The result has the expressed type, and
// the same shape.
constexpr auto uniform_dequantize(auto&& x, op_check<ops::uniform_dequantize{}, result_types<>, decltype(x)> = {}) {
  return apply<ops::uniform_dequantize{}>(static_cast<decltype(x)>(x));
}

}  // namespace tenon
