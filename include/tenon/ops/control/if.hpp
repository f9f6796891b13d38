// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/branch_rules.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#if
struct if_ {
  static constexpr std::string_view name = "if";
  static constexpr std::string_view no_maps = "its branches have them";
  static constexpr bool moves_bytes = true, places_results = true, runs_on_values = true;

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    rule("if_i1", "pred: 0-dimensional tensor of type i1", operands.size == 1 && operands[0] == type_of(dtype::i1));
    rule("if_i2", "true_branch and false_branch: functions", rule.regions.size == 2);
    check_branches(rule, {"if_c1", "if_c2", "if_c3", "if_o1"}, results);
  }

  // The branches take nothing.
  static constexpr void region_arguments(int, list<tensor_type>, table<tensor_type>&) {}

  // On values in registers (kernels/region/register_code.hpp).
  template <class Regions, class Values>
  [[gnu::always_inline]] static constexpr auto on_values(const Regions& regions, const Values& values) {
    return regions.run_any(regions.number(values) ? 0 : 1);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    e.run(*e.operand<bool>(0) ? 0 : 1, nullptr, e.results.data);
  }
};

}  // namespace tenon::ops

namespace tenon {

// if_(pred, what to do if it is true, what to do if it is false): the results of one branch. pred is a tensor<bool>
// without dimensions; branches are functions without arguments, whose results have the same types.
template <class... Arguments, class Rules = ops::regions_kept<ops::if_{}, 2, Arguments...>>
constexpr auto if_(Arguments&&... arguments) {
  return ops::call_with_regions<ops::if_{}, 2>(static_cast<Arguments&&>(arguments)...);
}
template <class... Arguments, class Rule = ops::regions_broken<ops::if_{}, 2, Arguments...>>
void if_(Arguments&&...) = delete;

}  // namespace tenon
