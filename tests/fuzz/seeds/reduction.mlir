func.func @main(%x: tensor<4x6xf32>, %z: tensor<f32>, %i: tensor<4x6xi32>, %j: tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4x6xf32>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %1:2 = stablehlo.reduce(%x init: %z), (%i init: %j) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
      %2 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>
      %4 = stablehlo.select %2, %c, %d : tensor<i1>, tensor<i32>
      stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
    }
  %5 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>,
      padding = dense<0> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %6 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %6 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x2xf32>
  %7 = "stablehlo.select_and_scatter"(%x, %5, %z) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %8 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x6xf32>
  %10:2 = "stablehlo.sort"(%7, %i) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %11 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
  }) : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  %12 = stablehlo.slice %x [0:1, 0:6] : (tensor<4x6xf32>) -> tensor<1x6xf32>
  %13 = stablehlo.reshape %12 : (tensor<1x6xf32>) -> tensor<6xf32>
  %14:3 = "stablehlo.batch_norm_training"(%x, %13, %13) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
  %15 = "stablehlo.map"(%x, %10#0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %16 = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %16 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0, %1#1, %15 : tensor<4xf32>, tensor<4xi32>, tensor<4x6xf32>
}
