// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/passes/rewrite.hpp>
#include <tenon/graph/plan/known_walks.hpp>

#include <cstdint>

// A scatter of a single window, such as x.at[i].set(v) and x.at[1:-1].add(v) of JAX, is an update of a slice, which has
// fast loops. Where the window would lie beyond the operand, nothing is updated.
namespace tenon::passes {

// scatter(x, i, u) = dynamic_update_slice(x, select(0 <= i <= last, u, dynamic_slice(x, i)), i)
class window_update {
 public:
  static constexpr std::string_view name = "window_update";

  static constexpr bool begins_at(int kind) { return facts_of(kind).folds_at_indices; }
  constexpr explicit window_update(const rewrite_site& at) : window_update(at.from, at.node) { at_ = &at; }
  // By the source alone: the region of such a node need not be written.
  constexpr window_update(const graph& g, const graph_node& node) {
    if (!facts_of(node.kind).folds_at_indices || node.operand_count != 3) return;
    const list<int> operands = g.operands_of(node);
    operand_ = g.type_of_value(operands[0]), indices_ = g.type_of_value(operands[1]);
    const tensor_type& update = g.type_of_value(operands[2]);
    numbers_ = read_attributes<ops::scatter>(g.words.data + node.words).scatter_dimension_numbers;
    if (!is_dense_tensor(operand_) || !is_dense_tensor(indices_) || !is_dense_tensor(update)) return;
    if (indices_.shape.without({numbers_.index_vector_dim}).product() != 1) return;
    if (operand_.size() == 0 || update.size() == 0) return;
    window_ = ops::window_shape(numbers_.windows(), operand_.rank(), update.shape);
    const bool is_alike = numbers_.input_batching_dims.size == 0 && update.element == operand_.element;
    const bool is_stored = g.values.data[operands[2]].node < 0 && update.size() > most_combined;
    is_wanted_ = is_alike && find_starts(g, operands[1]) && read_body(g, node) && (combines_ < 0 || !is_stored);
  }

  constexpr bool matches() const { return is_wanted_; }
  constexpr int rewrite() const {
    const node_writer to = at_->writer();
    const tensor_type box = operand_.with_shape(window_), index = indices_.with_shape({});
    if (is_beyond_) return at_->operand(0);
    int starts[max_rank]{}, within = -1;
    for (int d = 0; d < operand_.rank(); ++d) {
      const bool known = !unknown_.contains(d);
      starts[d] = known ? to.append_constant(first_.at[d], index)
                        : component_of(to, at_->operand(1), numbers_.scatter_dims_to_operand_dims.find(d));
      if (!known) within = both(to, within, is_within(to, starts[d], last(d)));
    }
    int result = to.append_reshaped(at_->operand(2), box);
    if (combines_ >= 0 || within >= 0) {
      const int old =
          unknown_.empty() ? slice_of(to, at_->operand(0), box) : slice_at(to, at_->operand(0), starts, box);
      const int pair[] = {swapped_ ? result : old, swapped_ ? old : result};
      if (combines_ >= 0) result = to.append(combines_, {pair, 2}, box);
      const int chosen[] = {within, result, old};
      if (within >= 0) result = to.append(ops::select{}, {chosen, 3}, box);
    }
    int operands[max_rank + 2]{at_->operand(0), result};
    for (int d = 0; d < operand_.rank(); ++d) operands[d + 2] = starts[d];
    return to.append(ops::dynamic_update_slice{}, {operands, operand_.rank() + 2}, operand_);
  }

 private:
  // Both are combined in memory before they are written: where the update lies there, too, that is no faster.
  static constexpr index_t most_combined = 4096;

  const rewrite_site* at_ = nullptr;
  tensor_type operand_, indices_;
  tenon::scatter_dimension_numbers numbers_;
  ints window_;
  ints first_, unknown_;    // where the window begins, and the dimensions for which that is computed
  bool is_beyond_ = false;  // nothing of it lies in the operand
  int combines_ = -1;       // the kind of op that combines an element with its update; -1: the update replaces it
  bool swapped_ = false, is_wanted_ = false;

  constexpr index_t last(int d) const { return operand_.shape.at[d] - window_.at[d]; }

  // Whether the window lies in the operand or beyond it as a whole: of another one, a part is updated.
  constexpr bool find_starts(const graph& g, int vector) {
    first_ = ints::filled(operand_.rank(), 0);
    for (int d = 0; d < operand_.rank(); ++d) {
      const int component = numbers_.scatter_dims_to_operand_dims.find(d);
      strided_access found;
      if (component >= 0 && !planning::known_walks(g, 1).find(vector, {{}, {}, component}, found))
        found = {}, unknown_.push(d);
      first_.at[d] = found.base;
      const bool is_beyond = found.base <= -window_.at[d] || found.base >= operand_.shape.at[d];
      is_beyond_ = is_beyond_ || is_beyond;
      const bool is_whole = unknown_.contains(d) ? window_.at[d] == 1 : 0 <= found.base && found.base <= last(d);
      if (!is_whole && !is_beyond) return false;
    }
    return true;
  }

  // Whether the body gives the update, or one op of both.
  constexpr bool read_body(const graph& g, const graph_node& node) {
    const graph_region& region = g.regions.data[g.regions_of(node)[0]];
    const int old = region.arguments, update = old + 1, given = g.yields_of(region)[0];
    if (region.argument_count != 2 || g.type_of_value(old).element != operand_.element) return false;
    if (region.first == region.last) return given == update;
    const graph_node& only = g.nodes.data[region.first];
    const list<int> operands = g.operands_of(only);
    if (region.last - region.first != 1 || given != only.results || !facts_of(only.kind).elementwise) return false;
    if (operands.size != 2 || only.word_count != 0 || g.type_of_value(given).element != operand_.element) return false;
    combines_ = only.kind, swapped_ = operands[0] == update;
    return swapped_ ? operands[1] == old : operands[0] == old && operands[1] == update;
  }

  constexpr int slice_of(const node_writer& to, int value, const tensor_type& box) const {
    ints limits = first_;
    for (int d = 0; d < limits.size; ++d) limits.at[d] += window_.at[d];
    return to.append_unary(ops::slice{first_, limits, {}}, value, box);
  }
  constexpr int slice_at(const node_writer& to, int value, const int* starts, const tensor_type& box) const {
    int operands[max_rank + 1]{value};
    for (int d = 0; d < operand_.rank(); ++d) operands[d + 1] = starts[d];
    return to.append(ops::dynamic_slice{window_}, {operands, operand_.rank() + 1}, box);
  }

  // A component of an index vector: what the vector was put together from, if it was, or else cut out of it.
  constexpr int component_of(const node_writer& to, int vector, index_t component) const {
    const graph& g = to.to;
    strided_access at{{}, {}, component};
    while (g.values.data[vector].node >= 0 && g.type_of_value(vector).rank() > 0) {
      const graph_node& node = g.nodes.data[g.values.data[vector].node];
      const int operand = node.operand_count > 0 ? g.operands_of(node)[0] : vector;
      if (facts_of(node.kind).joins_operands) {
        if (!planning::known_walks(g, 1).find_part(node, at, vector, at)) break;
      } else if (facts_of(node.kind).moves && node.operand_count == 1 && g.type_of_value(operand).size() == 1) {
        vector = operand, at.base = 0;
      } else {
        break;
      }
    }
    if (const index_t size = g.type_of_value(vector).size(); size > 1) {
      const int line = to.append_reshaped(vector, indices_.with_shape({size}));
      vector = to.append_unary(ops::slice{{at.base}, {at.base + 1}, {}}, line, indices_.with_shape({1}));
    }
    return to.append_reshaped(vector, indices_.with_shape({}));
  }
  // Whether 0 <= start <= last: whether it is what it is clamped to.
  constexpr int is_within(const node_writer& to, int start, index_t last) const {
    const tensor_type index = indices_.with_shape({});
    const int bits = num_bits(index.element) - (is_unsigned_integer(index.element) ? 0 : 1);
    const index_t most = bits < 63 ? index_t((std::uint64_t{1} << bits) - 1) : INT64_MAX;
    const int range[] = {to.append_constant(0, index), start, to.append_constant(last < most ? last : most, index)};
    const int same[] = {to.append(ops::clamp{}, {range, 3}, index), start};
    return to.append(ops::compare{comparison_direction::EQ}, {same, 2}, index.with_element(dtype::i1));
  }
  static constexpr int both(const node_writer& to, int a, int b) {
    const int pair[] = {a, b};
    return a < 0 ? b : to.append(ops::and_{}, {pair, 2}, to.to.type_of_value(b));
  }
};

}  // namespace tenon::passes
