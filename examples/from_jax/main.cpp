// SPDX-License-Identifier: Apache-2.0
//
// A model from JAX with its weights in a file: export.py writes both, the C++ compiler makes the program.

#include <tenon/programs.hpp>

#include <cstdio>

struct model {
  static constexpr std::string_view text =
#include "model.mlir.inc"
      ;
};

using namespace tenon;

int main() {
  tensor<f32, 4, 3> weights;
  try {
    load_npy("weights.npy", weights);
  } catch (const error& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
  const tensor<f32, 2, 4> x{{1, 2, 3, 4}, {4, 3, 2, 1}};

  tensor<f32, 2, 3> y = program<model>{}(x, weights);
  print(y, stdout, {.most_digits = 4});
}
