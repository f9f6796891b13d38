// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan/step_writer.hpp>

namespace tenon::planning {

// How far a planner has come, so that another one can go on.
struct planning_progress {
  enum class stage : int { begin, region, steps, reads, results, updates, places, end, done } at = stage::begin;
  int region = -1;        // being planned; regions come before those that they stand in
  int next = 0;           // node, step or result of the region
  arena_allocator arena;  // of the region's values
};

// Turns the one function of a simplified graph into steps: fuses, gives every value that must exist a place in the
// arena, and names the kernels.
class planner : planning_tools {
 public:
  // The state between two calls of `run` is in the plan, the memory and the progress.
  constexpr planner(plan_draft& draft, planning_progress& progress)
      : planning_tools(draft), steps_(draft), progress_(progress) {}

  // Goes on until it is done (true) or has done about that much: one unit is about one operand of one op. In the end
  // plan::main_block is -1 if the plan did not fit.
  constexpr bool run(index_t budget) {
    using stage = planning_progress::stage;
    budget_ = budget;
    while (budget_ > 0 && progress_.at != stage::done) advance();
    if (p_.overflow()) {
      p_.main_block = -1;
      progress_.at = stage::done;
    }
    return progress_.at == stage::done;
  }

 private:
  step_writer steps_;
  planning_progress& progress_;

  constexpr void advance() {
    using stage = planning_progress::stage;
    switch (progress_.at) {
      case stage::begin:
        begin();
        return enter(g_.regions.size - 1);
      case stage::region:
        return begin_region();
      case stage::steps:
        return progress_.next >= region().first ? write_next_step() : finish_steps();
      case stage::reads:
        return progress_.next < step_count() ? note_reads() : finish_reads();
      case stage::results:
        return progress_.next < block().yield_count ? place_result() : finish_results();
      case stage::updates:
        return progress_.next >= 0 ? place_updated() : finish_updates();
      case stage::places:
        if (progress_.next < step_count()) return place_step();
        block().arena_bytes = progress_.arena.peak();
        if (progress_.region > 0) return enter(progress_.region - 1);
        progress_.at = stage::end;
        return;
      case stage::end:
        place_constants();
        count_from_start_of_arena();
        progress_.at = stage::done;
        return;
      case stage::done:
        return;
    }
  }
  constexpr void enter(int region) {
    while (m_.block_of_region.data[region] == never_run) --region;
    progress_.at = planning_progress::stage::region;
    progress_.region = region;
    budget_ -= 8;
  }
  constexpr const graph_region& region() const { return g_.regions.data[progress_.region]; }
  constexpr plan_block& block() { return p_.blocks.data[p_.blocks.size - 1]; }
  constexpr int step_count() const {
    const plan_block& last = p_.blocks.data[p_.blocks.size - 1];
    return last.last_step - last.first_step;
  }

  constexpr void begin() {
    const int values = g_.values.size;
    p_.pointer_count = place::first_pointer;
    for (table<int>* each : {&m_.uses, &m_.alias, &m_.block_of_value, &m_.writer, &m_.last_use, &m_.next_dying})
      each->size = values;
    m_.needed.size = m_.read_again.size = values;
    m_.first_dying.size = g_.nodes.size + 1;
    m_.block_of_region.size = g_.regions.size;
    p_.places.size = values;
    for (const graph_node& node : g_.nodes) {
      if (node.region_count == 0) continue;
      const op_facts facts = facts_of(node.kind);
      const list<int> regions = g_.regions_of(node);
      if (facts.places_results)
        for (int r : regions) m_.block_of_region[r] = places_results;
      if (facts.carries_in_place) m_.block_of_region[regions[1]] = carries_in_place;
      if (folds_by_one_op(node)) m_.block_of_region[regions[0]] = never_run;
    }
    for (int v = 0; v < values; ++v)
      m_.alias.data[v] = m_.block_of_value.data[v] = m_.writer.data[v] = m_.last_use.data[v] = -1;
    for (const graph_region& each : g_.regions)
      for (int value : g_.yields_of(each)) {
        ++m_.uses.data[value];
        if (!is_splat_constant(value)) m_.needed[value] = true;
      }
    for (int n = g_.nodes.size - 1; n >= 0; --n)
      if (const graph_node& node = g_.nodes.data[n]; is_used(node))
        for (int value : g_.operands_of(node)) ++m_.uses.data[value];
    budget_ -= values + g_.operands.size;
  }

  constexpr void begin_region() {
    const graph_region& of = region();
    const bool is_main = progress_.region == g_.functions.data[0].region;
    const int note = m_.block_of_region[progress_.region];
    m_.block_of_region[progress_.region] =
        p_.blocks.push({.region = progress_.region,
                        .first_step = p_.steps.size,
                        .first_pointer = p_.pointer_count,
                        .places_results = is_main || note == places_results || note == carries_in_place,
                        .carries_in_place = note == carries_in_place});
    for (int a = 0; a < of.argument_count; ++a) p_.places[of.arguments + a] = {p_.pointer_count + a, 0};
    p_.pointer_count += of.argument_count;
    progress_.next = of.last - 1;
    progress_.at = planning_progress::stage::steps;
  }

  constexpr void write_next_step() {
    const int n = progress_.next--;
    const graph_node& node = g_.nodes.data[n];
    budget_ -= 1;
    if (node.region == progress_.region) write_step(n, node);
  }

  // The steps were written last step first.
  constexpr void finish_steps() {
    block().last_step = p_.steps.size;
    for (int i = block().first_step, j = p_.steps.size - 1; i < j; ++i, --j) {
      const plan_step swapped = p_.steps[i];
      p_.steps[i] = p_.steps[j];
      p_.steps[j] = swapped;
    }
    const list<int> yields = g_.yields_of(region());
    block().first_yield = p_.values.size;
    block().yield_count = yields.size;
    for (int value : yields) p_.values.push(is_splat_constant(root_of(value)) ? ~root_of(value) : value);
    for (int s = 0; s <= step_count(); ++s) m_.first_dying[s] = -1;
    progress_.next = 0;
    progress_.at = planning_progress::stage::reads;
    budget_ -= step_count() + yields.size;
  }

  // Adds the node's step, last step first, if it needs one, and marks what the step reads.
  constexpr void write_step(int n, const graph_node& node) {
    const op_facts facts = facts_of(node.kind);
    bool wanted = facts.effects || (node.region_count > 0 && !folds_by_one_op(node));
    for (int r = 0; r < node.result_count; ++r) wanted = wanted || m_.needed[node.results + r];
    if (!wanted || is_constant(node)) return;
    const list<int> operands = g_.operands_of(node);
    const bool unwraps = facts.unwraps && g_.members_of(g_.type_of_value(operands[0])).size == 1;
    if (facts.is_view || unwraps) {
      for (int r = 0; r < node.result_count; ++r) {
        m_.alias[node.results + r] = operands[r];
        m_.needed[operands[r]] = true;
      }
      return;
    }
    steps_.write(n);
  }

  // The last step that reads each value of the block, whatever its owner's alias.
  constexpr void note_reads() {
    const int s = block().first_step + progress_.next++;
    const plan_step& step = p_.steps.data[s];
    // The operands of a step that feeds others live until the last of them is done.
    int last = s;
    while (p_.steps.data[last].is_fused_producer) ++last;
    const auto read = [&](int value, bool is_operand) {
      const int root = root_of(value);
      m_.read_again.data[root] = m_.last_use.data[root] == last || !is_operand;
      m_.last_use.data[root] = last;
    };
    const int count = step.operand_count + step.result_count;
    for (int i = 0; i < count; ++i) read(p_.values.data[step.first + i], s == last);
    for (int r = 0; r < step.result_count; ++r) m_.writer.data[result_of(step, r)] = s;
    budget_ -= count;
    for (int b = 0; b < step.block_count; ++b)
      for_each_captured(p_.blocks.data[p_.block_references.data[step.first_block + b]].region,
                        [&](int value) { read(value, false); });
  }
  constexpr void finish_reads() {
    for (int value : g_.yields_of(region())) m_.last_use[root_of(value)] = block().last_step;
    budget_ -= block().yield_count;
    progress_.next = block().places_results ? 0 : block().yield_count;
    progress_.at = planning_progress::stage::results;
  }

  // Results are written where they are wanted, unless they are arguments, constants, twins, or from outside.
  constexpr void place_result() {
    const int i = progress_.next++, value = root_of(g_.yields_of(region()).data[i]);
    budget_ -= 1;
    if (!is_computed(value) || p_.places[value].base >= 0) return;
    const bool replaces = block().carries_in_place && replaces_argument(i, value);
    p_.places[value] = {(replaces ? block().first_pointer : p_.pointer_count) + i, 0};
  }
  constexpr void finish_results() {
    if (block().places_results) p_.pointer_count += block().yield_count;
    progress_.next = step_count() - 1;
    progress_.at = planning_progress::stage::updates;
  }
  // In this block, by a step.
  constexpr bool is_computed(int value) const {
    const graph_value& known = g_.values.data[value];
    return known.node >= 0 && known.region == progress_.region && !constant_of(g_, value);
  }

  // Whether result r of a step may lie where this value does, as far as the step is concerned: it updates the value,
  // and reads it nowhere else. @pre no later step reads the value
  constexpr bool updates(const plan_step& step, int r, int value) const {
    return step.has_op() && !step.has_group() && facts_of(g_.nodes.data[step.node].kind).updates_operands &&
           r < step.operand_count && root_of(p_.values.data[step.first + r]) == value && !m_.read_again.data[value] &&
           g_.type_of_value(value) == g_.type_of_value(result_of(step, r));
  }

  // Whether result i of a region may be written over argument i: it is computed element by element from what lies
  // there, or updates it, and nobody reads the argument later.
  constexpr bool replaces_argument(int i, int value) {
    const int argument = region().arguments + i, writer = m_.writer.data[value], last = m_.last_use.data[argument];
    if (writer < block().first_step || last > writer) return false;
    const plan_step& step = p_.steps.data[writer];
    if (step.is_fused_producer || step.parts > 0) return false;
    budget_ -= step.operand_count + step.result_count;
    if (last < writer && step.has_op() && !step.has_group()) return true;
    for (int r = 0; r < step.result_count; ++r)
      if (result_of(step, r) == value && updates(step, r, argument)) return true;
    if (step.has_op() || step.row != 1 || step.transposed_axis >= 0 || step.result_count > 1) return false;
    if (step.fused_producer_span > 0 && last == writer && m_.read_again.data[argument]) return false;
    const auto is_argument = [&](int read) { return root_of(read) == argument; };
    // Operands without a read are indices.
    for (int k = step.read_count; k < step.operand_count; ++k)
      if (is_argument(p_.values.data[step.first + k])) return false;
    for (int r = step.first_read; r < step.first_read + step.read_count; ++r) {
      const plan_read& read = p_.reads.data[r];
      if (is_argument(read.value) && (read.access >= 0 || read.gather >= 0 || read.per_row)) return false;
    }
    return true;
  }

  // The value of this block that result r of a step updates, if the step is the last one that reads it; or -1.
  constexpr int updated_by(int s, int r) const {
    const plan_step& step = p_.steps.data[s];
    if (r >= step.operand_count) return -1;
    const int value = root_of(p_.values.data[step.first + r]);
    return is_computed(value) && m_.last_use.data[value] == s && updates(step, r, value) ? value : -1;
  }
  // Aliases in-place updates with the result buffer.
  constexpr void place_updated() {
    const int s = block().first_step + progress_.next--;
    const plan_step& step = p_.steps.data[s];
    budget_ -= step.result_count;
    for (int r = 0; r < step.result_count; ++r) {
      const place at = p_.places[result_of(step, r)];
      const int value = at.base >= place::first_pointer ? updated_by(s, r) : -1;
      if (value < 0 || p_.places[value].base >= 0) continue;
      const int argument = at.base - block().first_pointer;
      if (argument < region().argument_count && !replaces_argument(argument, value)) continue;
      p_.places[value] = at;
    }
  }
  constexpr void finish_updates() {
    progress_.next = 0;
    progress_.arena = {};
    progress_.at = planning_progress::stage::places;
  }

  // Gives the values that a step produces places in the block's part of the arena, reusing what is no longer read.
  constexpr void place_step() {
    const int first = block().first_step, s = first + progress_.next++, block_id = p_.blocks.size - 1;
    arena_allocator& arena = progress_.arena;
    plan_step& step = p_.steps[s];
    budget_ -= 8 + step.result_count;
    if (step.is_fused_producer) return;
    for (int r = 0; r < step.result_count; ++r) {
      const int value = result_of(step, r);
      if (p_.places[value].base >= 0) continue;
      m_.block_of_value[value] = block_id;
      if (const int before = updated_by(s, r); before >= 0 && m_.block_of_value[before] == block_id) {
        p_.places[value] = p_.places[before];
        // It does not die with the step.
        int* at = &m_.first_dying[s - first];
        while (*at != before) at = &m_.next_dying[*at];
        *at = m_.next_dying[before];
      } else {
        p_.places[value] = {place::arena, arena.take(value_bytes(g_.type_of_value(value), &g_))};
      }
      int& dying = m_.first_dying[m_.last_use[value] - first];
      m_.next_dying[value] = dying;
      dying = value;
    }
    index_t nested = 0;
    for (int b = 0; b < step.block_count; ++b)
      nested += p_.blocks[p_.block_references[step.first_block + b]].arena_bytes;
    index_t for_producers = 0;
    for (int f = 1; f <= step.fused_producer_span; ++f) {
      const plan_step& producer = p_.steps[s - f];
      for_producers += producer.range_bytes + arena_allocator::rounded(producer.scratch_bytes);
    }
    const index_t scratch = arena_allocator::rounded(step.scratch_bytes) + nested + for_producers;
    const index_t start = arena.take(scratch);
    step.scratch = {place::arena, start};
    if (const int source = step.has_op() ? g_.nodes[step.node].results : -1; step.has_epilogue()) {
      p_.places[source] = {place::arena, start + step.tile_offset + step.tile_bytes};
      m_.block_of_value[source] = block_id;
    }
    place_fused_producers(s, start + scratch - for_producers);
    index_t inner = start + arena_allocator::rounded(step.scratch_bytes);
    for (int b = 0; b < step.block_count; ++b) {
      plan_block& child = p_.blocks[p_.block_references[step.first_block + b]];
      child.base = inner;
      inner += child.arena_bytes;
    }
    arena.give_back(start, scratch);
    for (int value = m_.first_dying[s - first]; value >= 0; value = m_.next_dying[value])
      arena.give_back(p_.places[value].offset, value_bytes(g_.type_of_value(value), &g_));
    budget_ -= 2 * arena.hole_count();
  }

  // Fused producers of a step compute into a part of its scratch memory.
  constexpr void place_fused_producers(int s, index_t start) {
    for (int f = 1; f <= p_.steps[s].fused_producer_span; ++f) {
      plan_step& producer = p_.steps[s - f];
      const int value = result_of(producer, 0);
      m_.block_of_value[value] = p_.blocks.size - 1;
      p_.places[value] = {place::arena, start};
      start += producer.range_bytes;
      producer.scratch = {place::arena, start};
      start += arena_allocator::rounded(producer.scratch_bytes);
    }
  }

  constexpr int result_of(const plan_step& step, int r) const {
    return p_.values.data[step.first + step.operand_count + r];
  }

  // Turns distances from the start of a block's part of the arena into distances from the start of the arena.
  constexpr void count_from_start_of_arena() {
    p_.main_block = m_.block_of_region[g_.functions.data[0].region];
    for (int id = p_.blocks.size - 1; id >= 0; --id) {
      const plan_block& each = p_.blocks[id];
      for (int s = each.first_step; s < each.last_step; ++s) {
        plan_step& step = p_.steps[s];
        step.scratch.offset += each.base;
        for (int b = 0; b < step.block_count; ++b)
          p_.blocks[p_.block_references[step.first_block + b]].base += each.base;
      }
    }
    p_.pointer_table = p_.blocks[p_.main_block].arena_bytes;
    p_.arena_bytes = p_.pointer_table + arena_allocator::rounded(bytes_of_pointers(p_.pointer_count));
    for (int v = 0; v < g_.values.size; ++v)
      if (m_.block_of_value[v] >= 0) p_.places[v].offset += p_.blocks[m_.block_of_value[v]].base;
    for (int v = 0; v < g_.values.size; ++v)
      if (m_.alias[v] >= 0) p_.places[v] = p_.places[root_of(v)];
  }

  constexpr void place_constants() {
    for (int n = 0; n < g_.nodes.size; ++n) {
      const graph_node& node = g_.nodes.data[n];
      if (!is_constant(node)) continue;
      const tensor_type& type = g_.type_of_value(node.results);
      const index_t count = m_.needed[node.results] || !is_splat_constant(node.results) ? type.size() : 1;
      p_.places[node.results] = {place::constants, p_.constant_bytes};
      p_.constants.push({node.results, count});
      p_.constant_bytes += arena_allocator::rounded(count * index_t(storage_bytes(type.element)));
    }
  }
};

// Memory that a plan of this graph takes at most.
constexpr plan_sizes sizes_of_plan(const graph& g) {
  plan_sizes sizes;
  sizes.steps = sizes.kernels = sizes.constants = g.nodes.size;
  sizes.instructions = g.nodes.size + g.operands.size;
  sizes.operands = 3 * g.operands.size + 2 * g.nodes.size;
  for (const graph_node& node : g.nodes) {
    const op_facts facts = facts_of(node.kind);
    if (facts.gathers) sizes.indices += 2 * node.operand_count;
    if (facts.moves || facts.gathers) sizes.gathers += 2;
  }
  sizes.accesses = g.operands.size + g.nodes.size + sizes.gathers + sizes.indices;
  sizes.reads = g.operands.size;
  sizes.members = g.nodes.size + g.operands.size;
  sizes.values = 4 * g.operands.size + g.values.size;
  sizes.blocks = sizes.block_references = g.regions.size;
  sizes.places = g.values.size;
  return sizes;
}

}  // namespace tenon::planning
