// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/linear.hpp>

namespace tenon::indexing {

// Tiles as symbols. A tile has, along every dimension, `size` elements from `offset` on, `stride` apart; this map takes
// the offsets of a tile of the result as its first dimensions, then its sizes, then its strides, and gives those of the
// tile of the operand in the same order.
template <class Map = indexing_map>
using tile_map =
    basic_indexing_map<2 * Map::node_capacity, 3 * Map::rank_capacity, Map::symbol_capacity, Map::constraint_capacity>;

namespace detail {

// coefficient * variable, or of its quotient by `divisor`, or of its remainder.
struct tile_term {
  operation variable = operation::constant;
  operation divided = operation::constant;  // floordiv, mod or none
  std::int64_t index = 0, divisor = 1, coefficient = 0;

  constexpr std::int64_t apart() const { return coefficient < 0 ? saturating_negate(coefficient) : coefficient; }
};

template <class Map>
struct tile_terms {
  static constexpr int most = 2 * Map::rank_capacity;
  tile_term at[most];
  int count = 0;
  std::int64_t base = 0;
  bool known = true;

  constexpr void add(const Map& map, std::int16_t id, std::int64_t factor) {
    const node& step = map.nodes[id];
    if (step.op == operation::constant) {
      base = saturating_add(base, saturating_multiply(step.value, factor));
    } else if (step.op == operation::add) {
      add(map, step.lhs, factor);
      add(map, step.rhs, factor);
    } else if (step.op == operation::multiply && map.nodes[step.rhs].op == operation::constant) {
      add(map, step.lhs, saturating_multiply(factor, map.nodes[step.rhs].value));
    } else if (is_variable(step.op)) {
      push({step.op, operation::constant, step.value, 1, factor});
    } else if ((step.op == operation::floordiv || step.op == operation::mod) &&
               map.nodes[step.lhs].op == operation::dimension && map.nodes[step.rhs].op == operation::constant &&
               map.nodes[step.rhs].value > 0) {
      push({operation::dimension, step.op, map.nodes[step.lhs].value, map.nodes[step.rhs].value, factor});
    } else {
      known = false;
    }
  }
  constexpr void push(const tile_term& term) {
    known = known && count < most;
    if (known) at[count++] = term;
  }
};

// Writes the tile of one dimension of an operand.
template <class Map, class Tile>
class tile_writer {
 public:
  using value = expression<Tile>;

  constexpr tile_writer(const Map& from, Tile& to) : from_(from), to_(to) {}

  // False where the positions are no progression that can be told.
  constexpr bool write(int result, value& offset, value& size, value& stride) {
    tile_terms<Map> terms;
    terms.add(from_, from_.results[result], 1);
    if (!terms.known) return false;
    offset = to_.constant(terms.base);
    std::int64_t step = 1, count = 1;  // of what the range variables add
    if (!add_ranges(terms, offset, step, count)) return false;
    size = to_.constant(count), stride = to_.constant(step);
    for (int i = 0; i < terms.count; ++i) {
      const tile_term& term = terms.at[i];
      if (term.variable == operation::runtime)
        offset = offset + to_.runtime(term.index) * term.coefficient;
      else if (term.variable == operation::dimension && !moves(term))
        offset = offset + at_lowest(term) * term.coefficient;
    }
    bool used[tile_terms<Map>::most]{};
    for (bool alone = true;; alone = false) {
      const int finest = finest_of(
          terms, used, [&](const tile_term& term) { return term.variable == operation::dimension && moves(term); });
      if (finest < 0) return true;
      const tile_term& term = terms.at[finest];
      if (alone ? !add_dimension(term, step, count, offset, size, stride)
                : count > 1 || !add_rows(term, offset, size, stride))
        return false;
    }
  }

 private:
  const Map& from_;
  Tile& to_;

  constexpr value offset_of(std::int64_t d) { return to_.dimension(d); }
  constexpr value size_of(std::int64_t d) { return to_.dimension(from_.dimension_count + d); }
  constexpr value stride_of(std::int64_t d) { return to_.dimension(2 * from_.dimension_count + d); }
  constexpr bool moves(const tile_term& term) const { return from_.dimension_bounds[term.index].count() > 1; }
  constexpr value at_lowest(const tile_term& term) {
    const value first = offset_of(term.index);
    if (term.divided == operation::floordiv) return floordiv(first, term.divisor);
    return term.divided == operation::mod ? mod(first, term.divisor) : first;
  }

  // The term of the smallest steps among those wanted that has not been used; it then is.
  template <class Wanted>
  static constexpr int finest_of(const tile_terms<Map>& terms, bool* used, Wanted wanted) {
    int finest = -1;
    for (int i = 0; i < terms.count; ++i)
      if (!used[i] && wanted(terms.at[i]) && (finest < 0 || terms.at[i].apart() < terms.at[finest].apart())) finest = i;
    if (finest >= 0) used[finest] = true;
    return finest;
  }

  // Constants that each take all their values: finer ones fill the gaps between coarser ones, or it is no progression.
  constexpr bool add_ranges(const tile_terms<Map>& terms, value& offset, std::int64_t& step, std::int64_t& count) {
    bool used[tile_terms<Map>::most]{};
    while (true) {
      const int finest =
          finest_of(terms, used, [](const tile_term& term) { return term.variable == operation::range; });
      if (finest < 0) return true;
      const tile_term& term = terms.at[finest];
      const interval bounds = from_.range_bounds[term.index];
      const std::int64_t values = bounds.count();
      offset = offset + saturating_multiply(term.coefficient, term.coefficient < 0 ? bounds.upper : bounds.lower);
      if (values <= 1) continue;
      if (count == 1)
        step = term.apart(), count = values;
      else if (term.apart() % step == 0 && term.apart() / step <= count)
        count = saturating_add(saturating_multiply(term.apart() / step, values - 1), count);
      else
        return false;
    }
  }

  // A dimension that goes along the tile, beside `count` positions that are `step` apart.
  constexpr bool add_dimension(const tile_term& term, std::int64_t step, std::int64_t count, value& offset, value& size,
                               value& stride) {
    const std::int64_t d = term.index, apart = term.apart();
    const value last = offset_of(d) + (size_of(d) - 1) * stride_of(d);
    value moved = stride_of(d), turns = size_of(d);
    if (term.divided == operation::floordiv) {
      // Neighbours have the same quotient, or the next one.
      turns = floordiv(last, term.divisor) - floordiv(offset_of(d), term.divisor) + 1;
      to_.add_constraint(stride_of(d), {1, term.divisor});
      moved = to_.constant(1);
    } else if (term.divided == operation::mod) {
      // A tile that begins again at 0 is none.
      to_.add_constraint(mod(offset_of(d), term.divisor) + (size_of(d) - 1) * stride_of(d), {0, term.divisor - 1});
    }
    offset = offset + at_lowest(term) * term.coefficient;
    if (term.coefficient < 0) offset = offset - (turns - 1) * moved * apart;
    if (count == 1) {
      size = turns, stride = moved * apart;
      return true;
    }
    if (apart % step != 0) return false;
    to_.add_constraint(moved * apart, {0, saturating_multiply(step, count)});
    size = (turns - 1) * moved * (apart / step) + count;
    return true;
  }
  // A dimension whose steps are as long as what there is already: rows that are taken as a whole.
  constexpr bool add_rows(const tile_term& term, value& offset, value& size, value stride) {
    if (term.divided != operation::constant || term.coefficient < 0) return false;
    to_.add_constraint(stride_of(term.index) * term.coefficient - stride * size, point(0));
    offset = offset + offset_of(term.index) * term.coefficient;
    size = size * size_of(term.index);
    return true;
  }
};

}  // namespace detail

// The tile of the operand that a tile of the result needs: windows and contracted dimensions are part of it, runtime
// variables are those of `map`. Its constraints say for which tiles of the result this is so. What constraints of `map`
// keep out, such as padding, is not: the tile may reach beyond the operand there. Unknown where the positions along
// some dimension are no progression.
// @post for a tile within its domain: offset + k * stride, for 0 <= k < size, are all positions that `map` gives
template <class Map>
constexpr tile_map<Map> tile_of(const Map& map) {
  using tile = tile_map<Map>;
  if (!map.is_defined() || !has_short_expressions(map)) return unknown_map<tile>();
  tile result = map_over<tile>({});
  for (int d = 0; d < map.dimension_count; ++d) result.add_dimension(map.dimension_bounds[d]);
  for (int part = 0; part < 2; ++part)
    for (int d = 0; d < map.dimension_count; ++d)
      result.add_dimension({1, part == 0 || map.dimension_bounds[d].count() > 1 ? map.dimension_bounds[d].count() : 1});
  for (int i = 0; i < map.runtime_count; ++i) result.add_runtime(map.runtime_bounds[i]);
  expression<tile> parts[3][Map::rank_capacity]{};
  detail::tile_writer<Map, tile> writer(map, result);
  for (int i = 0; i < map.result_count; ++i)
    if (!writer.write(i, parts[0][i], parts[1][i], parts[2][i])) return unknown_map<tile>();
  for (const auto& part : parts)
    for (int i = 0; i < map.result_count; ++i) result.add_result(part[i]);
  if (!result.is_defined()) return result;
  remove_unused_nodes(result);
  simplify(result);
  return result;
}

// How well an operand is used by the elements of a result that are computed one after the other.
struct operand_use {
  bool known = false;
  std::int64_t needed = 0;    // elements of the operand, as the tile of the whole result has them
  std::int64_t elements = 0;  // of the operand
  std::int64_t apart = 0;     // how far neighbours along the innermost dimension of the result read apart

  // The share of the operand that is needed, and of each line of memory of so many elements that is then used.
  constexpr double utilisation() const { return elements > 0 ? double(needed) / double(elements) : 0; }
  constexpr double coalescing(std::int64_t line) const {
    const std::int64_t distance = apart < 0 ? -apart : apart;
    return distance <= 1 ? 1 : distance >= line ? 1 / double(line) : 1 / double(distance);
  }
};

// @post if known: `needed` elements lie in the tile of `tile_of` for the whole result, cut off where the operand ends
template <class Map>
constexpr operand_use use_of(const Map& map, integers shape) {
  operand_use result;
  const auto tile = tile_of(map);
  const linear_form<Map> line = linear_form_of(linearized(map, shape), 0);
  if (!tile.is_defined() || tile.runtime_count > 0 || static_cast<int>(shape.size()) != map.result_count) return result;
  std::int64_t point[3 * Map::rank_capacity]{};
  const int rank = map.dimension_count;
  for (int d = 0; d < rank; ++d) {
    point[d] = map.dimension_bounds[d].lower;
    point[rank + d] = map.dimension_bounds[d].count();
    point[2 * rank + d] = 1;
  }
  const integers whole(std::span<const std::int64_t>(point, static_cast<std::size_t>(3 * rank)));
  if (!in_domain(tile, whole) || !line.affine) return result;
  const auto parts = evaluate(tile, whole);
  result.known = true;
  result.needed = result.elements = 1;
  for (int i = 0; i < map.result_count; ++i) {
    const std::int64_t first = parts[i], count = parts[map.result_count + i], step = parts[2 * map.result_count + i];
    const std::int64_t size = shape[static_cast<std::size_t>(i)];
    std::int64_t inside = 0;
    for (std::int64_t k = 0; k < count; ++k) inside += 0 <= first + k * step && first + k * step < size;
    result.needed = saturating_multiply(result.needed, inside);
    result.elements = saturating_multiply(result.elements, size);
  }
  for (int d = rank - 1; d >= 0 && result.apart == 0; --d) {
    result.apart = line.dimension_strides[d];
    if (map.dimension_bounds[d].count() > 1) break;
  }
  return result;
}

}  // namespace tenon::indexing
