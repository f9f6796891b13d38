// SPDX-License-Identifier: Apache-2.0
//
// expect: iota_c1: 0 <= iota_dimension < rank(output); operands:
// expect: creation.cpp:18
// expect: rng_c2: if rng_distribution = NORMAL, then is_float(a); operands: tensor<i32>, tensor<i32>, tensor<1xi64>
// expect: creation.cpp:19
// expect: rng_bit_generator_i2: initial_state: 1-dimensional tensor of type ui64; operands: tensor<2xi32>
// expect: creation.cpp:20

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32> low, high;
  tensor<i64, 1> shape;
  tensor<i32, 2> state;
  auto counted = iota<i32, ints{2, 3}, 2>();
  auto drawn = rng<rng_distribution::NORMAL, ints{3}>(tensor<i32>{}, tensor<i32>{}, shape);
  auto bits = rng_bit_generator<ui32, ints{3}>(state);
}
