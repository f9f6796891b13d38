// SPDX-License-Identifier: Apache-2.0
#include <tenon/distributed/process_grid.hpp>

#include <string_view>

namespace tenon::test {
using namespace core;

namespace {

constexpr process_grid grid{2, 3};

// All groups, as text.
struct listing {
  message_text<200> text;

  constexpr listing(process_grouping grouping, const id_table& groups) {
    for_each_group(grid, grouping, groups, [&](const process_group& group) {
      text << "[";
      for (int i = 0; i < group.size(); ++i) text << group.member(i);
      text << "]";
    });
  }
};

constexpr std::string_view all = "[(0, 0)(0, 1)(0, 2)(1, 0)(1, 1)(1, 2)]";
constexpr id_table replicas{{1, 0}}, partitions{{2, 0}, {1, no_process}}, ids{{0, 1, 2, 3, 4, 5}};
static_assert(listing(process_grouping::cross_replica, replicas).text.view() ==
              "[(1, 0)(0, 0)][(1, 1)(0, 1)][(1, 2)(0, 2)]");
static_assert(listing(process_grouping::cross_partition, partitions).text.view() ==
              "[(0, 1)][(0, 2)(0, 0)][(1, 1)][(1, 2)(1, 0)]");
static_assert(listing(process_grouping::cross_replica_and_partition, replicas).text.view() ==
              "[(1, 0)(0, 0)(1, 1)(0, 1)(1, 2)(0, 2)]");
static_assert(listing(process_grouping::flattened_ids, ids).text.view() == all);
static_assert(listing(process_grouping::flattened_ids, {}).text.view() == all);

// Every process is in the group that it finds itself in, in the same place.
constexpr bool agree(process_grouping grouping, const id_table& groups) {
  bool holds = true;
  for_each_group(grid, grouping, groups, [&](const process_group& group) {
    for (int i = 0; i < group.size(); ++i) {
      const process_group own = group_of(grid, grouping, group.member(i), groups);
      holds = holds && own == group && own.find(group.member(i)) == i;
    }
  });
  return holds;
}
static_assert(agree(process_grouping::cross_replica, replicas) &&
              agree(process_grouping::cross_partition, partitions) &&
              agree(process_grouping::cross_replica_and_partition, replicas) &&
              agree(process_grouping::flattened_ids, ids));

}  // namespace
}  // namespace tenon::test
