// SPDX-License-Identifier: Apache-2.0
//
// Programs of several processes, written in C++: a sum that goes round a ring, a pipeline of three stages, and what a
// sum of 100,000 processes would cost.

#include <tenon/grid.hpp>
#include <tenon/tensors.hpp>

#include <cstdio>
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

// The same sum with as few bytes as there can be: in three turns each part goes round and grows, in three more the
// finished parts go round, so that everybody sends a quarter of the vector six times.
constexpr auto thrifty_ring_sum = trace([](auto x) {
  const auto self = convert<i32>(replica_id());
  const auto part = [&](int turns_ago) { return (self + (8 - turns_ago)) % 4; };
  auto sums = x;
  for (int turn = 0; turn < 3; ++turn) {
    const auto grown = collective_permute<to_the_next>(dynamic_slice<ints{1}>(sums, part(turn)));
    const auto own = dynamic_slice<ints{1}>(sums, part(turn + 1));
    sums = dynamic_update_slice(sums, grown + own, part(turn + 1));
  }
  for (int turn = 0; turn < 3; ++turn) {
    const auto finished = collective_permute<to_the_next>(dynamic_slice<ints{1}>(sums, part(turn - 1)));
    sums = dynamic_update_slice(sums, finished, part(turn));
  }
  return sums;
});

// A pipeline: in each of three turns a stage takes what is fed, if it is the first one, or what the stage before it has
// made in the turn before; who receives nothing has zeros. The last stage is done when three turns are.
constexpr ops::send to_the_stage_behind{.channel_id = 1, .source_target_pairs = {{0, 1}, {1, 2}}};
constexpr ops::recv from_the_stage_before{.channel_id = 1, .source_target_pairs = {{0, 1}, {1, 2}}};
constexpr auto three_turns = trace([](auto fed, auto weight) {
  const auto first = fed * weight;
  const auto [second, received] =
      recv<from_the_stage_before, vector::type>(send<to_the_stage_behind>(first, create_token()));
  const auto [third, done] =
      recv<from_the_stage_before, vector::type>(send<to_the_stage_behind>((fed + second) * weight, received));
  return (fed + third) * weight;
});

constexpr auto sum_of_all = trace([](auto x) { return all_reduce<ops::all_reduce{}>(x, ops::add{}); });

int main() {
  std::vector<vector> sums(4), stages(3);
  simulated_grid ring({4, 1});
  ring.run([&](process_context& process) {
    const int at = process.id().replica;
    sums[std::size_t(at)] = ring_sum.as(process)(vector{1, 2, f32(at), f32(10 * at)});
  });
  print(sums[0]);
  ring.run([&](process_context& process) {
    const int at = process.id().replica;
    sums[std::size_t(at)] = thrifty_ring_sum.as(process)(vector{1, 2, f32(at), f32(10 * at)});
  });
  for (const vector& each : sums) print(each);

  simulated_grid pipeline({1, 3});
  pipeline.run([&](process_context& process) {
    const int at = process.id().partition;
    const f32 fed = at == 0 ? 1 : 0;
    stages[std::size_t(at)] = three_turns.as(process)(vector{fed, fed, fed, fed}, vector{1, 2, 3, f32(at + 1)});
  });
  print(stages[2]);

  predicted_grid cluster({100'000, 1});
  cluster.run([&](process_context& process) { (void)sum_of_all.as(process)(vector{1, 2, 3, 4}); });
  const double seconds = cluster.counted().seconds({.latency = 2e-6, .bandwidth = 1e10});
  std::printf("%.4f s\n", seconds);
}
