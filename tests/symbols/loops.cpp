// SPDX-License-Identifier: Apache-2.0
//
// A loop whose body copies slices, sums over two dimensions with what each of them repeats and over one of one element,
// and looks rows up.
#include <tenon/run/program.hpp>

struct diffusion {
  static constexpr std::string_view text = R"(
func.func @main(%x: tensor<40x50xf32>, %a: tensor<40xf32>, %b: tensor<50xf32>, %places: tensor<9x1xi32>)
    -> (tensor<40x50xf32>, tensor<f32>, tensor<9x50xf32>, tensor<50xf32>) {
  %none = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %most = stablehlo.constant dense<10> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %last:2 = stablehlo.while(%i = %none, %y = %x) : tensor<i32>, tensor<40x50xf32>
   cond {
    %more = stablehlo.compare LT, %i, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %first = stablehlo.slice %y [0:1, 0:50] : (tensor<40x50xf32>) -> tensor<1x50xf32>
    %rest = stablehlo.slice %y [1:40, 0:50] : (tensor<40x50xf32>) -> tensor<39x50xf32>
    %turned = stablehlo.concatenate %rest, %first, dim = 0
      : (tensor<39x50xf32>, tensor<1x50xf32>) -> tensor<40x50xf32>
    %next = stablehlo.add %turned, %y : tensor<40x50xf32>
    %count = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %count, %next : tensor<i32>, tensor<40x50xf32>
  }
  %rows = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<40xf32>) -> tensor<40x50xf32>
  %columns = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<50xf32>) -> tensor<40x50xf32>
  %scaled = stablehlo.multiply %last#1, %rows : tensor<40x50xf32>
  %moved = stablehlo.add %scaled, %columns : tensor<40x50xf32>
  %sum = stablehlo.reduce(%moved init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<40x50xf32>, tensor<f32>) -> tensor<f32>
  %found = "stablehlo.gather"(%x, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 50>,
    indices_are_sorted = false}> : (tensor<40x50xf32>, tensor<9x1xi32>) -> tensor<9x50xf32>
  %part = stablehlo.slice %moved [7:8, 0:50] : (tensor<40x50xf32>) -> tensor<1x50xf32>
  %single = stablehlo.reduce(%part init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<1x50xf32>, tensor<f32>) -> tensor<50xf32>
  return %last#1, %sum, %found, %single : tensor<40x50xf32>, tensor<f32>, tensor<9x50xf32>, tensor<50xf32>
})";
};
using net = tenon::program<diffusion>;
static_assert(net::code::first_kept() < 0);

extern "C" void run(const void* const* arguments, void* const* results, void* arena) {
  net::code::run(arguments, results, arena);
}
