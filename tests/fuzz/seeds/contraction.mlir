func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %image: tensor<1x8x8x3xf32>, %kernel: tensor<3x3x3x4xf32>, %m: tensor<3x3xf64>) -> (tensor<2x3x5xf32>, tensor<1x8x8x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  %2 = stablehlo.cholesky %m, lower = true : tensor<3x3xf64>
  %3 = "stablehlo.triangular_solve"(%2, %m) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %4 = stablehlo.fft %0, type = RFFT, length = [5] : (tensor<2x3x5xf32>) -> tensor<2x3x3xcomplex<f32>>
  %5 = stablehlo.fft %4, type = IRFFT, length = [5] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x5xf32>
  %6 = stablehlo.dot %m, %3, precision = [DEFAULT, DEFAULT] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %7 = stablehlo.einsum %m, %6, config = "ij,jk->ik" : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %8 = stablehlo.unary_einsum %7, config = "ij->i" : (tensor<3x3xf64>) -> tensor<3xf64>
  return %5, %1 : tensor<2x3x5xf32>, tensor<1x8x8x4xf32>
}
