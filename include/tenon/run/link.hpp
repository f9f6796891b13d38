// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/kernels/contraction/joined_product.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>

namespace tenon::execution {

// The call of one op: where its types, strides, places and regions stand in the tables of linked_calls.
struct linked_call {
  int first_type = 0;      // of the operands, then of the results
  int first_strides = -1;  // of the operands, if some are read through strided accesses; -1: all are dense
  int first_place = 0;     // of the operands, then of the results: of the first element that is read or written
  int first_region = 0;    // of the signatures
  int product = -1;        // of an op that is a sum of products
};

struct linked_sizes {
  int steps = 0, types = 0, inner = 0, strides = 0, places = 0, regions = 0, programs = 0, products = 0;
};

// A plan as calls: all that is known of them before the program runs. Made once, in constant evaluation for compiled
// programs and at load for the others; nothing looks at types or shapes while a program runs.
struct linked_calls {
  const linked_call* steps = nullptr;  // beside those of the plan; of groups alone they say nothing
  const tensor_type* types = nullptr;
  const ints* strides = nullptr;
  const place* places = nullptr;
  const signature* regions = nullptr;
  const int* program_of_region = nullptr;  // beside the signatures; -1: it has ops that do not work element by element
  const lane_program* programs = nullptr;
  const joined_product* products = nullptr;

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
    if (linked.product >= 0) e.product = products + linked.product;
    e.details = &g;
    e.count = step.count;
    return e;
  }
};

// A region that the kernel of a step may run, as a program of the plan's kernels; it does not fit if it has ops that do
// not work element by element.
constexpr lane_program linked_program_of(const graph& g, const plan& p, const plan_step& step, int region) {
  if (step.kernel < 0 || p.kernels.data[step.kernel].body >= 0) return lane_program();
  lane_program program = lane_program_of(g, region);
  for (int n = 0; n < program.node_count; ++n) {
    lane_node& node = program.nodes[n];
    while (++node.kernel < p.kernels.size && !(p.kernels.data[node.kernel] == node.key)) {
    }
    program.fits = program.fits && node.kernel < p.kernels.size;
  }
  for (int i = program.argument_count; i < program.input_count; ++i)
    program.fits = program.fits && p.places.data[program.inputs[i]].base >= 0;
  return program;
}

// Whether a step is a sum of products of the two operands that `visit` has, which then has found it.
constexpr bool is_product(const graph& g, const plan_step& step, find_product& visit) {
  const graph_node& node = g.nodes.data[step.node];
  return step.kernel >= 0 && node.operand_count == 2 && visit_op(node.kind, g.words.data + node.words, visit);
}

constexpr linked_sizes sizes_of_linked(const graph& g, const plan& p) {
  linked_sizes sizes{.steps = p.steps.size};
  for (const plan_step& step : p.steps) {
    if (!step.has_op()) continue;
    const graph_node& node = g.nodes.data[step.node];
    const int values = node.operand_count + node.result_count;
    sizes.types += values, sizes.places += values;
    if (step.first_view >= 0) sizes.strides += node.operand_count;
    if (node.operand_count == 2) {
      const list<int> operands = g.operands_of(node);
      const tensor_type types[] = {g.type_of_value(operands[0]), g.type_of_value(operands[1])};
      if (kernels::find_product visit{{types, 2}, &g, {}, {}}; is_product(g, step, visit)) ++sizes.products;
    }
    for (int r : g.regions_of(node)) {
      sizes.inner += g.regions.data[r].argument_count + g.regions.data[r].yield_count;
      ++sizes.regions;
      if (linked_program_of(g, p, step, r).fits) ++sizes.programs;
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
  table<int> program_of_region;
  table<lane_program> programs;
  table<joined_product> products;

  constexpr linked_calls calls(const signature* regions) const {
    return {steps.data,    types.data,   strides.data, places.data, regions, program_of_region.data,
            programs.data, products.data};
  }
};
using linked_list = table_list<table_entry<&linked_tables::steps, &linked_sizes::steps>,
                               table_entry<&linked_tables::types, &linked_sizes::types>,
                               table_entry<&linked_tables::inner, &linked_sizes::inner>,
                               table_entry<&linked_tables::strides, &linked_sizes::strides>,
                               table_entry<&linked_tables::places, &linked_sizes::places>,
                               table_entry<&linked_tables::program_of_region, &linked_sizes::regions>,
                               table_entry<&linked_tables::programs, &linked_sizes::programs>,
                               table_entry<&linked_tables::products, &linked_sizes::products>>;

// @pre the tables have room for sizes_of_linked
constexpr void link(const graph& g, const plan& p, linked_tables& to) {
  int regions = 0;
  for (const plan_step& step : p.steps) {
    const linked_call call{to.types.size, step.has_op() && step.first_view >= 0 ? to.strides.size : -1, to.places.size,
                           regions};
    linked_call& linked = to.steps.data[to.steps.push(call)];
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
    kernels::find_product visit{to.types.part(call.first_type, node.operand_count), &g, {}, {}};
    if (call.first_strides >= 0) visit.strides = to.strides.part(call.first_strides, node.operand_count);
    if (is_product(g, step, visit)) linked.product = to.products.push(joined_product(visit.found));
    for (int r : g.regions_of(node)) {
      const graph_region& region = g.regions.data[r];
      for (int a = 0; a < region.argument_count; ++a) to.inner.push(g.type_of_value(region.arguments + a));
      for (int value : g.yields_of(region)) to.inner.push(g.type_of_value(value));
      const lane_program program = linked_program_of(g, p, step, r);
      to.program_of_region.push(program.fits ? to.programs.push(program) : -1);
      ++regions;
    }
    // Layers that repeat share their types.
    const list<tensor_type> types = to.types.part(call.first_type, to.types.size - call.first_type);
    for (int s = to.steps.size - 2; s >= 0 && s + 8 >= to.steps.size && linked.first_type == call.first_type; --s)
      if (const int like = to.steps.data[s].first_type; to.types.part(like, types.size) == types)
        linked.first_type = like;
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

// The calls of a plan that is a constant: `Program` has the constants `opened_graph` and `opened_plan`.
template <class Program>
class linked_program {
  static constexpr linked_sizes sizes = sizes_of_linked(Program::opened_graph, Program::opened_plan);
  struct linked_storage {
    stored_tables<linked_list, sizes> memory;

    constexpr linked_tables open(const linked_sizes& used) const {
      linked_tables opened;
      const_cast<linked_storage*>(this)->memory.open(opened, used);
      return opened;
    }
  };
  static constexpr linked_storage storage = [] {
    linked_storage all;
    linked_tables empty = all.open({});
    link(Program::opened_graph, Program::opened_plan, empty);
    return all;
  }();
  static constexpr linked_tables tables = storage.open(sizes);
  struct signatures_of_regions {
    signature at[sizes.regions + 1]{};
  };
  static constexpr signatures_of_regions regions = [] {
    signatures_of_regions all;
    link_regions(Program::opened_graph, Program::opened_plan, tables.inner.data, all.at);
    return all;
  }();

 public:
  static constexpr linked_calls calls = tables.calls(regions.at);
};

}  // namespace tenon::execution
