// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/arena.hpp>
#include <tenon/graph/build.hpp>
#include <tenon/graph/fuse.hpp>
#include <tenon/graph/plan.hpp>

namespace tenon {

// What planning writes down while it runs, per value of the graph or per node; memory of the caller.
struct planning_memory {
  table<int> uses;             // per value: how often it is an operand or handed over
  table<bool> needed;          // per value: somebody reads it from memory
  table<int> alias;            // per value: the value whose memory it shares, or -1
  table<int> block_of_value;   // per value: the block whose part of the arena holds it, or -1
  table<int> last_use;         // per value: the last step of its block that reads it
  table<int> next_dying;       // per value: another one with the same last step, or -1
  table<int> first_dying;      // per step of the block being placed
  table<int> block_of_region;  // per region
  table<tensor_type> types;    // as many as a node has operands and results at most
};

// How many operands and results the largest node has.
constexpr int most_operands_and_results(const graph& g) {
  int most = 0;
  for (const graph_node& node : g.nodes)
    if (node.operand_count + node.result_count > most) most = node.operand_count + node.result_count;
  return most;
}

// Whether all elements of a constant are written as one.
constexpr bool is_splat(const graph& g, const graph_literal& literal, const tensor_type& type) {
  if (literal.where == graph_literal::place::words) return literal.size == (is_complex(type.element) ? 2 : 1);
  for (int i = literal.first; i < literal.first + literal.size; ++i) {
    const char c = g.text[std::size_t(i)];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c != '[' && c != '"';
  }
  return false;
}

// How far a planner has come, so that another one can go on.
struct planning_progress {
  enum class stage : int { begin, region, steps, reads, places, end, done } at = stage::begin;
  int region = -1;        // being planned; regions come before those that they stand in
  int next = 0;           // node or step of the region
  arena_allocator arena;  // of the region's values
};

// Turns the one function of a simplified graph into steps: fuses, gives every value that must exist a place in the
// arena, and names the kernels.
class planner {
 public:
  // Elements of a fused group that are done at a time at most: few enough for its tiles to stay in the first cache.
  static constexpr index_t most_tile_elements = 1024;
  static constexpr index_t most_tile_bytes = 32768;
  static constexpr int most_slots = fused_group::most_members + fused_group::most_leaves;

  // What a planner needs between two calls of `run` is in the plan, the memory and the progress.
  constexpr planner(const graph& g, plan& p, const planning_memory& memory, planning_progress& progress)
      : g_(g), p_(p), m_(memory), progress_(progress), group_(g, memory.uses.data, memory.needed.data) {}

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
  const graph& g_;
  plan& p_;
  planning_memory m_;
  planning_progress& progress_;
  index_t budget_ = 0;
  fused_group group_;

  constexpr int root_of(int value) const {
    while (m_.alias.data[value] >= 0) value = m_.alias.data[value];
    return value;
  }
  constexpr const graph_node* constant_of(int value) const {
    const int n = g_.values.data[value].node;
    return n >= 0 && g_.nodes.data[n].kind == kind_of_op<ops::constant> ? &g_.nodes.data[n] : nullptr;
  }
  constexpr bool is_splat_constant(int value) const {
    const graph_node* node = constant_of(value);
    return node != nullptr && is_splat(g_, g_.literals.data[g_.words.data[node->words]], g_.type_of_value(value));
  }

  // Values from outside that a region and what is nested in it read. All values of a region have higher numbers than
  // those that were there when it was opened.
  template <class Function>
  constexpr void for_each_captured(int region_id, Function f) const {
    const graph_region& region = g_.regions.data[region_id];
    for (int n = region.first; n < region.last; ++n)
      for (int value : g_.operands_of(g_.nodes.data[n]))
        if (value < region.arguments) f(value);
    for (int value : g_.yields_of(region))
      if (value < region.arguments) f(value);
  }

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
      case stage::places:
        if (progress_.next < step_count()) return place_step();
        block().arena_bytes = progress_.arena.peak();
        if (progress_.region > 0) return enter(progress_.region - 1);
        progress_.at = stage::end;
        return;
      case stage::end:
        place_constants();
        settle();
        progress_.at = stage::done;
        return;
      case stage::done:
        return;
    }
  }

  constexpr void enter(int region) {
    progress_.at = planning_progress::stage::region;
    progress_.region = region;
    budget_ -= 8;
  }
  constexpr const graph_region& region() const { return g_.regions.data[progress_.region]; }
  constexpr bool is_main() const { return progress_.region == g_.functions.data[0].region; }
  constexpr plan_block& block() { return p_.blocks.data[p_.blocks.size - 1]; }
  constexpr int step_count() const {
    const plan_block& last = p_.blocks.data[p_.blocks.size - 1];
    return last.last_step - last.first_step;
  }

  constexpr void begin() {
    const int values = g_.values.size;
    p_.pointer_count = place::first_pointer;
    for (table<int>* each : {&m_.uses, &m_.alias, &m_.block_of_value, &m_.last_use, &m_.next_dying})
      each->size = values;
    m_.needed.size = values;
    m_.first_dying.size = g_.nodes.size + 1;
    m_.block_of_region.size = g_.regions.size;
    p_.places.size = values;
    for (int v = 0; v < values; ++v) m_.alias.data[v] = m_.block_of_value.data[v] = -1;
    for (int i = 0; i < g_.operands.size; ++i) ++m_.uses.data[g_.operands.data[i]];
    for (const graph_region& each : g_.regions)
      for (int value : g_.yields_of(each)) m_.needed[value] = true;
    budget_ -= values + g_.operands.size;
  }

  constexpr void begin_region() {
    const graph_region& of = region();
    m_.block_of_region[progress_.region] =
        p_.blocks.push({.region = progress_.region, .first_step = p_.steps.size, .first_pointer = p_.pointer_count});
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
    for (int value : yields) p_.values.push(value);
    if (is_main()) {
      // The results of the program are written where they are wanted, unless they are arguments, constants or twins.
      for (int i = 0; i < yields.size; ++i) {
        const int value = root_of(yields.data[i]);
        if (g_.values.data[value].node >= 0 && constant_of(value) == nullptr && p_.places[value].base < 0)
          p_.places[value] = {p_.pointer_count + i, 0};
      }
      p_.pointer_count += yields.size;
    }
    for (int s = 0; s <= step_count(); ++s) m_.first_dying[s] = -1;
    progress_.next = 0;
    progress_.at = planning_progress::stage::reads;
    budget_ -= step_count() + yields.size;
  }

  // Adds the node's step, last step first, if it needs one, and marks what the step reads.
  constexpr void write_step(int n, const graph_node& node) {
    const op_facts facts = facts_of(node.kind);
    bool wanted = facts.effects || node.region_count > 0;
    for (int r = 0; r < node.result_count; ++r) wanted = wanted || m_.needed[node.results + r];
    if (!wanted || node.kind == kind_of_op<ops::constant>) return;
    const list<int> operands = g_.operands_of(node);
    if (facts.is_view) {
      for (int r = 0; r < node.result_count; ++r) {
        m_.alias[node.results + r] = operands[r];
        m_.needed[operands[r]] = true;
      }
      return;
    }
    if (group_.grow(n)) return write_group(n, node);

    budget_ -= node.operand_count + node.result_count + 4;
    for (int value : operands) m_.needed[value] = true;
    plan_step step;
    step.kernel = node.kind >= 0 ? kernel_for(node) : -2;
    step.node = n;
    step.first = p_.values.size;
    step.operand_count = node.operand_count;
    step.result_count = node.result_count;
    for (int value : operands) p_.values.push(value);
    for (int r = 0; r < node.result_count; ++r) p_.values.push(node.results + r);
    step.count = node.result_count > 0 ? g_.type_of_value(node.results).size() : 0;
    step.first_block = p_.block_references.size;
    step.block_count = node.region_count;
    for (int region : g_.regions_of(node)) {
      p_.block_references.push(m_.block_of_region[region]);
      for_each_captured(region, [&](int value) { m_.needed[value] = true; });
      budget_ -= g_.regions.data[region].last - g_.regions.data[region].first;
    }
    step.op_scratch_bytes = node.kind >= 0 ? arena_allocator::rounded(scratch_for(node)) : 0;
    step.scratch_bytes = step.op_scratch_bytes + call_bytes(node);
    p_.steps.push(step);
  }

  constexpr index_t scratch_for(const graph_node& node) {
    m_.types.size = 0;
    for (int value : g_.operands_of(node)) m_.types.push(g_.type_of_value(value));
    for (int r = 0; r < node.result_count; ++r) m_.types.push(g_.type_of_value(node.results + r));
    return op_tables::scratch[node.kind](g_.words.data + node.words, m_.types.part(0, node.operand_count),
                                         m_.types.part(node.operand_count, node.result_count));
  }

  // What the executor itself writes down for an op: the types and addresses of operands, results, and region arguments.
  constexpr index_t call_bytes(const graph_node& node) const {
    index_t entries = node.operand_count + node.result_count;
    for (int region : g_.regions_of(node)) {
      const graph_region& inner = g_.regions.data[region];
      entries += inner.argument_count + inner.yield_count + 1;
    }
    return entries * index_t(sizeof(tensor_type) + 2 * sizeof(void*));
  }

  // The op that a region consists of, if it only applies an associative op to its two arguments of one type.
  constexpr int body_of(const graph_node& node) const {
    if (node.region_count != 1) return -1;
    const graph_region& region = g_.regions.data[g_.regions_of(node)[0]];
    if (region.last - region.first != 1 || region.argument_count != 2 || region.yield_count != 1) return -1;
    const graph_node& only = g_.nodes.data[region.first];
    const list<int> operands = g_.operands_of(only);
    if (!facts_of(only.kind).associative || operands.size != 2 || only.result_count != 1) return -1;
    if (g_.yields_of(region)[0] != only.results) return -1;
    const bool in_order = operands[0] == region.arguments && operands[1] == region.arguments + 1;
    const bool swapped = operands[1] == region.arguments && operands[0] == region.arguments + 1;
    if (!in_order && !swapped) return -1;
    const tensor_type& type = g_.type_of_value(region.arguments);
    return type == g_.type_of_value(only.results) && !type.is_quantized() && type.rank() == 0 &&
                   type.element == g_.type_of_value(g_.operands_of(node)[0]).element
               ? only.kind
               : -1;
  }

  constexpr int kernel_for(const graph_node& node) {
    const op_facts facts = facts_of(node.kind);
    kernel_key key;
    key.kind = node.kind;
    key.result = node.result_count > 0 ? g_.type_of_value(node.results).element : dtype::none;
    const list<int> operands = g_.operands_of(node);
    key.element = facts.typed_by >= 0 && facts.typed_by < operands.size
                      ? g_.type_of_value(operands[facts.typed_by]).element
                      : key.result;
    if (facts.folds && node.operand_count == 2) key.body = body_of(node);
    if (facts.moves_bytes && key.body < 0) key.element = key.result = bytes_type(key.element);
    for (int i = 0; i < p_.kernels.size; ++i)
      if (p_.kernels[i] == key) return i;
    return p_.kernels.push(key);
  }

  // The unsigned type of the size of the elements; complex<f64> stands for sixteen bytes.
  static constexpr dtype bytes_type(dtype element) {
    switch (storage_bytes(element)) {
      case 1:
        return dtype::ui8;
      case 2:
        return dtype::ui16;
      case 4:
        return dtype::ui32;
      case 8:
        return dtype::ui64;
      default:
        return dtype::complex_f64;
    }
  }

  constexpr int bytes_of(int value) const { return int(storage_bytes(g_.type_of_value(value).element)); }

  // The pieces of a fused group: loads of what is not simply read in order, then the nodes, each for a tile. Results of
  // loads and nodes lie in slots, which are used again when nobody reads them any more.
  int member_slot_[fused_group::most_members]{};
  int leaf_slot_[fused_group::most_leaves]{};
  bool leaf_once_[fused_group::most_leaves]{};
  int free_slots_[most_slots]{};
  int free_slot_count_ = 0;
  int slots_ = 0;
  int slot_element_bytes_ = 1;

  constexpr int take_slot() { return free_slot_count_ > 0 ? free_slots_[--free_slot_count_] : slots_++; }

  constexpr void write_group(int n, const graph_node& node) {
    free_slot_count_ = slots_ = 0;
    slot_element_bytes_ = 1;
    ++p_.groups;
    plan_step step;
    step.kernel = -1;
    step.node = n;
    step.count = group_.shape().product();
    step.first_micro = p_.micros.size;
    step.first = p_.values.size;

    for (int i = 0; i < group_.leaf_count; ++i) {
      leaf_slot_[i] = -1;
      if (!is_splat_constant(group_.leaves[i].value)) m_.needed[group_.leaves[i].value] = true;
    }
    if (group_.result.leaf >= 0) write_load(group_.result.leaf, node.results);
    for (int m = group_.member_count - 1; m >= 0; --m)
      if (facts_of(g_.nodes.data[group_.members[m].node].kind).elementwise)
        write_compute(group_.members[m], member_slot_[m], m == group_.result.member ? node.results : -1);

    for (int i = 0; i < group_.leaf_count; ++i) p_.values.push(group_.leaves[i].value);
    step.operand_count = group_.leaf_count;
    step.result_count = 1;
    p_.values.push(node.results);
    step.micro_count = p_.micros.size - step.first_micro;
    step.slots = slots_;
    index_t tile = step.count < most_tile_elements ? step.count : most_tile_elements;
    while (slots_ > 0 && tile > 64 && tile * slot_element_bytes_ * slots_ > most_tile_bytes) tile /= 2;
    step.tile = tile > 0 ? tile : 1;
    step.slot_bytes = int(arena_allocator::rounded(step.tile * slot_element_bytes_));
    step.scratch_bytes = index_t(step.slots) * step.slot_bytes;
    p_.steps.push(step);
    budget_ -= group_.member_count * (8 + group_.member_count / 4 + group_.leaf_count / 2);
  }

  // Emits the load of a leaf into a slot, or, if `into` is a value, straight to memory.
  constexpr void write_load(int leaf, int into) {
    const int value = group_.leaves[leaf].value, bytes = bytes_of(value);
    strided_access access = group_.access_of(group_.leaves[leaf]);
    if (is_splat_constant(value)) access = {access.sizes, ints::filled(access.sizes.size, 0), 0};
    plan_micro load;
    load.first = p_.operands.size;
    load.operand_count = load.result_count = 1;
    load.access = p_.accesses.push(access);
    load.once = into < 0 && detail::is_constant(access);
    p_.operands.push({plan_operand::source::memory, value, -1, bytes});
    if (into >= 0) {
      p_.operands.push({plan_operand::source::memory, into, -1, bytes});
    } else {
      // What is loaded once must outlive the tile, so its slot is one that no piece of the group has written before.
      leaf_slot_[leaf] = load.once ? slots_++ : take_slot();
      leaf_once_[leaf] = load.once;
      if (bytes > slot_element_bytes_) slot_element_bytes_ = bytes;
      p_.operands.push({plan_operand::source::slot, -1, leaf_slot_[leaf], bytes});
    }
    p_.micros.push(load);
    budget_ -= 4;
  }

  constexpr bool reads_in_order(const fused_group::leaf& leaf) const {
    if (is_splat_constant(leaf.value) && g_.type_of_value(leaf.value).size() != 1) return false;
    return detail::is_contiguous(group_.access_of(leaf));
  }

  // `into`: the value that the result is, or -1 for a slot, which is written down in `slot`.
  constexpr void write_compute(const fused_group::member& member, int& slot, int into) {
    const graph_node& node = g_.nodes.data[member.node];
    const list<int> operands = g_.operands_of(node);
    for (int i = 0; i < operands.size; ++i) {
      const int leaf = member.operands[i].leaf;
      if (leaf >= 0 && leaf_slot_[leaf] < 0 && !reads_in_order(group_.leaves[leaf])) write_load(leaf, -1);
    }
    plan_micro compute;
    compute.kernel = kernel_for(node);
    compute.node = member.node;
    compute.first = p_.operands.size;
    compute.operand_count = operands.size;
    compute.result_count = 1;
    for (int i = 0; i < operands.size; ++i) {
      const fused_group::origin& from = member.operands[i];
      const int source = from.member >= 0 ? member_slot_[from.member] : leaf_slot_[from.leaf];
      const int bytes = bytes_of(operands.data[i]);
      if (source >= 0)
        p_.operands.push({plan_operand::source::slot, -1, source, bytes});
      else
        p_.operands.push({plan_operand::source::memory, group_.leaves[from.leaf].value, -1, bytes});
    }
    const int bytes = bytes_of(node.results);
    if (into >= 0) {
      p_.operands.push({plan_operand::source::memory, into, -1, bytes});
    } else {
      if (bytes > slot_element_bytes_) slot_element_bytes_ = bytes;
      slot = take_slot();
      p_.operands.push({plan_operand::source::slot, -1, slot, bytes});
    }
    for (int i = 0; i < operands.size; ++i) {
      const fused_group::origin& from = member.operands[i];
      if (from.member >= 0 && --group_.members[from.member].uses == 0)
        free_slots_[free_slot_count_++] = member_slot_[from.member];
      if (from.leaf >= 0 && --group_.leaves[from.leaf].uses == 0 && leaf_slot_[from.leaf] >= 0 &&
          !leaf_once_[from.leaf])
        free_slots_[free_slot_count_++] = leaf_slot_[from.leaf];
    }
    p_.micros.push(compute);
  }

  // The last step that reads each value of the block, whatever its owner's alias.
  constexpr void note_reads() {
    const int s = progress_.next++;
    const plan_step& step = p_.steps.data[block().first_step + s];
    const auto read = [&](int value) { m_.last_use.data[root_of(value)] = s; };
    const int count = step.operand_count + step.result_count;
    for (int i = 0; i < count; ++i) read(p_.values.data[step.first + i]);
    budget_ -= count;
    for (int b = 0; b < step.block_count; ++b) {
      const int inner = p_.blocks[p_.block_references[step.first_block + b]].region;
      for_each_captured(inner, read);
      budget_ -= g_.regions.data[inner].last - g_.regions.data[inner].first;
    }
  }
  constexpr void finish_reads() {
    for (int value : g_.yields_of(region())) m_.last_use[root_of(value)] = step_count();
    progress_.next = 0;
    progress_.arena = {};
    progress_.at = planning_progress::stage::places;
  }

  // Gives the values that a step produces places in the block's part of the arena, reusing what is no longer read.
  constexpr void place_step() {
    const int s = progress_.next++, block_id = p_.blocks.size - 1;
    arena_allocator& arena = progress_.arena;
    plan_step& step = p_.steps[block().first_step + s];
    for (int r = 0; r < step.result_count; ++r) {
      const int value = result_of(step, r);
      if (p_.places[value].base >= 0) continue;
      m_.block_of_value[value] = block_id;
      p_.places[value] = {place::arena, arena.take(byte_size(g_.type_of_value(value)))};
      m_.next_dying[value] = m_.first_dying[m_.last_use[value]];
      m_.first_dying[m_.last_use[value]] = value;
    }
    index_t nested = 0;
    for (int b = 0; b < step.block_count; ++b)
      nested += p_.blocks[p_.block_references[step.first_block + b]].arena_bytes;
    const index_t scratch = arena_allocator::rounded(step.scratch_bytes) + nested;
    const index_t start = arena.take(scratch);
    step.scratch = {place::arena, start};
    index_t inner = start + arena_allocator::rounded(step.scratch_bytes);
    for (int b = 0; b < step.block_count; ++b) {
      plan_block& child = p_.blocks[p_.block_references[step.first_block + b]];
      child.base = inner;
      inner += child.arena_bytes;
    }
    arena.give_back(start, scratch);
    for (int value = m_.first_dying[s]; value >= 0; value = m_.next_dying[value])
      arena.give_back(p_.places[value].offset, byte_size(g_.type_of_value(value)));
    budget_ -= 8 + 2 * arena.hole_count();
  }

  constexpr int result_of(const plan_step& step, int r) const {
    return p_.values.data[step.first + step.operand_count + r];
  }

  // Turns distances from the start of a block's part of the arena into distances from the start of the arena.
  constexpr void settle() {
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
    p_.arena_bytes = p_.pointer_table + arena_allocator::rounded(p_.pointer_count * index_t(sizeof(void*)));
    for (int v = 0; v < g_.values.size; ++v)
      if (m_.block_of_value[v] >= 0) p_.places[v].offset += p_.blocks[m_.block_of_value[v]].base;
    for (int v = 0; v < g_.values.size; ++v)
      if (m_.alias[v] >= 0) p_.places[v] = p_.places[root_of(v)];
  }

  constexpr void place_constants() {
    for (int n = 0; n < g_.nodes.size; ++n) {
      const graph_node& node = g_.nodes.data[n];
      if (node.kind != kind_of_op<ops::constant>) continue;
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
  sizes.micros = g.nodes.size + g.operands.size;
  sizes.operands = 2 * g.operands.size + 4 * g.nodes.size;
  sizes.accesses = g.operands.size;
  sizes.values = 2 * g.operands.size + g.values.size;
  sizes.blocks = sizes.block_references = g.regions.size;
  sizes.places = g.values.size;
  return sizes;
}

}  // namespace tenon
