// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/value_bytes.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/plan.hpp>

// The memory traffic of a plan. Tiles of a group are not counted: they stay in the caches.
namespace tenon::planning {

constexpr index_t bytes_in_memory(const graph& g, int value) {
  const tensor_type& type = g.type_of_value(value);
  return type.is_tensor() ? byte_size(type) : 0;
}

constexpr index_t elements_of(const strided_access& access) {
  index_t elements = 1;
  for (int d = 0; d < access.sizes.size; ++d)
    if (access.strides.at[d] != 0) elements *= access.sizes.at[d];
  return elements;
}

// Elements that a group reads of a value, each counted once.
constexpr index_t bytes_read(const graph& g, const plan& p, const plan_step& step, const plan_read& read) {
  const tensor_type& type = g.type_of_value(read.value);
  index_t elements = read.per_row ? step.count / step.row : step.count;
  if (read.access >= 0 && read.kind != load_kind::gather) elements = elements_of(p.accesses.data[read.access]);
  if (elements > type.size()) elements = type.size();
  for (const plan_constant& each : p.constants)
    if (each.value == read.value && elements > each.count) elements = each.count;
  return elements * index_t(storage_bytes(type.element));
}

// Bytes that a step reads of its i-th operand: nothing of what the op of the step has computed in place, or what is
// computed for it range by range.
constexpr index_t bytes_read(const graph& g, const plan& p, const plan_step& step, int operand) {
  const int value = p.values.data[step.first + operand];
  const int reads = step.has_group() ? step.read_count : 0;
  if (operand >= reads) {
    if (p.fuses_producer(step, value)) return 0;
    const int view = step.first_view >= 0 ? p.values.data[step.first_view + operand - reads] : -1;
    if (view < 0) return bytes_in_memory(g, value);
    const index_t elements = elements_of(p.accesses.data[view]), size = g.type_of_value(value).size();
    return (elements < size ? elements : size) * index_t(storage_bytes(g.type_of_value(value).element));
  }
  const plan_read& read = p.reads.data[step.first_read + operand];
  return read.why == not_fused_because::in_place ? 0 : bytes_read(g, p, step, read);
}

// Bytes that a step reads and writes. A value that it reads in several ways is counted as often. Of a step with regions
// only what it takes and gives itself.
constexpr index_t bytes_moved(const graph& g, const plan& p, const plan_step& step) {
  index_t bytes = 0;
  for (int i = 0; i < step.operand_count; ++i) bytes += bytes_read(g, p, step, i);
  for (int r = 0; r < step.result_count && !step.is_fused_producer; ++r)
    bytes += bytes_in_memory(g, p.values.data[step.first + step.operand_count + r]);
  return bytes;
}

// Bytes that all steps of a program read and write, those of regions once.
constexpr index_t bytes_moved(const graph& g, const plan& p) {
  index_t bytes = 0;
  for (const plan_step& step : p.steps) bytes += bytes_moved(g, p, step);
  return bytes;
}

// Bytes that no plan for the program can do without: of each argument and constant as much as the step that reads most
// of it, and each result, once.
constexpr index_t minimum_bytes(const graph& g, const plan& p) {
  const graph_region& main = g.regions.data[g.functions.data[0].region];
  index_t bytes = 0;
  for (int v = 0; v < g.values.size; ++v) {
    const graph_value& value = g.values.data[v];
    const bool is_argument = value.node < 0 && value.region == g.functions.data[0].region;
    if (!is_argument && (value.node < 0 || !is_constant(g.nodes.data[value.node]))) continue;
    index_t most = 0;
    for (const plan_step& step : p.steps)
      for (int i = 0; i < step.operand_count; ++i) {
        if (root_of(g, p.values.data[step.first + i]) != v) continue;
        const index_t read = bytes_read(g, p, step, i);
        if (read > most) most = read;
      }
    bytes += most;
  }
  const list<int> yields = g.yields_of(main);
  for (int i = 0; i < yields.size; ++i) {
    bool again = false;
    for (int j = 0; j < i; ++j) again = again || yields.data[j] == yields.data[i];
    const int from = root_of(g, yields.data[i]);
    if (!again && g.values.data[from].node >= 0 && !is_constant(g.nodes.data[g.values.data[from].node]))
      bytes += bytes_in_memory(g, yields.data[i]);
  }
  return bytes;
}

}  // namespace tenon::planning
