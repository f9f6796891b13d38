// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan/fuse.hpp>
#include <tenon/graph/plan/planning.hpp>

namespace tenon::planning {

// Writes down fused groups as steps: their loads, what they compute tile by tile, and where it lies in between.
class group_writer : planning_tools {
 public:
  // Elements of a fused group that are done at a time at most: few enough for its tiles to stay in the first cache.
  static constexpr index_t most_tile_elements = 4096, most_of_epilogue = 32;
  static constexpr index_t most_tile_bytes = 32768;
  // The longest run of elements that is loaded once because every tile begins with it.
  static constexpr index_t most_period = 4096;
  static constexpr int most_buffers = fused_group::most_members + fused_group::most_leaves;
  // Neighbours that come from different lines of the cache, and groups that are large enough for it to matter.
  static constexpr index_t far_apart = 16, least_boxed = 4096;
  // The bytes of a box along a row that it reads across, enough for hardware prefetch, and its rows. Its buffers stay
  // in the second cache.
  static constexpr index_t transposed_run_bytes = 1024, transposed_row = 64, most_box_bytes = 65536;
  // The running results of a fold between the tiles of a row: four vectors of any target.
  static constexpr index_t most_fold_state_bytes = 1024;

  constexpr explicit group_writer(plan_draft& draft)
      : planning_tools(draft), group_(g_, m_.uses.data, m_.needed.data) {}

  // The group that was grown last.
  constexpr const fused_group& group() const { return group_; }

  // Finds the group that computes node n; false if it does not belong into groups. `may_keep`: the group may have other
  // results beside.
  constexpr bool grow_group(int n, bool may_keep = true) {
    group_.gathers_left = p_.gathers.capacity - p_.gathers.size;
    group_.indices_left = p_.indices.capacity - p_.indices.size;
    return group_.grow(n, may_keep);
  }

  // Adds the step of the group that was grown last, which computes node n. `in_ranges`: what is kept of the result is
  // one range after the other.
  constexpr void write_group(int n, const graph_node& node, bool in_ranges = false) {
    full_.count = full_.free_count = rows_.count = rows_.free_count = 0;
    ++p_.groups;
    plan_step step;
    step.kernel = -1;
    step.node = n;
    step.count = group_.count();
    step.row = group_.row();
    step.first_instruction = p_.instructions.size;
    step.first = p_.values.size;
    step.first_read = p_.reads.size;
    step.first_member = p_.members.size;
    step.member_count = group_.member_count;
    for (int m = group_.member_count - 1; m >= 0; --m) p_.members.push(group_.members[m].node);
    const int first_operand = p_.operands.size;

    walk_ = transposed_axis_ = -1;
    for (int i = 0; i < group_.leaf_count; ++i) leaf_access_[i] = -1;
    for (int i = 0; i < fused_group::most_maps; ++i) gather_of_map_[i] = -1;
    if (!group_.has_rows() && group_.source < 0 && group_.kept_count == 0 && group_.count() >= least_boxed &&
        !in_ranges)
      find_transposed_axis();
    period_ = transposed_axis_ < 0 && group_.source_unit == 0 ? choose_period() : 0;
    for (int i = 0; i < group_.leaf_count; ++i) {
      leaf_buffer_[i] = -1;
      if (!is_splat_constant(group_.leaves[i].value) && group_.leaves[i].value != group_.source)
        m_.needed[group_.leaves[i].value] = true;
      leaf_access_[i] = note_read(group_.leaves[i], leaf_access_[i]);
    }
    if (group_.result.leaf >= 0) write_load(group_.result.leaf, node.results);
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
    step.result_count = 1 + group_.kept_count;
    p_.values.push(node.results);
    // A value that is kept needs no step of its own any more.
    for (int m = 0; m < group_.member_count; ++m)
      if (const int value = g_.nodes.data[group_.members[m].node].results; group_.members[m].kept)
        p_.values.push(value), m_.needed[value] = false;
    if (step.has_op()) write_views(step, g_.nodes.data[step.node].operand_count);
    step.instruction_count = p_.instructions.size - step.first_instruction;
    if (const index_t unit = group_.source_unit; unit > 0) {
      step.units = step.count / unit;
      step.range_bytes = arena_allocator::rounded(core::epilogue_elements(step.count, unit) * bytes_of(group_.source));
    }
    choose_tile(step);
    index_t end = full_.place(0, step.tile);
    end = rows_.place(end, step.has_long_rows() ? 1 : step.tile / step.row);
    for (int i = first_operand; i < p_.operands.size; ++i) {
      plan_operand& operand = p_.operands[i];
      if (operand.from == plan_operand::source::tile) operand.offset = buffers(operand.per_row).offsets[operand.offset];
      operand.ranged = operand.from == plan_operand::source::memory &&
                       ((in_ranges && operand.value == node.results) ||
                        ((in_ranges || step.range_bytes > 0) && operand.value == group_.source));
    }
    if (step.has_long_rows())
      for (int m = step.first_instruction; m < p_.instructions.size; ++m)
        if (p_.instructions[m].does == group_instruction::action::fold) {
          p_.instructions[m].state = end;
          end += most_fold_state_bytes;
        }
    step.tile_bytes = end;
    step.tile_offset = arena_allocator::rounded(step.scratch_bytes);
    step.scratch_bytes = step.tile_offset + end + step.range_bytes;
    p_.steps.push(step);
    budget_ -= group_.member_count * (8 + group_.member_count / 4 + group_.leaf_count / 2) +
               group_.kept_count * fused_group::most_between / 2;
  }

  // Writes down what an op reads: where its kernel takes other than dense operands, what they were moved from.
  constexpr void write_operands(const graph_node& node) {
    has_views_ = false;
    for (int i = 0; i < node.operand_count; ++i) {
      int value = g_.operands_of(node)[i];
      if (i < most_viewed) {
        strided_access access;
        views_[i] = look_through(node, i, value, access) ? p_.accesses.push(access) : -1;
        has_views_ = has_views_ || views_[i] >= 0;
      }
      p_.values.push(value);
    }
  }
  // How, after the results of the step.
  constexpr void write_views(plan_step& step, int operand_count) {
    if (!has_views_) return;
    step.first_view = p_.values.size;
    for (int i = 0; i < operand_count; ++i) p_.values.push(i < most_viewed ? views_[i] : -1);
  }

 private:
  fused_group group_;
  static constexpr int most_viewed = 4;
  int views_[most_viewed]{};
  bool has_views_ = false;

  // Whether operand i of an op can be read from where it was moved from, which takes the place of `value`, and how.
  constexpr bool look_through(const graph_node& node, int i, int& value, strided_access& access) const {
    const op_facts reader = facts_of(node.kind);
    const bool any = (reader.strided >> i & 1u) != 0, rows = (reader.strided_rows >> i & 1u) != 0;
    const tensor_type& type = g_.type_of_value(value);
    if ((!any && !rows) || !is_dense_tensor(type) || type.size() == 0) return false;
    const strided_access dense{type.shape, strides_of(type.shape), 0};
    strided_access walk = access = dense;
    for (int seen = value;;) {
      const int n = g_.values.data[seen].node;
      if (n < 0 || g_.nodes.data[n].region != node.region) break;
      const graph_node& move = g_.nodes.data[n];
      const op_facts facts = facts_of(move.kind);
      if (!facts.moves || move.operand_count != 1 || move.result_count != 1) break;
      seen = g_.operands_of(move)[0];
      if (!is_dense_tensor(g_.type_of_value(seen)) || g_.type_of_value(seen).element != type.element) break;
      if (!facts.is_view) {
        fused_group::movement moves;
        if (!group_.walk_of(move, moves)) break;
        const walk_composer composed(walk, moves.access);
        if (!composed.fits() || composed.result().sizes != type.shape) break;
        walk = composed.result();
      }
      int last = type.rank() - 1;
      while (last > 0 && type.shape.at[last] == 1) --last;
      if (!any && walk.strides[last] != 1) continue;
      value = seen;
      access = walk;
    }
    return access.base != 0 || !(access.strides == dense.strides);
  }

  // The pieces of a fused group: loads of what is not simply read in order, then the nodes, each for a tile. What loads
  // and nodes give lies in buffers, which are used again when nobody reads them any more. There are two kinds, for one
  // element per index and for one per row.
  struct tile_buffers {
    int bytes[most_buffers]{};  // per element
    int free[most_buffers]{};
    index_t offsets[most_buffers]{};
    int count = 0, free_count = 0;

    constexpr int take() { return free_count > 0 ? free[--free_count] : take_unused(); }
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
  int gather_of_map_[fused_group::most_maps]{};
  index_t period_ = 0;
  int transposed_axis_ = -1, walk_ = -1;
  int transposed_bytes_ = 1;  // of the elements that are read across

  constexpr tile_buffers& buffers(bool per_row) { return per_row ? rows_ : full_; }
  constexpr bool leaf_per_row(int leaf) const { return group_.is_row_level(group_.leaves[leaf].map); }

  // Lets a step begin with the op that gives this value, in the memory of another one.
  constexpr void put_before(plan_step& step, int value, int into) {
    const int n = g_.values.data[value].node;
    const graph_node& node = g_.nodes.data[n];
    step.kernel = kernel_for(node);
    step.node = n;
    write_operands(node);
    step.operand_count += node.operand_count;
    step.op_scratch_bytes = arena_allocator::rounded(scratch_for(node));
    step.scratch_bytes = step.op_scratch_bytes + call_bytes(node);
    if (group_.source_unit == 0) m_.alias[value] = into;
    budget_ -= node.operand_count + 4;
  }
  // Gives which access it is, if it is not in order.
  constexpr int note_read(const fused_group::leaf& leaf, int known_access) {
    plan_read read;
    read.value = leaf.value;
    read.why = leaf.why;
    read.uses = leaf.uses;
    read.per_row = group_.is_row_level(leaf.map);
    const strided_access access = group_.access_of(leaf);
    const int last = access.sizes.size - 1;
    if (is_splat_constant(leaf.value) && g_.type_of_value(leaf.value).size() != 1) {
      read.kind = load_kind::broadcast;
    } else if (!is_contiguous(access) || !group_.is_plain(leaf.map)) {
      read.access = known_access >= 0 ? known_access : p_.accesses.push(access);
      read.gather = write_gather(leaf.map, read.access);
      for (int d = 0; d <= last; ++d)
        if (access.strides.at[d] == 0) read.kind = load_kind::broadcast;
      if (!group_.is_moved_walk(leaf.map))
        read.kind = load_kind::gather;
      else if (read.kind == load_kind::contiguous && (last != 0 || access.strides.at[0] != 1))
        read.kind = load_kind::strided;
    }
    p_.reads.push(read);
    return read.access >= 0 ? read.access : known_access;
  }

  // Writes down what moves the positions of a map, once; -1 if nothing does.
  constexpr int write_gather(int map, int access) {
    if (group_.is_plain(map)) return -1;
    if (gather_of_map_[map] >= 0) return gather_of_map_[map];
    plan_gather gather;
    gather.access = access;
    if (const int before = group_.before(map); before >= 0) gather.before = gather_of_before(before);
    gather.first_index = p_.indices.size;
    const strided_access& walk = p_.accesses[access];
    gather.run = walk.sizes.product();
    for (const fused_group::index_use& each : group_.indices_of(map)) {
      strided_access index = group_.access_of_map(each.map);
      if (is_splat_constant(each.value)) index = {index.sizes, ints::filled(index.sizes.size, 0), 0};
      const index_t run = repeats_of(index);
      if (gather.run % run == 0)
        gather.run = run;
      else if (run % gather.run != 0)
        gather.run = 1;
      p_.indices.push({each.value, p_.accesses.push(index), each.stride, each.low, each.high});
      ++gather.index_count;
    }
    return gather_of_map_[map] = p_.gathers.push(gather);
  }
  constexpr int gather_of_before(int map) {
    if (gather_of_map_[map] >= 0) return gather_of_map_[map];
    const int access = p_.accesses.push(group_.access_of_map(map));
    if (!group_.is_plain(map)) return write_gather(map, access);
    return gather_of_map_[map] = p_.gathers.push({access, -1, p_.indices.size, 0, 0});
  }

  // After how many elements a leaf is read from its start again.
  constexpr index_t period_of(const fused_group::leaf& leaf) const {
    const strided_access access = group_.access_of(leaf);
    return group_.is_moved_walk(leaf.map) ? planning::period_of(access) : access.sizes.product();
  }

  // After how many elements the group begins to read some operand from its start again, if tiles can be as long: what
  // was loaded for one tile then serves for all. 0 if there is no such number.
  constexpr index_t choose_period() const {
    if (group_.has_long_rows()) return 0;
    index_t longest = 0;
    for (int i = 0; i < group_.leaf_count; ++i) {
      if (leaf_per_row(i) || is_splat_constant(group_.leaves[i].value)) continue;
      const index_t period = period_of(group_.leaves[i]);
      if (period > longest && period > 1 && period <= most_period && period < group_.count() &&
          (!group_.has_rows() || group_.row() % period == 0))
        longest = period;
    }
    return longest;
  }

  // Few enough elements for all buffers to stay in the first cache, those of boxes in the second, but no fewer than a
  // row.
  constexpr void choose_tile(plan_step& step) const {
    const index_t bytes = full_.bytes_of_all();
    index_t tile = step.range_bytes > 0 ? most_of_epilogue : most_tile_elements;
    while (tile > 64 && tile * bytes > most_tile_bytes) tile /= 2;
    if (transposed_axis_ >= 0) {
      const ints& sizes = p_.accesses[walk_].sizes;
      step.transposed_axis = transposed_axis_;
      step.walk = walk_;
      index_t rows = transposed_run_bytes / index_t(transposed_bytes_);
      while (rows > 1 && rows * transposed_row * bytes > most_box_bytes) rows /= 2;
      const index_t all_rows = sizes.at[transposed_axis_], all = sizes.at[sizes.size - 1];
      step.box_rows = all_rows < rows ? all_rows : rows;
      step.box_row = all < transposed_row ? all : transposed_row;
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
    return member.as == fused_group::role::broadcast_along_rows ||
           (member.as == fused_group::role::compute && group_.gives_rows(member));
  }

  enum class members_of : int { elements, rows, both };
  constexpr void write_members(const graph_node& root, members_of which) {
    for (int m = group_.member_count - 1; m >= 0; --m) {
      const fused_group::member& each = group_.members[m];
      if (each.as == fused_group::role::move) continue;
      if (which == members_of::both || (which == members_of::rows) == works_on_rows(each))
        write_member(each, member_buffer_[m],
                     m == group_.result.member ? root.results
                     : each.kept               ? g_.nodes.data[each.node].results
                                               : -1);
    }
  }

  // Whether some leaf is read across: with neighbours far apart, and the next ones along another dimension. Then the
  // group is done in boxes of both dimensions, so that what comes from memory together is used together.
  constexpr void find_transposed_axis() {
    bool strided = false;
    for (int i = 0; i < group_.leaf_count; ++i) {
      const strided_access access = group_.access_of(group_.leaves[i]);
      const int last = access.sizes.size - 1;
      if (!group_.is_plain(group_.leaves[i].map)) return;
      strided = strided || (last > 0 && access.strides.at[last] >= far_apart);
    }
    if (!strided) return;
    common_walk common(group_.count());
    for (int i = 0; i < group_.leaf_count; ++i)
      if (group_.leaves[i].map != fused_group::scalar_map && !common.cut(group_.access_of(group_.leaves[i]))) return;
    if (!common.close()) return;
    const int last = common.sizes().size - 1;
    for (int i = 0; i < group_.leaf_count && transposed_axis_ < 0; ++i) {
      const strided_access walk = common.walk(group_.access_of(group_.leaves[i]));
      if (group_.leaves[i].map == fused_group::scalar_map || walk.strides.at[last] < far_apart) continue;
      for (int d = 0; d < last; ++d)
        if (walk.strides.at[d] == 1 && walk.sizes.at[d] >= 8 && walk.sizes.at[last] >= 8)
          transposed_axis_ = d, transposed_bytes_ = bytes_of(group_.leaves[i].value);
    }
    if (transposed_axis_ < 0) return;
    walk_ = p_.accesses.push(common.walk(dense_access({group_.count()})));
    for (int i = 0; i < group_.leaf_count; ++i)
      if (group_.leaves[i].map != fused_group::scalar_map && !is_splat_constant(group_.leaves[i].value) &&
          !reads_in_order(group_.leaves[i]))
        leaf_access_[i] = p_.accesses.push(common.walk(group_.access_of(group_.leaves[i])));
    for (int i = 0; i < group_.leaf_count; ++i) budget_ -= common.sizes().size;
  }

  // Emits the load of a leaf into a buffer, or, if `into` is a value, straight to memory.
  constexpr void write_load(int leaf, int into) {
    const int value = group_.leaves[leaf].value, bytes = bytes_of(value);
    strided_access access = group_.access_of(group_.leaves[leaf]);
    if (is_splat_constant(value)) access = {access.sizes, ints::filled(access.sizes.size, 0), 0};
    group_instruction load;
    load.does = group_instruction::action::load;
    load.first = p_.operands.size;
    load.operand_count = load.result_count = 1;
    load.access = is_splat_constant(value) || leaf_access_[leaf] < 0 ? p_.accesses.push(access) : leaf_access_[leaf];
    load.per_row = leaf_per_row(leaf);
    if (!is_splat_constant(value)) load.gather = write_gather(group_.leaves[leaf].map, load.access);
    const index_t period = is_splat_constant(value) ? 1 : period_of(group_.leaves[leaf]);
    load.once = into < 0 && (period == 1 || (!load.per_row && period == period_));
    p_.operands.push({plan_operand::source::memory, value, 0, bytes, load.per_row});
    if (into >= 0) {
      p_.operands.push({plan_operand::source::memory, into, 0, bytes, load.per_row});
    } else {
      // A hoisted load outlives the tile, so its buffer is one that no instruction of the group has written before.
      tile_buffers& from = buffers(load.per_row);
      leaf_buffer_[leaf] = load.once ? from.take_unused() : from.take();
      leaf_once_[leaf] = load.once;
      write_buffer(leaf_buffer_[leaf], bytes, load.per_row);
    }
    p_.instructions.push(load);
    budget_ -= 4;
  }

  constexpr void write_buffer(int buffer, int bytes, bool per_row) {
    int& of_buffer = buffers(per_row).bytes[buffer];
    if (bytes > of_buffer) of_buffer = bytes;
    p_.operands.push({plan_operand::source::tile, -1, buffer, bytes, per_row});
  }

  constexpr bool reads_in_order(const fused_group::leaf& leaf) const {
    if (is_splat_constant(leaf.value) && g_.type_of_value(leaf.value).size() != 1) return false;
    return group_.is_plain(leaf.map) && is_contiguous(group_.access_of(leaf));
  }

  constexpr void give_back_operands(const fused_group::member& member, int count) {
    for (int i = 0; i < count; ++i) {
      const fused_group::origin& from = member.operands[i];
      if (from.member >= 0 && --group_.members[from.member].uses == 0 && !group_.members[from.member].kept)
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
    group_instruction instruction;
    instruction.does = member.as == role::fold                   ? group_instruction::action::fold
                       : member.as == role::broadcast_along_rows ? group_instruction::action::broadcast_along_rows
                                                                 : group_instruction::action::compute;
    instruction.kernel = member.as == role::broadcast_along_rows ? -1 : kernel_for(node);
    instruction.node = member.node;
    instruction.first = p_.operands.size;
    instruction.operand_count = operands.size;
    instruction.result_count = 1;
    instruction.per_row = works_on_rows(member);
    for (int i = 0; i < operands.size; ++i) {
      const fused_group::origin& from = member.operands[i];
      const int bytes = bytes_of(operands.data[i]);
      if (i >= loaded) {
        p_.operands.push({plan_operand::source::memory, operands.data[i], 0, 0, false});
      } else if (from.member >= 0 && group_.members[from.member].kept) {
        const int kept = g_.nodes.data[group_.members[from.member].node].results;
        p_.operands.push(
            {plan_operand::source::memory, kept, 0, bytes, group_.gives_rows(group_.members[from.member])});
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
    if (into >= 0) {
      p_.operands.push({plan_operand::source::memory, into, 0, bytes, gives_rows});
      // Room for a copy of the row: it is read again sooner than it is in memory.
      if (member.kept && group_.has_rows() && !gives_rows) full_.bytes[full_.take_unused()] = bytes;
    } else {
      buffer = buffers(gives_rows).take();
      write_buffer(buffer, bytes, gives_rows);
    }
    if (!in_place) give_back_operands(member, operands.size);
    p_.instructions.push(instruction);
  }
};

}  // namespace tenon::planning
