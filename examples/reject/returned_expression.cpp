// SPDX-License-Identifier: Apache-2.0
//
// An expression refers to the tensors it is made of, so it cannot leave the function that owns them.
// expect: private
// expect: returned_expression.cpp:16

#include <tenon/tenon.hpp>

using namespace tenon;

auto twice() {
  tensor<f32, 2> x{1, 2};
  auto doubled = x + x;
  // This would refer to x after the end of x.
  //
  return doubled;
}

int main() { print(twice()); }
