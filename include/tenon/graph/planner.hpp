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

// Turns the one function of a simplified graph into steps: fuses, gives every value that must exist a place in the
// arena, and names the kernels.
class planner {
 public:
  // Elements of a fused group that are done at a time at most: few enough for its tiles to stay in the first cache.
  static constexpr index_t most_tile_elements = 1024;
  static constexpr index_t most_tile_bytes = 32768;
  static constexpr int most_slots = fused_group::most_members + fused_group::most_leaves;

  constexpr planner(const graph& g, plan& p, const planning_memory& memory) : g_(g), p_(p), m_(memory) {}

  constexpr bool run() {
    const int values = g_.values.size;
    p_.pointer_count = place::first_pointer;
    for (table<int>* each : {&m_.uses, &m_.alias, &m_.block_of_value, &m_.last_use, &m_.next_dying})
      each->size = values;
    m_.needed.size = values;
    m_.first_dying.size = g_.nodes.size + 1;
    m_.block_of_region.size = g_.regions.size;
    for (int v = 0; v < values; ++v) {
      m_.uses[v] = 0, m_.needed[v] = false, m_.alias[v] = -1, m_.block_of_value[v] = -1;
      p_.places.push({});
    }
    for (const graph_node& node : g_.nodes)
      for (int value : g_.operands_of(node)) ++m_.uses[value];
    for (const graph_region& each : g_.regions)
      for (int value : g_.yields_of(each)) ++m_.uses[value], m_.needed[value] = true;

    p_.main_block = plan_region(g_.functions.data[0].region, true);
    place_constants();
    settle(p_.main_block, 0);
    p_.pointer_table = p_.blocks[p_.main_block].arena_bytes;
    p_.arena_bytes = p_.pointer_table + arena_allocator::rounded(p_.pointer_count * index_t(sizeof(void*)));
    for (int v = 0; v < values; ++v)
      if (m_.block_of_value[v] >= 0) p_.places[v].offset += p_.blocks[m_.block_of_value[v]].base;
    for (int v = 0; v < values; ++v)
      if (m_.alias[v] >= 0) p_.places[v] = p_.places[root_of(v)];
    return !p_.overflow();
  }

 private:
  const graph& g_;
  plan& p_;
  planning_memory m_;

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

  constexpr int plan_region(int region_id, bool is_main) {
    const graph_region& region = g_.regions.data[region_id];
    const list<int> yields = g_.yields_of(region);
    for (int n = region.first; n < region.last; ++n)
      if (g_.nodes.data[n].region == region_id)
        for (int inner : g_.regions_of(g_.nodes.data[n])) m_.block_of_region[inner] = plan_region(inner, false);

    const int block = p_.blocks.push({.region = region_id});
    p_.blocks[block].first_pointer = p_.pointer_count;
    p_.pointer_count += region.argument_count;
    for (int a = 0; a < region.argument_count; ++a)
      p_.places[region.arguments + a] = {p_.blocks[block].first_pointer + a, 0};

    p_.blocks[block].first_step = p_.steps.size;
    for (int n = region.last - 1; n >= region.first; --n)
      if (g_.nodes.data[n].region == region_id) write_step(n, g_.nodes.data[n]);
    p_.blocks[block].last_step = p_.steps.size;
    for (int i = p_.blocks[block].first_step, j = p_.steps.size - 1; i < j; ++i, --j) {
      const plan_step swapped = p_.steps[i];
      p_.steps[i] = p_.steps[j];
      p_.steps[j] = swapped;
    }

    p_.blocks[block].first_yield = p_.values.size;
    p_.blocks[block].yield_count = yields.size;
    for (int value : yields) p_.values.push(value);
    if (is_main) {
      // The results of the program are written where they are wanted, unless they are arguments, constants or twins.
      for (int i = 0; i < yields.size; ++i) {
        const int value = root_of(yields.data[i]);
        if (g_.values.data[value].node >= 0 && constant_of(value) == nullptr && p_.places[value].base < 0)
          p_.places[value] = {p_.pointer_count + i, 0};
      }
      p_.pointer_count += yields.size;
    }
    place_values(block);
    return block;
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
    if (fused_group::fusable(g_, node) && (facts.elementwise || fused_group::is_strided(g_, node)))
      return write_group(n, node);

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
    return type == g_.type_of_value(only.results) && !type.is_quantized() &&
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
    if (facts.moves_bytes) key.element = key.result = bytes_type(key.element);
    if (facts.folds && node.operand_count == 2) key.body = body_of(node);
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

  // The pieces of a fused group: loads of what is not simply read in order, then the nodes, each for a tile.
  struct group_writer {
    const fused_group& group;
    int member_slot[fused_group::most_members];
    int member_uses[fused_group::most_members]{};
    int leaf_slot[fused_group::most_leaves];
    int leaf_uses[fused_group::most_leaves]{};
    bool leaf_once[fused_group::most_leaves]{};
    bool free_slot[most_slots];
    int slots = 0;
    int bytes = 1;

    constexpr explicit group_writer(const fused_group& g) : group(g) {
      for (int& slot : member_slot) slot = -1;
      for (int& slot : leaf_slot) slot = -1;
      for (bool& slot : free_slot) slot = true;
    }
    // A slot that no piece of the group has written before: what is loaded once must outlive the tile.
    constexpr int take_unused() {
      free_slot[slots] = false;
      return slots++;
    }
    constexpr int take() {
      for (int i = 0; i < most_slots; ++i)
        if (free_slot[i]) {
          free_slot[i] = false;
          if (i >= slots) slots = i + 1;
          return i;
        }
      return -1;
    }
  };

  constexpr void write_group(int n, const graph_node& node) {
    const fused_group group(g_, m_.uses.data, m_.needed.data, n);
    group_writer writer(group);
    ++p_.groups;
    plan_step step;
    step.kernel = -1;
    step.node = n;
    step.count = group.shape().product();
    step.first_micro = p_.micros.size;
    step.first = p_.values.size;

    // What the group writes in the end: the root itself, or, if the root only moves, what it moves.
    int last = facts_of(node.kind).elementwise ? 0 : -1, moved_leaf = -1;
    if (last < 0) {
      const fused_group::origin from = group.origin_of(0, 0);
      last = from.member, moved_leaf = from.leaf;
    }
    for (int m = 0; m < group.member_count; ++m) {
      const graph_node& member = g_.nodes.data[group.members[m]];
      if (!facts_of(member.kind).elementwise) continue;
      for (int i = 0; i < member.operand_count; ++i) {
        const fused_group::origin from = group.origin_of(m, i);
        if (from.member >= 0) ++writer.member_uses[from.member];
        if (from.leaf >= 0) ++writer.leaf_uses[from.leaf];
      }
    }
    for (int i = 0; i < group.leaf_count; ++i)
      if (!is_splat_constant(group.leaves[i].value)) m_.needed[group.leaves[i].value] = true;

    if (moved_leaf >= 0) write_load(writer, moved_leaf, node.results);
    for (int m = group.member_count - 1; m >= 0; --m)
      if (facts_of(g_.nodes.data[group.members[m]].kind).elementwise)
        write_compute(writer, m, m == last ? node.results : -1);

    for (int i = 0; i < group.leaf_count; ++i) p_.values.push(group.leaves[i].value);
    step.operand_count = group.leaf_count;
    step.result_count = 1;
    p_.values.push(node.results);
    step.micro_count = p_.micros.size - step.first_micro;
    step.slots = writer.slots;
    index_t tile = step.count < most_tile_elements ? step.count : most_tile_elements;
    while (writer.slots > 0 && tile > 64 && tile * writer.bytes * writer.slots > most_tile_bytes) tile /= 2;
    step.tile = tile > 0 ? tile : 1;
    step.slot_bytes = int(arena_allocator::rounded(step.tile * writer.bytes));
    step.scratch_bytes = index_t(step.slots) * step.slot_bytes;
    p_.steps.push(step);
  }

  // Emits the load of a leaf into a slot, or, if `into` is a value, straight to memory.
  constexpr void write_load(group_writer& writer, int leaf, int into) {
    const int value = writer.group.leaves[leaf].value;
    strided_access access = detail::merged(writer.group.access_of(writer.group.leaves[leaf]));
    if (is_splat_constant(value)) access = {access.sizes, ints::filled(access.sizes.size, 0), 0};
    plan_micro load;
    load.first = p_.operands.size;
    load.operand_count = load.result_count = 1;
    load.access = p_.accesses.push(access);
    load.once = into < 0 && detail::is_constant(access);
    p_.operands.push({plan_operand::source::memory, value, -1, bytes_of(value)});
    if (into >= 0) {
      p_.operands.push({plan_operand::source::memory, into, -1, bytes_of(value)});
    } else {
      writer.leaf_slot[leaf] = load.once ? writer.take_unused() : writer.take();
      writer.leaf_once[leaf] = load.once;
      if (bytes_of(value) > writer.bytes) writer.bytes = bytes_of(value);
      p_.operands.push({plan_operand::source::slot, -1, writer.leaf_slot[leaf], bytes_of(value)});
    }
    p_.micros.push(load);
  }

  constexpr bool reads_in_order(const fused_group& group, int leaf) const {
    const int value = group.leaves[leaf].value;
    if (is_splat_constant(value) && g_.type_of_value(value).size() != 1) return false;
    return detail::is_contiguous(detail::merged(group.access_of(group.leaves[leaf])));
  }

  // `into`: the value that the result is, or -1 for a slot.
  constexpr void write_compute(group_writer& writer, int m, int into) {
    const fused_group& group = writer.group;
    const graph_node& node = g_.nodes.data[group.members[m]];
    const list<int> operands = g_.operands_of(node);
    for (int i = 0; i < operands.size; ++i) {
      const int leaf = group.origin_of(m, i).leaf;
      if (leaf >= 0 && writer.leaf_slot[leaf] < 0 && !reads_in_order(group, leaf)) write_load(writer, leaf, -1);
    }
    plan_micro compute;
    compute.kernel = kernel_for(node);
    compute.node = group.members[m];
    compute.first = p_.operands.size;
    compute.operand_count = operands.size;
    compute.result_count = 1;
    for (int i = 0; i < operands.size; ++i) {
      const fused_group::origin from = group.origin_of(m, i);
      const int slot = from.member >= 0 ? writer.member_slot[from.member] : writer.leaf_slot[from.leaf];
      const int bytes = bytes_of(operands[i]);
      if (slot >= 0)
        p_.operands.push({plan_operand::source::slot, -1, slot, bytes});
      else
        p_.operands.push({plan_operand::source::memory, group.leaves[from.leaf].value, -1, bytes});
    }
    const int bytes = bytes_of(node.results);
    if (into >= 0) {
      p_.operands.push({plan_operand::source::memory, into, -1, bytes});
    } else {
      if (bytes > writer.bytes) writer.bytes = bytes;
      writer.member_slot[m] = writer.take();
      p_.operands.push({plan_operand::source::slot, -1, writer.member_slot[m], bytes});
    }
    for (int i = 0; i < operands.size; ++i) {
      const fused_group::origin from = group.origin_of(m, i);
      if (from.member >= 0 && --writer.member_uses[from.member] == 0)
        writer.free_slot[writer.member_slot[from.member]] = true;
      if (from.leaf >= 0 && --writer.leaf_uses[from.leaf] == 0 && writer.leaf_slot[from.leaf] >= 0 &&
          !writer.leaf_once[from.leaf])
        writer.free_slot[writer.leaf_slot[from.leaf]] = true;
    }
    p_.micros.push(compute);
  }

  // Gives the values that the steps of a block produce places in its part of the arena, reusing what is no longer read.
  constexpr void place_values(int block_id) {
    const plan_block& block = p_.blocks[block_id];
    const graph_region& region = g_.regions.data[block.region];
    const int steps = block.last_step - block.first_step;
    for (int s = 0; s <= steps; ++s) m_.first_dying[s] = -1;
    const auto read = [&](int value, int step) { m_.last_use[root_of(value)] = step; };
    for (int s = 0; s < steps; ++s) {
      const plan_step& step = p_.steps[block.first_step + s];
      for (int r = 0; r < step.result_count; ++r) read(result_of(step, r), s);
      for (int i = 0; i < step.operand_count; ++i) read(p_.values[step.first + i], s);
      for (int b = 0; b < step.block_count; ++b)
        for_each_captured(p_.blocks[p_.block_references[step.first_block + b]].region,
                          [&](int value) { read(value, s); });
    }
    for (int value : g_.yields_of(region)) read(value, steps);

    arena_allocator arena;
    for (int s = 0; s < steps; ++s) {
      plan_step& step = p_.steps[block.first_step + s];
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
    }
    p_.blocks[block_id].arena_bytes = arena.peak();
  }

  constexpr int result_of(const plan_step& step, int r) const {
    return p_.values.data[step.first + step.operand_count + r];
  }

  // Turns distances from the start of a block's part of the arena into distances from the start of the arena.
  constexpr void settle(int block_id, index_t base) {
    plan_block& block = p_.blocks[block_id];
    block.base = base;
    for (int s = block.first_step; s < block.last_step; ++s) {
      plan_step& step = p_.steps[s];
      step.scratch.offset += base;
      for (int b = 0; b < step.block_count; ++b) {
        const int inner = p_.block_references[step.first_block + b];
        settle(inner, base + p_.blocks[inner].base);
      }
    }
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
