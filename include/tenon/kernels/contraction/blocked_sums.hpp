// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

#include <concepts>

namespace tenon::kernels {

// Walks through the sums of a product, whatever its elements are: neighbouring results at a time, where their factors
// lie closer together than those of one result.
struct blocked_sums {
  static constexpr index_t most_columns = 64;

  ops::product_dimensions all;
  index_t inner, lhs_step, rhs_step;  // along the last dimension that is summed over
  index_t neighbours = 1, neighbour_step = 0, result_step = 0;
  bool in_blocks = false;

  // @pre `converts_fast`: a conversion is as cheap as a load.
  blocked_sums(const ops::product_dimensions& product, bool converts_fast) : all(product) {
    const int last = all.inner.sizes.size - 1, column = all.columns.sizes.size - 1;
    inner = last < 0 ? 1 : all.inner.sizes[last];
    lhs_step = all.inner.lhs[last], rhs_step = all.inner.rhs[last];
    if (last >= 0) --all.inner.sizes.size;
    if (column < 0 || !converts_fast) return;
    neighbours = all.columns.sizes[column], neighbour_step = all.columns.rhs[column];
    result_step = all.columns.result[column];
    in_blocks = neighbours > 1 && neighbour_step < rhs_step;
    if (in_blocks) --all.columns.sizes.size;
  }

  // Calls f(lhs, rhs, result, count): where the first factors of neighbours and their results lie, and how many they
  // are.
  void for_each_block(function_reference<void(index_t, index_t, index_t, index_t)> f) const {
    const auto over_columns = [&](index_t lhs, index_t rhs, index_t to) {
      for_each_offset(
          all.columns.sizes,
          [&](index_t column, index_t place) {
            if (!in_blocks) return f(lhs, rhs + column, to + place, 1);
            for (index_t j = 0; j < neighbours; j += most_columns)
              f(lhs, rhs + column + j * neighbour_step, to + place + j * result_step,
                neighbours - j < most_columns ? neighbours - j : most_columns);
          },
          all.columns.rhs, all.columns.result);
    };
    const auto over_rows = [&](index_t lhs, index_t rhs, index_t to) {
      for_each_offset(
          all.rows.sizes, [&](index_t row, index_t place) { over_columns(lhs + row, rhs, to + place); }, all.rows.lhs,
          all.rows.result);
    };
    for_each_offset(all.batch.sizes, over_rows, all.batch.lhs, all.batch.rhs, all.batch.result);
  }
  // Calls f(lhs, rhs) for what is summed over, but the last dimension.
  void for_each_row(index_t lhs, index_t rhs, function_reference<void(index_t, index_t)> f) const {
    if (all.inner.sizes.empty()) return f(lhs, rhs);
    for_each_offset(
        all.inner.sizes, [&](index_t lhs_offset, index_t rhs_offset) { f(lhs + lhs_offset, rhs + rhs_offset); },
        all.inner.lhs, all.inner.rhs);
  }
};

// What sum_products does, as fast as that goes without tiles.
template <class T>
void sum_in_blocks(const evaluation& e, const ops::product_dimensions& product) {
  const T *const lhs = e.operand<T>(0), *const rhs = e.operand<T>(1);
  const dtype element = e.result_types[0].element;
  void* const result = e.results.data[0];
  ops::with_accumulator<T>(element, [&]<class A>() {
    constexpr bool converts_fast = std::same_as<T, A> || std::integral<T> || std::same_as<T, bf16>;
    const blocked_sums walk(product, converts_fast);
    walk.for_each_block([&](index_t from, index_t with, index_t to, index_t count) {
      if (!walk.in_blocks) {
        A sum{};
        walk.for_each_row(from, with, [&](index_t row, index_t column) {
          A total = sum;
          for (index_t i = 0; i < walk.inner; ++i)
            total = ops::multiply_add(convert_to<A>(lhs[row + i * walk.lhs_step]),
                                      convert_to<A>(rhs[column + i * walk.rhs_step]), total);
          sum = total;
        });
        return ops::store_sum(element, result, to, sum);
      }
      if constexpr (converts_fast) {
        A sums[walk.most_columns]{};
        walk.for_each_row(from, with, [&](index_t first, index_t first_row) {
          for (index_t i = 0; i < walk.inner; ++i) {
            const A factor = convert_to<A>(lhs[first + i * walk.lhs_step]);
            const T* const row = rhs + first_row + i * walk.rhs_step;
            if (walk.neighbour_step == 1) {
              for (index_t j = 0; j < count; ++j) sums[j] = ops::multiply_add(factor, convert_to<A>(row[j]), sums[j]);
            } else {
              for (index_t j = 0; j < count; ++j)
                sums[j] = ops::multiply_add(factor, convert_to<A>(row[j * walk.neighbour_step]), sums[j]);
            }
          }
        });
        for (index_t j = 0; j < count; ++j) ops::store_sum(element, result, to + j * walk.result_step, sums[j]);
      }
    });
  });
}

}  // namespace tenon::kernels
