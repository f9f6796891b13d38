// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/epilogues/unit.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/group_maps.hpp>

namespace tenon::planning {

// A fused group: the nodes (members) that one loop nest computes, and the values (leaves) that it reads. A producer
// joins if every use of it lies in the group and is reached through one and the same map, by which no element is
// computed twice. A producer that is read in order may have uses behind the group: the group then keeps it, as another
// result.
//
// A fold over the innermost axes splits the index space into rows: result r is folded from row r. A value then has one
// element per index or one per row; a fold leads from the first kind to the second, a broadcast along rows leads back.
// Both are computed row by row. One object grows one group after the other.
class fused_group : public group_maps {
 public:
  static constexpr int most_members = 48, most_leaves = 96, most_operands = 4;
  // Of members that compute: the limit of a compiled loop.
  static constexpr int most_computed = 24;
  // The most results beside that of the root, and the most nodes between the first of them and the root.
  static constexpr int most_kept = 7, most_between = 128;

  struct leaf {
    int value = -1;
    int map = 0;
    int uses = 0;  // as operands of members that compute
    not_fused_because why = not_fused_because::given;
  };
  // The producer of an operand of a member: a member or a leaf; the other number is -1.
  struct origin {
    int member = -1, leaf = -1;
  };
  enum class role : int {
    compute,              // element by element
    move,                 // says only how its operand is read
    fold,                 // rows to one element each
    broadcast_along_rows  // one element per row to rows
  };
  struct member {
    int node = -1;
    int map = 0;      // by which the group reads its result
    int reached = 0;  // by which its operand is read: of moves, folds and spreads
    role as = role::compute;
    int uses = 0;                      // as an operand of members that compute
    bool kept = false;                 // in memory, for others to read
    origin operands[most_operands]{};  // of members that are no moves
  };

  member members[most_members]{};  // the root first, in descending order
  int member_count = 0;
  leaf leaves[most_leaves]{};
  int leaf_count = 0;
  int kept_count = 0;
  origin result;  // where the elements of the root come from
  // Epilogue fusion: an op with a loop of its own writes this value where the result of the group will lie, and the
  // group works on it in place; -1: there is none. Where elements differ in size, it gives some at a time, in multiples
  // of `source_unit`, to elsewhere; 0: in place.
  int source = -1;
  index_t source_unit = 0;

  // uses[v]: how often value v is an operand or is handed over by a region. needed[v]: a step outside of this group
  // reads v from memory.
  constexpr fused_group(const graph& g, const int* uses, const bool* needed)
      : group_maps(g), uses_(uses), needed_(needed) {}

  // Finds the group that computes `root`; false if its op does not belong into groups. `may_keep`: it may have other
  // results.
  constexpr bool grow(int root, bool may_keep) {
    const int gathers = gathers_left, indices = indices_left;
    may_keep_ = may_keep, ends_narrow_ = false;
    if (!grow_from(root)) return false;
    const bool keeps_apart = kept_count > 0 && keeps_apart_;
    if (!keeps_apart && !is_full_) return true;
    // A kept value held a producer out of the group: grow again without kept values. One that cannot have all producers
    // ends where the values to be stored are narrow.
    gathers_left = gathers, indices_left = indices;
    may_keep_ = may_keep && !keeps_apart, ends_narrow_ = is_full_;
    return grow_from(root);
  }

  // Whether the result has one element per row.
  constexpr bool root_is_row() const { return root_is_row_; }
  // Whether a member's result has one element per row.
  constexpr bool gives_rows(const member& of) const { return is_row_level(of.map); }

  // How a leaf is read over the index space of its level; neighbouring dimensions that one stride serves are one.
  constexpr strided_access access_of(const leaf& each) const {
    if (each.map == scalar_map) return count_ == 1 ? strided_access{} : strided_access{{count_}, {0}, 0};
    return maps_[each.map].access;
  }

 private:
  struct candidate {
    int value = -1;
    int map = 0;
    int uses = 0;
    bool conflict = false;  // reached through different maps
  };
  const int* uses_;
  const bool* needed_;
  bool root_is_row_ = false;
  bool may_keep_ = false;
  bool keeps_apart_ = false;                    // something did not join because of what is kept
  bool is_full_ = false, ends_narrow_ = false;  // or because no more may join
  candidate candidates_[most_leaves]{};         // ascending by node
  int candidate_count_ = 0;

  constexpr bool grow_from(int root) {
    const graph_node& node = g_.nodes.data[root];
    const bool folds = facts_of(node.kind).folds;
    const folded_rows rows = folds ? folded_rows_of(g_, node) : folded_rows{};
    if (folds ? !rows.trailing : !fusable(node) || facts_of(node.kind).gathers) return false;
    const ints& shape = g_.type_of_value(node.results).shape;
    start_maps(shape.product());
    source = -1, source_unit = 0;
    kept_count = 0;
    keeps_apart_ = is_full_ = false;
    root_is_row_ = folds;
    member_count = leaf_count = candidate_count_ = 0;
    if (folds) {
      lift(rows.row);
      absorb_fold(root, 0);
    } else if (facts_of(node.kind).elementwise) {
      absorb(root, 0, 0, role::compute, true);
    } else if (!absorb_move(root, 0, true)) {
      return false;
    }
    while (candidate_count_ > 0) {
      const candidate next = candidates_[--candidate_count_];
      not_fused_because why = not_fused_because::given;
      if (!join(next, why)) add_leaf(next.value, next.map, why);
    }
    if (folds && member_count == 1) return false;
    for (int m = 0; m < member_count; ++m)
      if (members[m].as != role::move) find_operands(members[m]);
    result = members[0].as != role::move ? origin{0, -1} : resolve(g_.operands_of(node)[0], members[0].reached);
    return true;
  }

  constexpr int node_order(int value) const { return g_.values.data[value].node; }
  constexpr int leaf_of(int value, int map) const {
    for (int i = 0; i < leaf_count; ++i)
      if (leaves[i].value == value && same_map(leaves[i].map, map)) return i;
    return -1;
  }
  constexpr int member_of(int node) const {
    int m = 0;
    while (m < member_count && members[m].node != node) ++m;
    return m < member_count ? m : -1;
  }

  // The member or leaf that gives a value read through a map, seen through the movements of the group.
  constexpr origin resolve(int value, int map) const {
    while (true) {
      if (const int found = leaf_of(value, map); found >= 0) return {-1, found};
      const int node = node_order(value), found = member_of(node);
      if (found < 0) return {};
      if (members[found].as != role::move) return {found, -1};
      map = members[found].reached;
      value = g_.operands_of(g_.nodes.data[node])[0];
    }
  }
  constexpr void find_operands(member& of) {
    const graph_node& node = g_.nodes.data[of.node];
    const list<int> operands = g_.operands_of(node);
    for (int i = 0; i < operands.size; ++i) {
      const int map = of.as == role::compute ? edge_of_elementwise(node, operands.data[i], of.map)
                      : i == 0               ? of.reached
                                             : scalar_map;
      const origin from = resolve(operands.data[i], map);
      if (from.member >= 0) ++members[from.member].uses;
      if (from.leaf >= 0) ++leaves[from.leaf].uses;
      of.operands[i] = from;
    }
  }

  constexpr int edge_of_elementwise(const graph_node& node, int operand, int map) const {
    if (map == scalar_map) return scalar_map;
    return g_.type_of_value(operand).rank() == 0 && g_.type_of_value(node.results).rank() != 0 ? scalar_map : map;
  }

  constexpr void add_leaf(int value, int map, not_fused_because why) {
    if (leaf_of(value, map) < 0 && leaf_count < most_leaves) leaves[leaf_count++] = {value, map, 0, why};
  }

  constexpr void use(int value, int map) {
    for (int i = 0; i < candidate_count_; ++i)
      if (candidates_[i].value == value) {
        ++candidates_[i].uses;
        if (!same_map(candidates_[i].map, map)) {
          candidates_[i].conflict = true;
          add_leaf(value, map, not_fused_because::read_differently);
        }
        return;
      }
    if (node_order(value) < 0) return add_leaf(value, map, not_fused_because::given);
    if (candidate_count_ >= most_leaves / 2 || leaf_count >= most_leaves / 2)
      return add_leaf(value, map, not_fused_because::large_group);
    int at = candidate_count_++;
    for (; at > 0 && node_order(candidates_[at - 1].value) > node_order(value); --at)
      candidates_[at] = candidates_[at - 1];
    candidates_[at] = {value, map, 1, false};
  }

  // Makes a node a member. `reached`: the map by which the operand of a movement is read. `whole`: all uses of the node
  // lie in the group; a movement with others is repeated by those, and its operand is a leaf then.
  constexpr void absorb(int node_id, int map, int reached, role as, bool whole) {
    const graph_node& node = g_.nodes.data[node_id];
    members[member_count++] = {.node = node_id, .map = map, .reached = reached, .as = as};
    const list<int> operands = g_.operands_of(node);
    if (as == role::compute) {
      for (int value : operands) use(value, edge_of_elementwise(node, value, map));
    } else if (whole) {
      use(operands[0], reached);
    } else {
      add_leaf(operands[0], reached, not_fused_because::read_elsewhere);
    }
    if (as == role::fold) use(operands[1], scalar_map);
  }

  constexpr int computed_count() const {
    int count = 0;
    for (int m = 0; m < member_count; ++m) count += members[m].as == role::compute || members[m].as == role::fold;
    return count;
  }

  constexpr bool absorb_fold(int node_id, int map) {
    const int reached = start_map(count_, false);
    if (reached == none) return false;
    absorb(node_id, map, reached, role::fold, true);
    return true;
  }

  constexpr bool absorb_move(int node_id, int map, bool whole) {
    int reached = row_broadcast_from(node_id, map);
    if (reached != none) {
      absorb(node_id, map, reached, role::broadcast_along_rows, whole);
      return true;
    }
    reached = reach(node_id, map);
    if (reached == none) return false;
    absorb(node_id, map, reached, role::move, whole);
    return true;
  }

  // Prepares the map by which the operand of a movement is read: what the indices are is read too.
  constexpr int reach(int node_id, int map) {
    const int reached = add_moved_map(g_.nodes.data[node_id], map);
    for (const index_use& each : indices_of(reached)) {
      const int node = node_order(each.value);
      const bool computed = node >= 0 && !is_constant(g_.nodes.data[node]);
      add_leaf(each.value, each.map, computed ? not_fused_because::index : not_fused_because::given);
    }
    return reached;
  }

  // Prepares the map by which a movement that repeats its operand along rows reads it: none if it does not. The first
  // one that leads to a fold decides what a row is.
  constexpr int row_broadcast_from(int node_id, int map) {
    const graph_node& node = g_.nodes.data[node_id];
    if (has_long_rows() || maps_[map].row_level || facts_of(node.kind).is_view || facts_of(node.kind).gathers)
      return none;
    const int value = g_.operands_of(node)[0];
    const tensor_type& operand = g_.type_of_value(value);
    const index_t rows = operand.size();
    if (rows == 0 || count_ <= rows || count_ % rows != 0 || node_order(value) < 0) return none;
    const index_t row = count_ / rows;
    if (split_ ? row != row_ : row > most_row || source_unit % row != 0) return none;
    if (is_constant(g_.nodes.data[node_order(value)])) return none;
    if (!split_) {
      int budget = 16;
      if (!leads_to_fold(value, rows, row, budget)) return none;
    }
    if (operand.rank() != 0) {
      const int reached = reach(node_id, map);
      if (reached == none) return none;
      const group_map& found = maps_[--map_count_];
      const strided_access& access = found.access;
      const int last = access.sizes.size - 1;
      const bool repeats = is_plain(reached) && access.base == 0 && last >= 0 && access.strides.at[last] == 0 &&
                           access.sizes.at[last] == row && last <= 1 && (last == 0 || access.strides.at[0] == 1);
      if (!repeats) return none;
    }
    const bool was_split = split_;
    row_ = row;
    split_ = true;
    const int reached = start_map(rows, true);
    if (reached == none && !was_split) {
      row_ = 1;
      split_ = false;
    }
    return reached;
  }

  // Whether a value of one element per row is computed from a fold of such rows.
  constexpr bool leads_to_fold(int value, index_t rows, index_t row, int& budget) const {
    const int node_id = node_order(value);
    if (node_id < 0 || budget-- <= 0 || g_.type_of_value(value).size() != rows) return false;
    const graph_node& node = g_.nodes.data[node_id];
    const op_facts facts = facts_of(node.kind);
    if (facts.folds) {
      const folded_rows folded = folded_rows_of(g_, node);
      return folded.trailing && folded.row == row;
    }
    if (!facts.elementwise && !facts.is_view) return false;
    for (int operand : g_.operands_of(node))
      if (leads_to_fold(operand, rows, row, budget)) return true;
    return false;
  }

  // Whether a node can stand in a group at all, unless it folds.
  constexpr bool fusable(const graph_node& node) const {
    if (node.result_count != 1 || node.region_count != 0) return false;
    const op_facts facts = facts_of(node.kind);
    if (facts.effects || facts.impure) return false;
    if (facts.elementwise ? node.operand_count > most_operands
                          : !facts.gathers && (!facts.moves || node.operand_count != 1))
      return false;
    const tensor_type& type = g_.type_of_value(node.results);
    if (!is_dense_tensor(type)) return false;
    for (int value : g_.operands_of(node)) {
      const tensor_type& operand = g_.type_of_value(value);
      if (!is_dense_tensor(operand)) return false;
      if (facts.elementwise && operand.rank() != 0 && !(operand.shape == type.shape)) return false;
    }
    return true;
  }

  // Whether the group can work on the result of this node, in place or some of it at a time.
  constexpr bool can_be_source(const graph_node& node, int map) {
    const op_facts facts = facts_of(node.kind);
    if (source >= 0 || root_is_row_ || maps_[map].row_level || !is_in_order(map)) return false;
    if (!facts.known || facts.effects || facts.impure || facts.is_view || node.result_count != 1) return false;
    if (node.region_count > 0 && !folds_by_one_op(g_, node)) return false;
    const tensor_type &type = g_.type_of_value(node.results),
                      &to = g_.type_of_value(g_.nodes.data[members[0].node].results);
    if (!is_dense_tensor(type) || type.size() != count_) return false;
    if (storage_bytes(type.element) != storage_bytes(to.element)) {
      if (node.operand_count != 2) return false;
      const list<int> operands = g_.operands_of(node);
      const tensor_type types[] = {g_.type_of_value(operands[0]), g_.type_of_value(operands[1])};
      core::find_epilogue_unit unit{{types, 2}, type};
      if (!visit_op(node.kind, g_.words.data + node.words, unit) || unit.found % row() != 0) return false;
      source_unit = unit.found;
    }
    if (kept_count > 0) keeps_apart_ = true;
    return kept_count == 0;
  }
  // Whether the group can have the elements of an op as another result: it computes all of them in order, and who else
  // reads them comes later.
  constexpr bool can_be_kept(const candidate& next, int node_id) const {
    const bool is_row = next.map != scalar_map && maps_[next.map].row_level;
    if (!may_keep_ || source >= 0 || kept_count == most_kept || level_count(is_row) == 1) return false;
    // Rows that are too long for tiles are not divided among workers.
    if (has_long_rows() && !is_row) return false;
    if (!is_in_order(next.map) || g_.type_of_value(next.value).size() != level_count(is_row)) return false;
    // Behind movements alone it is the result of the root.
    bool computes = false;
    for (int m = 0; m < member_count; ++m) computes = computes || members[m].as != role::move;
    if (!computes) return false;
    // Leaves, such as indices, are computed before the group.
    for (int i = 0; i < leaf_count; ++i)
      if (leaves[i].value == next.value) return false;
    const int root = members[0].node;
    if (root - node_id > most_between) return false;
    for (int n = node_id + 1; n < root; ++n) {
      const graph_node& node = g_.nodes.data[n];
      bool reads = false;
      for (int value : g_.operands_of(node)) reads = reads || value == next.value;
      for (int region : g_.regions_of(node))
        for (int value : g_.yields_of(g_.regions.data[region])) reads = reads || value == next.value;
      if (!reads) continue;
      const int found = member_of(n);
      if (found < 0 || (members[found].as == role::move && uses_[node.results] != 1)) return false;
    }
    return true;
  }
  constexpr void keep_last() {
    members[member_count - 1].kept = true;
    ++kept_count;
  }
  constexpr bool go_on_from(const candidate& next, not_fused_because& why) {
    source = next.value;
    why = not_fused_because::in_place;
    return false;
  }

  // Adds the node that computes the candidate, or says why it does not.
  constexpr bool join(const candidate& next, not_fused_because& why) {
    const auto refuse = [&](not_fused_because reason) {
      why = reason;
      return false;
    };
    const int node_id = node_order(next.value);
    const graph_node& node = g_.nodes.data[node_id];
    const op_facts facts = facts_of(node.kind);
    if (is_constant(node)) return refuse(not_fused_because::given);
    if (next.conflict) return refuse(not_fused_because::read_differently);
    if (node.region != g_.nodes.data[members[0].node].region) return refuse(not_fused_because::elsewhere);
    if (next.map == scalar_map) return refuse(not_fused_because::computed_again);
    if (member_count >= most_members) return refuse(not_fused_because::large_group);
    const bool whole = next.uses == uses_[next.value] && !needed_[next.value];
    const bool is_row = maps_[next.map].row_level;
    if (facts.folds) {
      const folded_rows rows = folded_rows_of(g_, node);
      if (rows.row == 0) return refuse(not_fused_because::own_loops);
      if (!rows.trailing && whole && can_be_source(node, next.map)) return go_on_from(next, why);
      if (!rows.trailing) return refuse(not_fused_because::other_rows);
      if (!whole && !can_be_kept(next, node_id)) return refuse(not_fused_because::read_elsewhere);
      if (!is_in_order(next.map)) return refuse(not_fused_because::computed_again);
      if (split_ && is_row && row_ != rows.row) return refuse(not_fused_because::other_rows);
      if (split_ && !is_row)
        return refuse(row_ > 1 && has_long_rows() ? not_fused_because::long_rows : not_fused_because::other_rows);
      if (!split_ && source >= 0) return refuse(not_fused_because::other_rows);
      if (!split_) {
        lift(rows.row);
        root_is_row_ = true;
      }
      if (!absorb_fold(node_id, next.map)) return refuse(not_fused_because::large_group);
      if (!whole) keep_last();
      return true;
    }
    if (!fusable(node)) {
      if (whole && can_be_source(node, next.map)) return go_on_from(next, why);
      return refuse(not_fused_because::own_loops);
    }
    if (facts.gathers && !whole) return refuse(not_fused_because::read_elsewhere);
    if (facts.updates_operands) return refuse(not_fused_because::not_affine);
    if (!facts.elementwise) return absorb_move(node_id, next.map, whole) || refuse(not_fused_because::not_affine);
    if (!whole && !can_be_kept(next, node_id)) return refuse(not_fused_because::read_elsewhere);
    if (!is_moved_walk(next.map)) return refuse(not_fused_because::computed_again);
    if (level_count(is_row) > g_.type_of_value(next.value).size()) return refuse(not_fused_because::computed_again);
    const auto bytes = [&](int value) { return storage_bytes(g_.type_of_value(value).element); };
    const bool narrows = 4 * bytes(next.value) <= bytes(g_.operands_of(node)[0]);
    is_full_ = is_full_ || computed_count() >= most_computed;
    if (is_full_ || (ends_narrow_ && narrows)) return refuse(not_fused_because::large_group);
    absorb(node_id, next.map, next.map, role::compute, true);
    if (!whole) keep_last();
    return true;
  }
};

}  // namespace tenon::planning
