func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = "stablehlo.set_dimension_size"(%x, %n) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %d = stablehlo.add %b, %b : tensor<?xf32, #stablehlo.bounds<4>>
  %s = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<i32>
  %m = stablehlo.reduce(%b init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<f32>
  return %s, %g, %m : tensor<f32>, tensor<i32>, tensor<f32>
}
