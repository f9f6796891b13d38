// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#get_tuple_element
struct get_tuple_element {
  static constexpr std::string_view name = "get_tuple_element";
  static constexpr op_notation notation = op_notation::get_tuple_element;
  static constexpr std::string_view no_maps = "a tuple has no elements to index";
  static constexpr bool moves_bytes = true;
  std::int32_t index = 0;

  static constexpr bool attributes(auto& self, auto visit) { return visit("index", self.index); }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    const list<tensor_type> members = rule.members_of(operand);
    rule("get_tuple_element_i1", "operand: tuple", operand.element == dtype::tuple);
    rule("get_tuple_element_c1", "0 <= index < size(operand)", 0 <= index && index < members.size);
    return rule.result("get_tuple_element_c2", "type(result) = tuple_element_types(operand)[index]", members[index]);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    copy_bytes(e.results.data[0],
               e.operand<unsigned char>(0) + member_offset(e.operand_types.data[0], index, e.details),
               value_bytes(e.result_types.data[0], e.details));
  }
};

}  // namespace tenon::ops
