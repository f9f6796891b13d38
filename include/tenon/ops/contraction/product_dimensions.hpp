// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/dtype.hpp>
#include <tenon/integers/products.hpp>
#include <tenon/machine/machine.hpp>
#include <tenon/ops/contraction/packing.hpp>

namespace tenon::ops {

// Some dimensions of a sum of products: their sizes, and the distances between neighbours in each tensor, 0 where the
// tensor has no such dimension.
struct product_axes {
  ints sizes, lhs, rhs, result;

  constexpr void push(index_t size, index_t of_lhs, index_t of_rhs, index_t of_result) {
    sizes.push(size);
    lhs.push(of_lhs);
    rhs.push(of_rhs);
    result.push(of_result);
  }
  constexpr index_t count() const { return sizes.product(); }
  // Whether neighbours along the last of these dimensions, if it has any, are neighbours in the result.
  constexpr bool end_side_by_side() const {
    for (int i = sizes.size - 1; i >= 0; --i)
      if (sizes.at[i] != 1) return result.at[i] == 1;
    return true;
  }
};

// Every sum of products over two tensors as products of matrices: `batch` runs in step through all three tensors,
// `rows` through lhs and result, `columns` through rhs and result; `inner` is summed over.
struct product_dimensions {
  product_axes batch, rows, columns, inner;
  bool swapped = false;  // lhs is the second operand

  constexpr bool is_whole() const {
    return batch.sizes.dropped == 0 && rows.sizes.dropped == 0 && columns.sizes.dropped == 0 &&
           inner.sizes.dropped == 0;
  }
  // The product of the transposed matrices, if the entries of a column of the result lie side by side, but not those of
  // a row.
  constexpr product_dimensions with_neighbours_in_rows() const {
    if (columns.end_side_by_side() || rows.sizes.empty() || !rows.end_side_by_side()) return *this;
    product_dimensions turned{batch, columns, rows, inner, !swapped};
    for (product_axes* axes : {&turned.batch, &turned.rows, &turned.columns, &turned.inner}) {
      const ints lhs = axes->lhs;
      axes->lhs = axes->rhs;
      axes->rhs = lhs;
    }
    return turned;
  }

  // The type of the lanes in which elements are multiplied and summed up by a kernel; `none` if there is no such
  // kernel. Integers wrap around, whatever their sign; complex numbers are two lanes.
  static constexpr dtype lane_type(dtype operand, dtype result) {
    if (is_complex(operand))
      return operand != result ? dtype::none : operand == dtype::complex_f32 ? dtype::f32 : dtype::f64;
    if (is_float(operand) && is_float(result)) {
      if (operand == dtype::f64) return result == dtype::f64 ? dtype::f64 : dtype::none;
      if (result != dtype::f32 && (result != operand || operand == dtype::f32)) return dtype::none;
      return operand == dtype::f32 || (num_bits(operand) <= 16 && operand != dtype::f8E8M0FNU) ? dtype::f32
                                                                                               : dtype::none;
    }
    const bool fits = (is_integer(operand) && is_integer(result)) && num_bits(operand) >= 8 &&
                      num_bits(operand) <= num_bits(result) && num_bits(result) <= 32 &&
                      (num_bits(result) == 32 || result == operand);
    return fits ? dtype::ui32 : dtype::none;
  }
  // Whether elements are what the lanes hold.
  static constexpr bool fills_lanes(dtype element) { return num_bits(element) >= 32; }

  // Whether products are summed up where their factors lie, with an epilogue if one follows.
  static constexpr bool works_in_place(dtype operand, dtype result, int asked = planned_machine().multiplies_in_place) {
    return (asked < 0 ? multiplies_in_place : asked > 0) && is_integer(operand) && num_bits(operand) == 8 &&
           fills_lanes(result) && lane_type(operand, result) != dtype::none;
  }
  // Of one matrix, whatever distances its operands are read at: a row, or an element of a single long one. 0: an
  // epilogue has to wait for all of it.
  constexpr index_t epilogue_unit(dtype operand, dtype result) const {
    const auto is_line = [](const product_axes& axes, int most) {
      for (index_t size : axes.sizes) most -= size != 1;
      return axes.count() > 0 && most >= 0;
    };
    if (!is_line(batch, 0) || !is_line(rows, 1) || !is_line(columns, 1) || !is_line(inner, 1)) return 0;
    return !works_in_place(operand, result) ? 0 : rows.count() == 1 && columns.count() > 256 ? 1 : columns.count();
  }

  constexpr index_t scratch_bytes(dtype operand, dtype result) const {
    const product_dimensions product = with_neighbours_in_rows();
    return scratch_bytes(product.rows.count(), product.columns.count(), product.inner.count(), operand, result,
                         planned_machine().multiplies_in_place);
  }
  // For the product of an m x k and a k x n matrix, and for every part of it.
  static constexpr index_t scratch_bytes(index_t m, index_t n, index_t k, dtype operand, dtype result, int asked = -1) {
    const dtype lane = lane_type(operand, result);
    if (lane == dtype::none || works_in_place(operand, result, asked)) return 0;
    const index_t bytes = num_bits(lane) / 8;
    if (is_complex(operand)) return packing::block_of(2 * n, 2 * k, bytes) + packing::widened_rows(2 * k, bytes);
    index_t needed = packing::product(m, n, k > 1 || fills_lanes(operand) ? k : 2, bytes);
    if (!fills_lanes(operand)) needed += packing::widened_rows(k, bytes);
    return fills_lanes(result) ? needed : needed + packing::result_block(m, n, bytes);
  }
};

}  // namespace tenon::ops
