func.func @main(%x: tensor<9223372036854775807xcomplex<f32>>) -> tensor<complex<f64>> {
  %y = "stablehlo.bitcast_convert"(%x) : (tensor<9223372036854775807xcomplex<f32>>) -> tensor<complex<f64>>
  return %y : tensor<complex<f64>>
}
