// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/process_groups.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using enum process_grouping;

static_assert(grouping_of_reduction(0, false) == cross_replica);
static_assert(grouping_of_reduction(-1, false) == cross_replica);
static_assert(grouping_of_reduction(1, false) == cross_replica_and_partition);
static_assert(grouping_of_reduction(1, true) == flattened_ids);
static_assert(grouping_of_exchange(0) == cross_replica);
static_assert(grouping_of_exchange(1) == cross_partition);

constexpr rules grid(int num_replicas, int num_partitions) {
  rules rule;
  rule.grid_known = true;
  rule.num_replicas = num_replicas;
  rule.num_partitions = num_partitions;
  return rule;
}
static_assert(id_count(grid(2, 3), cross_replica) == 2);
static_assert(id_count(grid(2, 3), cross_replica_and_partition) == 2);
static_assert(id_count(grid(2, 3), cross_partition) == 3);
static_assert(id_count(grid(2, 3), flattened_ids) == 6);

constexpr ints_table pairs{{0, 1}, {2, 3}};
static_assert(group_size(grid(4, 3), pairs, cross_replica) == 2);
static_assert(group_size(grid(4, 3), pairs, cross_replica_and_partition) == 6);
static_assert(group_size(rules{}, pairs, cross_replica_and_partition) == 0);
static_assert(group_size(rules{}, {}, cross_replica) == 0);

TEST_CASE("a process by itself") {
  expect_alone("test", {{0, -1}});
  CHECK_THROWS_AS(expect_alone("test", pairs), error);
}

}  // namespace
}  // namespace tenon::test
