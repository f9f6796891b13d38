// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/map.hpp>

// How long an expression is: what simplification makes smaller.
namespace tenon::indexing::detail {

// The length of an expression is counted in symbols. Between equally many, sums and products are better than divisions,
// constants than variables (x * 2 than x + x), and fewer digits than more.
inline constexpr std::int64_t cost_of_symbol = 1 << 16;
inline constexpr std::int64_t cost_of_division = cost_of_symbol + (1 << 12);

constexpr std::int64_t cost_of_constant(std::int64_t value) {
  std::int64_t cost = cost_of_symbol - (1 << 8);
  for (value = value < 0 ? -(value / 10) : value / 10; value != 0; value /= 10) ++cost;
  return cost;
}

// An operation on operands of these costs. Divisions of less are better: (x mod 2) * 2 than (x * 2) mod 4.
constexpr std::int64_t cost_of_operation(operation op, std::int64_t lhs, std::int64_t rhs) {
  const bool divides = op == operation::floordiv || op == operation::mod;
  return lhs + rhs + (divides ? cost_of_division + (lhs >> 12) : cost_of_symbol);
}

// Gathers the cost of a sum term by term.
struct sum_cost {
  std::int64_t total = 0;
  int terms = 0;
  bool starts_positive = false;

  constexpr void add(std::int64_t atom_cost, std::int64_t coefficient) {
    total += atom_cost + (terms++ > 0 ? cost_of_symbol : 0);
    if (coefficient != 1 && coefficient != -1) total += cost_of_symbol + cost_of_constant(coefficient);
    if (coefficient != -1) starts_positive = true;
  }
  constexpr std::int64_t finish(std::int64_t constant) {
    if (terms == 0) return cost_of_constant(constant);
    return total + (constant != 0 ? cost_of_symbol + cost_of_constant(constant) : 0) +
           (starts_positive ? 0 : cost_of_symbol);
  }
};

// Length of an expression as the map holds it, in the measure of the simplifier.
template <class Map>
constexpr std::int64_t cost_of(const Map& map, std::int16_t id);

template <class Map>
constexpr void add_terms(const Map& map, std::int16_t id, sum_cost& cost, std::int64_t& constant) {
  const node& step = map.nodes[id];
  if (step.op == operation::add) {
    add_terms(map, step.lhs, cost, constant);
    add_terms(map, step.rhs, cost, constant);
  } else if (step.op == operation::constant && constant == 0) {
    constant = step.value;
  } else if (step.op == operation::multiply && map.nodes[step.rhs].op == operation::constant) {
    cost.add(cost_of(map, step.lhs), map.nodes[step.rhs].value);
  } else {
    cost.add(cost_of(map, id), 1);
  }
}

template <class Map>
constexpr std::int64_t cost_of(const Map& map, std::int16_t id) {
  const node& step = map.nodes[id];
  if (step.op == operation::constant) return cost_of_constant(step.value);
  if (is_variable(step.op)) return cost_of_symbol;
  if (step.op == operation::add || (step.op == operation::multiply && map.nodes[step.rhs].op == operation::constant)) {
    sum_cost cost;
    std::int64_t constant = 0;
    add_terms(map, id, cost, constant);
    return cost.finish(constant);
  }
  return cost_of_operation(step.op, cost_of(map, step.lhs), cost_of(map, step.rhs));
}

}  // namespace tenon::indexing::detail
