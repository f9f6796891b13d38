// SPDX-License-Identifier: Apache-2.0
//
// A model that is planned before the compiler runs: CMakeLists.txt says tenon_add_program(planned_ahead AHEAD
// model.mlir). The compiler then includes no parser, no passes and no planner, and evaluates none.

#include <tenon/planned_programs.hpp>

struct model {
  static constexpr std::string_view text =
#include "model.mlir.inc"
      ;
};

using namespace tenon;

int main() {
  const tensor<f32, 2, 4> x{{1, 2, 3, 4}, {4, 3, 2, 1}};

  tensor<f32, 2, 3> y = program<model>{}(x);
  print(y, stdout, {.most_digits = 4});
}
