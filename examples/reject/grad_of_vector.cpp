// SPDX-License-Identifier: Apache-2.0
//
// expect: grad_of_vector.cpp:18
// expect: grad_loss
// expect: what is differentiated is one real number, of floating-point type and without dimensions
// expect gcc: tensor<3xf32>

#include <tenon/gradients.hpp>

using namespace tenon;

constexpr auto squares = trace([](auto x) { return x * x; });
constexpr auto slope = grad(squares);

int main() {
  tensor<f32, 3> x{1, 2, 3};

  tensor<f32, 3> y = slope(x);
}
