// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/op.hpp>

#include <initializer_list>
#include <string_view>

namespace tenon::test {
using namespace core;

// The rule that the op breaks where the values of some operands are known; `constants` stand in the order of the
// operands, {} where nothing is known.
template <class Op>
constexpr std::string_view broken_by_constants(const Op& self, std::initializer_list<tensor_type> operands,
                                               std::initializer_list<tensor_type> declared,
                                               std::initializer_list<std::initializer_list<index_t>> constants) {
  list<index_t> known[8];
  int count = 0;
  for (const auto& constant : constants) known[count++] = {constant.begin(), int(constant.size())};
  rules rule;
  rule.declared = {declared.begin(), int(declared.size())};
  rule.constants = {known, count};
  tensor_type storage[8];
  table<tensor_type> results{storage, 0, 8};
  infer_results(self, rule, {operands.begin(), int(operands.size())}, results);
  return rule.broken() ? std::string_view(rule.label) : std::string_view{};
}

// The same on a grid of that many replicas and partitions.
struct process_grid {
  int num_replicas, num_partitions;
};
template <class Op>
constexpr std::string_view broken_on(const process_grid& grid, const Op& self,
                                     std::initializer_list<tensor_type> operands,
                                     std::initializer_list<tensor_type> declared = {},
                                     std::initializer_list<signature> regions = {}) {
  rules rule;
  rule.grid_known = true;
  rule.num_replicas = grid.num_replicas;
  rule.num_partitions = grid.num_partitions;
  rule.declared = {declared.begin(), int(declared.size())};
  rule.regions = {regions.begin(), int(regions.size())};
  tensor_type storage[8];
  table<tensor_type> results{storage, 0, 8};
  infer_results(self, rule, {operands.begin(), int(operands.size())}, results);
  return rule.broken() ? std::string_view(rule.label) : std::string_view{};
}

}  // namespace tenon::test
