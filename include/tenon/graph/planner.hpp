// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/value_bytes.hpp>
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
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c != '[' && c != '{' && c != '"';
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
  static constexpr index_t most_tile_elements = 4096;
  static constexpr index_t most_tile_bytes = 32768;
  // The longest run of elements that is loaded once because every tile begins with it.
  static constexpr index_t most_period = 4096;
  static constexpr int most_buffers = fused_group::most_members + fused_group::most_leaves;
  // Neighbours that come from different lines of the cache, and groups that are large enough for it to matter.
  static constexpr index_t far_apart = 16, least_boxed = 4096, most_box_rows = 64, most_box_row = 64;
  // What a fold keeps between the tiles of a row: four vectors of any target.
  static constexpr index_t most_fold_state_bytes = 1024;

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

  // The region of such a node says what it folds by, and is never run itself.
  constexpr bool folds_by_one_op(const graph_node& node) const {
    const op_facts facts = tenon::facts_of(node.kind);
    return (facts.folds || facts.folds_windows) && node.operand_count == 2 && detail::body_of(g_, node) >= 0;
  }
  static constexpr int never_run = -2;

  constexpr void enter(int region) {
    while (m_.block_of_region.data[region] == never_run) --region;
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
    for (const graph_node& node : g_.nodes)
      if (folds_by_one_op(node)) m_.block_of_region[g_.regions_of(node)[0]] = never_run;
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
    bool wanted = facts.effects || (node.region_count > 0 && !folds_by_one_op(node));
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
    step.block_count = folds_by_one_op(node) ? 0 : node.region_count;
    for (int region : g_.regions_of(node).part(0, step.block_count)) {
      p_.block_references.push(m_.block_of_region[region]);
      for_each_captured(region, [&](int value) { m_.needed[value] = true; });
      budget_ -= g_.regions.data[region].last - g_.regions.data[region].first;
    }
    step.op_scratch_bytes = node.kind >= 0 ? arena_allocator::rounded(scratch_for(node)) : 0;
    step.scratch_bytes = step.op_scratch_bytes + call_bytes(node);
    p_.steps.push(step);
  }

  // Lets a step begin with the op that gives this value, in the memory of another one.
  constexpr void put_before(plan_step& step, int value, int into) {
    const int n = g_.values.data[value].node;
    const graph_node& node = g_.nodes.data[n];
    step.kernel = kernel_for(node);
    step.node = n;
    for (int operand : g_.operands_of(node)) {
      m_.needed[operand] = true;
      p_.values.push(operand);
    }
    step.operand_count += node.operand_count;
    step.op_scratch_bytes = arena_allocator::rounded(scratch_for(node));
    step.scratch_bytes = step.op_scratch_bytes + call_bytes(node);
    m_.alias[value] = into;
    budget_ -= node.operand_count + 4;
  }

  constexpr index_t scratch_for(const graph_node& node) {
    m_.types.size = 0;
    for (int value : g_.operands_of(node)) m_.types.push(g_.type_of_value(value));
    for (int r = 0; r < node.result_count; ++r) m_.types.push(g_.type_of_value(node.results + r));
    return op_tables::scratch[node.kind](g_.words.data + node.words, m_.types.part(0, node.operand_count),
                                         m_.types.part(node.operand_count, node.result_count), &g_);
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

  constexpr int kernel_for(const graph_node& node) {
    const op_facts facts = facts_of(node.kind);
    kernel_key key;
    key.kind = node.kind;
    key.result = node.result_count > 0 ? g_.type_of_value(node.results).element : dtype::none;
    const list<int> operands = g_.operands_of(node);
    key.element = facts.typed_by >= 0 && facts.typed_by < operands.size
                      ? g_.type_of_value(operands[facts.typed_by]).element
                      : key.result;
    if (folds_by_one_op(node)) key.body = detail::body_of(g_, node);
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

  // The pieces of a fused group: loads of what is not simply read in order, then the nodes, each for a tile. What loads
  // and nodes give lies in buffers, which are used again when nobody reads them any more. There are two kinds, for one
  // element per index and for one per row.
  struct tile_buffers {
    int bytes[most_buffers]{};  // per element
    int free[most_buffers]{};
    index_t offsets[most_buffers]{};
    int count = 0, free_count = 0;

    constexpr int take() {
      if (free_count > 0) return free[--free_count];
      bytes[count] = 1;
      return count++;
    }
    constexpr int take_unused() {
      bytes[count] = 1;
      return count++;
    }
    constexpr void give_back(int buffer) { free[free_count++] = buffer; }
    constexpr index_t bytes_of_all() const {
      index_t sum = 0;
      for (int i = 0; i < count; ++i) sum += bytes[i];
      return sum;
    }
    // @post the buffers lie behind `start`, each for so many elements; gives where they end
    constexpr index_t place(index_t start, index_t elements) {
      for (int i = 0; i < count; ++i) {
        offsets[i] = start;
        start += arena_allocator::rounded(elements * bytes[i]);
      }
      return start;
    }
  };
  tile_buffers full_, rows_;
  int member_buffer_[fused_group::most_members]{};
  int leaf_buffer_[fused_group::most_leaves]{};
  bool leaf_once_[fused_group::most_leaves]{};
  int leaf_access_[fused_group::most_leaves]{};
  index_t period_ = 0;
  int across_ = -1, walk_ = -1;

  constexpr tile_buffers& buffers(bool per_row) { return per_row ? rows_ : full_; }
  constexpr bool leaf_per_row(int leaf) const { return group_.is_row_level(group_.leaves[leaf].map); }

  constexpr void write_group(int n, const graph_node& node) {
    full_.count = full_.free_count = rows_.count = rows_.free_count = 0;
    ++p_.groups;
    plan_step step;
    step.kernel = -1;
    step.node = n;
    step.count = group_.count();
    step.row = group_.row();
    step.first_micro = p_.micros.size;
    step.first = p_.values.size;
    step.first_read = p_.reads.size;
    step.first_member = p_.members.size;
    step.member_count = group_.member_count;
    for (int m = group_.member_count - 1; m >= 0; --m) p_.members.push(group_.members[m].node);
    const int first_operand = p_.operands.size;

    walk_ = across_ = -1;
    for (int i = 0; i < group_.leaf_count; ++i) leaf_access_[i] = -1;
    if (!group_.has_rows() && group_.source < 0 && group_.count() >= least_boxed) look_across();
    period_ = across_ < 0 ? choose_period() : 0;
    for (int i = 0; i < group_.leaf_count; ++i) {
      leaf_buffer_[i] = -1;
      if (!is_splat_constant(group_.leaves[i].value) && group_.leaves[i].value != group_.source)
        m_.needed[group_.leaves[i].value] = true;
      leaf_access_[i] = note_read(group_.leaves[i], leaf_access_[i]);
    }
    if (group_.result.leaf >= 0) write_moved(group_.result.leaf, node.results);
    if (group_.has_long_rows()) {
      // Rows are complete before what is computed of their folds.
      write_members(node, members_of::elements);
      write_members(node, members_of::rows);
    } else {
      write_members(node, members_of::both);
    }

    for (int i = 0; i < group_.leaf_count; ++i) p_.values.push(group_.leaves[i].value);
    step.operand_count = step.read_count = group_.leaf_count;
    if (group_.source >= 0) put_before(step, group_.source, node.results);
    step.result_count = 1;
    p_.values.push(node.results);
    step.micro_count = p_.micros.size - step.first_micro;
    choose_tile(step);
    index_t end = full_.place(0, step.tile);
    end = rows_.place(end, step.has_long_rows() ? 1 : step.tile / step.row);
    for (int i = first_operand; i < p_.operands.size; ++i) {
      plan_operand& operand = p_.operands[i];
      if (operand.from == plan_operand::source::tile) operand.offset = buffers(operand.per_row).offsets[operand.offset];
    }
    if (step.has_long_rows())
      for (int m = step.first_micro; m < p_.micros.size; ++m)
        if (p_.micros[m].does == plan_micro::action::fold) {
          p_.micros[m].state = end;
          end += most_fold_state_bytes;
        }
    step.tile_bytes = end;
    step.tile_offset = arena_allocator::rounded(step.scratch_bytes);
    step.scratch_bytes = step.tile_offset + end;
    p_.steps.push(step);
    budget_ -= group_.member_count * (8 + group_.member_count / 4 + group_.leaf_count / 2);
  }

  // Gives which access it is, if it is not in order.
  constexpr int note_read(const fused_group::leaf& leaf, int known_access) {
    plan_read read{leaf.value, -1, load_kind::contiguous, leaf.why, leaf.uses, group_.is_row_level(leaf.map)};
    const strided_access access = group_.access_of(leaf);
    const int last = access.sizes.size - 1;
    if (is_splat_constant(leaf.value) && g_.type_of_value(leaf.value).size() != 1) {
      read.kind = load_kind::broadcast;
    } else if (!detail::is_contiguous(access)) {
      read.access = known_access >= 0 ? known_access : p_.accesses.push(access);
      for (int d = 0; d <= last; ++d)
        if (access.strides.at[d] == 0) read.kind = load_kind::broadcast;
      if (read.kind == load_kind::contiguous) read.kind = load_kind::strided;
    }
    p_.reads.push(read);
    return read.access >= 0 ? read.access : known_access;
  }

  // After how many elements the group begins to read some operand from its start again, if tiles can be as long: what
  // was loaded for one tile then serves for all. 0 if there is no such number.
  constexpr index_t choose_period() const {
    if (group_.has_long_rows()) return 0;
    index_t longest = 0;
    for (int i = 0; i < group_.leaf_count; ++i) {
      if (leaf_per_row(i) || is_splat_constant(group_.leaves[i].value)) continue;
      const index_t period = detail::period_of(group_.access_of(group_.leaves[i]));
      if (period > longest && period > 1 && period <= most_period && period < group_.count() &&
          (!group_.has_rows() || group_.row() % period == 0))
        longest = period;
    }
    return longest;
  }

  // Few enough elements for all buffers to stay in the first cache, but no fewer than a row.
  constexpr void choose_tile(plan_step& step) const {
    const index_t bytes = full_.bytes_of_all();
    index_t tile = most_tile_elements;
    while (tile > 64 && tile * bytes > most_tile_bytes) tile /= 2;
    if (across_ >= 0) {
      const ints& sizes = p_.accesses[walk_].sizes;
      step.across = across_;
      step.walk = walk_;
      step.box_rows = sizes.at[across_] < most_box_rows ? sizes.at[across_] : most_box_rows;
      step.box_row = sizes.at[sizes.size - 1] < most_box_row ? sizes.at[sizes.size - 1] : most_box_row;
      step.tile = step.box_rows * step.box_row;
      return;
    }
    if (step.row > fused_group::most_row) {
      // A whole number of the vectors that a fold takes at a time.
      step.tile = most_tile_elements;
      return;
    }
    const index_t unit = step.row > period_ ? step.row : period_;
    if (unit > 1) tile = tile < unit ? unit : tile / unit * unit;
    if (step.count < tile) tile = step.count;
    step.tile = tile > 0 ? tile : 1;
  }

  // Whether a member takes one element per row.
  constexpr bool works_on_rows(const fused_group::member& member) const {
    return member.as == fused_group::role::spread ||
           (member.as == fused_group::role::compute && group_.gives_rows(member));
  }

  enum class members_of : int { elements, rows, both };
  constexpr void write_members(const graph_node& root, members_of which) {
    for (int m = group_.member_count - 1; m >= 0; --m) {
      const fused_group::member& each = group_.members[m];
      if (each.as == fused_group::role::move) continue;
      if (which == members_of::both || (which == members_of::rows) == works_on_rows(each))
        write_member(each, member_buffer_[m], m == group_.result.member ? root.results : -1);
    }
  }

  // Whether some leaf is read across: with neighbours far apart, and the next ones along another dimension. Then the
  // group is done in boxes of both dimensions, so that what comes from memory together is used together.
  constexpr void look_across() {
    bool strided = false;
    for (int i = 0; i < group_.leaf_count; ++i) {
      const strided_access access = group_.access_of(group_.leaves[i]);
      const int last = access.sizes.size - 1;
      strided = strided || (last > 0 && access.strides.at[last] >= far_apart);
    }
    if (!strided) return;
    detail::common_walk common(group_.count());
    for (int i = 0; i < group_.leaf_count; ++i)
      if (group_.leaves[i].map != fused_group::scalar_map && !common.cut(group_.access_of(group_.leaves[i]))) return;
    if (!common.close()) return;
    const int last = common.sizes().size - 1;
    for (int i = 0; i < group_.leaf_count && across_ < 0; ++i) {
      const strided_access walk = common.walk(group_.access_of(group_.leaves[i]));
      if (group_.leaves[i].map == fused_group::scalar_map || walk.strides.at[last] < far_apart) continue;
      for (int d = 0; d < last; ++d)
        if (walk.strides.at[d] == 1 && walk.sizes.at[d] >= 8 && walk.sizes.at[last] >= 8) across_ = d;
    }
    if (across_ < 0) return;
    walk_ = p_.accesses.push(common.walk(detail::dense_access({group_.count()})));
    for (int i = 0; i < group_.leaf_count; ++i)
      if (group_.leaves[i].map != fused_group::scalar_map && !is_splat_constant(group_.leaves[i].value))
        leaf_access_[i] = p_.accesses.push(common.walk(group_.access_of(group_.leaves[i])));
    for (int i = 0; i < group_.leaf_count; ++i) budget_ -= common.sizes().size;
  }

  // Emits what a group does that only moves.
  constexpr void write_moved(int leaf, int into) {
    if (across_ < 0) return write_load(leaf, into);
    write_load(leaf, -1);
    write_store(leaf_buffer_[leaf], into);
  }
  // Emits the way of a box of the result to memory.
  constexpr void write_store(int buffer, int into) {
    plan_micro store;
    store.does = plan_micro::action::store;
    store.first = p_.operands.size;
    store.operand_count = store.result_count = 1;
    store.access = walk_;
    write_buffer(buffer, bytes_of(into), false);
    p_.operands.push({plan_operand::source::memory, into, 0, bytes_of(into), false});
    p_.micros.push(store);
  }

  // Emits the load of a leaf into a buffer, or, if `into` is a value, straight to memory.
  constexpr void write_load(int leaf, int into) {
    const int value = group_.leaves[leaf].value, bytes = bytes_of(value);
    strided_access access = group_.access_of(group_.leaves[leaf]);
    if (is_splat_constant(value)) access = {access.sizes, ints::filled(access.sizes.size, 0), 0};
    plan_micro load;
    load.does = plan_micro::action::load;
    load.first = p_.operands.size;
    load.operand_count = load.result_count = 1;
    load.access = is_splat_constant(value) || leaf_access_[leaf] < 0 ? p_.accesses.push(access) : leaf_access_[leaf];
    load.per_row = leaf_per_row(leaf);
    const index_t period = detail::period_of(access);
    load.once = into < 0 && (period == 1 || (!load.per_row && period == period_));
    p_.operands.push({plan_operand::source::memory, value, 0, bytes, load.per_row});
    if (into >= 0) {
      p_.operands.push({plan_operand::source::memory, into, 0, bytes, load.per_row});
    } else {
      // What is loaded once must outlive the tile, so its buffer is one that no piece of the group has written before.
      tile_buffers& from = buffers(load.per_row);
      leaf_buffer_[leaf] = load.once ? from.take_unused() : from.take();
      leaf_once_[leaf] = load.once;
      write_buffer(leaf_buffer_[leaf], bytes, load.per_row);
    }
    p_.micros.push(load);
    budget_ -= 4;
  }

  constexpr void write_buffer(int buffer, int bytes, bool per_row) {
    int& of_buffer = buffers(per_row).bytes[buffer];
    if (bytes > of_buffer) of_buffer = bytes;
    p_.operands.push({plan_operand::source::tile, -1, buffer, bytes, per_row});
  }

  constexpr bool reads_in_order(const fused_group::leaf& leaf) const {
    if (across_ >= 0) return false;
    if (is_splat_constant(leaf.value) && g_.type_of_value(leaf.value).size() != 1) return false;
    return detail::is_contiguous(group_.access_of(leaf));
  }

  constexpr void give_back_operands(const fused_group::member& member, int count) {
    for (int i = 0; i < count; ++i) {
      const fused_group::origin& from = member.operands[i];
      if (from.member >= 0 && --group_.members[from.member].uses == 0)
        buffers(group_.gives_rows(group_.members[from.member])).give_back(member_buffer_[from.member]);
      if (from.leaf >= 0 && --group_.leaves[from.leaf].uses == 0 && leaf_buffer_[from.leaf] >= 0 &&
          !leaf_once_[from.leaf])
        buffers(leaf_per_row(from.leaf)).give_back(leaf_buffer_[from.leaf]);
    }
  }

  // `into`: the value that the result is, or -1 for a buffer, which is written down in `buffer`.
  constexpr void write_member(const fused_group::member& member, int& buffer, int into) {
    using role = fused_group::role;
    const graph_node& node = g_.nodes.data[member.node];
    const list<int> operands = g_.operands_of(node);
    // Where a fold starts from is read where it lies.
    const int loaded = member.as == role::fold ? 1 : operands.size;
    for (int i = 0; i < loaded; ++i) {
      const int leaf = member.operands[i].leaf;
      if (leaf >= 0 && leaf_buffer_[leaf] < 0 && !reads_in_order(group_.leaves[leaf])) write_load(leaf, -1);
    }
    plan_micro micro;
    micro.does = member.as == role::fold     ? plan_micro::action::fold
                 : member.as == role::spread ? plan_micro::action::spread
                                             : plan_micro::action::compute;
    micro.kernel = member.as == role::spread ? -1 : kernel_for(node);
    micro.node = member.node;
    micro.first = p_.operands.size;
    micro.operand_count = operands.size;
    micro.result_count = 1;
    micro.per_row = works_on_rows(member);
    for (int i = 0; i < operands.size; ++i) {
      const fused_group::origin& from = member.operands[i];
      const int bytes = bytes_of(operands.data[i]);
      if (i >= loaded) {
        p_.operands.push({plan_operand::source::memory, operands.data[i], 0, 0, false});
      } else if (from.member >= 0) {
        p_.operands.push({plan_operand::source::tile, -1, member_buffer_[from.member], bytes,
                          group_.gives_rows(group_.members[from.member])});
      } else if (leaf_buffer_[from.leaf] >= 0) {
        p_.operands.push({plan_operand::source::tile, -1, leaf_buffer_[from.leaf], bytes, leaf_per_row(from.leaf)});
      } else {
        p_.operands.push(
            {plan_operand::source::memory, group_.leaves[from.leaf].value, 0, bytes, leaf_per_row(from.leaf)});
      }
    }
    const int bytes = bytes_of(node.results);
    const bool gives_rows = group_.gives_rows(member);
    // Elements of one size may take the place of those that they are computed from.
    bool in_place = member.as == role::compute;
    for (int i = 0; i < operands.size; ++i) in_place = in_place && bytes_of(operands.data[i]) == bytes;
    if (in_place) give_back_operands(member, operands.size);
    if (into >= 0 && across_ < 0) {
      p_.operands.push({plan_operand::source::memory, into, 0, bytes, gives_rows});
    } else {
      buffer = buffers(gives_rows).take();
      write_buffer(buffer, bytes, gives_rows);
    }
    if (!in_place) give_back_operands(member, operands.size);
    p_.micros.push(micro);
    if (into >= 0 && across_ >= 0) write_store(buffer, into);
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
      p_.places[value] = {place::arena, arena.take(value_bytes(g_.type_of_value(value), &g_))};
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
      arena.give_back(p_.places[value].offset, value_bytes(g_.type_of_value(value), &g_));
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
  sizes.operands = 3 * g.operands.size + 2 * g.nodes.size;
  sizes.accesses = g.operands.size + g.nodes.size;
  sizes.reads = g.operands.size;
  sizes.members = g.nodes.size + g.operands.size;
  sizes.values = 2 * g.operands.size + g.values.size;
  sizes.blocks = sizes.block_references = g.regions.size;
  sizes.places = g.values.size;
  return sizes;
}

}  // namespace tenon
