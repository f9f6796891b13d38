// SPDX-License-Identifier: Apache-2.0
//
// expect: line 2, column 46: quantized_element_c3: min_value(storage_type) <= storage_min < storage_max <= max_valu
// expect: line 2, column 30: quantized_tensor_c13: dim(self, quantization_dimension) = size(scales)
// expect: line 3, column 10: uniform_dequantize_c2: element_type(result) = expressed_type(operand)

#include <tenon/tenon.hpp>

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x!quant.uniform<i8<-200:127>:f32, 0.5>>) {
    %0 = stablehlo.abs %x : tensor<2x!quant.uniform<i8<-200:127>:f32, 0.5>>
    return
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) {
    %0 = stablehlo.abs %x : tensor<2x3x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
    return
  }
)");

using third = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
    %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf64>
    return
  }
)");

int main() {
  first{}();
  second{}();
  third{}();
}
