// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/short_rows.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/op.hpp>

#include <cstdint>
#include <type_traits>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#concatenate
struct concatenate {
  static constexpr std::string_view name = "concatenate";
  static constexpr bool moves_bytes = true;
  index_t dimension = 0;

  static constexpr bool attributes(auto& self, auto visit) { return visit("dimension", self.dimension); }

  constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) const {
    rule("concatenate_c3", "0 < size(inputs)", inputs.size > 0);
    const tensor_type first = inputs[0];
    rule("concatenate_c4", "0 <= dimension < rank(inputs[0])", 0 <= dimension && dimension < first.rank());
    ints shape = first.shape;
    for (int i = 0; i < inputs.size; ++i) {
      const tensor_type& input = inputs.data[i];
      rule("concatenate_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(input, kinds::any | kinds::per_tensor_quantized));
      rule("concatenate_c1", "same(element_type(inputs...))", input.with_shape({}) == first.with_shape({}));
      rule("concatenate_c2", "same(shape(inputs...)) except dim(inputs..., dimension)",
           input.shape.without({dimension}) == first.shape.without({dimension}));
      if (i > 0) shape.set(dimension, indexing::saturating_add(shape[dimension], input.dim(dimension)));
    }
    rule.result_element("concatenate_c5", "element_type(result) = element_type(inputs[0])", first);
    rule.result_shape("concatenate_c6", "dim(result, dimension) = dim(inputs[0], dimension) + ..., as the inputs else",
                      shape);
    results.push(first.with_shape(shape));
  }

  // Result elements whose index along `dimension` lies within an operand's part read that operand.
  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    index_t offset = 0;
    for (const tensor_type& before : operands.part(0, operand)) offset += before.dim(dimension);
    return indexing::concatenate_map(result.shape, dimension, offset, operands[operand].dim(dimension));
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    using bytes = bytes_like<T>;
    const ints& shape = e.result_types.data[0].shape;
    index_t rows = 1, inner = 1;
    for (int axis = 0; axis < shape.size; ++axis)
      if (axis < dimension)
        rows *= shape.at[axis];
      else if (axis > dimension)
        inner *= shape.at[axis];
    const index_t row = shape[dimension] * inner;
    if (rows * row == 0) return;
    const auto part = [&](int operand) { return e.operand_types.data[operand].dim(dimension) * inner; };
    // Long rows in the order in which they lie in the result, short ones operand by operand.
    if (e.operands.size <= most_pieces && row >= e.operands.size * shortest_piece) {
      struct piece {
        const bytes* from;
        index_t count;
      };
      piece pieces[most_pieces];
      const int count = e.operands.size;
      for (int i = 0; i < count; ++i) pieces[i] = {e.operand<bytes>(i), part(i)};
      bytes* to = e.result<bytes>();
      for (index_t r = 0; r < rows; ++r)
        for (int i = 0; i < count; ++i) {
          copy_row(to, pieces[i].from, pieces[i].count * index_t(sizeof(bytes)));
          pieces[i].from += pieces[i].count;
          to += pieces[i].count;
        }
      return;
    }
    const index_t joined = join_rows<bytes>(e, rows, part);
    index_t first = joined * row;
    for (int i = 0; i < e.operands.size; ++i) {
      const ints box{rows - joined, part(i)};
      box_in_memory from = whole_tensor(box);
      from.base = joined * part(i);
      copy_strided<T>(box, e.results.data[0], {first, ints{row, 1}}, e.operands.data[i], from);
      first += part(i);
    }
  }

 private:
  static constexpr int most_pieces = 16;
  static constexpr index_t shortest_piece = 16;

  // As many of the rows, all in all, as are put together in vectors.
  template <class Bytes>
  static index_t join_rows([[maybe_unused]] const evaluation& e, [[maybe_unused]] index_t rows,
                           [[maybe_unused]] auto part) {
    // Elements too large for lanes are two each.
    using lane = std::conditional_t<(sizeof(Bytes) > 8), std::uint64_t, Bytes>;
    using joined_rows = short_rows<lane>;
    if constexpr (joined_rows::serve) {
      index_t counts[joined_rows::most_parts];
      const lane* from[joined_rows::most_parts];
      const int parts = e.operands.size;
      if (parts > joined_rows::most_parts) return 0;
      for (int i = 0; i < parts; ++i) {
        counts[i] = part(i) * index_t(sizeof(Bytes) / sizeof(lane));
        from[i] = e.operand<lane>(i);
      }
      if (joined_rows joined; joined.prepare_joined(counts, parts, rows))
        return joined.join(e.result<lane>(), from, rows);
    }
    return 0;
  }
};

}  // namespace tenon::ops

namespace tenon {

template <index_t Dimension, class... Inputs>
constexpr auto concatenate(Inputs&&... inputs) {
  return apply<ops::concatenate{Dimension}>(static_cast<Inputs&&>(inputs)...);
}

}  // namespace tenon
