// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon {

// The call of one op: where its types, strides, places and regions stand in the tables of linked_calls.
struct linked_call {
  int first_type = 0;      // of the operands, then of the results
  int first_strides = -1;  // of the operands, if some are read through walks; -1: all are dense
  int first_place = 0;     // of the operands, then of the results: of the first element that is read or written
  int first_region = 0;    // of the signatures
  int first_inner = 0;     // of the types of the regions' arguments and results
};

struct linked_sizes {
  int types = 0, inner = 0, strides = 0, places = 0, regions = 0;
};

// A plan as calls: all that is known of them before the program runs. Made once, in constant evaluation for compiled
// programs and at load for the others; nothing looks at types or shapes while a program runs.
struct linked_calls {
  const linked_call* steps = nullptr;  // beside those of the plan; of groups alone they say nothing
  const tensor_type* types = nullptr;
  const ints* strides = nullptr;
  const place* places = nullptr;
  const signature* regions = nullptr;

  // The call of a step as its kernel takes it, but for where its regions are run. `pointers`: to the operands, then to
  // the results.
  constexpr evaluation call(const graph& g, const plan_step& step, const linked_call& linked,
                            void* const* pointers) const {
    const graph_node& node = g.nodes.data[step.node];
    evaluation e;
    e.operands = {const_cast<const void* const*>(pointers), node.operand_count};
    e.operand_types = {types + linked.first_type, node.operand_count};
    if (linked.first_strides >= 0) e.operand_strides = {strides + linked.first_strides, node.operand_count};
    e.results = {pointers + node.operand_count, node.result_count};
    e.result_types = {types + linked.first_type + node.operand_count, node.result_count};
    e.regions = {regions + linked.first_region, node.region_count};
    e.words = g.words.data + node.words;
    e.details = &g;
    e.count = step.count;
    return e;
  }
};

namespace detail {

constexpr linked_sizes sizes_of_linked(const graph& g, const plan& p) {
  linked_sizes sizes;
  for (const plan_step& step : p.steps) {
    if (!step.has_op()) continue;
    const graph_node& node = g.nodes.data[step.node];
    const int values = node.operand_count + node.result_count;
    sizes.types += values, sizes.places += values;
    if (step.first_view >= 0) sizes.strides += node.operand_count;
    for (int r : g.regions_of(node)) {
      sizes.inner += g.regions.data[r].argument_count + g.regions.data[r].yield_count;
      ++sizes.regions;
    }
  }
  return sizes;
}

// The tables while they are written.
struct linked_tables {
  table<linked_call> steps;
  table<tensor_type> types, inner;
  table<ints> strides;
  table<place> places;
};

// @pre the tables have room for sizes_of_linked
constexpr void link(const graph& g, const plan& p, linked_tables& to) {
  int regions = 0;
  for (const plan_step& step : p.steps) {
    linked_call call{to.types.size, step.has_op() && step.first_view >= 0 ? to.strides.size : -1, to.places.size,
                     regions, to.inner.size};
    to.steps.push(call);
    if (!step.has_op()) continue;
    const graph_node& node = g.nodes.data[step.node];
    for (int i = 0; i < node.operand_count + node.result_count; ++i) {
      const bool is_result = i >= node.operand_count;
      const tensor_type& type =
          g.type_of_value(is_result ? node.results + i - node.operand_count : g.operands_of(node)[i]);
      const int value =
          is_result ? node.results + i - node.operand_count : p.values.data[step.first + step.read_count + i];
      const int view = step.first_view >= 0 && !is_result ? p.values.data[step.first_view + i] : -1;
      place at = p.places.data[value];
      if (view >= 0) at.offset += p.accesses.data[view].base * index_t(storage_bytes(type.element));
      if (step.first_view >= 0 && !is_result)
        to.strides.push(view >= 0 ? p.accesses.data[view].strides : strides_of(type.shape));
      to.types.push(type);
      to.places.push(at);
    }
    for (int r : g.regions_of(node)) {
      const graph_region& region = g.regions.data[r];
      for (int a = 0; a < region.argument_count; ++a) to.inner.push(g.type_of_value(region.arguments + a));
      for (int value : g.yields_of(region)) to.inner.push(g.type_of_value(value));
      ++regions;
    }
  }
}

// The signatures of the regions, whose types lie in `inner`, one behind the other.
constexpr void link_regions(const graph& g, const plan& p, const tensor_type* inner, signature* to) {
  for (const plan_step& step : p.steps) {
    if (!step.has_op()) continue;
    for (int r : g.regions_of(g.nodes.data[step.node])) {
      const graph_region& region = g.regions.data[r];
      *to++ = {{inner, region.argument_count}, {inner + region.argument_count, region.yield_count}};
      inner += region.argument_count + region.yield_count;
    }
  }
}

template <linked_sizes Sizes, int Steps>
struct linked_storage {
  linked_call steps[Steps + 1]{};
  tensor_type types[Sizes.types + 1]{}, inner[Sizes.inner + 1]{};
  ints strides[Sizes.strides + 1]{};
  place places[Sizes.places + 1]{};

  constexpr void fill(const graph& g, const plan& p) {
    linked_tables tables{{steps, 0, Steps + 1},
                         {types, 0, Sizes.types + 1},
                         {inner, 0, Sizes.inner + 1},
                         {strides, 0, Sizes.strides + 1},
                         {places, 0, Sizes.places + 1}};
    link(g, p, tables);
  }
};

}  // namespace detail

// The calls of a plan that is a constant: `Program` has the constants `opened_graph` and `opened_plan`.
template <class Program>
class linked_program {
  static constexpr linked_sizes sizes = detail::sizes_of_linked(Program::opened_graph, Program::opened_plan);
  static constexpr auto storage = [] {
    detail::linked_storage<sizes, Program::opened_plan.steps.size> all;
    all.fill(Program::opened_graph, Program::opened_plan);
    return all;
  }();
  struct signatures_of_regions {
    signature at[sizes.regions + 1]{};
  };
  static constexpr signatures_of_regions regions = [] {
    signatures_of_regions all;
    detail::link_regions(Program::opened_graph, Program::opened_plan, storage.inner, all.at);
    return all;
  }();

 public:
  static constexpr linked_calls calls{storage.steps, storage.types, storage.strides, storage.places, regions.at};
};

}  // namespace tenon
