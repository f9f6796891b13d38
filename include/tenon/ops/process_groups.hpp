// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/rules.hpp>

namespace tenon {

// How the numbers in replica_groups and source_target_pairs name processes of the grid of replicas and partitions.
// https://openxla.org/stablehlo/spec#process-grid
enum class process_grouping {
  cross_replica,                // replicas, in each partition by itself
  cross_partition,              // partitions, in each replica by itself
  cross_replica_and_partition,  // replicas, all their partitions together
  flattened_ids                 // replica * num_partitions + partition
};

// Of all_gather, all_reduce and reduce_scatter.
constexpr process_grouping grouping_of_reduction(index_t channel_id, bool use_global_device_ids) {
  if (channel_id <= 0) return process_grouping::cross_replica;
  return use_global_device_ids ? process_grouping::flattened_ids : process_grouping::cross_replica_and_partition;
}
// Of the others.
constexpr process_grouping grouping_of_exchange(index_t channel_id) {
  return channel_id <= 0 ? process_grouping::cross_replica : process_grouping::cross_partition;
}

// How many ids there are for it.
constexpr index_t id_count(const rules& rule, process_grouping grouping) {
  switch (grouping) {
    case process_grouping::cross_partition:
      return rule.num_partitions;
    case process_grouping::flattened_ids:
      return index_t{rule.num_replicas} * rule.num_partitions;
    default:
      return rule.num_replicas;
  }
}

// Stands for no process where groups of different sizes are written as rows of one table.
inline constexpr index_t no_process = -1;

// dim(process_groups, 1), or 0 where only the grid decides it.
constexpr index_t group_size(const rules& rule, const ints_table& groups, process_grouping grouping) {
  if (groups.empty()) return 0;
  if (grouping != process_grouping::cross_replica_and_partition) return groups.columns;
  return rule.grid_known ? index_t{groups.columns} * rule.num_partitions : 0;
}

struct replica_group_labels {
  const char* unique;
  const char* size;  // none: not every process needs to be in a group
  const char* range;
  bool padded = false;  // whether groups may have different sizes
};

// Groups that are not written are not checked.
constexpr void check_replica_groups(rules& rule, const replica_group_labels& labels, const ints_table& groups,
                                    process_grouping grouping) {
  const int total = groups.rows * groups.columns;
  index_t count = 0;
  for (int i = 0; i < total; ++i)
    if (!labels.padded || groups.at[i] != no_process) ++count;
  const index_t limit = labels.size != nullptr ? count : rule.grid_known ? id_count(rule, grouping) : INT64_MAX;
  for (int i = 0; i < total; ++i) {
    if (labels.padded && groups.at[i] == no_process) continue;
    for (int j = 0; j < i; ++j) rule(labels.unique, "is_unique(replica_groups)", groups.at[i] != groups.at[j]);
    rule(labels.range, "0 <= replica_groups < the number of ids", 0 <= groups.at[i] && groups.at[i] < limit);
  }
  if (labels.size != nullptr && rule.grid_known && !groups.empty())
    rule(labels.size, "size(replica_groups) = the number of replicas, or of processes",
         count == id_count(rule, grouping));
}

struct source_target_labels {
  const char *columns, *sources, *targets, *range;
};

constexpr void check_source_target_pairs(rules& rule, const source_target_labels& labels, const ints_table& pairs,
                                         process_grouping grouping) {
  const index_t limit = rule.grid_known ? id_count(rule, grouping) : INT64_MAX;
  rule(labels.columns, "dim(source_target_pairs, 1) = 2", pairs.empty() ? pairs.dropped == 0 : pairs.columns == 2);
  for (int i = 0; i < pairs.rows; ++i) {
    for (int j = 0; j < i; ++j) {
      rule(labels.sources, "is_unique(source_target_pairs[:, 0])", pairs(i, 0) != pairs(j, 0));
      rule(labels.targets, "is_unique(source_target_pairs[:, 1])", pairs(i, 1) != pairs(j, 1));
    }
    for (int column = 0; column < 2; ++column)
      rule(labels.range, "0 <= source_target_pairs < the number of ids",
           0 <= pairs(i, column) && pairs(i, column) < limit);
  }
}

// On a grid of one process. Fails where others are meant to take part.
inline void expect_alone(std::string_view op, const ints_table& ids) {
  for (int i = 0; i < ids.rows * ids.columns; ++i)
    if (ids.at[i] > 0) fail(op, ": process ", ids.at[i], " takes part, but the program runs by itself");
}

}  // namespace tenon
