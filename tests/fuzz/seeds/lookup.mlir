func.func @main(%x: tensor<3x4x2xi64>, %at: tensor<2x3x2xi64>, %up: tensor<2x3x2x2xi64>, %i: tensor<i64>) -> tensor<1x2x2xi64> {
  %0 = "stablehlo.gather"(%x, %at) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = false}> : (tensor<3x4x2xi64>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi64>
  %1 = "stablehlo.scatter"(%x, %at, %up) <{
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %2 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %2 : tensor<i64>
  }) : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<2x3x2x2xi64>) -> tensor<3x4x2xi64>
  %3 = stablehlo.dynamic_slice %1, %i, %i, %i, sizes = [1, 2, 2] : (tensor<3x4x2xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x2xi64>
  %4 = stablehlo.dynamic_update_slice %x, %3, %i, %i, %i : (tensor<3x4x2xi64>, tensor<1x2x2xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x4x2xi64>
  %5 = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %6 = "stablehlo.dynamic_gather"(%4, %at, %5) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}>
    : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xi64>
  return %3 : tensor<1x2x2xi64>
}
