// SPDX-License-Identifier: Apache-2.0
//
// expect: grad_by_integers.cpp:18
// expect: grad_argument
// expect: what is differentiated by has elements of floating-point or complex type
// expect gcc: tensor<3xi32>

#include <tenon/gradients.hpp>

using namespace tenon;

constexpr auto total = trace([](auto x, auto i) { return sum(x * convert<f32>(i)); });

int main() {
  tensor<f32, 3> x{1, 2, 3};
  tensor<i32, 3> i{1, 2, 3};

  auto y = grad<1>(total)(x, i);
}
