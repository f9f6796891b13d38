// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/maps.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/indexing/located.hpp>

#include <vector>

// Runtime variables whose values a program says: those found in an iota, a constant, or what is computed from them.
namespace tenon::ir {

// Writes elements of integers as expressions over the variables of a map. What it cannot write has no id.
class known_indices {
 public:
  using map = indexing::indexing_map;
  using handle = map::handle;

  constexpr known_indices(const graph& g, map& to) : g_(g), to_(to) {}

  // The value at an element, which is given over dimensions and range variables of the map.
  // @post at every point within the bounds of the variables it is the value that the program computes
  constexpr handle at(int value, const map& element) {
    const tensor_type& type = g_.type_of_value(value);
    const int number = g_.values.data[value].node;
    if (number < 0 || type.bounded != 0 || !is_over_same_variables(element) || steps_left_-- == 0) return {};
    step visit{*this, g_.nodes.data[number], type, element};
    if (!visit_op(visit.node.kind, g_.words.data + visit.node.words, visit) || !constants_are_small()) return {};
    // Integers wrap around, and expressions do not.
    return small_numbers_of(type).contains(range_of(visit.result)) ? visit.result : handle{};
  }
  constexpr indexing::interval range_of(handle one) const { return indexing::node_ranges(to_).at[one.id]; }

 private:
  const graph& g_;
  map& to_;
  int steps_left_ = 64;

  // Constants are gathered out of several steps, so they may have become large where no step is.
  constexpr bool constants_are_small() const {
    for (int i = 0; i < to_.node_count; ++i)
      if (to_.nodes[i].op == indexing::operation::constant &&
          !indexing::interval{-(1 << 30), 1 << 30}.contains(to_.nodes[i].value))
        return false;
    return !to_.is_unknown();
  }
  constexpr bool is_over_same_variables(const map& element) const {
    if (!element.is_defined() || element.runtime_count > 0 || element.constraint_count > 0) return false;
    if (element.dimension_count != to_.dimension_count || element.range_count > to_.range_count) return false;
    for (int i = 0; i < element.dimension_count; ++i)
      if (element.dimension_bounds[i] != to_.dimension_bounds[i]) return false;
    for (int i = 0; i < element.range_count; ++i)
      if (element.range_bounds[i] != to_.range_bounds[i]) return false;
    return true;
  }
  // Result i of a map over the same variables.
  constexpr handle result_of(const map& from, int i) {
    std::int16_t moved[map::node_capacity]{};
    for (int n = 0; n <= from.results[i]; ++n) {
      const indexing::node& each = from.nodes[n];
      moved[n] = indexing::is_leaf(each.op) ? to_.leaf(each.op, each.value)
                                            : to_.make(each.op, moved[each.lhs], moved[each.rhs]);
    }
    return {&to_, moved[from.results[i]]};
  }

  // Where an op of the program is taken as what it computes.
  struct step {
    known_indices& self;
    const graph_node& node;
    const tensor_type& type;
    const map& element;
    handle result{};

    constexpr bool give(handle value) { return (result = value).id >= 0; }
    constexpr map element_of(int k) const {
      const operand_types operands(self.g_, self.g_.operands_of(node));
      const map reads = reads_of(node.kind, self.g_.words.data + node.words, k, 0, operands.all, {&type, 1});
      return reads.symbol_count() > 0 ? indexing::unknown_map() : compose(element, reads);
    }
    constexpr handle operand(int k) { return self.at(self.g_.operands_of(node)[k], element_of(k)); }
    constexpr bool moved() { return give(operand(0)); }
    template <class Compute>
    constexpr bool binary(Compute compute) {
      const handle a = operand(0), b = a.id < 0 ? a : operand(1);
      return b.id >= 0 && give(compute(a, b));
    }
    constexpr bool is_constant(handle one) const { return self.to_.nodes[one.id].op == indexing::operation::constant; }

    constexpr bool operator()(const ops::iota& op) { return give(self.result_of(element, int(op.iota_dimension))); }
    constexpr bool operator()(const ops::constant& op) {
      std::vector<index_t> all;
      if (!is_integer(type.element) || !read_integers(self.g_, self.g_.literals.data[op.value.id], type, all))
        return false;
      handle index[max_rank]{};
      index_t first = 0, slopes[max_rank]{};
      const ints strides = strides_of(type.shape);
      for (int axis = 0; axis < type.rank(); ++axis) {
        index[axis] = self.result_of(element, axis);
        if (index[axis].id < 0) return false;
        if (is_constant(index[axis])) first += self.to_.nodes[index[axis].id].value * strides[axis];
      }
      if (first < 0 || first >= index_t(all.size())) return false;
      for (int axis = 0; axis < type.rank(); ++axis)
        if (!is_constant(index[axis]) && type.dim(axis) > 1)
          slopes[axis] = all[std::size_t(first + strides[axis])] - all[std::size_t(first)];
      for (index_t i = 0; i < index_t(all.size()); ++i) {
        index_t expected = all[std::size_t(first)];
        bool is_read = true;
        for (int axis = 0; axis < type.rank(); ++axis) {
          const index_t k = i / strides[axis] % type.dim(axis);
          expected += slopes[axis] * k;
          is_read = is_read && (!is_constant(index[axis]) || k == first / strides[axis] % type.dim(axis));
        }
        if (is_read && all[std::size_t(i)] != expected) return false;
      }
      handle sum = self.to_.constant(all[std::size_t(first)]);
      for (int axis = 0; axis < type.rank(); ++axis) {
        if (is_constant(index[axis])) continue;
        sum = sum + index[axis] * slopes[axis];
        if (!self.constants_are_small()) return false;
      }
      return give(sum);
    }

    constexpr bool operator()(const ops::reshape&) { return moved(); }
    constexpr bool operator()(const ops::transpose&) { return moved(); }
    constexpr bool operator()(const ops::broadcast_in_dim&) { return moved(); }
    constexpr bool operator()(const ops::slice&) { return moved(); }
    constexpr bool operator()(const ops::reverse&) { return moved(); }
    // To a type that does not hold the value it is not known.
    constexpr bool operator()(const ops::convert&) { return moved(); }
    constexpr bool operator()(const ops::concatenate&) {
      for (int k = 0; k < node.operand_count; ++k)
        if (!element_of(k).is_known_empty()) return give(operand(k));
      return false;
    }

    constexpr bool operator()(const ops::negate&) {
      const handle a = operand(0);
      return a.id >= 0 && give(-a);
    }
    constexpr bool operator()(const ops::add&) {
      return is_integer(type.element) && binary([](handle a, handle b) { return a + b; });
    }
    constexpr bool operator()(const ops::subtract&) {
      return binary([](handle a, handle b) { return a - b; });
    }
    constexpr bool operator()(const ops::multiply&) {
      return is_integer(type.element) &&
             binary([this](handle a, handle b) { return is_constant(a) || is_constant(b) ? a * b : handle{}; });
    }
    constexpr bool operator()(const ops::minimum&) {
      return binary([](handle a, handle b) { return minimum(a, b); });
    }
    constexpr bool operator()(const ops::maximum&) {
      return binary([](handle a, handle b) { return maximum(a, b); });
    }
    // Decided by the ranges: whether an index counts from the end.
    constexpr bool operator()(const ops::compare& op) {
      using enum comparison_direction;
      const bool swapped = op.comparison_direction == GT || op.comparison_direction == LE;
      const bool negated = op.comparison_direction == GE || op.comparison_direction == LE;
      if (op.comparison_direction == EQ || op.comparison_direction == NE) return false;
      return binary([&](handle a, handle b) {
        const indexing::interval low = self.range_of(swapped ? b : a), high = self.range_of(swapped ? a : b);
        if (low.upper < high.lower) return self.to_.constant(negated ? 0 : 1);
        return low.lower >= high.upper ? self.to_.constant(negated ? 1 : 0) : handle{};
      });
    }
    constexpr bool operator()(const ops::select&) {
      const handle chosen = operand(0);
      return chosen.id >= 0 && is_constant(chosen) && give(operand(self.to_.nodes[chosen.id].value != 0 ? 1 : 2));
    }
    static constexpr bool otherwise() { return false; }
  };
};

// From an element of a result of a node to those of an operand: reads_of, with what its runtime variables are, as far
// as their values are known and within their bounds, and with the places of the others.
// @post relates the same elements as reads_of
constexpr indexing::located_map<indexing::indexing_map> known_reads_of(const graph& g, const graph_node& node,
                                                                       int operand, list<tensor_type> operands,
                                                                       int result, list<tensor_type> results) {
  using map = indexing::indexing_map;
  const index_t* const words = g.words.data + node.words;
  indexing::located_map<map> all{reads_of(node.kind, words, operand, result, operands, results), {}};
  for (int v = 0; v < all.value.runtime_count; ++v) {
    const indexing::runtime_source source = source_of(node.kind, words, operand, v, operands, results);
    all.sources.push_back({source.operand < 0 ? -1 : g.operands_of(node)[source.operand], source.element});
  }
  if (!all.value.is_defined() || all.sources.empty()) return all;
  // Where a tensor may be smaller than it looks, an index within the bounds may be clamped, too.
  for (const tensor_type& type : operands)
    if (type.bounded != 0) return all;
  indexing::located_map<map> left{all.value, {}};
  map& to = left.value;
  to.node_count = to.runtime_count = to.result_count = to.constraint_count = 0;
  std::int16_t values[map::symbol_capacity]{};
  for (std::size_t v = 0; v < all.sources.size(); ++v) {
    const indexing::interval bounds = all.value.runtime_bounds[v];
    map trial = to;
    known_indices known(g, trial);
    const auto found =
        all.sources[v].producer < 0 ? map::handle{} : known.at(all.sources[v].producer, all.sources[v].element);
    if (found.id >= 0 && bounds.contains(known.range_of(found))) {
      to = trial;
      values[v] = found.id;
    } else {
      values[v] = to.add_runtime(bounds).id;
      left.sources.push_back(all.sources[v]);
    }
  }
  std::int16_t moved[map::node_capacity]{};
  for (int n = 0; n < all.value.node_count; ++n) {
    const indexing::node& each = all.value.nodes[n];
    if (each.op == indexing::operation::runtime)
      moved[n] = values[each.value];
    else
      moved[n] = indexing::is_leaf(each.op) ? to.leaf(each.op, each.value)
                                            : to.make(each.op, moved[each.lhs], moved[each.rhs]);
  }
  for (int i = 0; i < all.value.result_count; ++i) to.add_result(moved[all.value.results[i]]);
  for (int i = 0; i < all.value.constraint_count; ++i)
    to.add_constraint(moved[all.value.constraints[i].value], all.value.constraints[i].bounds);
  if (to.is_unknown()) return all;
  if (to.is_defined()) remove_unused_nodes(to);
  return left;
}

}  // namespace tenon::ir
