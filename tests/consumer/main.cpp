// SPDX-License-Identifier: Apache-2.0
#include <tenon/tenon.hpp>
#include <tenon/threads.hpp>

#include <string_view>

using namespace tenon;

struct addition {
  static constexpr std::string_view text =
#include "addition.mlir.inc"
      ;
};
static_assert(addition::text.ends_with("}\n"));

int main() {
  tensor<f32, 2, 3> x = {{1, 2, 3}, {4, 5, 6}};
  tensor<f32, 2, 3> y = {{6, 5, 4}, {3, 2, 1}};
  tensor<f32, 2, 3> seven = {{7, 7, 7}, {7, 7, 7}};
  tensor<f32, 2, 3> sum = x + y;
  auto [parsed_sum] = program<addition>{}(x, y);
  return equal(sum, seven) && equal(parsed_sum, seven) ? 0 : 1;
}
