// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/simplify.hpp>

#include <initializer_list>

// Which variables a map uses, and maps over other variables.
namespace tenon::indexing {

template <class Map>
struct variable_set {
  bool dimensions[Map::rank_capacity]{};
  bool ranges[Map::symbol_capacity]{};
  bool runtimes[Map::symbol_capacity]{};

  constexpr bool& at(operation variable, std::int64_t i) {
    return variable == operation::dimension ? dimensions[i] : (variable == operation::range ? ranges[i] : runtimes[i]);
  }
  constexpr int count(operation variable) const {
    int total = 0;
    const bool* flags =
        variable == operation::dimension ? dimensions : (variable == operation::range ? ranges : runtimes);
    const int size = variable == operation::dimension ? Map::rank_capacity : Map::symbol_capacity;
    for (int i = 0; i < size; ++i) total += flags[i] ? 1 : 0;
    return total;
  }
  constexpr int count() const {
    return count(operation::dimension) + count(operation::range) + count(operation::runtime);
  }
};

inline constexpr operation variable_kinds[] = {operation::dimension, operation::range, operation::runtime};

namespace detail {

template <class Map>
constexpr variable_set<Map> variables_of(const Map& map, const node_set<Map>& nodes) {
  variable_set<Map> used;
  for (int i = 0; i < map.node_count; ++i)
    if (nodes.at[i] && is_variable(map.nodes[i].op)) used.at(map.nodes[i].op, map.nodes[i].value) = true;
  return used;
}

template <class Map>
constexpr variable_set<Map> variables_of(const Map& map, std::int16_t id) {
  node_set<Map> nodes;
  nodes.add(map, id);
  return variables_of(map, nodes);
}

// Adds `more` to `set`; returns whether that changed it.
template <class Map>
constexpr bool unite(const Map& map, variable_set<Map>& set, variable_set<Map> more) {
  bool changed = false;
  for (const operation op : variable_kinds)
    for (int i = 0; i < map.count(op); ++i)
      if (more.at(op, i) && !set.at(op, i)) set.at(op, i) = changed = true;
  return changed;
}

template <class Map>
constexpr bool intersects(const Map& map, variable_set<Map> a, variable_set<Map> b) {
  for (const operation op : variable_kinds)
    for (int i = 0; i < map.count(op); ++i)
      if (a.at(op, i) && b.at(op, i)) return true;
  return false;
}

// Whether a point was found at which all constraints on `variables` alone hold; looks at few points.
template <class Map>
constexpr bool found_satisfiable(const Map& map, variable_set<Map> variables, const bool* chosen) {
  coordinates<Map::rank_capacity> dimensions;
  coordinates<2 * Map::symbol_capacity> symbols;
  for (int i = 0; i < map.dimension_count; ++i) dimensions.push(map.dimension_bounds[i].lower);
  for (int i = 0; i < map.range_count; ++i) symbols.push(map.range_bounds[i].lower);
  for (int i = 0; i < map.runtime_count; ++i) symbols.push(map.runtime_bounds[i].lower);
  const auto value_at = [&](operation op, int i) -> std::int64_t& {
    if (op == operation::dimension) return dimensions.at[i];
    return symbols.at[op == operation::range ? i : map.range_count + i];
  };
  for (int tries = 0; tries < 256; ++tries) {
    const auto values =
        evaluate_nodes(map, std::span<const std::int64_t>(dimensions.at, static_cast<std::size_t>(dimensions.size)),
                       std::span<const std::int64_t>(symbols.at, static_cast<std::size_t>(symbols.size)));
    bool holds = true;
    for (int i = 0; i < map.constraint_count; ++i)
      holds = holds && (!chosen[i] || map.constraints[i].bounds.contains(values.at[map.constraints[i].value]));
    if (holds) return true;
    bool stepped = false;
    for (const operation op : variable_kinds)
      for (int i = 0; i < map.count(op) && !stepped; ++i) {
        if (!variables.at(op, i)) continue;
        stepped = value_at(op, i) < map.bounds(op)[i].upper;
        value_at(op, i) = stepped ? value_at(op, i) + 1 : map.bounds(op)[i].lower;
      }
    if (!stepped) return false;
  }
  return false;
}

}  // namespace detail

// The variables that the results stand on.
// @post the results do not change with the other variables
template <class Map>
constexpr variable_set<Map> used_variables(const Map& map) {
  node_set<Map> nodes;
  if (!map.is_defined()) return {};
  for (int i = 0; i < map.result_count; ++i) nodes.at[map.results[i]] = true;
  nodes.close(map);
  return detail::variables_of(map, nodes);
}

// The variables that one expression stands on.
// @post the value of the expression does not change with the other variables
template <class Map>
constexpr variable_set<Map> used_variables(expression<Map> value) {
  return detail::variables_of(*value.map, value.id);
}

namespace detail {

// Removes the variables of the given kinds that no result uses, nor any constraint that says something of a variable
// which stays.
template <class Map>
constexpr variable_set<Map> remove_unused(Map& map, std::initializer_list<operation> kinds) {
  variable_set<Map> removed;
  if (!map.is_defined()) return removed;
  variable_set<Map> kept = used_variables(map);
  for (const operation op : variable_kinds) {
    bool removable = false;
    for (const operation kind : kinds) removable = removable || kind == op;
    for (int i = 0; i < map.count(op) && !removable; ++i) kept.at(op, i) = true;
  }
  const auto spread = [&] {
    for (bool again = true; again;) {
      again = false;
      for (int i = 0; i < map.constraint_count; ++i) {
        const variable_set<Map> used = variables_of(map, map.constraints[i].value);
        if (intersects(map, used, kept)) again = unite(map, kept, used) || again;
      }
    }
  };
  spread();
  bool dropped[Map::constraint_capacity]{};
  variable_set<Map> constrained;
  bool any = false;
  for (int i = 0; i < map.constraint_count; ++i) {
    const variable_set<Map> used = variables_of(map, map.constraints[i].value);
    dropped[i] = !intersects(map, used, kept);
    if (dropped[i]) any = true;
    if (dropped[i]) unite(map, constrained, used);
  }
  // Constraints that may never hold keep the domain empty: they stay.
  if (any && !found_satisfiable(map, constrained, dropped)) {
    unite(map, kept, constrained);
    for (bool& flag : dropped) flag = false;
  }

  std::int16_t left = 0;
  for (int i = 0; i < map.constraint_count; ++i)
    if (!dropped[i]) map.constraints[left++] = map.constraints[i];
  map.constraint_count = left;
  remove_unused_nodes(map);
  std::int16_t moved[3][Map::symbol_capacity > Map::rank_capacity ? Map::symbol_capacity : Map::rank_capacity]{};
  const auto row = [](operation op) { return op == operation::dimension ? 0 : (op == operation::range ? 1 : 2); };
  for (const operation op : variable_kinds) {
    std::int16_t size = 0;
    for (int i = 0; i < map.count(op); ++i) {
      if (!kept.at(op, i)) {
        removed.at(op, i) = true;
        continue;
      }
      map.bounds(op)[size] = map.bounds(op)[i];
      moved[row(op)][i] = size++;
    }
    (op == operation::dimension ? map.dimension_count
                                : (op == operation::range ? map.range_count : map.runtime_count)) = size;
  }
  for (int i = 0; i < map.node_count; ++i)
    if (is_variable(map.nodes[i].op)) map.nodes[i].value = moved[row(map.nodes[i].op)][map.nodes[i].value];
  return removed;
}

}  // namespace detail

// Each removes unused variables, renumbers the rest in order, and returns which ones went.
// @post the set of points of the domain, without the removed variables, is the same, with the same results
template <class Map>
constexpr variable_set<Map> remove_unused_vars(Map& map) {
  return detail::remove_unused(map, {operation::dimension, operation::range, operation::runtime});
}
// @post as above, for range and runtime variables
template <class Map>
constexpr variable_set<Map> remove_unused_symbols(Map& map) {
  return detail::remove_unused(map, {operation::range, operation::runtime});
}
// @post as above, for dimensions
template <class Map>
constexpr variable_set<Map> remove_unused_dimensions(Map& map) {
  return detail::remove_unused(map, {operation::dimension});
}

namespace detail {

// (s + shift) mod divisor in [residue, residue] for a range variable s, as s mod divisor = residue.
struct symbol_congruence {
  int symbol = -1;
  std::int64_t divisor = 0;
  std::int64_t residue = 0;
};

template <class Map>
constexpr symbol_congruence symbol_congruence_of(const Map& map, const constraint& given) {
  const node& top = map.nodes[given.value];
  if (top.op != operation::mod || map.nodes[top.rhs].op != operation::constant || !given.bounds.is_point()) return {};
  const std::int64_t divisor = map.nodes[top.rhs].value;
  const node* variable = &map.nodes[top.lhs];
  std::int64_t shift = 0;
  if (variable->op == operation::add && map.nodes[variable->rhs].op == operation::constant) {
    shift = map.nodes[variable->rhs].value;
    variable = &map.nodes[variable->lhs];
  }
  if (variable->op != operation::range || divisor <= 0 || !interval{0, divisor - 1}.contains(given.bounds.lower))
    return {};
  const std::int64_t residue = modulo(given.bounds.lower - modulo(shift, divisor), divisor);
  return {static_cast<int>(variable->value), divisor, residue};
}

// Joins congruences with the same residue: s mod 2 = 1 and s mod 3 = 1 is s mod 6 = 1.
template <class Map>
constexpr bool merge_symbol_congruences(Map& map) {
  bool changed = false;
  for (int i = 0; i < map.constraint_count; ++i)
    for (int k = i + 1; k < map.constraint_count; ++k) {
      const symbol_congruence a = symbol_congruence_of(map, map.constraints[i]);
      const symbol_congruence b = symbol_congruence_of(map, map.constraints[k]);
      if (a.symbol < 0 || a.symbol != b.symbol || a.residue != b.residue) continue;
      std::int64_t multiple = a.divisor / greatest_common_divisor(a.divisor, b.divisor);
      if (__builtin_mul_overflow(multiple, b.divisor, &multiple)) continue;
      const expression<Map> merged = mod(map.range(a.symbol), multiple);
      if (map.is_unknown()) return changed;
      map.constraints[i] = {merged.id, point(a.residue)};
      for (int j = k--; j + 1 < map.constraint_count; ++j) map.constraints[j] = map.constraints[j + 1];
      --map.constraint_count;
      changed = true;
    }
  return changed;
}

}  // namespace detail

// A range variable that takes every n-th value only, s mod n = r, becomes s * n + r with s in a range without gaps. Of
// several such constraints on a variable that do not merge, the first is used. Returns whether the map changed.
// @post the domain, with s * n + r for s, is the same, with the same results
template <class Map>
constexpr bool rescale_symbols(Map& map) {
  if (!map.is_defined()) return false;
  const Map given = map;
  bool changed = detail::merge_symbol_congruences(map);
  bool rescaled[Map::symbol_capacity]{};
  std::int64_t factor[Map::symbol_capacity]{};
  std::int64_t offset[Map::symbol_capacity]{};
  std::int16_t left = 0;
  bool empty = false;
  for (int i = 0; i < map.constraint_count; ++i) {
    const detail::symbol_congruence found = detail::symbol_congruence_of(map, map.constraints[i]);
    if (found.symbol < 0 || rescaled[found.symbol] || !map.range_bounds[found.symbol].is_bounded()) {
      map.constraints[left++] = map.constraints[i];
      continue;
    }
    rescaled[found.symbol] = changed = true;
    factor[found.symbol] = found.divisor;
    offset[found.symbol] = found.residue;
    interval& bounds = map.range_bounds[found.symbol];
    bounds = detail::quotient_bounds(bounds + point(-found.residue), found.divisor);
    empty = empty || bounds.is_empty();
  }
  if (!changed) return false;
  if (empty) {
    map.set_empty();
    return true;
  }
  map.constraint_count = left;
  Map out = map;
  out.node_count = out.result_count = out.constraint_count = 0;
  std::int16_t moved[Map::node_capacity]{};
  for (int i = 0; i < map.node_count; ++i) {
    const node& step = map.nodes[i];
    if (!is_leaf(step.op))
      moved[i] = out.make(step.op, moved[step.lhs], moved[step.rhs]);
    else if (step.op == operation::range && rescaled[step.value])
      moved[i] = (out.range(step.value) * factor[step.value] + offset[step.value]).id;
    else
      moved[i] = out.leaf(step.op, step.value);
  }
  for (int i = 0; i < map.result_count; ++i) out.add_result(moved[map.results[i]]);
  for (int i = 0; i < map.constraint_count; ++i)
    out.add_constraint(moved[map.constraints[i].value], map.constraints[i].bounds);
  if (out.is_unknown()) {
    map = given;
    return false;
  }
  if (out.is_defined()) remove_unused_nodes(out);
  map = out;
  return true;
}

// The listed range variables become dimensions behind the others, in the order of the list.
// @post evaluate(result, (d, listed s), other s) = evaluate(map, d, s)
template <class Map>
constexpr Map range_vars_to_dims(Map map, integers indices) {
  if (!map.is_defined()) return map;
  std::int16_t moved[Map::symbol_capacity]{};
  bool listed[Map::symbol_capacity]{};
  for (const std::int64_t i : indices) {
    if (i < 0 || i >= map.range_count || listed[i] || map.dimension_count == Map::rank_capacity)
      return unknown_map<Map>();
    listed[i] = true;
    moved[i] = map.dimension_count;
    map.dimension_bounds[map.dimension_count++] = map.range_bounds[i];
  }
  std::int16_t left = 0;
  for (int i = 0; i < map.range_count; ++i) {
    if (listed[i]) continue;
    map.range_bounds[left] = map.range_bounds[i];
    moved[i] = left++;
  }
  map.range_count = left;
  for (int i = 0; i < map.node_count; ++i) {
    node& step = map.nodes[i];
    if (step.op != operation::range) continue;
    if (listed[step.value]) step.op = operation::dimension;
    step.value = moved[step.value];
  }
  return map;
}

// Range variables, then runtime variables become dimensions behind the others.
// @post evaluate(symbols_to_dims(map), (d, s)) = evaluate(map, d, s)
template <class Map>
constexpr Map symbols_to_dims(Map map) {
  if (!map.is_defined()) return map;
  const int dimensions = map.dimension_count;
  const int ranges = map.range_count;
  if (dimensions + map.symbol_count() > Map::rank_capacity) return unknown_map<Map>();
  for (int i = 0; i < ranges; ++i) map.dimension_bounds[map.dimension_count++] = map.range_bounds[i];
  for (int i = 0; i < map.runtime_count; ++i) map.dimension_bounds[map.dimension_count++] = map.runtime_bounds[i];
  map.range_count = map.runtime_count = 0;
  for (int i = 0; i < map.node_count; ++i) {
    node& step = map.nodes[i];
    if (step.op == operation::range)
      step = {operation::dimension, -1, -1, dimensions + step.value};
    else if (step.op == operation::runtime)
      step = {operation::dimension, -1, -1, dimensions + ranges + step.value};
  }
  return map;
}

namespace detail {

template <class Map>
constexpr void rely_on_constraints(simplifier<Map>& work, const Map& map) {
  fact known[Map::constraint_capacity]{};
  for (int i = 0; i < map.constraint_count; ++i) {
    const sum value = work.canonical(map.constraints[i].value);
    known[i] = {value, map.constraints[i].bounds + point(saturating_negate(value.constant))};
    known[i].value.constant = 0;
  }
  for (int i = 0; i < map.constraint_count; ++i)
    if (known[i].value.count > 0) work.rely_on(known[i]);
}

}  // namespace detail

// @post every value that the expression takes in the domain of the map lies in the interval
template <class Map>
constexpr interval expression_range(const Map& map, expression<Map> value) {
  if (!map.is_defined() || value.id < 0) return map.is_known_empty() ? empty_interval : all_integers;
  const interval simple = node_ranges(map).at[value.id];
  detail::simplifier<Map> work(map, {});
  detail::rely_on_constraints(work, map);
  const detail::sum canonical = work.canonical(value.id);
  const interval precise = intersection(simple, work.range(canonical));
  return work.failed() ? simple : precise;
}

// @post every value that result i takes in the domain of the map lies in interval i
template <class Map>
struct result_intervals {
  interval at[Map::rank_capacity]{};
  int size = 0;
};

// @post result i of every point of the domain lies in at[i]
template <class Map>
constexpr result_intervals<Map> result_ranges(const Map& map) {
  result_intervals<Map> ranges;
  for (int i = 0; i < map.result_count; ++i) {
    Map copy = map;
    ranges.at[ranges.size++] = expression_range(map, copy.result(i));
  }
  return ranges;
}

}  // namespace tenon::indexing
