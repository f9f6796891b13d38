func.func @main(%x: tensor<1x4x2xf32>, %window: tensor<0x2x3xf32>) -> tensor<1x5x3xf32> {
  %padding = stablehlo.constant dense<9223372036854775807> : tensor<1x2xi64>
  %y = "stablehlo.dynamic_conv"(%x, %window, %padding) <{
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  }> : (tensor<1x4x2xf32>, tensor<0x2x3xf32>, tensor<1x2xi64>) -> tensor<1x5x3xf32>
  return %y : tensor<1x5x3xf32>
}
