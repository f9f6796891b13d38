func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<3x2x2xf32>, tensor<2x2xf32>, tensor<i32>) {
  %0 = stablehlo.dot %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.einsum"(%x, %x) <{einsum_config = "ij,kj->ik"}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "stablehlo.unary_einsum"(%x) <{einsum_config = "ij->j"}> : (tensor<2x2xf32>) -> tensor<2xf32>
  %3 = "stablehlo.broadcast"(%x) <{broadcast_sizes = array<i64: 3>}> : (tensor<2x2xf32>) -> tensor<3x2x2xf32>
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  %i = stablehlo.constant dense<0> : tensor<i32>
  %pair = stablehlo.tuple %x, %i : tuple<tensor<2x2xf32>, tensor<i32>>
  %w = "stablehlo.while"(%pair) ({
    ^bb0(%p: tuple<tensor<2x2xf32>, tensor<i32>>):
      %k = stablehlo.get_tuple_element %p[1] : (tuple<tensor<2x2xf32>, tensor<i32>>) -> tensor<i32>
      %five = stablehlo.constant dense<5> : tensor<i32>
      %lt = stablehlo.compare LT, %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
  }, {
    ^bb0(%p: tuple<tensor<2x2xf32>, tensor<i32>>):
      %k = stablehlo.get_tuple_element %p[1] : (tuple<tensor<2x2xf32>, tensor<i32>>) -> tensor<i32>
      %v = stablehlo.get_tuple_element %p[0] : (tuple<tensor<2x2xf32>, tensor<i32>>) -> tensor<2x2xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %k1 = stablehlo.add %k, %one : tensor<i32>
      %v1 = stablehlo.add %v, %v : tensor<2x2xf32>
      %q = stablehlo.tuple %v1, %k1 : tuple<tensor<2x2xf32>, tensor<i32>>
      stablehlo.return %q : tuple<tensor<2x2xf32>, tensor<i32>>
  }) : (tuple<tensor<2x2xf32>, tensor<i32>>) -> tuple<tensor<2x2xf32>, tensor<i32>>
  %a = stablehlo.get_tuple_element %w[0] : (tuple<tensor<2x2xf32>, tensor<i32>>) -> tensor<2x2xf32>
  %b = stablehlo.get_tuple_element %w[1] : (tuple<tensor<2x2xf32>, tensor<i32>>) -> tensor<i32>
  return %0, %1, %2, %3, %a, %b : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<3x2x2xf32>, tensor<2x2xf32>, tensor<i32>
}
