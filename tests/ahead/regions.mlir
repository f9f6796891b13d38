// Ops with regions, whose memory holds pointers: a loop, a sort of two operands, a fold by two values, a scatter, windows.
module {
  func.func private @step(%x: tensor<6x5xf32>) -> tensor<6x5xf32> {
    %0 = stablehlo.tanh %x : tensor<6x5xf32>
    %1 = stablehlo.add %0, %x : tensor<6x5xf32>
    return %1 : tensor<6x5xf32>
  }
  func.func public @main(%x: tensor<6x5xf32>, %keys: tensor<6x5xi32>)
      -> (tensor<6x5xf32>, tensor<6x5xi32>, tensor<6x5xf32>, tensor<6xf32>, tensor<6xi32>, tensor<7xf32>, tensor<3x5xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %loop:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<6x5xf32>
      cond {
        %p = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %n = stablehlo.add %i, %one : tensor<i32>
        %w = func.call @step(%v) : (tensor<6x5xf32>) -> tensor<6x5xf32>
        stablehlo.return %n, %w : tensor<i32>, tensor<6x5xf32>
      }
    %sorted:2 = "stablehlo.sort"(%keys, %x) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
      %p = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : (tensor<6x5xi32>, tensor<6x5xf32>) -> (tensor<6x5xi32>, tensor<6x5xf32>)
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %places = stablehlo.iota dim = 1 : tensor<6x5xi32>
    %best:2 = stablehlo.reduce(%x init: %low), (%places init: %zero) across dimensions = [1] : (tensor<6x5xf32>, tensor<6x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
      reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
        %p = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %q = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
        %r = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
        stablehlo.return %q, %r : tensor<f32>, tensor<i32>
      }
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %empty = stablehlo.broadcast_in_dim %none, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %where = stablehlo.reshape %best#1 : (tensor<6xi32>) -> tensor<6x1xi32>
    %counted = "stablehlo.scatter"(%empty, %where, %best#0) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      indices_are_sorted = false, unique_indices = false
    }> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<7xf32>, tensor<6x1xi32>, tensor<6xf32>) -> tensor<7xf32>
    %windows = "stablehlo.reduce_window"(%x, %none) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      %t = stablehlo.multiply %s, %s : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<6x5xf32>, tensor<f32>) -> tensor<3x5xf32>
    return %loop#1, %sorted#0, %sorted#1, %best#0, %best#1, %counted, %windows : tensor<6x5xf32>, tensor<6x5xi32>, tensor<6x5xf32>, tensor<6xf32>, tensor<6xi32>, tensor<7xf32>, tensor<3x5xf32>
  }
}
