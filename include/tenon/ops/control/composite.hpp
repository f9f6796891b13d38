// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/ops/op.hpp>

namespace tenon {

namespace detail {

constexpr bool is_name_character(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' || c == '$';
}

}  // namespace detail

// A namespace and a name, as in "my.op": words of letters, digits, _ and $ between dots, the namespace without a
// leading digit.
constexpr bool is_namespaced_op_name(std::string_view text) {
  bool has_namespace = false;
  int length = 0;
  for (char c : text) {
    if (c == '.') {
      if (length == 0) return false;
      has_namespace = true;
      length = 0;
    } else if (!detail::is_name_character(c) || (length == 0 && !has_namespace && '0' <= c && c <= '9')) {
      return false;
    } else {
      ++length;
    }
  }
  return has_namespace && length > 0;
}

}  // namespace tenon

namespace tenon::ops {

// A call of its decomposition, under a name. The region is the body of the function that `decomposition` names.
// https://openxla.org/stablehlo/spec#composite
struct composite {
  static constexpr std::string_view name = "composite";
  static constexpr op_notation notation = op_notation::composite;
  static constexpr std::string_view no_maps = "its decomposition has them";
  static constexpr bool moves_bytes = true, is_call = true;
  name_id decomposition{};  // first, as the callee of a call
  name_id name_{};
  opaque_attribute composite_attributes{};
  std::int32_t version = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("decomposition", self.decomposition) && visit("name_", self.name_) &&
           visit("composite_attributes", self.composite_attributes) && visit("version", self.version);
  }

  constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) const {
    const signature function = rule.regions[0];
    rule("composite_c1", "is_namespaced_op_name(name)",
         rule.details == nullptr || is_namespaced_op_name(rule.name_of(name_.id)));
    const std::string_view written = rule.name_of(composite_attributes.id);
    rule("composite_i3", "composite_attributes: attribute dictionary", written.empty() || written[0] == '{');
    rule("composite_c2", "is_defined_in_parent_scope(decomposition)", decomposition.id >= 0);
    if (!rule.regions.empty()) {
      rule("composite_c3", "types(inputs...) == input_types(decomposition)", inputs == function.arguments);
      rule("composite_c4", "types(results...) == output_types(decomposition)",
           rule.declared.empty() || rule.declared == function.results);
    }
    for (const tensor_type& result : rule.regions.empty() ? rule.declared : function.results) results.push(result);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    e.run(0, e.operands.data, e.results.data);
  }
};

}  // namespace tenon::ops
