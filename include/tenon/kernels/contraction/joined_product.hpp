// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/function_reference.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

#include <concepts>

namespace tenon::kernels {

// Dimensions that one or two tensors share: the last ones, as far as all are dense, joined, and the outer ones.
template <int Tensors>
struct joined_dimensions {
  ints outer;  // sizes
  ints outer_strides[Tensors];
  index_t size = 1;
  index_t strides[Tensors]{};

  constexpr joined_dimensions() = default;

  constexpr joined_dimensions(const ints& sizes, const ints (&all_strides)[Tensors]) {
    for (index_t& stride : strides) stride = 1;
    int axis = sizes.size - 1;
    bool joining = true;
    for (; axis >= 0; --axis) {
      if (sizes.at[axis] == 1) continue;
      for (int t = 0; t < Tensors; ++t) {
        if (size == 1) strides[t] = all_strides[t][axis];
        joining = joining && all_strides[t][axis] == strides[t] * size;
      }
      if (!joining) break;
      size *= sizes.at[axis];
    }
    for (int i = 0; i <= axis; ++i) {
      outer.push(sizes.at[i]);
      for (int t = 0; t < Tensors; ++t) outer_strides[t].push(all_strides[t][i]);
    }
  }

  // Loops over all of them.
  constexpr void take_apart() {
    outer.push(size);
    for (int t = 0; t < Tensors; ++t) outer_strides[t].push(strides[t]);
    size = 1;
  }
};

// Sums of products as products of matrices: `rows` by `inner` times `inner` by `columns`, one for each index of the
// dimensions that these do not join.
struct joined_product {
  joined_dimensions<2> rows, columns, inner;
  ops::product_axes outer;  // those dimensions, but for the ones that are summed over
  bool swapped = false;     // lhs is the second operand

  constexpr joined_product() = default;

  constexpr explicit joined_product(const ops::product_dimensions& dimensions) {
    const ops::product_dimensions all = dimensions.with_neighbours_in_rows();
    rows = {all.rows.sizes, {all.rows.lhs, all.rows.result}};
    columns = {all.columns.sizes, {all.columns.rhs, all.columns.result}};
    inner = {all.inner.sizes, {all.inner.lhs, all.inner.rhs}};
    outer = all.batch, swapped = all.swapped;
    if (columns.size > 1 && columns.strides[1] != 1) columns.take_apart();
    for (int d = 0; d < rows.outer.size; ++d)
      outer.push(rows.outer.at[d], rows.outer_strides[0].at[d], 0, rows.outer_strides[1].at[d]);
    for (int d = 0; d < columns.outer.size; ++d)
      outer.push(columns.outer.at[d], 0, columns.outer_strides[0].at[d], columns.outer_strides[1].at[d]);
  }

  // Whether several threads do it.
  constexpr bool is_large() const {
    return outer.count() * rows.size * columns.size * inner.size * inner.outer.product() >=
           tuning::least_shared_multiplications;
  }
  constexpr index_t row_of_result() const { return rows.size > 1 ? rows.strides[1] : columns.size; }

  // Calls f(a, b, result, accumulate) with the offsets of matrices for the parts of product `number` that are added up.
  void multiply(index_t number, function_reference<void(index_t, index_t, index_t, bool)> f) const {
    index_t a = 0, b = 0, result = 0;
    for (int d = outer.sizes.size - 1; d >= 0; --d) {
      const index_t at = number % outer.sizes.at[d];
      number /= outer.sizes.at[d];
      a += at * outer.lhs.at[d], b += at * outer.rhs.at[d], result += at * outer.result.at[d];
    }
    bool accumulate = false;
    for_each_offset(
        inner.outer,
        [&](index_t a_offset, index_t b_offset) {
          f(a + a_offset, b + b_offset, result, accumulate);
          accumulate = true;
        },
        inner.outer_strides[0], inner.outer_strides[1]);
  }
};

// An op that is a sum of products of its first two operands says how their dimensions meet: `product`.
template <class Op>
concept multiplies_matrices = requires(const Op& op, list<tensor_type> operands, const type_details* details) {
  { op.product(operands, details) } -> std::same_as<ops::product_dimensions>;
};

// `strides`: of operands that are not all dense.
template <class Op>
constexpr ops::product_dimensions product_of(const Op& op, list<tensor_type> operands, const type_details* details,
                                             list<ints> strides) {
  if constexpr (requires { op.product(operands, details, strides); })
    return op.product(operands, details, strides);
  else
    return op.product(operands, details);
}

struct find_product {
  list<tensor_type> operands;
  const type_details* details;
  list<ints> strides;
  ops::product_dimensions found;

  template <class Op>
    requires multiplies_matrices<Op>
  constexpr bool operator()(const Op& op) {
    found = product_of(op, operands, details, strides);
    return found.is_whole();
  }
  static constexpr bool otherwise() { return false; }
};

}  // namespace tenon::kernels
