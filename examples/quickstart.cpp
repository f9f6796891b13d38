// SPDX-License-Identifier: Apache-2.0

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  tensor<f32, 3> y{10, 20, 30};

  tensor<f32, 2, 3> z = x * broadcast<ints{2, 3}>(y) + 2 * sqrt(x);  // one loop, no temporaries

  print(z);
  print(sum<ints{0}>(z));
}
