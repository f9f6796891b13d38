// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// transpose(dot_general(x, y)) = dot_general(y, x), where the dimensions of that lie so and nothing else reads the
// product. The gradient of a matrix of weights is written like this.
struct permuted_product : rewrite_pattern {
  static constexpr std::string_view name = "permuted_product";

  static constexpr bool begins_at(int kind) { return is_one_of<ops::dot_general>(kind); }
  constexpr explicit permuted_product(const rewrite_site& site) : rewrite_pattern(site), reader_(site.only_reader()) {
    if (!reader_ || !facts_of(reader_->kind).moves || reader_->operand_count != 1) return;
    if (!is_dense_tensor(result())) return;
    const tensor_type types[] = {at.type(0), at.type(1)};
    swapped_ = at.attributes<ops::dot_general>();
    matches_ = swapped_.swap_operands({types, 2}, permutation());
  }

  constexpr bool matches() const { return matches_; }
  // The reader is written with it.
  constexpr int rewrite() const {
    const int operands[] = {at.operand(1), at.operand(0)};
    return at.values.data[reader_->results] = at.writer().append(swapped_, {operands, 2}, result());
  }

 private:
  std::optional<graph_node> reader_;
  ops::dot_general swapped_;
  bool matches_ = false;

  constexpr const tensor_type& result() const { return at.from.type_of_value(reader_->results); }
  // The dimensions of the product that the reader has as its own, where it only permutes them; else none.
  constexpr ints permutation() const {
    const tensor_type& product = at.result();
    if (product.rank() != result().rank()) return {};
    const indexing::indexing_map map =
        op_tables::reads[reader_->kind](at.from.words.data + reader_->words, 0, {&product, 1}, result());
    if (!map.is_defined() || map.constraint_count > 0) return {};
    ints permutation = ints::range(product.rank());
    for (int d = 0; d < product.rank(); ++d) {
      const indexing::node& read = map.nodes[map.results[d]];
      if (read.op != indexing::operation::dimension || product.shape.at[d] != result().shape.at[read.value]) return {};
      permutation.at[read.value] = d;
    }
    return permutation.unique() ? permutation : ints();
  }
};

}  // namespace tenon::passes
