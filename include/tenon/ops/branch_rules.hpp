// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>

namespace tenon::ops {

// The rules of the branches of if and case, and their results.
struct branch_labels {
  const char *no_arguments, *same_results, *results, *kinds;
};

constexpr void check_branches(rules& rule, const branch_labels& labels, table<tensor_type>& results) {
  const list<tensor_type> given = rule.regions[0].results;
  for (const signature& branch : rule.regions) {
    rule(labels.no_arguments, "input_types(branches...) = []", branch.arguments.empty());
    rule(labels.same_results, "same(output_types(branches...))", branch.results == given);
  }
  rule(labels.results, "type(results...) = output_types(branches[0])", rule.declared.empty() || rule.declared == given);
  for (const tensor_type& type : given) {
    rule(labels.kinds, "results: tensors, quantized tensors or tokens", type.is_tensor() || type.is_token());
    results.push(type);
  }
}

}  // namespace tenon::ops
