// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/linear.hpp>

namespace tenon::indexing {

namespace detail {

// Turns a map around: which of its variables each result determines, and how.
template <class Map>
class inverter {
 public:
  constexpr inverter(const Map& map, integers shape) : map_(map), shape_(shape) {}

  constexpr Map run() {
    for (const std::int64_t size : shape_) out_.add_dimension({0, size - 1});
    out_.state = out_.is_defined() ? map_state::defined : out_.state;
    if (map_.is_known_empty() || out_.is_known_empty()) {
      out_.result_count = map_.dimension_count;
      out_.set_empty();
      return out_;
    }
    for (int k = 0; k < map_.result_count; ++k) look_at(k);
    // First variables that are alone in a result, which cost no new variable; then one of several.
    for (int k = 0; k < map_.result_count; ++k) choose(k, true);
    for (int k = 0; k < map_.result_count; ++k) choose(k, false);
    make_variables();
    for (int i = 0; i < map_.node_count; ++i) moved_[i] = rebuilt(i);
    for (int k = 0; k < map_.result_count; ++k) restrict_result(k);
    for (int i = 0; i < map_.constraint_count; ++i)
      out_.add_constraint(moved_[map_.constraints[i].value], map_.constraints[i].bounds);
    for (int i = 0; i < map_.dimension_count; ++i) out_.add_result(solved_[i]);
    if (out_.is_unknown()) return unknown_map<Map>();
    if (!out_.is_known_empty()) remove_unused_nodes(out_);
    out_.result_count = map_.dimension_count;
    simplify(out_);
    return out_;
  }

 private:
  static constexpr int most_variables = Map::rank_capacity + Map::symbol_capacity;

  // factor * result k = base + sum of stride * variable
  struct equation {
    linear_form<Map> form{};
    std::int64_t factor = 1;
    int solves = -1;  // a variable: dimensions first, then range variables
  };

  const Map& map_;
  integers shape_;
  Map out_{};
  equation equations_[Map::rank_capacity]{};
  bool is_solved_[most_variables]{}, is_free_[most_variables]{};
  std::int16_t solved_[most_variables]{};
  std::int16_t moved_[Map::node_capacity]{};

  constexpr int variable_count() const { return map_.dimension_count + map_.range_count; }
  constexpr std::int64_t stride(const equation& of, int v) const {
    return v < map_.dimension_count ? of.form.dimension_strides[v] : of.form.range_strides[v - map_.dimension_count];
  }
  constexpr interval bounds(int v) const {
    return v < map_.dimension_count ? map_.dimension_bounds[v] : map_.range_bounds[v - map_.dimension_count];
  }

  // A quotient of what is known to be a multiple of the divisor is as good as a sum.
  constexpr void look_at(int k) {
    equation& made = equations_[k];
    std::int16_t id = map_.results[k];
    const node& top = map_.nodes[id];
    if (top.op == operation::floordiv && map_.nodes[top.rhs].op == operation::constant &&
        map_.nodes[top.rhs].value > 0 && is_multiple(top.lhs, map_.nodes[top.rhs].value)) {
      made.factor = map_.nodes[top.rhs].value;
      id = top.lhs;
    }
    Map one = map_;
    one.results[0] = id;
    one.result_count = 1;
    one.constraint_count = 0;
    made.form = linear_form_of(one, 0);
  }
  constexpr bool is_multiple(std::int16_t value, std::int64_t divisor) const {
    for (int i = 0; i < map_.constraint_count; ++i) {
      const node& step = map_.nodes[map_.constraints[i].value];
      if (map_.constraints[i].bounds == point(0) && step.op == operation::mod && step.lhs == value &&
          map_.nodes[step.rhs].op == operation::constant && map_.nodes[step.rhs].value == divisor)
        return true;
    }
    return false;
  }

  constexpr void choose(int k, bool alone) {
    equation& of = equations_[k];
    if (!of.form.affine || of.solves >= 0) return;
    int found = -1, count = 0;
    for (int v = 0; v < variable_count(); ++v) {
      const std::int64_t factor = stride(of, v);
      if (factor == 0) continue;
      ++count;
      const bool usable = !is_solved_[v] && !is_free_[v] && (alone || factor == 1 || factor == -1);
      // The one with the most values leaves the fewest to iterate over.
      if (usable && (found < 0 || bounds(v).count() > bounds(found).count())) found = v;
    }
    if (found < 0 || (alone && count != 1)) return;
    of.solves = found;
    is_solved_[found] = true;
    // A variable is not solved for by one that depends on it.
    for (int v = 0; v < variable_count(); ++v)
      if (v != found && stride(of, v) != 0 && !is_solved_[v]) is_free_[v] = true;
  }

  constexpr void make_variables() {
    for (int i = 0; i < map_.runtime_count; ++i) out_.add_runtime(map_.runtime_bounds[i]);
    for (int v = 0; v < variable_count(); ++v)
      if (!is_solved_[v]) solved_[v] = out_.add_range(bounds(v)).id;
    // Those found alone first: the others may need them.
    for (const bool alone : {true, false})
      for (int k = 0; k < map_.result_count; ++k) {
        const equation& of = equations_[k];
        if (of.solves < 0 || stands_alone(of) != alone) continue;
        solved_[of.solves] = solution(k);
      }
  }
  constexpr bool stands_alone(const equation& of) const {
    int count = 0;
    for (int v = 0; v < variable_count(); ++v) count += stride(of, v) != 0 ? 1 : 0;
    return count == 1;
  }
  constexpr std::int16_t solution(int k) {
    const equation& of = equations_[k];
    expression<Map> rest = out_.dimension(k) * of.factor - of.form.base;
    for (int v = 0; v < variable_count(); ++v)
      if (v != of.solves && stride(of, v) != 0) rest = rest - expression<Map>{&out_, solved_[v]} * stride(of, v);
    for (int i = 0; i < map_.runtime_count; ++i)
      if (of.form.runtime_strides[i] != 0) rest = rest - out_.runtime(i) * of.form.runtime_strides[i];
    std::int64_t divisor = stride(of, of.solves);
    if (divisor < 0) {
      rest = -rest;
      divisor = saturating_negate(divisor);
    }
    const interval wanted = bounds(of.solves);
    if (rest.id >= 0 && !(wanted * divisor).contains(node_ranges(out_).at[rest.id]))
      out_.add_constraint(rest, wanted * divisor);
    if (divisor != 1) {
      out_.add_constraint(mod(rest, divisor), point(0));
      rest = floordiv(rest, divisor);
    }
    return rest.id;
  }

  constexpr std::int16_t rebuilt(int i) {
    const node& step = map_.nodes[i];
    switch (step.op) {
      case operation::constant:
        return out_.leaf(step.op, step.value);
      case operation::runtime:
        return out_.runtime(step.value).id;
      case operation::dimension:
        return solved_[step.value];
      case operation::range:
        return solved_[map_.dimension_count + step.value];
      default:
        return out_.make(step.op, moved_[step.lhs], moved_[step.rhs]);
    }
  }

  // The constraint of a result that determines no variable.
  constexpr void restrict_result(int k) {
    if (equations_[k].solves >= 0) return;
    const expression<Map> value{&out_, moved_[map_.results[k]]};
    out_.add_constraint(out_.dimension(k) - value, point(0));
  }
};

}  // namespace detail

// From an element that the map leads to, to those that it comes from: `shape` is the shape of the tensor that its
// results index. A map of an op from output to input becomes the one from input to output, and the other way round. The
// runtime variables are the same.
// @post (i, (r, t)) is in the domain of inverse(map) for some r, with evaluate = d, exactly if (d, (s, t)) is in the
//       domain of map for some s, with evaluate(map, d, (s, t)) = i within `shape`
template <class Map>
constexpr Map inverse(const Map& map, integers shape) {
  if (map.is_undefined()) return Map{};
  if (map.is_unknown() || static_cast<int>(shape.size()) != map.result_count) return unknown_map<Map>();
  return detail::inverter<Map>(map, shape).run();
}

}  // namespace tenon::indexing
