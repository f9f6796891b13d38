// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/plan/access.hpp>
#include <tenon/graph/plan/known_walks.hpp>

namespace tenon::planning {

// The index space of a group, and the maps by which the group reads values: index -> element of the value. An index
// space that is split into rows has two levels, and each map has one of them as its domain: elements, 0 <= i < count(),
// or rows, 0 <= r < rows().
class group_maps {
 public:
  static constexpr int most_maps = 32, most_indices = plan_gather::most_indices;
  // The map of a value of one element: every index -> 0.
  static constexpr int scalar_map = -1;
  // A longer row does not fit into a tile: what is computed of it would leave the second cache.
  static constexpr index_t most_row = 16384;

  // An index operand of a map: x = clamp(value[map], low, high) moves the position by x * stride.
  struct index_use {
    int value = -1;
    int map = 0;
    index_t stride = 0, low = 0, high = 0;
  };

  // How many maps with index operands, and how many such operands, the plan has room for.
  int gathers_left = 0, indices_left = 0;

  constexpr explicit group_maps(const graph& g) : g_(g) {}

  // count() = rows() * row(); row() is 1 unless the group folds rows or broadcasts along them.
  constexpr index_t count() const { return count_; }
  constexpr index_t row() const { return row_; }
  constexpr index_t rows() const { return count_ / row_; }
  // Whether the group folds rows or broadcasts along them.
  constexpr bool has_rows() const { return split_; }
  // Whether a row takes several tiles.
  constexpr bool has_long_rows() const { return row_ > most_row; }

  constexpr bool is_row_level(int map) const { return map != scalar_map && maps_[map].row_level; }
  constexpr const strided_access& access_of_map(int map) const { return maps_[map].access; }
  // A map is access(before(index)) + sum of stride * x over its index operands; `before` is another map, or -1.
  constexpr list<index_use> indices_of(int map) const {
    if (map < 0) return {};
    return {indices_ + maps_[map].first_index, maps_[map].index_count};
  }
  constexpr int before(int map) const { return map < 0 ? -1 : maps_[map].before; }
  constexpr bool is_plain(int map) const { return before(map) < 0 && indices_of(map).size == 0; }
  // Whether a map is access(index) + c, with one c for all indices.
  constexpr bool is_moved_walk(int map) const {
    for (const index_use& each : indices_of(map))
      if (!is_constant(maps_[each.map].access)) return false;
    return before(map) < 0;
  }

  // The map of one movement: element of its result -> element of its operand.
  struct movement {
    strided_access access;
    index_use indices[most_indices]{};
    strided_access index_accesses[most_indices]{};
    int index_count = 0;
  };

  // Whether a movement reads its operand, and its index operands, by strided accesses: these are `moves`.
  constexpr bool walk_of(const graph_node& node, movement& moves) const {
    constexpr int most_types = max_rank + 2;
    const list<int> operands = g_.operands_of(node);
    if (operands.size > most_types) return false;
    tensor_type types[most_types];
    bool says_where[most_types]{true};
    for (int i = 0; i < operands.size; ++i) types[i] = g_.type_of_value(operands[i]);
    const tensor_type& to = g_.type_of_value(node.results);
    const index_t* const words = g_.words.data + node.words;
    const indexing::indexing_map map = op_tables::reads[node.kind](words, 0, {types, operands.size}, to);
    index_t strides[indexing::indexing_map::symbol_capacity]{};
    if (!access_through(map, types[0].shape, to.shape, moves.access, strides)) return false;
    moves.access = merged(moves.access);
    for (int v = 0; v < map.runtime_count; ++v) {
      const indexing::runtime_source from = op_tables::sources[node.kind](words, v, {types, operands.size}, to);
      if (from.operand <= 0 || from.operand >= operands.size) return false;
      says_where[from.operand] = true;
      const indexing::interval bounds = map.runtime_bounds[v];
      strided_access known;
      if (bounds.lower == bounds.upper) {
        moves.access.base += bounds.lower * strides[v];
      } else if (is_known(from, types[from.operand], operands[from.operand], to, bounds, known)) {
        if (!known_walks(g_, to.size()).add(moves.access, known, strides[v], moves.access)) return false;
      } else {
        if (moves.index_count == most_indices || bounds.is_empty()) return false;
        strided_access& access = moves.index_accesses[moves.index_count];
        if (!access_through(from.element, types[from.operand].shape, to.shape, access)) return false;
        access = merged(access);
        const int value = index_joined_to(operands[from.operand], to.size(), access);
        moves.indices[moves.index_count++] = {value, 0, strides[v], bounds.lower, bounds.upper};
      }
    }
    // Every other operand is an index.
    for (int i = 0; i < operands.size; ++i)
      if (!says_where[i]) return false;
    return true;
  }

 private:
  // The value that has an index at these positions: not what joins indices to vectors, but what is joined.
  constexpr int index_joined_to(int value, index_t count, strided_access& at) const {
    for (int seen = root_of(g_, value); g_.values.data[seen].node >= 0; seen = root_of(g_, seen)) {
      const graph_node& node = g_.nodes.data[g_.values.data[seen].node];
      if (!facts_of(node.kind).joins_operands || !known_walks(g_, count).find_part(node, at, seen, at)) break;
      value = seen;
    }
    return value;
  }
  // Whether an index is affine in the indices of `to`: an access within the bounds, or one number, which is clamped to
  // them.
  constexpr bool is_known(const indexing::runtime_source& from, const tensor_type& type, int value,
                          const tensor_type& to, const indexing::interval& bounds, strided_access& walk) const {
    strided_access element;
    if (bounds.is_empty() || !access_through(from.element, type.shape, to.shape, element)) return false;
    if (!known_walks(g_, to.size()).find(value, merged(element), walk)) return false;
    if (is_constant(walk))
      walk = {{}, {}, walk.base < bounds.lower ? bounds.lower : walk.base > bounds.upper ? bounds.upper : walk.base};
    return bounds.contains(known_walks::range_of(walk));
  }

 protected:
  // How a value is read. Maps begin with a value that is read in order, and grow by movements.
  struct group_map {
    strided_access access;  // over the elements of the level, or over the positions that `before` gives
    bool row_level = false;
    int before = -1;
    int first_index = 0, index_count = 0;
  };

  static constexpr int none = -2;

  const graph& g_;
  index_t count_ = 1, row_ = 1;
  bool split_ = false;
  group_map maps_[most_maps]{};
  int map_count_ = 0;
  index_use indices_[most_indices]{};
  int index_count_ = 0;

  // Forgets all maps but one: that of a value which is read in order, with so many elements.
  constexpr void start_maps(index_t elements) {
    count_ = elements;
    row_ = 1;
    split_ = false;
    map_count_ = index_count_ = 0;
    start_map(elements, false);
  }

  constexpr index_t level_count(bool row_level) const { return row_level ? rows() : count_; }

  constexpr bool same_map(int a, int b) const {
    if (a == b) return true;
    if (a == scalar_map || b == scalar_map || maps_[a].row_level != maps_[b].row_level) return false;
    if (maps_[a].before != maps_[b].before || maps_[a].index_count != maps_[b].index_count) return false;
    for (int i = 0; i < maps_[a].index_count; ++i) {
      const index_use &x = indices_of(a)[i], &y = indices_of(b)[i];
      if (x.value != y.value || x.stride != y.stride || x.low != y.low || x.high != y.high || !same_map(x.map, y.map))
        return false;
    }
    const strided_access &x = maps_[a].access, &y = maps_[b].access;
    return x.base == y.base && x.sizes == y.sizes && x.strides == y.strides;
  }
  constexpr bool is_in_order(int map) const {
    return map != scalar_map && is_plain(map) && is_contiguous(maps_[map].access) &&
           maps_[map].access.sizes.product() == level_count(maps_[map].row_level);
  }

  // A value that is read in order, with all of its elements; none if there are too many maps.
  constexpr int start_map(index_t elements, bool row_level) { return add_map({dense_access({elements}), row_level}); }
  constexpr int add_map(const group_map& map) {
    if (map_count_ >= most_maps) return none;
    if (map.before >= 0 || map.index_count > 0) {
      if (gathers_left < 1 || indices_left < map.index_count || before(map.before) >= 0) return none;
      --gathers_left, indices_left -= map.index_count;
    }
    maps_[map_count_] = map;
    return map_count_++;
  }
  // The map by which a movement reads its operand whose result is read by `map`; none if there is none, or no room.
  constexpr int add_moved_map(const graph_node& node, int map) {
    const op_facts facts = facts_of(node.kind);
    if (g_.type_of_value(g_.operands_of(node)[0]).rank() == 0) return scalar_map;
    if (facts.is_view) return add_map(maps_[map]);
    movement moves;
    if (!walk_of(node, moves)) return none;
    const group_map outer = maps_[map];
    if (map_count_ + moves.index_count >= most_maps) return none;
    if (index_count_ + moves.index_count + maps_[map].index_count > most_indices) return none;
    walk_composer walk(outer.access, moves.access);
    index_t moved[most_indices]{};
    for (int i = 0; i < outer.index_count; ++i) {
      const index_use& each = indices_[outer.first_index + i];
      moved[i] = walk.move(each.stride, each.high);
    }
    bool fits = walk.fits();
    strided_access index_walks[most_indices]{};
    for (int k = 0; k < moves.index_count && fits; ++k) {
      walk_composer index(outer.access, moves.index_accesses[k]);
      for (int i = 0; i < outer.index_count; ++i) {
        const index_use& each = indices_[outer.first_index + i];
        fits = fits && index.move(each.stride, each.high) == 0;
      }
      fits = fits && index.fits();
      if (fits) index_walks[k] = merged(index.result());
    }
    // Where no access leads to the operand, positions are found one after the other.
    group_map reached{fits ? merged(walk.result()) : moves.access, outer.row_level, fits ? outer.before : map,
                      index_count_, 0};
    for (int k = 0; k < moves.index_count; ++k) {
      index_use& each = moves.indices[k];
      each.map = add_map({fits ? index_walks[k] : moves.index_accesses[k], outer.row_level, reached.before});
      if (each.map == none) return none;
      indices_[index_count_++] = each;
    }
    for (int i = 0; i < outer.index_count && fits; ++i) {
      index_use each = indices_[outer.first_index + i];
      each.stride = moved[i];
      indices_[index_count_++] = each;
    }
    reached.index_count = index_count_ - reached.first_index;
    return add_map(reached);
  }

  // The index space becomes that of the rows, each of `row` elements.
  constexpr void lift(index_t row) {
    split_ = true;
    row_ = row;
    count_ *= row;
    for (int i = 0; i < map_count_; ++i) maps_[i].row_level = true;
  }
};

}  // namespace tenon::planning
