// SPDX-License-Identifier: Apache-2.0
#include <tenon/programs.hpp>
#include <tenon/tensors.hpp>

#include <cstdio>

struct factor_of_jax {
  static constexpr std::string_view text =
#include "cholesky.mlir.inc"
      ;
};

int main() {
  using namespace tenon;
  const auto [factor, info] = program<factor_of_jax>{}(tensor<f32, 2, 2>{{4, 7}, {2, 10}});
  const bool right = factor(0, 0) == 2 && factor(1, 0) == 1 && factor(1, 1) == 3 && *info.data() == 0;
  if (!right) std::puts("another factor than expected");
  return right ? 0 : 1;
}
