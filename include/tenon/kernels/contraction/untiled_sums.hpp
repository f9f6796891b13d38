// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/core/read_index.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/chlo/ragged_dot.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

#include <concepts>

namespace tenon::kernels {

// The sums of a product, of neighbouring results where their factors lie closer together than those of one result.
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

  // Calls f(lhs, rhs, result, count) with the offsets of the first factors and results of `count` neighbours.
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

// sum_products without tiles.
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

// An op whose sums of products belong to groups of indices that another operand counts.
template <class Op>
concept sums_ragged_products = Op::sums_ragged_products;

struct index_interval {
  index_t first, last;
};

// The sizes of groups along the ragged dimension, from a place in group_sizes on.
struct group_list {
  dtype type;
  const void* sizes;
  index_t count, length;

  index_t size(index_t first, index_t group) const {
    const index_t value = read_index(type, sizes, first + group);
    return value < 0 ? 0 : value;
  }
  // The group that an index is in; -1 for what is behind the last one.
  index_t group_of(index_t first, index_t index) const {
    for (index_t group = 0; group < count; ++group) {
      const index_t here = size(first, group);
      if (index < here) return group;
      index -= here;
    }
    return -1;
  }
  index_interval indices_of(index_t first, index_t group) const {
    index_t begin = 0;
    for (index_t before = 0; before < group; ++before) {
      const index_t here = size(first, before);
      begin = here < length - begin ? begin + here : length;
    }
    const index_t here = size(first, group);
    return {begin, here < length - begin ? begin + here : length};
  }
};

// The iteration over the sums, for elements of any type.
struct ragged_sums {
  static constexpr index_t most_columns = 64;

  ints batch, rows, columns, outer;  // sizes
  ints lhs_batch, rhs_batch, sizes_batch, lhs_row, sizes_row, ragged_row, rhs_column, lhs_outer, rhs_outer, sizes_outer;
  group_list groups;
  bool by_sum, by_row;
  // The sums run along one dimension, the ragged one if it is among them, inside of the others.
  index_t length = 1, lhs_step = 0, rhs_step = 0;
  index_t neighbours = 1, neighbour_step = 0, group_step = 0;

  ragged_sums(const ragged_dot_dimension_numbers& numbers, const evaluation& e) {
    const ints &lhs_shape = e.operand_types.data[0].shape, &rhs_shape = e.operand_types.data[1].shape;
    const ints& groups_shape = e.operand_types.data[2].shape;
    const ints lhs_strides = strides_of(lhs_shape), rhs_strides = strides_of(rhs_shape);
    const index_t ragged = numbers.ragged();
    by_sum = numbers.is_ragged_contracting(), by_row = !by_sum && !numbers.is_ragged_batch();
    // By dimension of lhs: how far apart its sizes of groups are, and 1 for the ragged one.
    const ints sized = numbers.sized_dimensions(lhs_shape.size), sizes_strides = strides_of(groups_shape);
    ints group_strides = ints::filled(lhs_shape.size, 0), ragged_strides = group_strides;
    for (int i = 0; groups_shape.size > 1 && i < sized.size; ++i) group_strides.set(sized[i], sizes_strides[i]);
    ragged_strides.set(ragged, 1);
    groups = {e.operand_types.data[2].element, e.operands.data[2], groups_shape[groups_shape.size - 1],
              lhs_shape[ragged]};

    ints lhs_summed, rhs_summed;
    index_t lhs_along = -1, rhs_along = -1;
    for (int i = numbers.lhs_contracting_dimensions.size; i-- > 0;) {
      const index_t d = numbers.lhs_contracting_dimensions[i];
      if (by_sum ? d == ragged : lhs_along < 0) lhs_along = d, rhs_along = numbers.rhs_contracting_dimensions[i];
    }
    for (int i = 0; i < numbers.lhs_contracting_dimensions.size; ++i) {
      const index_t d = numbers.lhs_contracting_dimensions[i];
      if (d != lhs_along) lhs_summed.push(d), rhs_summed.push(numbers.rhs_contracting_dimensions[i]);
    }
    outer = lhs_shape.select(lhs_summed), lhs_outer = lhs_strides.select(lhs_summed);
    rhs_outer = rhs_strides.select(rhs_summed), sizes_outer = group_strides.select(lhs_summed);
    if (lhs_along >= 0)
      length = lhs_shape[lhs_along], lhs_step = lhs_strides[lhs_along], rhs_step = rhs_strides[rhs_along];

    const ints& batching = numbers.lhs_batching_dimensions;
    batch = lhs_shape.select(batching), lhs_batch = lhs_strides.select(batching);
    rhs_batch = rhs_strides.select(numbers.rhs_batching_dimensions), sizes_batch = group_strides.select(batching);
    const ints lhs_free = numbers.lhs_result_dimensions(lhs_shape.size);
    rows = lhs_shape.select(lhs_free), lhs_row = lhs_strides.select(lhs_free);
    sizes_row = group_strides.select(lhs_free), ragged_row = ragged_strides.select(lhs_free);
    ints rhs_free = numbers.rhs_result_dimensions(rhs_shape.size);
    if (rhs_free.size > 0) {
      const index_t last = rhs_free.at[--rhs_free.size];
      neighbours = rhs_shape[last], neighbour_step = rhs_strides[last];
    }
    columns = rhs_shape.select(rhs_free), rhs_column = rhs_strides.select(rhs_free);
    if (by_row) group_step = rhs_strides[numbers.rhs_group_dimensions[0]];
  }

  // Calls f(group, lhs, rhs, sizes, count) in the order of results, with offsets as above.
  void for_each_block(function_reference<void(index_t, index_t, index_t, index_t, index_t)> f) const {
    const index_t sums_per_result = by_sum ? groups.count : 1;
    for (index_t sum = 0; sum < sums_per_result; ++sum)
      for_each_offset(
          batch,
          [&](index_t lhs_offset, index_t rhs_offset, index_t sizes_of_batch) {
            for_each_offset(
                rows,
                [&](index_t row, index_t sizes_of_row, index_t ragged_index) {
                  const index_t sizes = sizes_of_batch + sizes_of_row;
                  const index_t group = by_row ? groups.group_of(sizes, ragged_index) : sum;
                  const index_t with = rhs_offset + (group < 0 ? 0 : group * group_step);
                  for_each_offset(
                      columns,
                      [&](index_t column) {
                        for (index_t j = 0; j < neighbours; j += most_columns)
                          f(group, lhs_offset + row, with + column + j * neighbour_step, sizes,
                            neighbours - j < most_columns ? neighbours - j : most_columns);
                      },
                      rhs_column);
                },
                lhs_row, sizes_row, ragged_row);
          },
          lhs_batch, rhs_batch, sizes_batch);
  }
  // Calls f(lhs, rhs, inside) for the summed dimensions but the one along which sums run.
  void for_each_row(index_t group, index_t lhs, index_t rhs, index_t sizes,
                    function_reference<void(index_t, index_t, index_interval)> f) const {
    for_each_offset(
        outer,
        [&](index_t lhs_offset, index_t rhs_offset, index_t sizes_offset) {
          f(lhs + lhs_offset, rhs + rhs_offset,
            by_sum ? groups.indices_of(sizes + sizes_offset, group) : index_interval{0, length});
        },
        lhs_outer, rhs_outer, sizes_outer);
  }
};

// Runs such an op: neighbouring columns at a time.
template <class Op, class T>
void ragged_sums_kernel(const evaluation& e) {
  ops::with_accumulator<T>(e.result_types[0].element, [&]<class A>() {
    const ragged_sums walk(read_attributes<Op>(e.words).ragged_dot_dimension_numbers, e);
    const T* const lhs = e.operand<T>(0);
    const T* const rhs = e.operand<T>(1);
    index_t stored = 0;
    walk.for_each_block([&](index_t group, index_t from, index_t with, index_t sizes, index_t count) {
      A sums[walk.most_columns]{};
      if (group >= 0)
        walk.for_each_row(group, from, with, sizes, [&](index_t first, index_t first_row, index_interval inside) {
          for (index_t i = inside.first; i < inside.last; ++i) {
            const A factor = convert_to<A>(lhs[first + i * walk.lhs_step]);
            const T* const row = rhs + first_row + i * walk.rhs_step;
            for (index_t j = 0; j < count; ++j)
              sums[j] = ops::multiply_add(factor, convert_to<A>(row[j * walk.neighbour_step]), sums[j]);
          }
        });
      for (index_t j = 0; j < count; ++j)
        ops::store_sum(e.result_types.data[0].element, e.results.data[0], stored++, sums[j]);
    });
  });
}

}  // namespace tenon::kernels
