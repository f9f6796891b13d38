// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#async_start
struct async_start {
  static constexpr std::string_view name = "async_start";
  static constexpr std::string_view no_maps = "what it starts has them";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true, places_results = true;

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    const signature body = rule.regions[0];
    const tensor_type result = rule.declared[0];
    rule("async_start_c1", "body is one op and the return of its results",
         rule.regions.size == 1 && body.only_op != signature::mixed);
    rule("async_start_c2",
         "the op is one of all_reduce, all_gather, all_to_all, collective_permute, reduce_scatter, "
         "collective_broadcast, slice, dynamic_slice, dynamic_update_slice",
         body.only_op == signature::none || can_be_asynchronous(body.only_op));
    for (const tensor_type& operand : operands)
      rule("async_start_i1", "operands: tensors or per-tensor quantized tensors",
           rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("async_start_c3", "the operands of the op are those of async_start",
         body.arguments == operands && body.forwards);
    rule("async_start_c4", "type(result) = future<T> where T is the type of what the op gives",
         rule.declared.size == 1 && result.element == dtype::future && rule.members_of(result) == body.results);
    results.push(result);
  }

  static constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) {
    for (const tensor_type& type : operands) arguments.push(type);
  }

  static constexpr index_t scratch_bytes(list<tensor_type>, list<tensor_type>) { return bytes_of_pointers(most); }

  // Runs the body at once.
  template <class>
  void evaluate(const evaluation& e) const {
    const tensor_type& future = e.result_types.data[0];
    const auto results = static_cast<void**>(e.scratch);
    const int count = e.details->members_of(future).size;
    if (count > most) fail("async_start: more than ", most, " results");
    for (int i = 0; i < count; ++i) results[i] = e.result<unsigned char>() + member_offset(future, i, e.details);
    e.run(0, e.operands.data, results);
  }

 private:
  static constexpr int most = 64;

  template <class... Ops>
  static constexpr bool is_one_of(op_list<Ops...>, int kind) {
    return ((kind == kind_of_op<Ops>) || ...);
  }
  static constexpr bool can_be_asynchronous(int kind) {
    return is_one_of(op_list<all_reduce, all_gather, all_to_all, collective_permute, reduce_scatter,
                             collective_broadcast, slice, dynamic_slice, dynamic_update_slice>{},
                     kind);
  }
};

}  // namespace tenon::ops
