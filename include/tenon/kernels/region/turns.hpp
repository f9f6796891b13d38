// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/evaluation.hpp>

namespace tenon::kernels {

// An op whose region takes slices of its inputs in sequence, and passes carries from one iteration to the next.
template <class Op>
concept scans = Op::scans;

// Whether the slices of all iterations are contiguous.
template <class Op>
bool lie_in_order(const Op& op, const evaluation& e) {
  const auto in_order = [&](list<tensor_type> types) {
    for (const tensor_type& type : types)
      if (!op.slices(type).in_place()) return false;
    return true;
  };
  return in_order(e.operand_types.part(0, int(op.operand_segment_sizes[0]))) &&
         in_order(e.result_types.part(0, int(op.result_segment_sizes[0])));
}

// Runs all iterations by a loop that was compiled for the region, or one by one by the region's ops.
template <class Op>
void scan_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  if (const compiled_region& body = e.compiled_of(0); body.take_turns != nullptr && lie_in_order(op, e)) {
    const index_t carry = e.operand_types.data[op.operand_segment_sizes[0]].size();
    return body.take_turns(e.operands.data, e.results.data, op.turns(e), carry, op.is_reverse);
  }
  const lane_function body = e.lanes_of(0);
  if (!body) return op.template evaluate<void>(e);
  op.take_turns(e,
                [&](const void* const* arguments, void* const* results) { body(arguments, results, body.elements); });
}

}  // namespace tenon::kernels
