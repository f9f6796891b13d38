// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/indexing/interval.hpp>

#include <cstdint>
#include <span>

// An indexing map sends the index of an element of one tensor to the indices of the elements of another tensor that
// belong to it: (d0, d1)[s0] -> (d0, s0 + 2 * d1). The model is XLA's indexing analysis.
namespace tenon::indexing {

// A shape or an index, given as `ints` or as a span.
struct integers : std::span<const std::int64_t> {
  using std::span<const std::int64_t>::span;
  constexpr integers(std::span<const std::int64_t> values) : span(values) {}
  constexpr integers(const ints& values) : span(values.at, static_cast<std::size_t>(values.size)) {}
};

enum class operation : std::uint8_t {
  constant,   // value
  dimension,  // d<value>: index of the tensor that is mapped
  range,      // s<value>: takes all its values
  runtime,    // rt<value>: one value that is known when the program runs
  add,
  multiply,
  floordiv,
  mod,
  minimum,
  maximum
};

// @post true for dimension, range and runtime
constexpr bool is_variable(operation op) {
  return op == operation::dimension || op == operation::range || op == operation::runtime;
}
// @post true for what has no operands
constexpr bool is_leaf(operation op) { return op == operation::constant || is_variable(op); }

// One step of an expression; the operands stand before it in the same map.
struct node {
  operation op;
  std::int16_t lhs;
  std::int16_t rhs;
  std::int64_t value;
};

// The expression at node `value` must lie in `bounds`.
struct constraint {
  std::int16_t value;
  interval bounds;
};

enum class map_state : std::uint8_t {
  undefined,    // never set
  defined,      //
  known_empty,  // no point satisfies the bounds and constraints
  unknown       // there is no map, or it does not fit into the capacity
};

// The value of every operation, total in the sense of interval.hpp.
// @post apply(floordiv, a, b) = floor_divide(a, b), and so on
constexpr std::int64_t apply(operation op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case operation::add:
      return saturating_add(a, b);
    case operation::multiply:
      return saturating_multiply(a, b);
    case operation::floordiv:
      return floor_divide(a, b);
    case operation::mod:
      return modulo(a, b);
    case operation::minimum:
      return a < b ? a : b;
    case operation::maximum:
      return a > b ? a : b;
    default:
      return 0;
  }
}

// @post a.contains(x) && b.contains(y) implies apply(op, a, b).contains(apply(op, x, y))
constexpr interval apply(operation op, interval a, interval b) {
  switch (op) {
    case operation::add:
      return a + b;
    case operation::multiply:
      return a * b;
    case operation::floordiv:
      return floor_divide(a, b);
    case operation::mod:
      return modulo(a, b);
    case operation::minimum:
      return minimum(a, b);
    case operation::maximum:
      return maximum(a, b);
    default:
      return all_integers;
  }
}

// Values of the results of a map at one point.
template <int Capacity>
struct coordinates {
  std::int64_t at[Capacity]{};
  int size = 0;

  constexpr std::int64_t operator[](int i) const { return 0 <= i && i < size ? at[i] : 0; }
  constexpr void push(std::int64_t value) {
    if (size < Capacity) at[size++] = value;
  }
  friend constexpr bool operator==(const coordinates& a, const coordinates& b) {
    if (a.size != b.size) return false;
    for (int i = 0; i < a.size; ++i)
      if (a.at[i] != b.at[i]) return false;
    return true;
  }
};

// Handle of an expression inside a map under construction: `auto d = map.dimension(0); map.add_result(d * 8 + 1)`.
// Valid as long as the map is neither moved nor simplified.
template <class Map>
struct expression {
  Map* map = nullptr;
  std::int16_t id = -1;

  friend constexpr expression operator+(expression a, expression b) { return a.binary(operation::add, b); }
  friend constexpr expression operator+(expression a, std::int64_t b) { return a + a.map->constant(b); }
  friend constexpr expression operator-(expression a) { return a * -1; }
  friend constexpr expression operator-(expression a, expression b) { return a + b * -1; }
  friend constexpr expression operator-(expression a, std::int64_t b) { return a + saturating_negate(b); }
  friend constexpr expression operator*(expression a, expression b) { return a.binary(operation::multiply, b); }
  friend constexpr expression operator*(expression a, std::int64_t b) { return a * a.map->constant(b); }
  friend constexpr expression floordiv(expression a, expression b) { return a.binary(operation::floordiv, b); }
  friend constexpr expression floordiv(expression a, std::int64_t b) { return floordiv(a, a.map->constant(b)); }
  friend constexpr expression mod(expression a, expression b) { return a.binary(operation::mod, b); }
  friend constexpr expression mod(expression a, std::int64_t b) { return mod(a, a.map->constant(b)); }
  friend constexpr expression minimum(expression a, expression b) { return a.binary(operation::minimum, b); }
  friend constexpr expression maximum(expression a, expression b) { return a.binary(operation::maximum, b); }

 private:
  constexpr expression binary(operation op, expression b) const { return {map, map->make(op, id, b.id)}; }
};

// Nodes: operations and leaves of all expressions together. Rank: dimensions, and results. Symbols: range variables,
// and runtime variables. A map that needs more becomes `unknown`, never wrong.
template <int Nodes = 96, int Rank = 8, int Symbols = 16, int Constraints = 16>
struct basic_indexing_map {
  static constexpr int node_capacity = Nodes;
  static constexpr int rank_capacity = Rank;
  static constexpr int symbol_capacity = Symbols;
  static constexpr int constraint_capacity = Constraints;
  using handle = expression<basic_indexing_map>;

  map_state state = map_state::undefined;
  std::int16_t node_count = 0;
  std::int16_t dimension_count = 0;
  std::int16_t range_count = 0;
  std::int16_t runtime_count = 0;
  std::int16_t result_count = 0;
  std::int16_t constraint_count = 0;
  node nodes[Nodes]{};
  interval dimension_bounds[Rank]{};
  interval range_bounds[Symbols]{};
  interval runtime_bounds[Symbols]{};
  std::int16_t results[Rank]{};
  constraint constraints[Constraints]{};

  constexpr bool is_undefined() const { return state == map_state::undefined; }
  constexpr bool is_known_empty() const { return state == map_state::known_empty; }
  constexpr bool is_unknown() const { return state == map_state::unknown; }
  constexpr bool is_defined() const { return state == map_state::defined; }
  constexpr int symbol_count() const { return range_count + runtime_count; }

  constexpr const interval* bounds(operation variable) const {
    return variable == operation::dimension ? dimension_bounds
                                            : (variable == operation::range ? range_bounds : runtime_bounds);
  }
  constexpr interval* bounds(operation variable) {
    return variable == operation::dimension ? dimension_bounds
                                            : (variable == operation::range ? range_bounds : runtime_bounds);
  }
  constexpr int count(operation variable) const {
    return variable == operation::dimension ? dimension_count
                                            : (variable == operation::range ? range_count : runtime_count);
  }

  // New variables. An empty interval makes the map known to be empty.
  constexpr handle add_dimension(interval bounds) { return add_variable(operation::dimension, bounds); }
  constexpr handle add_range(interval bounds) { return add_variable(operation::range, bounds); }
  constexpr handle add_runtime(interval bounds) { return add_variable(operation::runtime, bounds); }

  constexpr handle dimension(std::int64_t i) { return variable(operation::dimension, i); }
  constexpr handle range(std::int64_t i) { return variable(operation::range, i); }
  constexpr handle runtime(std::int64_t i) { return variable(operation::runtime, i); }
  // A variable that the map does not have makes it unknown.
  constexpr handle variable(operation op, std::int64_t i) {
    if (0 <= i && i < count(op)) return {this, leaf(op, i)};
    fail();
    return {this, -1};
  }
  constexpr handle constant(std::int64_t value) { return {this, leaf(operation::constant, value)}; }
  constexpr handle result(int i) { return {this, 0 <= i && i < result_count ? results[i] : std::int16_t{-1}}; }

  constexpr void add_result(handle value) { add_result(value.id); }
  constexpr void add_result(std::int16_t id) {
    if (id < 0 || result_count >= Rank) return fail();
    if (state == map_state::undefined) state = map_state::defined;
    results[result_count++] = id;
  }

  // A constraint on a constant holds always or never; one on a plain variable narrows the bounds of that variable.
  constexpr void add_constraint(handle value, interval allowed) { add_constraint(value.id, allowed); }
  constexpr void add_constraint(std::int16_t id, interval allowed) {
    if (id < 0) return fail();
    if (state == map_state::known_empty || state == map_state::unknown) return;
    const node& top = nodes[id];
    if (allowed.is_empty() || (top.op == operation::constant && !allowed.contains(top.value))) return set_empty();
    if (top.op == operation::constant || allowed == all_integers) return;
    if (is_variable(top.op)) {
      interval& variable = bounds(top.op)[top.value];
      variable = intersection(variable, allowed);
      if (variable.is_empty()) set_empty();
      return;
    }
    for (int i = 0; i < constraint_count; ++i)
      if (constraints[i].value == id) {
        constraints[i].bounds = intersection(constraints[i].bounds, allowed);
        if (constraints[i].bounds.is_empty()) set_empty();
        return;
      }
    if (constraint_count >= Constraints) return fail();
    constraints[constraint_count++] = {id, allowed};
  }

  constexpr void set_empty() {
    if (state == map_state::unknown) return;
    state = map_state::known_empty;
    constraint_count = 0;
  }
  constexpr void fail() { state = map_state::unknown; }

  // Node of a variable or a constant.
  constexpr std::int16_t leaf(operation op, std::int64_t value) {
    for (std::int16_t i = 0; i < node_count; ++i)
      if (nodes[i].op == op && nodes[i].value == value) return i;
    return push({op, -1, -1, value});
  }

  // Node of an operation on two nodes; constants are folded and gathered on the right.
  constexpr std::int16_t make(operation op, std::int16_t lhs, std::int16_t rhs) {
    if (lhs < 0 || rhs < 0) return -1;
    const bool commutes = op != operation::floordiv && op != operation::mod;
    if (commutes && nodes[lhs].op == operation::constant) {
      const std::int16_t swapped = lhs;
      lhs = rhs;
      rhs = swapped;
    }
    if (nodes[rhs].op == operation::constant) {
      const std::int64_t value = nodes[rhs].value;
      if (nodes[lhs].op == operation::constant) return leaf(operation::constant, apply(op, nodes[lhs].value, value));
      if (op == operation::add && value == 0) return lhs;
      if (op == operation::multiply && value == 0) return rhs;
      if ((op == operation::multiply || op == operation::floordiv) && value == 1) return lhs;
      if (op == operation::mod && (value == 1 || value == -1)) return leaf(operation::constant, 0);
      if ((op == operation::add || op == operation::multiply) && nodes[lhs].op == op &&
          nodes[nodes[lhs].rhs].op == operation::constant)
        return make(op, nodes[lhs].lhs, leaf(operation::constant, apply(op, nodes[nodes[lhs].rhs].value, value)));
      // (x + a) * b = x * b + a * b
      if (op == operation::multiply && nodes[lhs].op == operation::add &&
          nodes[nodes[lhs].rhs].op == operation::constant) {
        const std::int64_t offset = saturating_multiply(nodes[nodes[lhs].rhs].value, value);
        return make(operation::add, make(op, nodes[lhs].lhs, rhs), leaf(operation::constant, offset));
      }
    }
    for (std::int16_t i = static_cast<std::int16_t>((lhs > rhs ? lhs : rhs) + 1); i < node_count; ++i)
      if (nodes[i].op == op && nodes[i].lhs == lhs && nodes[i].rhs == rhs) return i;
    return push({op, lhs, rhs, 0});
  }

 private:
  constexpr std::int16_t push(node value) {
    if (node_count >= Nodes) {
      fail();
      return -1;
    }
    nodes[node_count] = value;
    return node_count++;
  }

  constexpr handle add_variable(operation op, interval allowed) {
    std::int16_t& size =
        op == operation::dimension ? dimension_count : (op == operation::range ? range_count : runtime_count);
    if (state == map_state::undefined) state = map_state::defined;
    if (size >= (op == operation::dimension ? Rank : Symbols)) {
      fail();
      return {this, -1};
    }
    bounds(op)[size++] = allowed;
    if (allowed.is_empty()) set_empty();
    return {this, leaf(op, size - 1)};
  }
};

using indexing_map = basic_indexing_map<>;

// @post dimension i has bounds [0, shape[i] - 1], and there are no results
template <class Map = indexing_map>
constexpr Map map_over(const ints& shape) {
  Map map;
  map.state = map_state::defined;
  for (const std::int64_t size : shape) map.add_dimension({0, size - 1});
  return map;
}

// @post evaluate(identity_map(shape), d) = d
template <class Map = indexing_map>
constexpr Map identity_map(const ints& shape) {
  Map map = map_over<Map>(shape);
  for (int i = 0; i < shape.size; ++i) map.add_result(map.dimension(i));
  return map;
}

// The map that cannot be given.
// @post is_unknown()
template <class Map = indexing_map>
constexpr Map unknown_map() {
  Map map;
  map.state = map_state::unknown;
  return map;
}

// Values of all nodes of a map at a point, or intervals that contain them over its domain.
template <class Value, class Map>
struct node_values {
  Value at[Map::node_capacity]{};
};

// Variables beyond the given values are 0. Range variables come before runtime variables in `symbols`.
// @post at[i] is the value of node i: that of its variable, or `apply` on its operands
template <class Map>
constexpr node_values<std::int64_t, Map> evaluate_nodes(const Map& map, integers dimensions, integers symbols) {
  node_values<std::int64_t, Map> values;
  const auto read = [](integers from, std::int64_t i) {
    return i < static_cast<std::int64_t>(from.size()) ? from[static_cast<std::size_t>(i)] : 0;
  };
  for (int i = 0; i < map.node_count; ++i) {
    const node& step = map.nodes[i];
    switch (step.op) {
      case operation::constant:
        values.at[i] = step.value;
        break;
      case operation::dimension:
        values.at[i] = read(dimensions, step.value);
        break;
      case operation::range:
        values.at[i] = read(symbols, step.value);
        break;
      case operation::runtime:
        values.at[i] = read(symbols, map.range_count + step.value);
        break;
      default:
        values.at[i] = apply(step.op, values.at[step.lhs], values.at[step.rhs]);
    }
  }
  return values;
}

// The results at a point, inside the domain or not.
// @post result i = the value of expression results[i], its operations being those of interval.hpp
template <class Map>
constexpr coordinates<Map::rank_capacity> evaluate(const Map& map, integers dimensions, integers symbols = {}) {
  coordinates<Map::rank_capacity> point;
  if (!map.is_defined()) return point;
  const auto values = evaluate_nodes(map, dimensions, symbols);
  for (int i = 0; i < map.result_count; ++i) point.push(values.at[map.results[i]]);
  return point;
}

// Whether a point satisfies the constraints; the bounds of the variables are not looked at.
// @post = every constraint has a value within its bounds
template <class Map>
constexpr bool constraints_satisfied(const Map& map, integers dimensions, integers symbols = {}) {
  if (!map.is_defined()) return false;
  if (map.constraint_count == 0) return true;
  const auto values = evaluate_nodes(map, dimensions, symbols);
  for (int i = 0; i < map.constraint_count; ++i)
    if (!map.constraints[i].bounds.contains(values.at[map.constraints[i].value])) return false;
  return true;
}

// @post in_domain(map, d, s) = constraints_satisfied(map, d, s) and every variable lies within its bounds
template <class Map>
constexpr bool in_domain(const Map& map, integers dimensions, integers symbols = {}) {
  if (!map.is_defined() || static_cast<int>(dimensions.size()) != map.dimension_count ||
      static_cast<int>(symbols.size()) != map.symbol_count())
    return false;
  for (int i = 0; i < map.dimension_count; ++i)
    if (!map.dimension_bounds[i].contains(dimensions[static_cast<std::size_t>(i)])) return false;
  for (int i = 0; i < map.symbol_count(); ++i) {
    const interval bounds = i < map.range_count ? map.range_bounds[i] : map.runtime_bounds[i - map.range_count];
    if (!bounds.contains(symbols[static_cast<std::size_t>(i)])) return false;
  }
  return constraints_satisfied(map, dimensions, symbols);
}

// @post over the bounds of the variables, and whether or not the constraints hold, the value of node i lies in at[i]
template <class Map>
constexpr node_values<interval, Map> node_ranges(const Map& map) {
  node_values<interval, Map> ranges;
  for (int i = 0; i < map.node_count; ++i) {
    const node& step = map.nodes[i];
    if (step.op == operation::constant)
      ranges.at[i] = point(step.value);
    else if (is_variable(step.op))
      ranges.at[i] = map.bounds(step.op)[step.value];
    else
      ranges.at[i] = apply(step.op, ranges.at[step.lhs], ranges.at[step.rhs]);
  }
  return ranges;
}

// Expressions share steps, so one that is written out can be far longer than a map. Functions that follow an expression
// from its end leave alone what is longer than this.
inline constexpr std::int64_t longest_expression = 4096;

// @post whether every result and constraint, written out, has at most longest_expression steps
template <class Map>
constexpr bool has_short_expressions(const Map& map) {
  node_values<std::int64_t, Map> sizes;
  for (int i = 0; i < map.node_count; ++i) {
    const node& step = map.nodes[i];
    sizes.at[i] = is_leaf(step.op) ? 1 : saturating_add(1, saturating_add(sizes.at[step.lhs], sizes.at[step.rhs]));
  }
  for (int i = 0; i < map.result_count; ++i)
    if (sizes.at[map.results[i]] > longest_expression) return false;
  for (int i = 0; i < map.constraint_count; ++i)
    if (sizes.at[map.constraints[i].value] > longest_expression) return false;
  return true;
}

// Whether every expression uses variables that the map has, and only steps before its own.
// @post true for every map that was built, parsed, composed or simplified without becoming unknown
template <class Map>
constexpr bool verify(const Map& map) {
  if (!map.is_defined()) return true;
  for (int i = 0; i < map.node_count; ++i) {
    const node& step = map.nodes[i];
    if (is_variable(step.op) && (step.value < 0 || step.value >= map.count(step.op))) return false;
    if (!is_leaf(step.op) && (step.lhs < 0 || step.lhs >= i || step.rhs < 0 || step.rhs >= i)) return false;
  }
  for (int i = 0; i < map.result_count; ++i)
    if (map.results[i] < 0 || map.results[i] >= map.node_count) return false;
  for (int i = 0; i < map.constraint_count; ++i)
    if (map.constraints[i].value < 0 || map.constraints[i].value >= map.node_count) return false;
  return true;
}

// Which nodes of a map an expression, or all results and constraints, stand on.
template <class Map>
struct node_set {
  bool at[Map::node_capacity]{};

  constexpr void add(const Map& map, int id) {
    at[id] = true;
    close(map);
  }
  // Adds the operands of what is in the set.
  constexpr void close(const Map& map) {
    for (int i = map.node_count - 1; i >= 0; --i)
      if (at[i] && !is_leaf(map.nodes[i].op)) at[map.nodes[i].lhs] = at[map.nodes[i].rhs] = true;
  }
};

// @post the value of every result and constraint is unchanged, and every node is used by one of them
template <class Map>
constexpr void remove_unused_nodes(Map& map) {
  node_set<Map> used;
  for (int i = 0; i < map.result_count; ++i) used.at[map.results[i]] = true;
  for (int i = 0; i < map.constraint_count; ++i) used.at[map.constraints[i].value] = true;
  used.close(map);
  std::int16_t moved[Map::node_capacity]{};
  std::int16_t kept = 0;
  for (int i = 0; i < map.node_count; ++i) {
    if (!used.at[i]) continue;
    node step = map.nodes[i];
    if (!is_leaf(step.op)) {
      step.lhs = moved[step.lhs];
      step.rhs = moved[step.rhs];
    }
    map.nodes[kept] = step;
    moved[i] = kept++;
  }
  map.node_count = kept;
  for (int i = 0; i < map.result_count; ++i) map.results[i] = moved[map.results[i]];
  for (int i = 0; i < map.constraint_count; ++i) map.constraints[i].value = moved[map.constraints[i].value];
}

}  // namespace tenon::indexing
