// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/access.hpp>

#include <cstddef>

namespace tenon::planning {

// Affine analysis of integers that a program computes from iotas and constants: base + sum of stride * index. Affine
// indices of a gather give a strided access of its operand.
class known_walks {
 public:
  // For accesses of `count` elements.
  constexpr known_walks(const graph& g, index_t count) : g_(g), count_(count) {}

  // The access whose positions are the elements of a value at the positions of another access; false if none is found.
  // @post no step of the computation wraps around
  constexpr bool find(int value, const strided_access& at, strided_access& walk) {
    const tensor_type& type = g_.type_of_value(value);
    const int number = g_.values.data[value].node;
    if (number < 0 || type.size() == 0 || !is_dense_tensor(type) || type.bounded != 0 || steps_left_-- == 0)
      return false;
    const graph_node& node = g_.nodes.data[number];
    const op_facts facts = facts_of(node.kind);
    if (node.result_count != 1) return false;
    if (facts.is_view) return find(g_.operands_of(node)[0], at, walk);
    if (facts.moves) return find_moved(node, at, walk);
    step visit{*this, node, type, at, walk};
    return visit_op(node.kind, g_.words.data + node.words, visit) && small_numbers_of(type).contains(range_of(walk));
  }
  static constexpr indexing::interval range_of(const strided_access& walk) {
    indexing::interval range{walk.base, walk.base};
    for (int d = 0; d < walk.sizes.size; ++d) {
      const index_t last = walk.strides.at[d] * (walk.sizes.at[d] - 1);
      (last < 0 ? range.lower : range.upper) += last;
    }
    return range;
  }
  // a + factor * b
  constexpr bool add(const strided_access& a, const strided_access& b, index_t factor, strided_access& sum) const {
    common_walk both(count_);
    if (!both.cut(a) || !both.cut(b) || !both.close()) return false;
    const strided_access x = both.walk(a), y = both.walk(b);
    strided_access all{both.sizes(), {}, x.base + factor * y.base};
    for (int d = 0; d < all.sizes.size; ++d) all.strides.push(x.strides.at[d] + factor * y.strides.at[d]);
    sum = merged(all);
    return true;
  }

  // The operand of a node that joins some, if one has all elements at these positions, and where they are in it.
  constexpr bool find_part(const graph_node& node, const strided_access& at, int& operand, strided_access& in) const {
    const ints& shape = g_.type_of_value(node.results).shape;
    index_t row = 1;  // elements of all operands along the dimension that joins them, and behind it
    for (int d = shape.size - 1, joined = -1; d >= 0 && joined < 0; --d) {
      row *= shape.at[d];
      for (int value : g_.operands_of(node))
        if (g_.type_of_value(value).shape.at[d] != shape.at[d]) joined = d;
    }
    indexing::interval within{at.base % row, at.base % row};
    for (int d = 0; d < at.sizes.size; ++d)
      if (const index_t last = at.strides.at[d] * (at.sizes.at[d] - 1); at.strides.at[d] % row != 0)
        (last < 0 ? within.lower : within.upper) += last;
    const index_t rows = shape.product() / row;
    index_t first = 0;
    for (int value : g_.operands_of(node)) {
      const index_t part = g_.type_of_value(value).size() / rows;
      if (first <= within.lower && within.upper < first + part) {
        strided_access found{at.sizes, {}, at.base / row * part + at.base % row - first};
        for (index_t stride : at.strides) found.strides.push(stride % row == 0 ? stride / row * part : stride);
        in = found, operand = value;
        return true;
      }
      first += part;
    }
    return false;
  }

 private:
  const graph& g_;
  index_t count_;
  int steps_left_ = 64;

  static constexpr bool compose(const strided_access& at, const strided_access& from, strided_access& walk) {
    const walk_composer composed(at, from);
    if (!composed.fits()) return false;
    walk = merged(composed.result());
    return true;
  }

  // Composes the access with a movement: into its operand, of several into the one that has all elements.
  constexpr bool find_moved(const graph_node& node, const strided_access& at, strided_access& walk) {
    const list<int> operands = g_.operands_of(node);
    const tensor_type& to = g_.type_of_value(node.results);
    strided_access moved;
    if (facts_of(node.kind).joins_operands) {
      int operand = 0;
      return find_part(node, at, operand, moved) && find(operand, moved, walk);
    }
    if (operands.size != 1) return false;
    const tensor_type& from = g_.type_of_value(operands[0]);
    const auto map = op_tables::reads[node.kind](g_.words.data + node.words, 0, {&from, 1}, to);
    return is_dense_tensor(from) && access_through(map, from.shape, to.shape, moved) &&
           compose(at, merged(moved), moved) && find(operands[0], moved, walk);
  }
  // The elements of a constant; vectors of the standard library cannot be used in constant evaluation everywhere.
  class few_integers {
   public:
    constexpr void push_back(index_t value) {
      if (fit()) at_[count_] = value;
      ++count_;
    }
    constexpr void resize(std::size_t count, index_t value) {
      while (count_ < count) push_back(value);
    }
    constexpr std::size_t size() const { return count_; }
    constexpr bool fit() const { return count_ <= most; }
    constexpr index_t operator[](std::size_t i) const { return at_[i]; }
    constexpr const index_t* begin() const { return at_; }
    constexpr const index_t* end() const { return at_ + (fit() ? count_ : most); }

   private:
    static constexpr std::size_t most = 256;
    index_t at_[most + 1]{};
    std::size_t count_ = 0;
  };

  struct step {
    known_walks& self;
    const graph_node& node;
    const tensor_type& type;
    const strided_access& at;
    strided_access& walk;

    constexpr bool operand(int k, strided_access& found) { return self.find(self.g_.operands_of(node)[k], at, found); }
    constexpr bool operands(strided_access& a, strided_access& b) { return operand(0, a) && operand(1, b); }
    constexpr bool sum(index_t sign) {
      strided_access a, b;
      return is_integer(type.element) && operands(a, b) && self.add(a, b, sign, walk);
    }
    // One of the operands, where each of its elements is at most the other's, or at least.
    constexpr bool chosen(bool smaller) {
      strided_access a, b;
      if (!operands(a, b)) return false;
      const bool first = range_of(a).upper <= range_of(b).lower, second = range_of(b).upper <= range_of(a).lower;
      walk = first == smaller ? a : b;
      return first || second;
    }

    constexpr bool operator()(const ops::iota& op) {
      strided_access counted{type.shape, ints::filled(type.rank(), 0), 0};
      counted.strides.at[op.iota_dimension] = 1;
      return compose(at, merged(counted), walk);
    }
    constexpr bool operator()(const ops::constant& op) {
      if (!is_integer(type.element) && !is_boolean(type.element)) return false;
      const graph_literal& literal = self.g_.literals.data[op.value.id];
      few_integers all;
      if (is_splat(self.g_, literal, type)) {
        if (!read_integers(self.g_, literal, type.with_shape({}), all)) return false;
        walk = {{}, {}, all[0]};
        return true;
      }
      if (!read_integers(self.g_, literal, type, all) || !all.fit()) return false;
      // From the elements that are read first along each dimension, if all others are where these say.
      const auto element = [&](index_t i) { return 0 <= i && i < index_t(all.size()) ? all[std::size_t(i)] : 0; };
      walk = {at.sizes, {}, element(at.base)};
      ints sizes;
      for (int d = 0; d < at.sizes.size; ++d) {
        walk.strides.push(element(at.base + at.strides.at[d]) - walk.base);
        sizes.push(at.strides.at[d] == 0 ? 1 : at.sizes.at[d]);
      }
      if (sizes.product() > index_t(all.size())) return false;
      ints index = ints::filled(sizes.size, 0);
      do {
        index_t expected = walk.base, position = at.base;
        for (int d = 0; d < sizes.size; ++d) {
          expected += walk.strides.at[d] * index.at[d];
          position += at.strides.at[d] * index.at[d];
        }
        if (element(position) != expected) return false;
      } while (advance(sizes, index));
      walk = merged(walk);
      return true;
    }
    constexpr bool operator()(const ops::convert&) { return operand(0, walk); }
    constexpr bool operator()(const ops::negate&) { return operand(0, walk) && self.add({}, walk, -1, walk); }
    constexpr bool operator()(const ops::add&) { return sum(1); }
    constexpr bool operator()(const ops::subtract&) { return sum(-1); }
    constexpr bool operator()(const ops::multiply&) {
      strided_access a, b;
      if (!is_integer(type.element) || !operands(a, b) || (!is_constant(a) && !is_constant(b))) return false;
      const bool second = is_constant(b);
      return self.add({}, second ? a : b, (second ? b : a).base, walk);
    }
    constexpr bool operator()(const ops::minimum&) { return chosen(true); }
    constexpr bool operator()(const ops::maximum&) { return chosen(false); }
    // Decided by the ranges: whether an index counts from the end.
    constexpr bool operator()(const ops::compare& op) {
      using enum comparison_direction;
      strided_access a, b;
      const bool less = op.comparison_direction == LT || op.comparison_direction == GE;
      if (!operands(a, b)) return false;
      if (op.comparison_direction == EQ || op.comparison_direction == NE) {
        walk = {{}, {}, (a.base == b.base) == (op.comparison_direction == EQ) ? 1 : 0};
        return is_constant(a) && is_constant(b);
      }
      const indexing::interval low = range_of(less ? a : b), high = range_of(less ? b : a);
      const bool is_less = low.upper < high.lower;
      walk = {{}, {}, is_less == (op.comparison_direction == LT || op.comparison_direction == GT) ? 1 : 0};
      return is_less || low.lower >= high.upper;
    }
    constexpr bool operator()(const ops::sign&) {
      if (!operand(0, walk) || !is_constant(walk)) return false;
      walk.base = walk.base > 0 ? 1 : walk.base < 0 ? -1 : 0;
      return true;
    }
    constexpr bool operator()(const ops::select&) {
      strided_access which;
      return operand(0, which) && is_constant(which) && operand(which.base != 0 ? 1 : 2, walk);
    }
    static constexpr bool otherwise() { return false; }
  };
};

}  // namespace tenon::planning
