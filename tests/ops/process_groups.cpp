// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/process_groups.hpp>

#include <initializer_list>

namespace tenon::test {
using namespace core;

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

constexpr id_table pairs{{0, 1}, {2, 3}};
static_assert(group_size(grid(4, 3), pairs, cross_replica) == 2);
static_assert(group_size(grid(4, 3), pairs, cross_replica_and_partition) == 6);
static_assert(group_size(rules{}, pairs, cross_replica_and_partition) == 0);
static_assert(group_size(rules{}, {}, cross_replica) == 0);

// 2 replicas x 3 partitions.
constexpr process_grid wide{2, 3};
static_assert(wide.size() == 6 && flat_id(wide, {1, 2}) == 5 && process_at(wide, 5) == process_id{1, 2});

constexpr bool are(const process_group& group, std::initializer_list<process_id> members) {
  int i = 0;
  for (const process_id& each : members)
    if (i >= group.size() || !(group.member(i++) == each)) return false;
  return i == group.size();
}
constexpr id_table backwards{{1, 0}}, ragged{{2, 0}, {1, no_process}}, ids{{0, 4}, {5, 1}};
static_assert(are(group_of(wide, cross_replica, {0, 2}, backwards), {{1, 2}, {0, 2}}));
static_assert(are(group_of(wide, cross_partition, {1, 0}, ragged), {{1, 2}, {1, 0}}));
static_assert(are(group_of(wide, cross_partition, {1, 1}, ragged), {{1, 1}}));
static_assert(are(group_of(wide, flattened_ids, {1, 1}, ids), {{0, 0}, {1, 1}}));
static_assert(are(group_of(wide, flattened_ids, {0, 2}, ids), {}));
// Partitions are outermost.
static_assert(are(group_of(wide, cross_replica_and_partition, {0, 1}, backwards),
                  {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {1, 2}, {0, 2}}));
static_assert(are(group_of(wide, cross_replica, {0, 1}, {}), {{0, 1}, {1, 1}}));
static_assert(group_of(wide, cross_replica, {0, 2}, backwards).find({0, 2}) == 1);
static_assert(group_of(wide, cross_replica, {0, 2}, backwards).find({0, 1}) == -1);
static_assert(group_of(wide, cross_replica, {0, 2}, backwards) == group_of(wide, cross_replica, {1, 2}, backwards));
static_assert(!(group_of(wide, cross_replica, {0, 2}, backwards) == group_of(wide, cross_replica, {0, 1}, backwards)));
static_assert(id_under(cross_partition, wide, {1, 2}) == 2 && id_under(flattened_ids, wide, {1, 2}) == 5 &&
              id_under(cross_replica, wide, {1, 2}) == 1);

}  // namespace
}  // namespace tenon::test
