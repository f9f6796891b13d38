// Products of integers of 8 bits, which some machines sum up where they lie, quantized numbers, and a bounded dimension.
module {
  func.func public @main(%x: tensor<4x24xi8>, %w: tensor<24x10xi8>, %q: tensor<2x3x!quant.uniform<i8:f32, 0.1:-5>>,
                         %b: tensor<?x3xf32, #stablehlo.bounds<5, ?>>)
      -> (tensor<4x10xi8>, tensor<2x3x!quant.uniform<i8:f32, 0.25:7>>, tensor<3xf32>, tensor<?x3xf32, #stablehlo.bounds<5, ?>>) {
    %sums = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x24xi8>, tensor<24x10xi8>) -> tensor<4x10xi32>
    %low = stablehlo.constant dense<-128> : tensor<i32>
    %high = stablehlo.constant dense<127> : tensor<i32>
    %shift = stablehlo.constant dense<6> : tensor<4x10xi32>
    %shifted = stablehlo.shift_right_arithmetic %sums, %shift : tensor<4x10xi32>
    %clamped = stablehlo.clamp %low, %shifted, %high : (tensor<i32>, tensor<4x10xi32>, tensor<i32>) -> tensor<4x10xi32>
    %0 = stablehlo.convert %clamped : (tensor<4x10xi32>) -> tensor<4x10xi8>
    %1 = stablehlo.add %q, %q : (tensor<2x3x!quant.uniform<i8:f32, 0.1:-5>>, tensor<2x3x!quant.uniform<i8:f32, 0.1:-5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.25:7>>
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%b init: %none) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32, #stablehlo.bounds<5, ?>>, tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.exponential %b : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
    return %0, %1, %2, %3 : tensor<4x10xi8>, tensor<2x3x!quant.uniform<i8:f32, 0.25:7>>, tensor<3xf32>, tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  }
}
