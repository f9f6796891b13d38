// SPDX-License-Identifier: Apache-2.0
//
// expect: within_bytes.cpp:20
// expect: within_bytes
// expect gcc: the smallest working memory found has

#include <tenon/gradients.hpp>

using namespace tenon;

constexpr auto rolled = trace([](auto x) {
  return sum(while_<at_most<100>>(x, [](auto at) { return max(at) < 3.0f; }, [](auto at) { return sin(at) * 1.5f; }));
});
constexpr auto slope = grad(rolled).within<1_KiB>;

int main() {
  tensor<f32, 64> x{};

  // Nothing else is wrong.
  tensor<f32, 64> y = slope(x);
}
