// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/branch_rules.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#case
struct case_ {
  static constexpr std::string_view name = "case";
  static constexpr std::string_view no_maps = "its branches have them";
  static constexpr bool moves_bytes = true, places_results = true, runs_on_values = true;

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    rule("case_i1", "index: 0-dimensional tensor of type si32",
         operands.size == 1 && operands[0] == type_of(dtype::i32));
    rule("case_c1", "0 < size(branches)", rule.regions.size > 0);
    check_branches(rule, {"case_c2", "case_c3", "case_c4", "case_o1"}, results);
  }

  // The branches take nothing.
  static constexpr void region_arguments(int, list<tensor_type>, table<tensor_type>&) {}

  // On values in registers (kernels/region/register_code.hpp): the last branch is run for all that others are not.
  template <class Regions, class Values>
  [[gnu::always_inline]] static constexpr auto on_values(const Regions& regions, const Values& values) {
    return regions.run_any(regions.number(values));
  }

  // An index that names no branch stands for the last.
  template <class>
  void evaluate(const evaluation& e) const {
    const std::int32_t index = *e.operand<std::int32_t>(0), last = e.regions.size - 1;
    e.run(0 <= index && index < last ? index : last, nullptr, e.results.data);
  }
};

}  // namespace tenon::ops

namespace tenon {

// case_(index, what to do for 0, what to do for 1, ..., what to do for everything else): the results of one branch.
// index is a tensor<i32> without dimensions; branches are functions without arguments, whose results have the same
// types.
template <class Index, class... Branches,
          class Rules = rules_kept_by<op_call<ops::case_{}, result_types<>, bodies<Branches...>>, Index>>
constexpr auto case_(Index&& index, Branches...) {
  return apply<ops::case_{}, result_types<>, bodies<Branches...>>(static_cast<Index&&>(index));
}
template <class Index, class... Branches,
          class Rule = call_broken_by<op_call<ops::case_{}, result_types<>, bodies<Branches...>>, Index>>
void case_(Index&&, Branches...) = delete;

}  // namespace tenon
