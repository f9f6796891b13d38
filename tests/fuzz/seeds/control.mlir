#loc = loc("here":1:2)
module @control attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%n: tensor<i32> {mhlo.layout_mode = "default"} loc("n"), %x: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result", mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<0> : tensor<i32> loc(#loc)
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %x) : tensor<i32>, tensor<3xf32>
     cond {
      %1 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %2 = func.call @double(%iterArg_1) : (tensor<3xf32>) -> tensor<3xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<3xf32>
    } loc(callsite("f" at "g"))
    %4 = "stablehlo.case"(%n) ({
      %5 = stablehlo.negate %0#1 : tensor<3xf32>
      stablehlo.return %5 : tensor<3xf32>
    }, {
      stablehlo.return %x : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %6 = stablehlo.compare EQ, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = "stablehlo.if"(%6) ({
      stablehlo.return %4 : tensor<3xf32>
    }, {
      stablehlo.return %x : tensor<3xf32>
    }) : (tensor<i1>) -> tensor<3xf32>
    %8 = stablehlo.composite "my.double" %7 {composite_attributes = {k = 1 : i64}, decomposition = @double, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    %9:2 = stablehlo.optimization_barrier %8, %n : tensor<3xf32>, tensor<i32>
    %10 = stablehlo.tuple %9#0, %9#1 : tuple<tensor<3xf32>, tensor<i32>>
    %11 = stablehlo.get_tuple_element %10[0] : (tuple<tensor<3xf32>, tensor<i32>>) -> tensor<3xf32>
    %12 = stablehlo.create_token : !stablehlo.token
    %13 = stablehlo.after_all %12, %12 : !stablehlo.token
    %14 = stablehlo.custom_call @unknown(%11) {backend_config = ""} : (tensor<3xf32>) -> tensor<3xf32>
    return %11 : tensor<3xf32>
  }
  func.func private @double(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
