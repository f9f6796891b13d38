// SPDX-License-Identifier: Apache-2.0
//
// A program whose argument may be of any length up to ten: the bound is what memory is planned for, the size is known
// when it runs.

#include <tenon/tenon.hpp>

using namespace tenon;

using spread = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xf32, #stablehlo.bounds<10>>) -> (tensor<?xf32, #stablehlo.bounds<10>>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<10>>) -> tensor<i32>
    %count = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<?xf32, #stablehlo.bounds<10>>, tensor<f32>) -> tensor<f32>
    %mean = stablehlo.divide %sum, %count : tensor<f32>
    %means = stablehlo.broadcast_in_dim %mean, dims = [] : (tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<10>>
    %rest = stablehlo.subtract %x, %means : tensor<?xf32, #stablehlo.bounds<10>>
    return %rest, %mean : tensor<?xf32, #stablehlo.bounds<10>>, tensor<f32>
  }
)");

int main() {
  bounded_tensor<f32, 10> x(ints{4});  // room for ten, four of them used
  for (index_t i = 0; i < x.size(0); ++i) x(i) = f32(2 * i + 1);

  auto [rest, mean] = spread{}(x);  // bounded_tensor<f32, 10>, tensor<f32>
  print(mean);
  print(rest.as<4>());

  auto [none, zero] = spread{}(tensor<f32, 2>{5, 5});  // a tensor that is no larger will do
  print(none.as<2>());
}
