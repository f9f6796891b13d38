// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/read_index.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/result_rules.hpp>

namespace tenon::ops {

// Slices of the operand along `dim`, those at the indices, for each index of the first batch_dims dimensions by itself.
// Dropped by the specification, still written by programs. Indices are kept inside, as those of gather.
struct torch_index_select {
  static constexpr std::string_view name = "torch_index_select";
  static constexpr std::string_view no_maps = "gather has them";
  static constexpr bool moves_bytes = true;
  index_t dim = 0, batch_dims = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dim", self.dim) && visit("batch_dims", self.batch_dims);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& index) const {
    rule("torch_index_select_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("torch_index_select_i2", "index: tensor of integer type", rule.is(index, kinds::integer));
    rule("torch_index_select_c1", "0 <= batch_dims <= dim < rank(operand)",
         0 <= batch_dims && batch_dims <= dim && dim < operand.rank());
    rule("torch_index_select_c2", "batch_dims <= rank(index)", batch_dims <= index.rank());
    ints shape;
    for (int i = 0; i < dim; ++i) {
      shape.push(operand.dim(i));
      rule("torch_index_select_c3", "dim(operand, i) = dim(index, i) for i < batch_dims",
           i >= batch_dims || operand.dim(i) == index.dim(i));
    }
    for (int i = int(batch_dims); i < index.rank(); ++i) shape.push(index.dim(i));
    for (int i = int(dim) + 1; i < operand.rank(); ++i) shape.push(operand.dim(i));
    rule("torch_index_select_c4", "sizes that are static, of which there are few enough",
         shape.dropped == 0 && (operand.bounded | index.bounded) == 0);
    rule("torch_index_select_c5", "there is an element to select, or none is selected",
         operand.dim(dim) > 0 || index.size() == 0 || operand.with_size(dim, 1).size() == 0);
    return rule.result("torch_index_select_c6",
                       "type(result) = type(operand) but for dim(index, i), i >= batch_dims, in place of dim",
                       operand.with_shape(shape));
  }

  template <class>
  void evaluate(const evaluation& e) const {
    const ints &shape = e.operand_types.data[0].shape, &places = e.operand_types.data[1].shape;
    const auto count = [](const ints& sizes, int first, int last) {
      ints part;
      for (int i = first; i < last; ++i) part.push(sizes[i]);
      return part.product();
    };
    const index_t batches = count(shape, 0, int(batch_dims)), outer = count(shape, int(batch_dims), int(dim)),
                  chosen = count(places, int(batch_dims), places.size), size = shape[dim];
    const index_t bytes = count(shape, int(dim) + 1, shape.size) * storage_bytes(e.operand_types.data[0].element);
    auto* to = e.result<unsigned char>();
    if (bytes == 0) return;
    for (index_t slice = 0; slice < batches * outer; ++slice)
      for (index_t i = 0; i < chosen; ++i, to += bytes) {
        const index_t at = read_index(e.operand_types.data[1].element, e.operands.data[1], slice / outer * chosen + i);
        copy_bytes(to,
                   e.operand<unsigned char>(0) + (slice * size + (at < 0      ? 0
                                                                  : at < size ? at
                                                                              : size - 1)) *
                                                     bytes,
                   bytes);
      }
  }
};

}  // namespace tenon::ops

namespace tenon {

// torch_index_select<dim, batch_dims>(operand, index): the parts of the operand at these indices along a dimension,
// which the axes of the index replace. Any element type; indices are integers.
template <index_t Dim, index_t BatchDims = 0, class Operand, class Index>
constexpr auto torch_index_select(Operand&& operand, Index&& index) {
  return apply<ops::torch_index_select{Dim, BatchDims}>(static_cast<Operand&&>(operand), static_cast<Index&&>(index));
}

}  // namespace tenon
