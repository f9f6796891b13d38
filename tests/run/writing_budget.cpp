// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>

using namespace tenon;

namespace {

// The sizes of all that the loop carries multiply to 10^324, which is no number. It is compiled and never run.
struct large_carries {
  static constexpr std::string_view text = R"(
func.func @main(%a: tensor<1000000000xf32>) -> tensor<1000000000xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %r:19 = stablehlo.while(%i = %zero, %c0 = %a, %c1 = %a, %c2 = %a, %c3 = %a, %c4 = %a, %c5 = %a, %c6 = %a,
      %c7 = %a, %c8 = %a, %c9 = %a, %c10 = %a, %c11 = %a, %c12 = %a, %c13 = %a, %c14 = %a, %c15 = %a,
      %c16 = %a, %c17 = %a)
    : tensor<i32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>
  cond {
    %go = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %c0, %c1 : tensor<1000000000xf32>
    stablehlo.return %next, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15,
      %c16, %c17, %sum
      : tensor<i32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>,
      tensor<1000000000xf32>, tensor<1000000000xf32>, tensor<1000000000xf32>
  }
  return %r#1 : tensor<1000000000xf32>
}
)";
};
using code = execution::compiled<detail::program_source<large_carries>>;

constexpr ir::graph graph = code::graph();
constexpr planning::plan plan = code::plan();
constexpr execution::estimated_time time = [] {
  execution::estimated_time sum;
  for (const planning::plan_step& step : plan.steps) sum.add(graph, step);
  return sum;
}();
static_assert(time.ops > 0 && time.ops < 1e30);

}  // namespace
