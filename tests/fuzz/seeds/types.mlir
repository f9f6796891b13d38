#value = dense<[0.5, -1.0e-3]> : tensor<2xf64>
!pair = tuple<tensor<2xf32>, tuple<!stablehlo.token, tensor<?xi4, #stablehlo.bounds<9>>>>
func.func private @declared(tensor<2xf32>, !pair) -> (tensor<ui2>, !stablehlo.future<tensor<f32>>)
func.func @main(%t: !pair, %q: tensor<2x3x!quant.uniform<i8:f32:1, {0.5:-3, 0.25, 1.0:7}>>, %b: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  %0 = stablehlo.uniform_dequantize %q : (tensor<2x3x!quant.uniform<i8:f32:1, {0.5:-3, 0.25, 1.0:7}>>) -> tensor<2x3xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8<1:200>:f32, 0.1:128>>
  %2 = stablehlo.add %1, %1 : tensor<2x3x!quant.uniform<u8<1:200>:f32, 0.1:128>>
  %3 = "stablehlo.constant"() <{value = #value}> : () -> tensor<2xf64>
  %4 = stablehlo.constant dense<[(1.0, 0x7FF8000000000000), (0xFFF0000000000000, -0.0)]> : tensor<2xcomplex<f64>>
  %5 = stablehlo.constant dense<"0x0102030405060708"> : tensor<2x4xi8>
  %6 = stablehlo.constant dense<[[true, false]]> : tensor<1x2xi1>
  %7 = stablehlo.constant dense<> : tensor<0x3xbf16>
  %8 = stablehlo.iota dim = 1 : tensor<2x3xf8E4M3FN>
  %9 = stablehlo.constant dense<[0x7E, 1.5]> : tensor<2xf8E5M2>
  %12 = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %10, %11 = stablehlo.rng_bit_generator %12, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  %13 = stablehlo.add %b, %b : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  return %13 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
