// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/order.hpp>
#include <tenon/ops/tensor_op.hpp>

#include <cstdint>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlotop_k_chlotopkop
// The k largest elements along the last dimension, largest first, and where they stand (i32); equal ones in the order
// of the operand. Floats are in total order: -NaN, -infinity, ..., -0, 0, ..., infinity, NaN.
struct top_k {
  static constexpr std::string_view dialect = "chlo", name = "top_k";
  static constexpr op_notation notation = op_notation::top_k;
  static constexpr bool selects_largest = true;
  index_t k = 0;
  bool is_stable = true;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("k", self.k) && visit("is_stable", self.is_stable);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    rule("operands", "the number of operands is the one that the op takes", operands.size == 1);
    const tensor_type operand = operands.size == 1 ? operands[0] : tensor_type{};
    rule("top_k_i1", "operand: tensor of boolean, integer or floating-point type",
         rule.is(operand, kinds::boolean | kinds::integer | kinds::floating_point));
    rule("top_k_i2", "k: not negative", k >= 0);
    const int rank = operand.rank();
    const bool fits = rank > 0 && k >= 0 && k <= operand.shape[rank - 1];
    rule("top_k_c1", "0 < rank(operand) and k <= dim(operand, -1)", fits);
    const tensor_type values = fits ? operand.with_size(rank - 1, k) : operand,
                      indices = values.with_element(dtype::i32);
    results.push(
        rule.result("top_k_c2", "values: the operand's type, but for k elements in the last dimension", values));
    results.push(rule.result("top_k_c3", "indices: i32, of the shape of values", indices, 1));
  }

  // Each element depends on all elements along the last dimension.
  constexpr indexing::indexing_map reads(int, int, list<tensor_type> operands, list<tensor_type> results) const {
    const ints& shape = operands[0].shape;
    return indexing::whole_axes_map(results[0].shape, shape, {shape.size - 1});
  }

  static constexpr batch_dimensions batches(list<tensor_type> operands) { return {operands[0].rank() - 1}; }

  constexpr index_t scratch_bytes(list<tensor_type>, list<tensor_type>) const {
    return k > 0 && k < INT64_MAX / 16 ? k * 16 : 0;
  }

  // Inserts each element among the largest so far, behind those that are not smaller. Programs run
  // kernels/sort/sort.hpp.
  template <class T>
  void evaluate(const evaluation& e) const {
    const ints& shape = e.operand_types.data[0].shape;
    const index_t count = shape[shape.size - 1], rows = count == 0 ? 0 : shape.product() / count;
    for (index_t row = 0; row < rows; ++row) {
      const T* const from = e.operand<T>(0) + row * count;
      i32* const places = e.result<i32>(1) + row * k;
      for (index_t i = 0; i < count; ++i) {
        index_t to = i < k ? i : k;
        for (; to > 0 && order_of_element(from[i]) > order_of_element(from[places[to - 1]]); --to)
          if (to < k) places[to] = places[to - 1];
        if (to < k) places[to] = i32(i);
      }
      for (index_t i = 0; i < k; ++i) e.result<T>(0)[row * k + i] = from[places[i]];
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// top_k<3>(x): the largest elements along the last axis, descending, and their positions. Booleans, integers and
// floats, of ... x n elements; two results of ... x K: values of the same type, and indices of i32.
template <index_t K, operand_like Operand>
constexpr auto top_k(Operand&& operand, op_check<ops::top_k{K}, result_types<>, Operand> = {}) {
  return apply<ops::top_k{K}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
