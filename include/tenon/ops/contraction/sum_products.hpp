// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

namespace tenon::ops {

// Sums up the products of operands 0 and 1 from 0 on, in row-major order of what is summed over. Floats narrower than
// f32 are summed in f32, and everything in the result's element type if that is wider. Programs run
// kernels/contraction.hpp.
template <class T>
void sum_products(const evaluation& e, const product_dimensions& product) {
  const T *const lhs = e.operand<T>(0), *const rhs = e.operand<T>(1);
  const dtype element = e.result_types[0].element;
  with_accumulator<T>(element, [&]<class A>() {
    const auto sum_of = [&](index_t from, index_t with, index_t to) {
      A sum{};
      const auto add = [&](index_t i, index_t k) {
        sum = multiply_add(convert_to<A>(lhs[from + i]), convert_to<A>(rhs[with + k]), sum);
      };
      for_each_offset(product.inner.sizes, add, product.inner.lhs, product.inner.rhs);
      store_sum(element, e.results.data[0], to, sum);
    };
    const auto sum_columns = [&](index_t from, index_t with, index_t to) {
      for_each_offset(
          product.columns.sizes, [&](index_t column, index_t place) { sum_of(from, with + column, to + place); },
          product.columns.rhs, product.columns.result);
    };
    const auto sum_rows = [&](index_t from, index_t with, index_t to) {
      for_each_offset(
          product.rows.sizes, [&](index_t row, index_t place) { sum_columns(from + row, with, to + place); },
          product.rows.lhs, product.rows.result);
    };
    for_each_offset(product.batch.sizes, sum_rows, product.batch.lhs, product.batch.rhs, product.batch.result);
  });
}

}  // namespace tenon::ops
