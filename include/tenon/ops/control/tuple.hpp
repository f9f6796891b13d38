// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#tuple
struct tuple {
  static constexpr std::string_view name = "tuple";
  static constexpr op_notation notation = op_notation::tuple;
  static constexpr std::string_view no_maps = "a tuple has no elements to index";
  static constexpr bool moves_bytes = true;

  static constexpr void infer(rules& rule, list<tensor_type> val, table<tensor_type>& results) {
    const tensor_type result = rule.declared[0];
    rule("tuple_o1", "result: tuple", result.element == dtype::tuple);
    rule("tuple_c1", "result: tuple<E0, ..., EN-1> where Ei = type(val[i])", rule.members_of(result) == val);
    results.push(result);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    for (int i = 0; i < e.operands.size; ++i)
      copy_bytes(e.result<unsigned char>() + member_offset(e.result_types.data[0], i, e.details), e.operands.data[i],
                 value_bytes(e.operand_types.data[i], e.details));
  }
};

}  // namespace tenon::ops
