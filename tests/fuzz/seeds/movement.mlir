func.func @main(%x: tensor<2x3xf32>, %s: tensor<f32>, %n: tensor<i32>) -> (tensor<7x2xf32>, tensor<2x3x4xui8>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<3x2xf32>
  %2 = stablehlo.pad %1, %s, low = [1, 0], high = [-1, 0], interior = [1, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  %3 = stablehlo.slice %2 [0:4:2, 0:2] : (tensor<5x2xf32>) -> tensor<2x2xf32>
  %4 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<2x2xf32>, tensor<5x2xf32>) -> tensor<7x2xf32>
  %6 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3x4xui8>
  %7 = stablehlo.reshape %6 : (tensor<2x3x4xui8>) -> tensor<24xui8>
  %8 = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi64>
  %9 = stablehlo.dynamic_reshape %7, %8 : (tensor<24xui8>, tensor<3xi64>) -> tensor<2x3x4xui8>
  %10 = "stablehlo.broadcast"(%s) <{broadcast_sizes = array<i64: 2, 2>}> : (tensor<f32>) -> tensor<2x2xf32>
  %11 = "stablehlo.set_dimension_size"(%5, %n) <{dimension = 0 : i64}> : (tensor<7x2xf32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<7, ?>>
  %12 = stablehlo.get_dimension_size %11, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<7, ?>>) -> tensor<i32>
  return %5, %9 : tensor<7x2xf32>, tensor<2x3x4xui8>
}
