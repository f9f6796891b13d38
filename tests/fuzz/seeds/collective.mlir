module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%x: tensor<4x4xf32>, %token: !stablehlo.token) -> tensor<4x4xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = "stablehlo.all_gather"(%0) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4x4xf32>) -> tensor<4x8xf32>
    %3 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<2x8xf32>
    %4 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.replica_id : tensor<ui32>
    %6 = stablehlo.partition_id : tensor<ui32>
    %7 = "stablehlo.async_start"(%x) ({
      ^bb0(%a: tensor<4x4xf32>):
        %8 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
        stablehlo.return %8 : tensor<4x4xf32>
    }) : (tensor<4x4xf32>) -> !stablehlo.future<tensor<4x4xf32>>
    %9 = "stablehlo.async_done"(%7) : (!stablehlo.future<tensor<4x4xf32>>) -> tensor<4x4xf32>
    %10:2 = "stablehlo.infeed"(%token) <{infeed_config = "", layout = [[1, 0]]}> : (!stablehlo.token) -> (tensor<4x4xf32>, !stablehlo.token)
    %11 = "stablehlo.outfeed"(%10#0, %10#1) <{outfeed_config = ""}> : (tensor<4x4xf32>, !stablehlo.token) -> !stablehlo.token
    return %9 : tensor<4x4xf32>
  }
}
