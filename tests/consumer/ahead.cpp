// SPDX-License-Identifier: Apache-2.0
#include <tenon/planned_programs.hpp>

#include <string_view>

using namespace tenon;

struct addition {
  static constexpr std::string_view text =
#include "addition.mlir.inc"
      ;
};

int main() {
  tensor<f32, 2, 3> x = {{1, 2, 3}, {4, 5, 6}};
  tensor<f32, 2, 3> y = {{6, 5, 4}, {3, 2, 1}};
  auto [sum] = program<addition>{}(x, y);
  for (const f32 element : sum)
    if (element != 7) return 1;
  return 0;
}
