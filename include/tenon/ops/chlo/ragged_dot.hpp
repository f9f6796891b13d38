// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/core/read_index.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/precision.hpp>
#include <tenon/ops/op.hpp>

namespace tenon {

struct ragged_dot_dimension_numbers {
  ints lhs_batching_dimensions{}, rhs_batching_dimensions{}, lhs_contracting_dimensions{}, rhs_contracting_dimensions{},
      lhs_ragged_dimensions{}, rhs_group_dimensions{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("lhs_batching_dimensions", self.lhs_batching_dimensions) &&
           visit("rhs_batching_dimensions", self.rhs_batching_dimensions) &&
           visit("lhs_contracting_dimensions", self.lhs_contracting_dimensions) &&
           visit("rhs_contracting_dimensions", self.rhs_contracting_dimensions) &&
           visit("lhs_ragged_dimensions", self.lhs_ragged_dimensions) &&
           visit("rhs_group_dimensions", self.rhs_group_dimensions);
  }

  constexpr index_t ragged() const { return lhs_ragged_dimensions[0]; }
  constexpr bool is_ragged_batch() const { return lhs_batching_dimensions.contains(ragged()); }
  constexpr bool is_ragged_contracting() const { return lhs_contracting_dimensions.contains(ragged()); }

  constexpr ints lhs_result_dimensions(int rank) const {
    return ints::range(rank).without(lhs_batching_dimensions + lhs_contracting_dimensions);
  }
  constexpr ints rhs_result_dimensions(int rank) const {
    return ints::range(rank).without(rhs_batching_dimensions + rhs_contracting_dimensions + rhs_group_dimensions);
  }
  // The dimensions of lhs for whose indices group_sizes has sizes of their own, if it has more than one dimension:
  // those that batch, and those of the ragged one's kind that stand before it.
  constexpr ints sized_dimensions(int rank) const {
    const ints kind = is_ragged_batch()         ? ints{}
                      : is_ragged_contracting() ? lhs_contracting_dimensions
                                                : lhs_result_dimensions(rank);
    ints result;
    for (index_t d : lhs_batching_dimensions) {
      if (d == ragged()) return result;
      result.push(d);
    }
    for (index_t d : kind) {
      if (d == ragged()) break;
      result.push(d);
    }
    return result;
  }
};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloragged_dot_chloragged_dotop
// A product of which one dimension of lhs, the ragged one, is parted into groups of group_sizes indices each.
// A free dimension: each group has an rhs of its own, and what is in no group gives zeros. A contracting one: each
// group has a sum of its own, the first dimension of the result. A batching one: dot_general, whatever the groups are.
// Sizes below 0 count as 0.
struct ragged_dot {
  static constexpr std::string_view dialect = "chlo", name = "ragged_dot";
  tenon::ragged_dot_dimension_numbers ragged_dot_dimension_numbers{};
  precision_list precision_config{};  // absent: DEFAULT

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("ragged_dot_dimension_numbers", self.ragged_dot_dimension_numbers) &&
           visit("precision_config", self.precision_config);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs,
                              const tensor_type& group_sizes) const {
    const auto& numbers = ragged_dot_dimension_numbers;
    const auto& [lhs_batching, rhs_batching, lhs_contracting, rhs_contracting, lhs_ragged, rhs_group] = numbers;
    const int groups_rank = group_sizes.rank();
    const index_t groups = groups_rank == 0 ? 0 : group_sizes.dim(groups_rank - 1);
    rule("ragged_dot_i1", "lhs: tensor", rule.is(lhs, kinds::any));
    rule("ragged_dot_i2", "rhs: tensor", rule.is(rhs, kinds::any));
    rule("ragged_dot_i3", "group_sizes: tensor of integer type", rule.is(group_sizes, kinds::integer));
    rule("ragged_dot_c1", "size(lhs_batching_dimensions) = size(rhs_batching_dimensions)",
         lhs_batching.size == rhs_batching.size && lhs_batching.dropped + rhs_batching.dropped == 0);
    rule("ragged_dot_c2", "size(lhs_contracting_dimensions) = size(rhs_contracting_dimensions)",
         lhs_contracting.size == rhs_contracting.size && lhs_contracting.dropped + rhs_contracting.dropped == 0);
    rule("ragged_dot_c3", "is_unique(lhs_batching_dimensions + lhs_contracting_dimensions)",
         (lhs_batching + lhs_contracting).unique());
    rule("ragged_dot_c4", "is_unique(rhs_batching_dimensions + rhs_contracting_dimensions + rhs_group_dimensions)",
         (rhs_batching + rhs_contracting + rhs_group).unique());
    rule("ragged_dot_c5",
         "0 <= lhs_batching_dimensions + lhs_contracting_dimensions + lhs_ragged_dimensions < rank(lhs)",
         (lhs_batching + lhs_contracting + lhs_ragged).within(0, lhs.rank()));
    rule("ragged_dot_c6",
         "0 <= rhs_batching_dimensions + rhs_contracting_dimensions + rhs_group_dimensions < rank(rhs)",
         (rhs_batching + rhs_contracting + rhs_group).within(0, rhs.rank()));
    rule("ragged_dot_c7", "dim(lhs, lhs_batching_dimensions...) = dim(rhs, rhs_batching_dimensions...)",
         lhs.shape.select(lhs_batching) == rhs.shape.select(rhs_batching));
    rule("ragged_dot_c8", "dim(lhs, lhs_contracting_dimensions...) = dim(rhs, rhs_contracting_dimensions...)",
         lhs.shape.select(lhs_contracting) == rhs.shape.select(rhs_contracting));
    rule("ragged_dot_c9", "size(precision_config) = 2", is_complete(precision_config));
    rule("ragged_dot_c10", "element_type(lhs) = element_type(rhs)", lhs.element == rhs.element);
    rule("ragged_dot_c11", "size(lhs_ragged_dimensions) = 1", lhs_ragged.size == 1 && lhs_ragged.dropped == 0);
    if (lhs_ragged.size == 1) {
      const bool is_free = !numbers.is_ragged_batch() && !numbers.is_ragged_contracting();
      rule("ragged_dot_c12", "size(rhs_group_dimensions) = 1 if the ragged dimension is a free one, else 0",
           rhs_group.size == (is_free ? 1 : 0));
      rule("ragged_dot_c13", "dim(rhs, rhs_group_dimensions...) = dim(group_sizes, -1)",
           !is_free || rhs_group.size != 1 || rhs.dim(int(rhs_group[0])) == groups);
      ints expected = lhs.shape.select(numbers.sized_dimensions(lhs.rank()));
      expected.push(groups);
      rule("ragged_dot_c14",
           "group_sizes: of shape [g], or [d..., g] where d are the sizes of the batching dimensions of lhs, then of "
           "those "
           "of the ragged one's kind before it, but for what batches behind a ragged one",
           groups_rank == 1 || group_sizes.shape == expected);
    }
    ints shape;
    if (numbers.is_ragged_contracting() && lhs_ragged.size == 1) shape.push(groups);
    shape = shape + lhs.shape.select(lhs_batching) + lhs.shape.select(numbers.lhs_result_dimensions(lhs.rank())) +
            rhs.shape.select(numbers.rhs_result_dimensions(rhs.rank()));
    const tensor_type& declared = rule.declared.empty() ? lhs : rule.declared.data[0];
    rule("ragged_dot_c15",
         "shape(result) = dim(lhs, lhs_batching_dimensions) + dim(lhs, lhs_result_dimensions) + dim(rhs, "
         "rhs_result_dimensions), behind the number of groups if the ragged dimension is a contracting one",
         shape.dropped == 0 && (rule.declared.empty() || has_open_shape(declared) || declared.shape == shape));
    const tensor_type result = (declared.element == dtype::none ? lhs : declared).with_shape(shape);
    rule("ragged_dot_o1", "element_type(result) is of the same kind as element_type(lhs)",
         !result.is_quantized() && (kind_of(result.element) == kind_of(lhs.element) ||
                                    (is_integer(result.element) && is_integer(lhs.element))));
    return result;
  }

  // Which group an index is in is known when the program runs: any.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const ints& shape = operands.data[operand].shape;
    return indexing::whole_axes_map(results[0].shape, shape, ints::range(shape.size));
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    with_accumulator<T>(e.result_types[0].element, [&]<class A>() { sum_up<T, A>(e); });
  }

 private:
  static constexpr index_t most_columns = 64;

  struct range {
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
    range indices_of(index_t first, index_t group) const {
      index_t begin = 0;
      for (index_t before = 0; before < group; ++before) {
        const index_t here = size(first, before);
        begin = here < length - begin ? begin + here : length;
      }
      const index_t here = size(first, group);
      return {begin, here < length - begin ? begin + here : length};
    }
  };

  // How the sums are walked through, whatever the elements are.
  struct sum_walk {
    ints batch, rows, columns, outer;  // sizes
    ints lhs_batch, rhs_batch, sizes_batch, lhs_row, sizes_row, ragged_row, rhs_column, lhs_outer, rhs_outer,
        sizes_outer;
    group_list groups;
    bool by_sum, by_row;
    // The sums run along one dimension, the ragged one if it is among them, inside of the others.
    index_t length = 1, lhs_step = 0, rhs_step = 0;
    index_t neighbours = 1, neighbour_step = 0, group_step = 0;

    sum_walk(const tenon::ragged_dot_dimension_numbers& numbers, const evaluation& e) {
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

    // Calls f(group, lhs, rhs, sizes, count) in the order of the results: where their first factors and the sizes of
    // their groups lie, and how many neighbours they are.
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
                      function_reference<void(index_t, index_t, range)> f) const {
      for_each_offset(
          outer,
          [&](index_t lhs_offset, index_t rhs_offset, index_t sizes_offset) {
            f(lhs + lhs_offset, rhs + rhs_offset,
              by_sum ? groups.indices_of(sizes + sizes_offset, group) : range{0, length});
          },
          lhs_outer, rhs_outer, sizes_outer);
    }
  };

  template <class T, class A>
  void sum_up(const evaluation& e) const {
    const sum_walk walk(ragged_dot_dimension_numbers, e);
    const T* const lhs = e.operand<T>(0);
    const T* const rhs = e.operand<T>(1);
    index_t stored = 0;
    walk.for_each_block([&](index_t group, index_t from, index_t with, index_t sizes, index_t count) {
      A sums[most_columns]{};
      if (group >= 0)
        walk.for_each_row(group, from, with, sizes, [&](index_t first, index_t first_row, range inside) {
          for (index_t i = inside.first; i < inside.last; ++i) {
            const A factor = convert_to<A>(lhs[first + i * walk.lhs_step]);
            const T* const row = rhs + first_row + i * walk.rhs_step;
            for (index_t j = 0; j < count; ++j)
              sums[j] = multiply_add(factor, convert_to<A>(row[j * walk.neighbour_step]), sums[j]);
          }
        });
      for (index_t j = 0; j < count; ++j)
        store_sum(e.result_types.data[0].element, e.results.data[0], stored++, sums[j]);
    });
  }
};

}  // namespace tenon::ops

namespace tenon {

// ragged_dot<ops::ragged_dot{.ragged_dot_dimension_numbers = {...}}>(lhs, rhs, group_sizes)
template <ops::ragged_dot Op, operand_like Lhs, operand_like Rhs, operand_like GroupSizes>
constexpr auto ragged_dot(Lhs&& lhs, Rhs&& rhs, GroupSizes&& group_sizes) {
  return apply<Op>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs), static_cast<GroupSizes&&>(group_sizes));
}

}  // namespace tenon
