// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

#include <tenon/grid.hpp>

using namespace tenon;

namespace {

// Runs a traced function on two processes, whose operands are {1, 2} and {10, 20}, and prints what each of them gets.
template <class Function>
void print_on_two(const Function& function) {
  const tensor<i32, 2> operands[]{{1, 2}, {10, 20}};
  decltype(function(operands[0])) found[2];
  simulated_grid grid({2, 1});
  grid.run([&](process_context& process) {
    const int at = process.id().replica;
    found[at] = function.as(process)(operands[at]);
  });
  print(found[0]);
  print(found[1]);
}

}  // namespace

void collective() {
  example("all_reduce");
  constexpr auto summed =
      trace([](auto x) { return all_reduce<ops::all_reduce{.replica_groups = {{0, 1}}}>(x, ops::add{}); });
  print_on_two(summed);

  example("all_gather");
  constexpr auto gathered =
      trace([](auto x) { return all_gather<ops::all_gather{.all_gather_dim = 0, .replica_groups = {{0, 1}}}>(x); });
  print_on_two(gathered);

  example("reduce_scatter");
  constexpr auto shared = trace([](auto x) {
    return reduce_scatter<ops::reduce_scatter{.scatter_dimension = 0, .replica_groups = {{0, 1}}}>(x, ops::add{});
  });
  print_on_two(shared);

  example("all_to_all");
  constexpr auto dealt = trace([](auto x) {
    return all_to_all<ops::all_to_all{
        .split_dimension = 0, .concat_dimension = 0, .split_count = 2, .replica_groups = {{0, 1}}}>(x);
  });
  print_on_two(dealt);

  example("ragged_all_to_all");
  constexpr auto collected = trace([](auto x) {  // everybody sends its first row to process 0
    const tensor<i64, 2> none{0, 0}, to_first{1, 0};
    return ragged_all_to_all<ops::ragged_all_to_all{.replica_groups = {{0, 1}}}>(
        x, x * 0, none, to_first, broadcast<ints{2}>(convert<i64>(replica_id())), to_first);
  });
  print_on_two(collected);

  example("collective_broadcast");
  constexpr auto told =
      trace([](auto x) { return collective_broadcast<ops::collective_broadcast{.replica_groups = {{1, 0}}}>(x); });
  print_on_two(told);

  example("collective_permute");
  constexpr auto handed_on =
      trace([](auto x) { return collective_permute<ops::collective_permute{.source_target_pairs = {{0, 1}}}>(x); });
  print_on_two(handed_on);

  example("collective_reduce");
  constexpr auto totalled = trace(
      [](auto x) { return collective_reduce<ops::collective_reduce{.replica_groups = {{0, 1}}}>(x, ops::add{}); });
  print_on_two(totalled);

  example("cross_replica_sum");
  constexpr auto added =
      trace([](auto x) { return cross_replica_sum<ops::cross_replica_sum{.replica_groups = {{0, 1}}}>(x); });
  print_on_two(added);

  example("replica_id");
  constexpr auto numbered = trace([](auto x) { return x + convert<i32>(broadcast<ints{2}>(replica_id())); });
  print_on_two(numbered);

  example("partition_id");
  constexpr auto placed = trace([](auto x) { return x + convert<i32>(broadcast<ints{2}>(partition_id())); });
  print_on_two(placed);
}
