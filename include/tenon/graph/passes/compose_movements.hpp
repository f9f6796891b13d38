// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// transpose(transpose(x, p), q) = transpose(x, p[q]), which is x for inverse permutations, and
// broadcast_in_dim(broadcast_in_dim(x, d), e) = broadcast_in_dim(x, e[d]).
struct compose_movements : rewrite_pattern {
  static constexpr std::string_view name = "compose_movements";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return is_one_of<ops::transpose, ops::broadcast_in_dim>(kind); }
  constexpr bool matches() const {
    return at.producer(0, at.node.kind) && is_dense_tensor(at.result()) && is_dense_tensor(at.type(0)) &&
           is_dense_tensor(at.to.type_of_value(moved()));
  }
  constexpr int rewrite() const {
    const graph_node inner = *at.producer(0, at.node.kind);
    const index_t* const words = at.to.words.data + inner.words;
    if (is_one_of<ops::broadcast_in_dim>(at.node.kind)) {
      const ints outer = at.attributes<ops::broadcast_in_dim>().broadcast_dimensions;
      const ints dimensions = outer.select(read_attributes<ops::broadcast_in_dim>(words).broadcast_dimensions);
      return at.writer().append_unary(ops::broadcast_in_dim{dimensions}, moved(), at.result());
    }
    const ints outer = at.attributes<ops::transpose>().permutation;
    const ints permutation = read_attributes<ops::transpose>(words).permutation.select(outer);
    if (permutation == ints::range(permutation.size)) return moved();
    return at.writer().append_unary(ops::transpose{permutation}, moved(), at.result());
  }

 private:
  constexpr int moved() const { return at.to.operands_of(*at.producer(0, at.node.kind))[0]; }
};

}  // namespace tenon::passes
