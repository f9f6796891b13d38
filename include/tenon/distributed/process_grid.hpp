// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/grid.hpp>.
#pragma once

#include <tenon/core/message.hpp>
#include <tenon/ops/process_groups.hpp>

namespace tenon {

// Calls f(process) for every process of the grid, row by row: a row has the partitions of one replica.
template <class Function>
constexpr void for_each_process(const process_grid& grid, Function f) {
  for (int flat = 0; flat < grid.size(); ++flat) f(process_at(grid, flat));
}

// Calls f(group) once for every group of processes into which `replica_groups` splits the grid: those that
// cross_replica(replica_groups) and its kin of the specification give. Each group stands where its first member does.
// https://openxla.org/stablehlo/spec#process-grid
template <class Function>
constexpr void for_each_group(const process_grid& grid, process_grouping grouping, const id_table& replica_groups,
                              Function f) {
  for_each_process(grid, [&](const process_id& process) {
    const process_group group = group_of(grid, grouping, process, replica_groups);
    if (group.size() > 0 && group.member(0) == process) f(group);
  });
}

// "(1, 0)": replica and partition.
template <int Capacity>
constexpr core::message_text<Capacity>& operator<<(core::message_text<Capacity>& text, const process_id& process) {
  return text << "(" << process.replica << ", " << process.partition << ")";
}

}  // namespace tenon
