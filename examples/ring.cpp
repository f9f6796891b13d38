// SPDX-License-Identifier: Apache-2.0
//
// Programs of several processes, written in C++: a sum that goes round a ring, and a pipeline of three stages.

#include <tenon/grid.hpp>
#include <tenon/tensors.hpp>

#include <vector>

using namespace tenon;

using vector = tensor<f32, 4>;

// Everybody hands on what came last, three times.
constexpr ops::collective_permute to_the_next{.source_target_pairs = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
constexpr auto ring_sum = trace([](auto x) {
  const auto one = collective_permute<to_the_next>(x);
  const auto two = collective_permute<to_the_next>(one);
  return x + one + two + collective_permute<to_the_next>(two);
});

// A pipeline: in each of three turns a stage takes what is fed, if it is the first one, or what the stage before it has
// made in the turn before; who receives nothing has zeros. The last stage is done when three turns are.
constexpr ops::collective_permute to_the_stage_behind{.source_target_pairs = {{0, 1}, {1, 2}}, .channel_id = 1};
constexpr auto three_turns = trace([](auto fed, auto weight) {
  const auto first = fed * weight;
  const auto second = (fed + collective_permute<to_the_stage_behind>(first)) * weight;
  return (fed + collective_permute<to_the_stage_behind>(second)) * weight;
});

int main() {
  std::vector<vector> sums(4), stages(3);
  simulated_grid ring({4, 1});
  ring.run([&](process_context& process) {
    const int at = process.id().replica;
    sums[std::size_t(at)] = ring_sum.as(process)(vector{1, 2, f32(at), f32(10 * at)});
  });
  print(sums[0]);

  simulated_grid pipeline({1, 3});
  pipeline.run([&](process_context& process) {
    const int at = process.id().partition;
    const f32 fed = at == 0 ? 1 : 0;
    stages[std::size_t(at)] = three_turns.as(process)(vector{fed, fed, fed, fed}, vector{1, 2, 3, f32(at + 1)});
  });
  print(stages[2]);
}
