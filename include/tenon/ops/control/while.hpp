// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#while
struct while_ {
  static constexpr std::string_view name = "while";
  static constexpr op_notation notation = op_notation::while_;
  static constexpr std::string_view no_maps = "its body has them, once for each turn";
  static constexpr bool moves_bytes = true, places_results = true, carries_in_place = true, runs_on_values = true,
                        updates_operands = true;

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    const signature cond = rule.regions[0], body = rule.regions[1];
    rule("while_i2", "cond and body: functions", rule.regions.size == 2);
    rule("while_c1", "cond: (T0, ..., TN-1) -> tensor<i1>, where Ti = type(operand[i])",
         cond.arguments == operands && cond.results.size == 1 && cond.results[0] == type_of(dtype::i1));
    rule("while_c2", "body: (T0, ..., TN-1) -> (T0, ..., TN-1), where Ti = type(operand[i])",
         body.arguments == operands && body.results == operands);
    rule("while_c3", "type(results...) = type(operand...)", rule.declared.empty() || rule.declared == operands);
    for (const tensor_type& type : operands) results.push(type);
  }

  static constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) {
    for (const tensor_type& type : operands) arguments.push(type);
  }

  // Room for the answer of cond, for the places of the values before and after a round, and for one set of values.
  static constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type>, const type_details* details) {
    index_t bytes = value_alignment + aligned(bytes_of_pointers(2 * operands.size));
    for (const tensor_type& type : operands) {
      const index_t more = aligned(value_bytes(type, details));
      bytes = bytes > INT64_MAX - more ? INT64_MAX : bytes + more;
    }
    return bytes;
  }

  // On values in registers and in memory (kernels/region/register_code.hpp).
  template <class Regions, class Values>
  [[gnu::always_inline]] static constexpr Values on_values(const Regions& regions, Values values) {
    while (regions.template holds<0>(values)) values = regions.template run<1>(values);
    return values;
  }

  // The values alternate between the results and scratch, but for those that the body writes over.
  template <class>
  void evaluate(const evaluation& e) const {
    const int n = e.operands.size;
    auto* memory = static_cast<unsigned char*>(e.scratch);
    auto* const again = static_cast<bool*>(e.scratch);
    memory += value_alignment;
    void** now = static_cast<void**>(static_cast<void*>(memory));
    void** next = now + n;
    memory += aligned(2 * n * index_t(sizeof(void*)));
    for (int i = 0; i < n; ++i) {
      const index_t bytes = value_bytes(e.operand_types.data[i], e.details);
      now[i] = e.results.data[i];
      next[i] = e.writes_over_argument(1, i) ? now[i] : memory;
      copy_bytes(now[i], e.operands.data[i], bytes);
      memory += aligned(bytes);
    }
    // Numbers stay where they are.
    const lane_function cond = e.lanes_of(0), body = e.lanes_of(1);
    for (void* answer = again;;) {
      if (cond)
        cond(now, &answer, 1);
      else
        e.run(0, now, &answer);
      if (!*again) break;
      if (body) {
        body(now, now, body.elements);
        continue;
      }
      e.run(1, now, next);
      void** const swapped = now;
      now = next;
      next = swapped;
    }
    for (int i = 0; i < n; ++i) copy_bytes(e.results.data[i], now[i], value_bytes(e.operand_types.data[i], e.details));
  }
};

}  // namespace tenon::ops

namespace tenon {

// while_(operands..., whether to go on, what becomes of them): as long as the condition, a function that gives a
// tensor<bool>, holds, the values become what the body makes of them. Any types, which stay as they are; as many
// results.
template <class... Arguments, class Rules = ops::regions_kept<ops::while_{}, 2, Arguments...>>
constexpr auto while_(Arguments&&... arguments) {
  return ops::call_with_regions<ops::while_{}, 2>(static_cast<Arguments&&>(arguments)...);
}
template <class... Arguments, class Rule = ops::regions_broken<ops::while_{}, 2, Arguments...>>
void while_(Arguments&&...) = delete;

}  // namespace tenon
