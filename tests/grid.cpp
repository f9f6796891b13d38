// SPDX-License-Identifier: Apache-2.0
#include <tenon/grid.hpp>
#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_CASE("processes of a grid add up what they have") {
  constexpr auto sum_over_replicas = trace([](auto x) { return all_reduce<ops::all_reduce{{{0, 1}}}>(x, ops::add{}); });
  i32 sums[2]{};
  simulated_grid grid({2, 1});
  grid.run([&](process_context& process) {
    const int at = flat_id(grid.grid(), process.id());
    const tensor<i32, 1> mine{10 + at};
    sums[at] = sum_over_replicas.as(process)(mine)(0);
  });
  CHECK(sums[0] == 21);
  CHECK(sums[1] == 21);
}
