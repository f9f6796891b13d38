// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/facts.hpp>
#include <tenon/graph/plan.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/linear.hpp>

namespace tenon {

// Maps as the fuser uses them: few nodes, since most are permutations, slices and broadcasts. What does not fit is
// unknown, and what is unknown is not fused.
using fusion_map = indexing::basic_indexing_map<64, 8, 4, 4>;

namespace detail {

constexpr std::span<const std::int64_t> span_of(const ints& shape) { return {shape.at, std::size_t(shape.size)}; }

// A map of the library's general form in the fuser's, if it needs no symbols and no constraints.
constexpr fusion_map narrow(const indexing::indexing_map& map) {
  if (!map.is_defined() || map.symbol_count() > 0 || map.constraint_count > 0 ||
      map.node_count > fusion_map::node_capacity)
    return indexing::unknown_map<fusion_map>();
  fusion_map result;
  result.state = map.state;
  result.node_count = map.node_count;
  result.dimension_count = map.dimension_count;
  result.result_count = map.result_count;
  for (int i = 0; i < map.node_count; ++i) result.nodes[i] = map.nodes[i];
  for (int i = 0; i < map.dimension_count; ++i) result.dimension_bounds[i] = map.dimension_bounds[i];
  for (int i = 0; i < map.result_count; ++i) result.results[i] = map.results[i];
  return result;
}

constexpr bool affine_position(const fusion_map& map, const ints& shape, strided_access& out) {
  const ints strides = strides_of(shape);
  out.base = 0;
  for (int result = 0; result < map.result_count; ++result) {
    const auto form = indexing::linear_form_of(map, result);
    if (!form.affine) return false;
    out.base += form.base * strides.at[result];
    for (int d = 0; d < map.dimension_count; ++d) out.strides.at[d] += form.dimension_strides[d] * strides.at[result];
  }
  return true;
}

// How a tensor of this shape is read over the domain of the map, if positions are affine in the index.
constexpr bool access_through(const fusion_map& map, const ints& shape, const ints& domain, strided_access& out) {
  if (!map.is_defined() || map.result_count != shape.size || map.dimension_count != domain.size) return false;
  out = {domain, ints::filled(domain.size, 0), 0};
  if (affine_position(map, shape, out)) return true;
  const fusion_map position = indexing::linearized(map, span_of(shape));
  out = {domain, ints::filled(domain.size, 0), 0};
  const auto form = indexing::linear_form_of(position, 0);
  if (!form.affine) return false;
  out.base = form.base;
  for (int d = 0; d < domain.size; ++d) out.strides.at[d] = form.dimension_strides[d];
  return true;
}

// Dimensions of size 1 vanish, and neighbours that are walked as one become one.
// @post visits the same positions in the same order
constexpr strided_access merged(const strided_access& access) {
  strided_access result;
  result.base = access.base;
  for (int d = 0; d < access.sizes.size; ++d) {
    const index_t size = access.sizes.at[d], stride = access.strides.at[d];
    if (size == 1) continue;
    const int last = result.sizes.size - 1;
    if (last >= 0 && result.strides.at[last] == stride * size) {
      result.sizes.at[last] *= size;
      result.strides.at[last] = stride;
    } else {
      result.sizes.push(size);
      result.strides.push(stride);
    }
  }
  return result;
}

// A tensor of this shape that is read in order.
constexpr strided_access dense_access(const ints& shape) {
  const index_t size = shape.product();
  if (size == 1) return {};
  return {{size}, {1}, 0};
}
constexpr bool is_contiguous(const strided_access& access) {
  return access.base == 0 && (access.sizes.empty() || (access.sizes.size == 1 && access.strides.at[0] == 1));
}
constexpr bool is_constant(const strided_access& access) {
  for (index_t stride : access.strides)
    if (stride != 0) return false;
  return true;
}

}  // namespace detail

// One loop nest: the nodes that are computed in it, and how it reads what it does not compute. Decided from indexing
// maps: a producer joins if every use of it lies in the group, is reached through one and the same map, and no element
// of it would be computed twice. One object serves for group after group.
class fused_group {
 public:
  static constexpr int most_members = 48, most_maps = 12, most_leaves = 96, most_operands = 4;
  static constexpr int scalar_map = -1;

  struct leaf {
    int value = -1;
    int map = 0;
    int uses = 0;  // as operands of members that compute
  };
  // Where an operand of a member comes from: a member or a leaf, the other is -1.
  struct origin {
    int member = -1, leaf = -1;
  };
  struct member {
    int node = -1;
    int map = 0;                     // 0: the index of the group itself; scalar_map: one element for all
    int uses = 0;                    // as an operand of members that compute
    origin operands[most_operands];  // of members that compute
  };

  member members[most_members]{};  // the root first, in descending order
  int member_count = 0;
  leaf leaves[most_leaves]{};
  int leaf_count = 0;
  origin result;  // what the group writes in the end: the root itself, or, if the root only moves, what it moves

  // `uses` counts per value how often it is an operand or handed over by a region.
  constexpr fused_group(const graph& g, const int* uses, const bool* needed) : g_(g), uses_(uses), needed_(needed) {}

  // The group that ends in this node. False: the node cannot stand in a group.
  constexpr bool grow(int root) {
    const graph_node& node = g_.nodes.data[root];
    if (!fusable(node)) return false;
    shape_ = g_.type_of_value(node.results).shape;
    accesses_[0] = detail::dense_access(shape_);
    member_count = leaf_count = candidate_count_ = 0;
    map_count_ = 1;
    int reached = 0;
    if (!facts_of(node.kind).elementwise && (reached = reach(root, 0)) == not_affine) return false;
    absorb(root, 0, reached, true);
    while (candidate_count_ > 0) {
      const candidate next = candidates_[--candidate_count_];
      take(next);
    }
    for (int m = 0; m < member_count; ++m)
      if (facts_of(g_.nodes.data[members[m].node].kind).elementwise) find_operands(members[m]);
    result = facts_of(node.kind).elementwise ? origin{0, -1} : resolve(g_.operands_of(node)[0], reached);
    return true;
  }

  constexpr const ints& shape() const { return shape_; }

  // How a leaf is read over the index space of the group; neighbouring dimensions that are walked as one are one.
  constexpr strided_access access_of(const leaf& each) const {
    if (each.map == scalar_map) return {accesses_[0].sizes, ints::filled(accesses_[0].sizes.size, 0), 0};
    return accesses_[each.map];
  }

 private:
  struct candidate {
    int value = -1;
    int map = 0;
    int uses = 0;
    bool conflict = false;  // reached through different maps
  };

  const graph& g_;
  const int* uses_;
  const bool* needed_;
  ints shape_;
  strided_access accesses_[most_maps]{};
  fusion_map maps_[most_maps]{};  // composed where somebody needs them
  bool is_composed_[most_maps]{};
  int outer_maps_[most_maps]{};   // the map by which the result of the movement is read
  int moved_nodes_[most_maps]{};  // the movement whose operand is read through this map
  int map_count_ = 1;
  candidate candidates_[most_leaves]{};  // ascending by node
  int candidate_count_ = 0;

  constexpr int node_order(int value) const { return g_.values.data[value].node; }

  constexpr int leaf_of(int value, int map) const {
    for (int i = 0; i < leaf_count; ++i)
      if (leaves[i].value == value && leaves[i].map == map) return i;
    return -1;
  }
  constexpr int member_of(int node) const {
    int first = 0, last = member_count;
    while (first < last) {
      const int middle = (first + last) / 2;
      if (members[middle].node > node)
        first = middle + 1;
      else
        last = middle;
    }
    return first < member_count && members[first].node == node ? first : -1;
  }

  // Follows a value that is read through a map to where it comes from.
  constexpr origin resolve(int value, int map) const {
    while (true) {
      if (const int found = leaf_of(value, map); found >= 0) return {-1, found};
      const int node = node_order(value), found = member_of(node);
      if (found < 0) return {};
      if (facts_of(g_.nodes.data[node].kind).elementwise) return {found, -1};
      map = moved_map(node);
      value = g_.operands_of(g_.nodes.data[node])[0];
    }
  }
  constexpr void find_operands(member& of) {
    const graph_node& node = g_.nodes.data[of.node];
    const list<int> operands = g_.operands_of(node);
    for (int i = 0; i < operands.size; ++i) {
      const origin from = resolve(operands.data[i], edge_of_elementwise(node, operands.data[i], of.map));
      if (from.member >= 0) ++members[from.member].uses;
      if (from.leaf >= 0) ++leaves[from.leaf].uses;
      of.operands[i] = from;
    }
  }

  constexpr int moved_map(int node) const {
    for (int i = 1; i < map_count_; ++i)
      if (moved_nodes_[i] == node) return i;
    return scalar_map;
  }

  constexpr int edge_of_elementwise(const graph_node& node, int operand, int map) const {
    if (map == scalar_map) return scalar_map;
    return g_.type_of_value(operand).rank() == 0 && g_.type_of_value(node.results).rank() != 0 ? scalar_map : map;
  }

  constexpr void add_leaf(int value, int map) {
    if (leaf_of(value, map) < 0 && leaf_count < most_leaves) leaves[leaf_count++] = {value, map, 0};
  }

  constexpr void use(int value, int map) {
    for (int i = 0; i < candidate_count_; ++i)
      if (candidates_[i].value == value) {
        ++candidates_[i].uses;
        if (candidates_[i].map != map) {
          candidates_[i].conflict = true;
          add_leaf(value, map);
        }
        return;
      }
    if (node_order(value) < 0 || candidate_count_ >= most_leaves / 2 || leaf_count >= most_leaves / 2) {
      add_leaf(value, map);
      return;
    }
    int at = candidate_count_++;
    for (; at > 0 && node_order(candidates_[at - 1].value) > node_order(value); --at)
      candidates_[at] = candidates_[at - 1];
    candidates_[at] = {value, map, 1, false};
  }

  // `reached` is the map by which the operand of a movement is read. A movement that is read elsewhere too is repeated
  // there, and what it reads is then needed by both.
  constexpr void absorb(int node_id, int map, int reached, bool whole) {
    const graph_node& node = g_.nodes.data[node_id];
    member& added = members[member_count++];
    added.node = node_id;
    added.map = map;
    added.uses = 0;
    if (facts_of(node.kind).elementwise) {
      for (int value : g_.operands_of(node)) use(value, edge_of_elementwise(node, value, map));
    } else if (whole) {
      use(g_.operands_of(node)[0], reached);
    } else {
      add_leaf(g_.operands_of(node)[0], reached);
    }
  }

  static constexpr int not_affine = -2;

  // Prepares the map by which the operand of a movement is read.
  constexpr int reach(int node_id, int map) {
    const graph_node& node = g_.nodes.data[node_id];
    const tensor_type& operand = g_.type_of_value(g_.operands_of(node)[0]);
    if (operand.rank() == 0) return scalar_map;
    if (map_count_ >= most_maps) return not_affine;
    const int reached = map_count_;
    is_composed_[reached] = false;
    outer_maps_[reached] = map;
    moved_nodes_[reached] = node_id;
    if (facts_of(node.kind).is_view) {
      accesses_[reached] = accesses_[map];
    } else {
      strided_access access;
      if (!detail::access_through(composed(reached), operand.shape, shape_, access)) return not_affine;
      accesses_[reached] = detail::merged(access);
    }
    return map_count_++;
  }

  constexpr const fusion_map& composed(int map) {
    if (is_composed_[map]) return maps_[map];
    is_composed_[map] = true;
    const graph_node& node = g_.nodes.data[moved_nodes_[map]];
    const tensor_type& operand = g_.type_of_value(g_.operands_of(node)[0]);
    maps_[map] = detail::narrow(
        op_tables::reads[node.kind](g_.words.data + node.words, 0, {&operand, 1}, g_.type_of_value(node.results)));
    if (outer_maps_[map] != 0) maps_[map] = indexing::compose(composed(outer_maps_[map]), maps_[map]);
    return maps_[map];
  }

  // Whether a node can stand in a group at all.
  constexpr bool fusable(const graph_node& node) const {
    if (node.result_count != 1 || node.region_count != 0) return false;
    const op_facts facts = facts_of(node.kind);
    if (facts.effects || facts.impure) return false;
    if (facts.elementwise ? node.operand_count > most_operands : !facts.moves || node.operand_count != 1) return false;
    const tensor_type& type = g_.type_of_value(node.results);
    if (!type.is_tensor() || type.is_quantized() || type.bounded != 0) return false;
    for (int value : g_.operands_of(node)) {
      const tensor_type& operand = g_.type_of_value(value);
      if (!operand.is_tensor() || operand.is_quantized() || operand.bounded != 0) return false;
      if (facts.elementwise && operand.rank() != 0 && !(operand.shape == type.shape)) return false;
    }
    return true;
  }

  constexpr void take(const candidate& next) {
    const int node_id = node_order(next.value);
    const graph_node& node = g_.nodes.data[node_id];
    if (!next.conflict && next.map != scalar_map && member_count < most_members &&
        node.region == g_.nodes.data[members[0].node].region && fusable(node)) {
      const bool whole = next.uses == uses_[next.value] && !needed_[next.value];
      if (facts_of(node.kind).elementwise) {
        if (whole && (next.map == 0 || shape_.product() <= g_.type_of_value(next.value).size()))
          return absorb(node_id, next.map, next.map, true);
      } else if (const int reached = reach(node_id, next.map); reached != not_affine) {
        return absorb(node_id, next.map, reached, whole);
      }
    }
    add_leaf(next.value, next.map);
  }
};

}  // namespace tenon
