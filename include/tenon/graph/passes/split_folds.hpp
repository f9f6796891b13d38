// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/passes/neutral_bits.hpp>
#include <tenon/graph/passes/rewrite.hpp>
#include <tenon/graph/passes/wide_folds.hpp>

// A fold of many elements to few results is split in two: into partial results, which threads can divide among each
// other, and from these to the results. That is a matter of the program and not of the threads, so that any number of
// them gives the same bits.
namespace tenon::passes {

// Elements that are worth it, and results that are too few to be divided themselves.
inline constexpr index_t fewest_split_elements = 1 << 17, most_split_results = 16;

class split_fold {
 public:
  static constexpr std::string_view name = "split_fold";

  static constexpr bool begins_at(int kind) { return facts_of(kind).folds; }
  constexpr explicit split_fold(const rewrite_site& at) : at_(at) {
    const graph& g = at.from;
    const graph_node& node = at.node;
    if (!folds_by_one_op(g, node) || wide_folds{g}.is_wide(node)) return;
    type_ = g.type_of_value(g.operands_of(node)[0]).with_element(g.type_of_value(node.results).element);
    if (!is_dense_tensor(type_) || g.type_of_value(node.results).size() > most_split_results) return;
    if (type_.size() < fewest_split_elements || g.type_of_value(g.operands_of(node)[1]).rank() != 0) return;
    body_ = body_of(g, node);
    index_t bits = 0;
    if (!neutral_bits(facts_of(body_).neutral, type_.element, bits)) return;
    neutral_ = bits;
    axes_ = read_attributes<ops::reduce>(g.words.data + node.words).dimensions;
    find_axis();
  }

  constexpr bool matches() const { return kept_ >= 0; }
  constexpr int rewrite() const {
    const int body = at_.regions.data[at_.from.regions_of(at_.node)[0]];
    const int operands[] = {write_partial(), at_.operand(1)};
    const node_parts parts{{operands, 2}, {&body, 1}, {}, at_.region, at_.node.source};
    const int folded = append_unchecked(at_.to, ops::reduce{remaining()}, parts, {&at_.result(), 1});
    return at_.to.nodes.data[folded].results;
  }

 private:
  static constexpr index_t fewest_parts = 8, most_parts = 64;

  const rewrite_site& at_;
  tensor_type type_;
  ints axes_;
  int body_ = -1, kept_ = -1;        // the dimension that the partial results keep, or a part of it
  index_t parts_ = 0, neutral_ = 0;  // into how many it is cut; 0: it is kept whole

  constexpr int write_partial() const {
    const node_writer write = at_.writer();
    int operand = at_.operand(0);
    const int neutral = write.append_constant(neutral_, type_.with_shape({}));
    if (parts_ > 0)
      operand = write.append_unary(ops::reshape{}, operand, at_.to.type_of_value(operand).with_shape(cut_shape()));
    ints folded;
    for (int d = 0; d < cut_shape().size; ++d)
      if (is_folded_first(d)) folded.push(d);
    return write.append_fold(body_, operand, neutral, folded, type_.with_shape(cut_shape().without(folded)));
  }

  // The dimension of the partial results that is folded last.
  constexpr ints remaining() const {
    int before = 0;
    for (int d = 0; d < kept_; ++d) before += axes_.contains(d) ? 0 : 1;
    return {before};
  }
  constexpr ints cut_shape() const {
    if (parts_ == 0) return type_.shape;
    ints shape;
    for (int d = 0; d < type_.rank(); ++d) {
      if (d == kept_) shape.push(parts_);
      shape.push(d == kept_ ? type_.shape.at[d] / parts_ : type_.shape.at[d]);
    }
    return shape;
  }
  constexpr bool is_folded_first(int d) const {
    if (d == kept_) return false;
    return parts_ > 0 && d > kept_ ? axes_.contains(d - 1) : axes_.contains(d);
  }

  constexpr void find_axis() {
    int largest = -1;
    for (int d = 0; d < type_.rank(); ++d) {
      if (!axes_.contains(d)) continue;
      const index_t size = type_.shape.at[d];
      if (fewest_parts <= size && axes_.size > 1 && size * 512 <= type_.size()) {
        kept_ = d;
        return;
      }
      if (largest < 0 || size > type_.shape.at[largest]) largest = d;
    }
    if (largest < 0 || type_.rank() >= max_rank) return;
    for (index_t parts = most_parts; parts >= fewest_parts; --parts)
      if (type_.shape.at[largest] % parts == 0) {
        kept_ = largest, parts_ = parts;
        return;
      }
  }
};

}  // namespace tenon::passes
