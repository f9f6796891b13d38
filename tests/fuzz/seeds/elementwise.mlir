func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  %1 = stablehlo.add %0, %y : tensor<4xf32>
  %2 = stablehlo.atan2 %1, %x : tensor<4xf32>
  %3 = stablehlo.clamp %x, %2, %y : tensor<4xf32>
  %4 = stablehlo.compare LT, %3, %x, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = stablehlo.select %4, %3, %y : tensor<4xi1>, tensor<4xf32>
  %6 = stablehlo.complex %5, %y : tensor<4xcomplex<f32>>
  %7 = stablehlo.exponential %6 : tensor<4xcomplex<f32>>
  %8 = stablehlo.real %7 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %9 = stablehlo.imag %7 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %10 = stablehlo.power %8, %9 : tensor<4xf32>
  %11 = stablehlo.reduce_precision %10, format = e5m10 : tensor<4xf32>
  %12 = stablehlo.convert %11 : (tensor<4xf32>) -> tensor<4xi32>
  %13 = stablehlo.shift_right_arithmetic %12, %i : tensor<4xi32>
  %14 = stablehlo.popcnt %13 : tensor<4xi32>
  %15 = stablehlo.remainder %14, %i : tensor<4xi32>
  %16 = stablehlo.convert %15 : (tensor<4xi32>) -> tensor<4xf32>
  %17 = stablehlo.tan %16 {result_accuracy = #stablehlo.result_accuracy<ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %18 = "stablehlo.logistic"(%17) : (tensor<4xf32>) -> tensor<4xf32>
  %19 = stablehlo.not %p : tensor<4xi1>
  %20 = stablehlo.is_finite %18 : (tensor<4xf32>) -> tensor<4xi1>
  %21 = stablehlo.xor %19, %20 : tensor<4xi1>
  %22 = stablehlo.select %21, %18, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %22 : tensor<4xf32>
}
