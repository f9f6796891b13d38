// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/simplifier.hpp>

namespace tenon::indexing {
namespace detail {

constexpr std::int64_t ceiling_divide(std::int64_t a, std::int64_t b) {
  return saturating_negate(floor_divide(saturating_negate(a), b));
}

// { x | x * factor in bounds }
constexpr interval quotient_bounds(interval bounds, std::int64_t factor) {
  if (factor < 0) return quotient_bounds(-bounds, saturating_negate(factor));
  return {bounds.lower == all_integers.lower ? bounds.lower : ceiling_divide(bounds.lower, factor),
          bounds.upper == all_integers.upper ? bounds.upper : floor_divide(bounds.upper, factor)};
}

// { x | x floordiv divisor in bounds }
constexpr interval numerator_bounds(interval bounds, std::int64_t divisor) {
  if (divisor < 0) return -numerator_bounds(bounds, saturating_negate(divisor));
  return {bounds.lower == all_integers.lower ? bounds.lower : saturating_multiply(bounds.lower, divisor),
          bounds.upper == all_integers.upper ? bounds.upper
                                             : saturating_add(saturating_multiply(bounds.upper, divisor), divisor - 1)};
}

// A constraint on its way through the simplifier.
struct open_constraint {
  sum value;
  interval bounds;
  bool dropped;
  bool merged;  // says more than the constraint that it came from
};

// Moves constants, factors and divisions from the value of a constraint into its bounds.
template <class Map>
constexpr void isolate(simplifier<Map>& work, open_constraint& open) {
  while (!work.failed()) {
    open.bounds = open.bounds + point(saturating_negate(open.value.constant));
    open.value.constant = 0;
    if (open.value.is_constant() || open.bounds.is_empty()) return;
    std::int64_t factor = work.common_factor(open.value);
    if (open.value.count == 1 && open.value.terms[0].coefficient < 0) factor = -factor;
    if (factor != 1) {
      open.value = work.divided(open.value, factor);
      open.bounds = quotient_bounds(open.bounds, factor);
    }
    if (open.value.count != 1) return;
    const atom& only = work.at(open.value.terms[0].atom);
    if (only.kind != atom_kind::quotient) return;
    open.bounds = numerator_bounds(open.bounds, only.divisor);
    open.value = work.interned(only.lhs);
  }
}

// x mod n in [r, r], or no such constraint.
struct congruence {
  bool valid = false;
  sum value;  // x without its constant
  std::int64_t shift = 0;
  std::int64_t divisor = 0;
  std::int64_t residue = 0;  // of value
};

template <class Map>
constexpr congruence congruence_of(const simplifier<Map>& work, const open_constraint& open) {
  congruence found{};
  if (open.dropped || open.value.count != 1 || !open.bounds.is_point()) return found;
  const atom& only = work.at(open.value.terms[0].atom);
  if (only.kind != atom_kind::remainder || only.divisor <= 0) return found;
  found.valid = true;
  found.value = work.interned(only.lhs);
  found.shift = found.value.constant;
  found.value.constant = 0;
  found.divisor = only.divisor;
  found.residue = modulo(open.bounds.lower - modulo(found.shift, only.divisor), only.divisor);
  return found;
}

// The first integer of a congruence class at or above `from`.
constexpr std::int64_t align_up(std::int64_t from, std::int64_t divisor, std::int64_t residue) {
  return saturating_add(from, modulo(saturating_add(residue, saturating_negate(modulo(from, divisor))), divisor));
}
constexpr std::int64_t align_down(std::int64_t from, std::int64_t divisor, std::int64_t residue) {
  return saturating_negate(align_up(saturating_negate(from), divisor, modulo(-residue, divisor)));
}

// Writes an expression of `map` into `out`, each of its operations either as it is or, where that is shorter,
// simplified.
template <class Map>
constexpr std::int16_t rebuild_from_parts(simplifier<Map>& work, const Map& map, Map& out, std::int16_t id) {
  std::int16_t made[Map::node_capacity]{};
  node_set<Map> used;
  used.add(map, id);
  for (int i = 0; i <= id; ++i) {
    if (!used.at[i]) continue;
    const node& step = map.nodes[i];
    made[i] = is_leaf(step.op) ? out.leaf(step.op, step.value) : out.make(step.op, made[step.lhs], made[step.rhs]);
    const sum part = work.shortened(work.canonical(static_cast<std::int16_t>(i)));
    if (made[i] >= 0 && work.cost(part) < cost_of(out, made[i])) made[i] = work.emit(out, part);
    if (made[i] < 0) return -1;
  }
  return made[id];
}

enum class simplify_step : std::uint8_t { unchanged, changed, abandoned };

// One pass over a defined map. Bounds that became narrower ask for another pass.
template <class Map>
constexpr simplify_step simplify_once(Map& map, simplify_options options) {
  simplifier<Map> work(map, options);
  open_constraint open[Map::constraint_capacity]{};
  bool bounds_changed = false;
  bool constraints_changed = false;
  Map narrowed = map;

  const auto narrow = [&](int id, interval allowed) {
    interval& bounds = narrowed.bounds(work.variable_operation(id))[work.variable_index(id)];
    const interval both = intersection(bounds, allowed);
    if (both == bounds) return;
    bounds = both;
    bounds_changed = true;
    if (both.is_empty()) narrowed.set_empty();
  };
  const auto finish_early = [&] {
    map = narrowed;
    return simplify_step::changed;
  };

  for (int i = 0; i < map.constraint_count; ++i) {
    const constraint& given = map.constraints[i];
    const sum canonical = work.canonical(given.value);
    open[i].value = canonical;
    open[i].bounds = given.bounds;
    isolate(work, open[i]);
    open[i].value = work.shortened(open[i].value);
    isolate(work, open[i]);
    if (work.failed()) return simplify_step::abandoned;
    const interval reach = work.range(open[i].value);
    const interval left = intersection(reach, open[i].bounds);
    if (left.is_empty()) {
      narrowed.set_empty();
      return finish_early();
    }
    if (open[i].bounds.contains(reach)) {
      open[i].dropped = true;
    } else if (open[i].value.count == 1 && work.at(open[i].value.terms[0].atom).kind == atom_kind::variable) {
      narrow(open[i].value.terms[0].atom, open[i].bounds);
      open[i].dropped = true;
    }
    if (open[i].dropped) constraints_changed = true;
  }

  // Constraints on the same value; congruences of the same value.
  for (int i = 0; i < map.constraint_count; ++i)
    for (int k = i + 1; k < map.constraint_count; ++k) {
      if (open[i].dropped || open[k].dropped) continue;
      if (open[i].value == open[k].value || open[i].value == work.scaled(open[k].value, -1)) {
        const interval other = open[i].value == open[k].value ? open[k].bounds : -open[k].bounds;
        open[i].bounds = intersection(open[i].bounds, other);
        open[k].dropped = open[i].merged = constraints_changed = true;
        if (open[i].bounds.is_empty()) {
          narrowed.set_empty();
          return finish_early();
        }
        continue;
      }
      const congruence a = congruence_of(work, open[i]);
      const congruence b = congruence_of(work, open[k]);
      if (!a.valid || !b.valid || !(a.value == b.value)) continue;
      const std::int64_t shared = greatest_common_divisor(a.divisor, b.divisor);
      if (modulo(a.residue, shared) != modulo(b.residue, shared)) {
        narrowed.set_empty();
        return finish_early();
      }
      const bool first_implies = a.divisor % b.divisor == 0;
      const bool second_implies = b.divisor % a.divisor == 0;
      std::int64_t multiple = 0;
      if (first_implies) {
        open[k].dropped = true;
      } else if (second_implies) {
        open[i].dropped = true;
      } else if (a.residue == b.residue && !__builtin_mul_overflow(a.divisor / shared, b.divisor, &multiple)) {
        open[i].value = work.single(work.remainder_atom(a.value, multiple));
        open[i].bounds = point(a.residue);
        open[k].dropped = open[i].merged = true;
      } else {
        continue;
      }
      constraints_changed = true;
    }
  for (bool again = true; again && narrowed.is_defined();) {
    again = false;
    for (int i = 0; i < map.constraint_count; ++i) {
      const congruence found = congruence_of(work, open[i]);
      if (!found.valid || found.shift != 0 || found.value.count != 1 || found.value.terms[0].coefficient != 1) continue;
      const int id = found.value.terms[0].atom;
      if (work.at(id).kind != atom_kind::variable || !work.at(id).range.is_bounded()) continue;
      const interval bounds = narrowed.bounds(work.variable_operation(id))[work.variable_index(id)];
      const interval aligned{align_up(bounds.lower, found.divisor, found.residue),
                             align_down(bounds.upper, found.divisor, found.residue)};
      again = again || !(aligned == bounds);
      narrow(id, aligned);
    }
  }
  if (narrowed.is_known_empty()) return finish_early();

  Map out = narrowed;
  out.node_count = 0;
  out.constraint_count = 0;
  out.result_count = 0;
  std::int16_t copied[Map::node_capacity]{};
  const auto copy = [&](std::int16_t id) {
    node_set<Map> used;
    used.add(map, id);
    for (int i = 0; i <= id; ++i) {
      if (!used.at[i] || copied[i] != 0) continue;
      const node& step = map.nodes[i];
      const std::int16_t made = is_leaf(step.op) ? out.leaf(step.op, step.value)
                                                 : out.make(step.op, static_cast<std::int16_t>(copied[step.lhs] - 1),
                                                            static_cast<std::int16_t>(copied[step.rhs] - 1));
      copied[i] = static_cast<std::int16_t>(made + 1);
    }
    return static_cast<std::int16_t>(copied[id] - 1);
  };

  bool changed = bounds_changed || constraints_changed;
  for (int i = 0; i < map.constraint_count; ++i) {
    if (open[i].dropped) continue;
    const constraint& given = map.constraints[i];
    const std::int64_t given_cost = cost_of(map, given.value);
    const std::int64_t cost = work.cost(open[i].value);
    const bool same = cost == given_cost && open[i].bounds == given.bounds;
    if (!open[i].merged && (same || cost > given_cost)) {
      out.add_constraint(copy(given.value), given.bounds);
    } else {
      out.add_constraint(work.emit(out, open[i].value), open[i].bounds);
      changed = true;
    }
  }
  for (int i = 0; i < map.constraint_count; ++i)
    if (!open[i].dropped && open[i].value.count > 0) work.rely_on({open[i].value, open[i].bounds});
  for (int i = 0; i < map.result_count; ++i) {
    const std::int16_t given = map.results[i];
    const std::int64_t given_cost = cost_of(map, given);
    if (const sum result = work.shortened(work.canonical(given)); work.cost(result) < given_cost) {
      out.add_result(work.emit(out, result));
      changed = true;
      continue;
    }
    // As a whole it is not shorter; parts of it may be.
    Map trial = out;
    const std::int16_t rebuilt = rebuild_from_parts(work, map, trial, given);
    if (rebuilt >= 0 && cost_of(trial, rebuilt) < given_cost) {
      out = trial;
      out.add_result(rebuilt);
      changed = true;
    } else {
      out.add_result(copy(given));
    }
  }
  if (work.failed() || out.is_unknown()) return simplify_step::abandoned;
  if (!changed) return simplify_step::unchanged;
  map = out;
  return simplify_step::changed;
}

// Leaf of a result that is a leaf, perhaps with a factor and an offset; -1 for other results.
template <class Map>
constexpr std::int16_t leaf_of_result(const Map& map, std::int16_t id) {
  if (map.nodes[id].op == operation::add && map.nodes[map.nodes[id].rhs].op == operation::constant)
    id = map.nodes[id].lhs;
  if (map.nodes[id].op == operation::multiply && map.nodes[map.nodes[id].rhs].op == operation::constant)
    id = map.nodes[id].lhs;
  return is_leaf(map.nodes[id].op) ? id : std::int16_t{-1};
}

// Most maps have such results alone, and no constraints: all there is to do is to replace variables of one value.
// False for other maps.
template <class Map>
constexpr bool simplify_leaves(Map& map, simplify_options options, bool& changed) {
  if (map.constraint_count > 0) return false;
  for (int i = 0; i < map.result_count; ++i)
    if (leaf_of_result(map, map.results[i]) < 0) return false;
  if (options.keep_point_variables) return true;
  for (int i = 0; i < map.result_count; ++i) {
    const node leaf = map.nodes[leaf_of_result(map, map.results[i])];
    if (!is_variable(leaf.op) || !map.bounds(leaf.op)[leaf.value].is_point()) continue;
    std::int64_t value = map.bounds(leaf.op)[leaf.value].lower;
    node step = map.nodes[map.results[i]];
    const std::int64_t offset = step.op == operation::add ? map.nodes[step.rhs].value : 0;
    if (step.op == operation::add) step = map.nodes[step.lhs];
    if (step.op == operation::multiply) value = saturating_multiply(value, map.nodes[step.rhs].value);
    const std::int16_t constant = map.leaf(operation::constant, saturating_add(value, offset));
    // Without room for another node the variable stays.
    if (constant < 0) map.state = map_state::defined;
    if (constant < 0) break;
    map.results[i] = constant;
    changed = true;
  }
  if (changed) remove_unused_nodes(map);
  return true;
}

}  // namespace detail

// Rewrites results and constraints with the bounds of the variables: sums are collected, divisions and remainders are
// worked out, constraints are moved into bounds, merged, or dropped. Returns whether the map changed.
// @post the domain is the same set of points, and every result has the same value at each of them
// @post no result is longer than before, and a second call returns false
template <class Map>
constexpr bool simplify(Map& map, simplify_options options = {}) {
  bool changed = false;
  if (!map.is_defined() || detail::simplify_leaves(map, options, changed)) return changed;
  if (!has_short_expressions(map)) return false;
  for (int pass = 0; pass < 16 && map.is_defined(); ++pass) {
    if (detail::simplify_once(map, options) != detail::simplify_step::changed) break;
    changed = true;
  }
  if (changed) remove_unused_nodes(map);
  return changed;
}

}  // namespace tenon::indexing
