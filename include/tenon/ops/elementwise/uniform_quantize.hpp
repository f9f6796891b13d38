// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/map.hpp>
#include <tenon/ops/elementwise/expressed_values.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/result_rules.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#uniform_quantize
struct uniform_quantize {
  static constexpr std::string_view name = "uniform_quantize";
  static constexpr int typed_by = -1;

  // The declared type says how to quantize.
  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    rule("uniform_quantize_i1", "operand: tensor of floating-point or quantized type",
         rule.is(operand, kinds::floating_point | kinds::quantized));
    const tensor_type declared = declared_result(rule, "uniform_quantize_o1");
    rule("uniform_quantize_o1", "result: quantized tensor", rule.is(declared, kinds::quantized));
    if (!has_open_shape(declared))
      rule.result_shape("uniform_quantize_c1", "shape(operand) = shape(result)", operand.shape);
    rule("uniform_quantize_c2",
         "expressed_type(result) = is_float(operand) ? element_type(operand) : expressed_type(operand)",
         rule.baseline(declared) == rule.baseline(operand));
    tensor_type result = operand;
    result.element = declared.element;
    result.quantization = declared.quantization;
    return result;
  }

  // Element by element.
  static constexpr indexing::indexing_map reads(int, int, list<tensor_type>, list<tensor_type> results) {
    return indexing::identity_map(results[0].shape);
  }

  // From one quantization to another by way of the expressed type.
  template <class T>
  void evaluate(const evaluation& e) const {
    if constexpr (is_integer(dtype_of<T>)) {
      const tensor_type &operand = e.operand_types.data[0], &result = e.result_types.data[0];
      const quantization from = operand.is_quantized() ? e.details->quantization_of(operand) : quantization{};
      const quantization to = e.details->quantization_of(result);
      scale_walk from_scales(from, operand), to_scales(to, result);
      if constexpr (quantizes_lanes<T>) {
        if (quantizes_in_lanes<T>(to, to_scales)) {
          if (!operand.is_quantized())
            return quantize_in_lanes(e.operand<f32>(0), e.result<T>(), result.size(), to_scales);
          const auto in_lanes = [&]<class S>(S) {
            f32 expressed[256];
            for (index_t i = 0, count = 0; i < result.size(); i += count) {
              count = result.size() - i < 256 ? result.size() - i : 256;
              dequantize_in_lanes(e.operand<S>(0) + i, expressed, count, from_scales);
              quantize_in_lanes(expressed, e.result<T>() + i, count, to_scales);
            }
          };
          if (with_lanes_of(from, from_scales, in_lanes)) return;
        }
      }
      expressed_values values;
      index_t count = 0;
      for (index_t i = 0; i < result.size(); i += count) {
        count = result.size() - i < values.capacity ? result.size() - i : values.capacity;
        values.read(operand.element, e.operands.data[0], i, count);
        if (operand.is_quantized()) values.dequantize(from, from_scales, count);
        values.quantize(to, to_scales, count);
        values.write(e.result<T>(), i, count);
      }
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// uniform_quantize<Result>(x): floats, or quantized numbers, in the quantized type `Result`, whose shape may be left
// open. The result has the shape of the operand.
template <tensor_type Result, operand_like Operand>
constexpr auto uniform_quantize(Operand&& operand,
                                op_check<ops::uniform_quantize{}, result_types<Result>, Operand> = {}) {
  return apply<ops::uniform_quantize{}, result_types<Result>>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
