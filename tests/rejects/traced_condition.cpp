// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: a traced value is not known before the program runs: instead of if, while, for, && and || on it write
// errors: 1

#include <tenon/tenon.hpp>

using namespace tenon;

constexpr auto larger = trace([](auto x, auto y) {
  if (sum(x) > sum(y)) return x;
  return y;
});

int main() {
  tensor<f32, 2, 3> x, y;
  const auto z = larger(x, y);
  return int(z(0, 0));
}
