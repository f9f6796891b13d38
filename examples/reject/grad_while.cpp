// SPDX-License-Identifier: Apache-2.0
//
// expect: grad_while.cpp:22
// expect: grad_while
// expect: while_<at_most<N>>
// expect: fixed_point

#include <tenon/gradients.hpp>

using namespace tenon;

constexpr auto root = trace([](auto c) {
  return sum(while_(
      c, c, [](auto x, auto y) { return sum(x * x) > sum(y); },
      [](auto x, auto y) { return results(0.5f * (x + sum(y) / x), y); })[0]);
});
constexpr auto slope = grad(root);

int main() {
  tensor<f32, 2> x{2.0f, 3.0f};

  tensor<f32, 2> y = slope(x);
}
