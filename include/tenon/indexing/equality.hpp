// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/map.hpp>

// Maps compare equal if they read the same but for the order of summands, factors, operands of min and max, and
// constraints. Expressions beyond longest_expression are compared step by step.
namespace tenon::indexing {

namespace detail {

template <class Map>
struct operands_of {
  std::int16_t at[Map::node_capacity]{};
  int size = 0;

  // The operands of nested operations of one kind: of a + (b + c), all three.
  constexpr void gather(const Map& map, operation op, std::int16_t id) {
    if (map.nodes[id].op == op) {
      gather(map, op, map.nodes[id].lhs);
      gather(map, op, map.nodes[id].rhs);
    } else if (size < Map::node_capacity) {
      at[size++] = id;
    }
  }
};

constexpr bool commutes(operation op) {
  return op == operation::add || op == operation::multiply || op == operation::minimum || op == operation::maximum;
}

template <class Map>
constexpr bool same_expression(const Map& a, std::int16_t x, const Map& b, std::int16_t y) {
  const node& left = a.nodes[x];
  const node& right = b.nodes[y];
  if (left.op != right.op) return false;
  if (is_leaf(left.op)) return left.value == right.value;
  if (!commutes(left.op))
    return same_expression(a, left.lhs, b, right.lhs) && same_expression(a, left.rhs, b, right.rhs);
  operands_of<Map> mine;
  operands_of<Map> theirs;
  mine.gather(a, left.op, x);
  theirs.gather(b, left.op, y);
  if (mine.size != theirs.size) return false;
  for (int i = 0; i < mine.size; ++i) {
    int match = i;
    while (match < theirs.size && !same_expression(a, mine.at[i], b, theirs.at[match])) ++match;
    if (match == theirs.size) return false;
    theirs.at[match] = theirs.at[i];
  }
  return true;
}

template <class Map>
constexpr bool same_steps(const Map& a, const Map& b) {
  if (a.node_count != b.node_count) return false;
  for (int i = 0; i < a.node_count; ++i) {
    const node& x = a.nodes[i];
    const node& y = b.nodes[i];
    if (x.op != y.op || x.lhs != y.lhs || x.rhs != y.rhs || x.value != y.value) return false;
  }
  for (int i = 0; i < a.result_count; ++i)
    if (a.results[i] != b.results[i]) return false;
  for (int i = 0; i < a.constraint_count; ++i)
    if (a.constraints[i].value != b.constraints[i].value || a.constraints[i].bounds != b.constraints[i].bounds)
      return false;
  return true;
}

constexpr std::uint64_t mix(std::uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}
constexpr std::uint64_t mix(std::uint64_t hash, std::int64_t value) {
  return mix(hash * 31 + static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15u);
}

template <class Map>
constexpr std::uint64_t hash_of(const Map& map, std::int16_t id) {
  const node& step = map.nodes[id];
  const std::uint64_t seed = mix(static_cast<std::uint64_t>(step.op) + 1);
  if (is_leaf(step.op)) return mix(seed, step.value);
  if (!commutes(step.op))
    return mix(mix(seed, static_cast<std::int64_t>(hash_of(map, step.lhs))),
               static_cast<std::int64_t>(hash_of(map, step.rhs)));
  operands_of<Map> operands;
  operands.gather(map, step.op, id);
  std::uint64_t total = 0;
  for (int i = 0; i < operands.size; ++i) total += mix(seed ^ hash_of(map, operands.at[i]));
  return mix(total);
}

}  // namespace detail

// Equal but for the order of operands that commute, and of constraints; unequal maps may still mean the same.
// @post true implies the same domain, and the same results at every point of it
template <int Nodes, int Rank, int Symbols, int Constraints>
constexpr bool operator==(const basic_indexing_map<Nodes, Rank, Symbols, Constraints>& a,
                          const basic_indexing_map<Nodes, Rank, Symbols, Constraints>& b) {
  if (a.state != b.state || a.result_count != b.result_count) return false;
  if (!a.is_defined()) return true;
  if (a.constraint_count != b.constraint_count) return false;
  for (const operation op : {operation::dimension, operation::range, operation::runtime}) {
    if (a.count(op) != b.count(op)) return false;
    for (int i = 0; i < a.count(op); ++i)
      if (a.bounds(op)[i] != b.bounds(op)[i]) return false;
  }
  if (!has_short_expressions(a) || !has_short_expressions(b)) return detail::same_steps(a, b);
  for (int i = 0; i < a.result_count; ++i)
    if (!detail::same_expression(a, a.results[i], b, b.results[i])) return false;
  bool taken[Constraints]{};
  for (int i = 0; i < a.constraint_count; ++i) {
    int match = 0;
    while (match < b.constraint_count &&
           (taken[match] || a.constraints[i].bounds != b.constraints[match].bounds ||
            !detail::same_expression(a, a.constraints[i].value, b, b.constraints[match].value)))
      ++match;
    if (match == b.constraint_count) return false;
    taken[match] = true;
  }
  return true;
}

// @post equal maps have equal hashes
template <class Map>
constexpr std::uint64_t hash(const Map& map) {
  std::uint64_t value = detail::mix(static_cast<std::uint64_t>(map.state), map.result_count);
  if (!map.is_defined()) return value;
  for (const operation op : {operation::dimension, operation::range, operation::runtime}) {
    value = detail::mix(value, map.count(op));
    for (int i = 0; i < map.count(op); ++i)
      value = detail::mix(detail::mix(value, map.bounds(op)[i].lower), map.bounds(op)[i].upper);
  }
  if (!has_short_expressions(map)) return value;
  for (int i = 0; i < map.result_count; ++i)
    value = detail::mix(value, static_cast<std::int64_t>(detail::hash_of(map, map.results[i])));
  std::uint64_t constraints = 0;
  for (int i = 0; i < map.constraint_count; ++i) {
    const constraint& given = map.constraints[i];
    constraints += detail::mix(detail::mix(detail::hash_of(map, given.value), given.bounds.lower), given.bounds.upper);
  }
  return detail::mix(value, static_cast<std::int64_t>(constraints));
}

}  // namespace tenon::indexing
