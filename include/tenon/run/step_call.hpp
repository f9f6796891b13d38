// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/plan.hpp>
#include <tenon/kernels/group_copies.hpp>

#include <new>

namespace tenon {

// A step of a plan with all that can be known before it runs, down to where things lie in the arena.
struct step_call {
  enum class action : int {
    walk,     // nothing is prepared: the plan says what to do
    nothing,  // another step does it, part by part
    compute,  // one op, element by element
    copy,     // one walk through memory
    op        // one op with loops of its own, and perhaps the group that then works on its result
  } does = action::walk;
  kernel code = nullptr;                      // of ops
  group_copies::strided_code copy = nullptr;  // of copies, by their walk
  const strided_access* access = nullptr;
  bool has_group = false;
  evaluation e;
};

// A pointer that follows where an argument of a block lies, or where one of its results goes.
struct pointer_use {
  void** pointer = nullptr;
  index_t offset = 0;
  int source = 0;  // which argument; behind these, which result
};

// A block of such steps.
struct block_call {
  int first_step = 0, last_step = 0;
  int first_use = 0, last_use = 0;
  int argument_count = 0;
  bool leaves_results = false;  // where they are wanted, so that none has to be copied
};

// Beside the steps and the blocks of a plan.
struct plan_calls {
  step_call* steps = nullptr;
  const block_call* blocks = nullptr;
  const pointer_use* uses = nullptr;
};

// At the begin of a block.
inline void set_pointers(const plan_calls& calls, const block_call& block, const void* const* arguments,
                         void* const* results) {
  for (int u = block.first_use; u < block.last_use; ++u) {
    const pointer_use& use = calls.uses[u];
    void* const start = use.source < block.argument_count ? const_cast<void*>(arguments[use.source])
                                                          : results[use.source - block.argument_count];
    *use.pointer = static_cast<char*>(start) + use.offset;
  }
}

// A step that is one call.
inline void run_prepared(step_call& call, const graph& g) {
  if (call.code != nullptr) {
    call.e.details = &g;
    call.code(call.e);
  } else if (call.does == step_call::action::copy) {
    call.copy(call.e.results.data[0], call.e.operands.data[0], *call.access, 0, call.e.count);
  }
}

// Operands of an op that may be other than dense stand among so many.
inline constexpr int most_strided = 4;

// What an op's code is told, in memory that `reserve` gives: all but where its operands and results lie.
struct described_op {
  evaluation e;
  tensor_type* types;  // of the operands, then of the results
  ints* strides;       // of the first operands, if they may be other than dense
  void** pointers;     // to operands and results: to be written
};

template <class Reserve>
described_op describe_op(const graph& g, const plan& p, const plan_step& step, Reserve reserve) {
  const graph_node& node = g.nodes.data[step.node];
  const list<int> operands = g.operands_of(node);
  const int total = node.operand_count + node.result_count;
  described_op result;
  result.types = reserve(static_cast<tensor_type*>(nullptr), total);
  result.pointers = reserve(static_cast<void**>(nullptr), total);
  result.strides = step.first_view >= 0 ? reserve(static_cast<ints*>(nullptr), most_strided) : nullptr;
  for (int i = 0; i < total; ++i) {
    const bool is_result = i >= operands.size;
    new (&result.types[i])
        tensor_type(g.type_of_value(is_result ? node.results + i - operands.size : operands.data[i]));
    if (step.first_view < 0 || is_result || i >= most_strided) continue;
    const int view = p.values.data[step.first_view + i];
    new (&result.strides[i]) ints(view >= 0 ? p.accesses.data[view].strides : strides_of(result.types[i].shape));
  }
  evaluation& e = result.e;
  e.operands = {const_cast<const void* const*>(result.pointers), node.operand_count};
  e.operand_types = {result.types, node.operand_count};
  if (step.first_view >= 0) e.operand_strides = {result.strides, operands.size};
  e.results = {result.pointers + node.operand_count, node.result_count};
  e.result_types = {result.types + node.operand_count, node.result_count};
  signature* const signatures = reserve(static_cast<signature*>(nullptr), node.region_count);
  for (int r = 0; r < node.region_count; ++r) {
    const graph_region& region = g.regions.data[g.regions_of(node).data[r]];
    tensor_type* const inner = reserve(static_cast<tensor_type*>(nullptr), region.argument_count + region.yield_count);
    for (int a = 0; a < region.argument_count; ++a) new (&inner[a]) tensor_type(g.type_of_value(region.arguments + a));
    for (int y = 0; y < region.yield_count; ++y)
      new (&inner[region.argument_count + y]) tensor_type(g.type_of_value(g.yields_of(region).data[y]));
    new (&signatures[r]) signature{{inner, region.argument_count}, {inner + region.argument_count, region.yield_count}};
  }
  e.regions = {signatures, node.region_count};
  e.words = g.words.data + node.words;
  e.details = &g;
  e.count = step.count;
  return result;
}

}  // namespace tenon
