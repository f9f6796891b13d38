// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/op.hpp>

namespace tenon {

// The label of the first rule that the op breaks for these operand types; empty if it breaks none.
template <class Op>
constexpr std::string_view broken_by(const Op& self, std::initializer_list<tensor_type> operands,
                                     std::initializer_list<tensor_type> declared = {},
                                     std::initializer_list<core::signature> regions = {},
                                     const core::type_details* details = nullptr) {
  core::rules rule;
  rule.details = details;
  rule.declared = {declared.begin(), int(declared.size())};
  rule.regions = {regions.begin(), int(regions.size())};
  tensor_type storage[32];
  core::table<tensor_type> results{storage, 0, 32};
  infer_results(self, rule, {operands.begin(), int(operands.size())}, results);
  return rule.broken() ? std::string_view(rule.label) : std::string_view{};
}

// The type of the op's first result, for operand types that break no rule.
template <class Op>
constexpr tensor_type result_type(const Op& self, std::initializer_list<tensor_type> operands,
                                  std::initializer_list<tensor_type> declared = {},
                                  std::initializer_list<core::signature> regions = {},
                                  const core::type_details* details = nullptr) {
  core::rules rule;
  rule.details = details;
  rule.declared = {declared.begin(), int(declared.size())};
  rule.regions = {regions.begin(), int(regions.size())};
  tensor_type storage[32];
  core::table<tensor_type> results{storage, 0, 32};
  infer_results(self, rule, {operands.begin(), int(operands.size())}, results);
  return rule.broken() || results.size == 0 ? tensor_type{} : storage[0];
}

}  // namespace tenon
