// SPDX-License-Identifier: Apache-2.0
//
// expect: grad_while.cpp:21
// expect: grad_while
// expect: while_<at_most<N>>
// expect: fixed_point

#include <tenon/gradients.hpp>

using namespace tenon;

constexpr auto root = trace([](auto c) {
  return while_(
      c, c, [](auto x, auto y) { return x * x > y; }, [](auto x, auto y) { return results(0.5f * (x + y / x), y); })[0];
});
constexpr auto slope = grad(root);

int main() {
  tensor<f32> x(2.0f);

  tensor<f32> y = slope(x);
}
