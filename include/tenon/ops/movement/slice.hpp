// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/copy_strided.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

// How many indices start, start + stride, ... lie below limit; 0 where the three are no part of a dimension.
constexpr index_t slice_size(index_t start, index_t limit, index_t stride) {
  return 0 <= start && start < limit && stride > 0 ? (limit - start - 1) / stride + 1 : 0;
}

// Copies as many elements of operand 0 as `shape` says, at start_indices, start_indices + strides, ..., to result 0.
template <class T>
void slice_elements(const core::evaluation& e, const ints& shape, const ints& start_indices, const ints& strides) {
  ops::box_in_memory from = ops::whole_tensor(e.operand_types.data[0].shape);
  for (int i = 0; i < shape.size; ++i) {
    from.base += start_indices[i] * from.strides[i];
    // The stride of a single element may be larger than any tensor.
    from.strides.set(i, shape[i] > 1 ? from.strides[i] * strides[i] : 0);
  }
  ops::copy_strided<T>(shape, e.results.data[0], ops::whole_tensor(e.result_types.data[0].shape), e.operands.data[0],
                       from);
}

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#slice
struct slice {
  static constexpr std::string_view name = "slice";
  static constexpr op_notation notation = op_notation::slice;
  static constexpr bool moves_bytes = true;
  ints start_indices, limit_indices, strides;  // no strides: all 1

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("start_indices", self.start_indices) && visit("limit_indices", self.limit_indices) &&
           visit("strides", self.strides);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    const int rank = operand.rank();
    const ints steps = written_strides();
    rule("slice_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("slice_c2", "size(start_indices) = size(limit_indices) = size(strides) = rank(operand)",
         start_indices.size == rank && limit_indices.size == rank && steps.size == rank &&
             start_indices.dropped + limit_indices.dropped + steps.dropped == 0);
    ints shape;
    for (int i = 0; i < rank; ++i) {
      rule("slice_c3", "0 <= start_indices <= limit_indices <= shape(operand)",
           0 <= start_indices[i] && start_indices[i] <= limit_indices[i] && limit_indices[i] <= operand.dim(i));
      rule("slice_c4", "0 < strides", steps[i] > 0);
      shape.push(slice_size(start_indices[i], limit_indices[i], steps[i]));
    }
    rule.result_element("slice_c1", "element_type(operand) = element_type(result)", operand);
    rule.result_shape("slice_c5", "shape(result) = ceil((limit_indices - start_indices) / strides)", shape);
    return operand.with_shape(shape);
  }

  // Result element (d0, d1, ...) reads operand index di * strides[i] + start_indices[i] along axis i.
  constexpr indexing::indexing_map reads(int, list<tensor_type>, const tensor_type& result) const {
    return indexing::slice_map(result.shape, start_indices, written_strides());
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    slice_elements<T>(e, e.result_types.data[0].shape, start_indices, written_strides());
  }

 private:
  constexpr ints written_strides() const { return strides.empty() ? ints::filled(start_indices.size, 1) : strides; }
};

}  // namespace tenon::ops

namespace tenon {

// slice<ints{0, 1}, ints{2, 3}>(x): the elements of x from the first indices up to the second, every stride-th of them
// if strides are given. Any element type; sizes are (limit - start) / stride, rounded up.
template <ints StartIndices, ints LimitIndices, ints Strides = ints{}, class Operand>
constexpr auto slice(Operand&& operand,
                     op_check<ops::slice{StartIndices, LimitIndices, Strides}, result_types<>, Operand> = {}) {
  return apply<ops::slice{StartIndices, LimitIndices, Strides}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
