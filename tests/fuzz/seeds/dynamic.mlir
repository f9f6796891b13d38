func.func @main(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<4xi32>, tensor<4x3xf32>, tensor<2x2xf32>, tensor<1x3xf32>) {
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %r3 = stablehlo.reshape %c3 : (tensor<i32>) -> tensor<1xi32>
  %r2 = stablehlo.reshape %c2 : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %r3, %r2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  %s23 = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %row = stablehlo.slice %x [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %1 = "stablehlo.dynamic_broadcast_in_dim"(%row, %s23) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %four = stablehlo.constant dense<[4]> : tensor<1xi64>
  %2 = "stablehlo.dynamic_iota"(%four) <{iota_dimension = 0 : i64}> : (tensor<1xi64>) -> tensor<4xi32>
  %z = stablehlo.constant dense<9.0> : tensor<f32>
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %zero = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %3 = stablehlo.dynamic_pad %x, %z, %low, %low, %zero : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x3xf32>
  %st = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %li = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<2xi32>
  %4 = stablehlo.real_dynamic_slice %x, %st, %li, %one : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
  %i = stablehlo.constant dense<[1]> : tensor<1xi32>
  %sz = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %5 = "stablehlo.dynamic_gather"(%x, %i, %sz) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0], index_vector_dim = 0>}> : (tensor<2x3xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<1x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<4xi32>, tensor<4x3xf32>, tensor<2x2xf32>, tensor<1x3xf32>
}
