// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: a traced function has no captures: give it what it needs as arguments

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 2> weights{1, 2};
  auto scaled = trace([&](auto x) { return x * weights; });
}
