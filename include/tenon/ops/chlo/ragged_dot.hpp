// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/read_index.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/chlo/ragged_dot_dimension_numbers.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/precision.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloragged_dot_chloragged_dotop
// A product of which one dimension of lhs, the ragged one, is parted into groups of group_sizes indices each.
// A free dimension: each group has an rhs of its own, and what is in no group gives zeros. A contracting one: each
// group has a sum of its own, the first dimension of the result. A batching one: dot_general, whatever the groups are.
// Sizes below 0 count as 0.
struct ragged_dot {
  static constexpr std::string_view dialect = "chlo", name = "ragged_dot";
  static constexpr op_notation notation = op_notation::generic;
  static constexpr bool sums_ragged_products = true;
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

  // Sums up from 0 in row-major order of what is summed over, but along the ragged dimension last. Programs run
  // kernels/contraction/untiled_sums.hpp.
  template <class T>
  void evaluate(const evaluation& e) const {
    // Clang 14 does not let functions within refer to structured bindings.
    const auto& numbers = ragged_dot_dimension_numbers;
    const ints &lhs_batching = numbers.lhs_batching_dimensions, &rhs_batching = numbers.rhs_batching_dimensions;
    const ints &lhs_contracting = numbers.lhs_contracting_dimensions,
               &rhs_contracting = numbers.rhs_contracting_dimensions;
    const ints &lhs_ragged = numbers.lhs_ragged_dimensions, &rhs_group = numbers.rhs_group_dimensions;
    const ints &lhs = e.operand_types[0].shape, &rhs = e.operand_types[1].shape;
    const bool by_sum = ragged_dot_dimension_numbers.is_ragged_contracting();
    const bool by_row = !by_sum && !ragged_dot_dimension_numbers.is_ragged_batch();
    ints summed;
    for (index_t d : lhs_contracting)
      if (d != lhs_ragged[0]) summed.push(d);
    if (by_sum) summed.push(lhs_ragged[0]);
    with_accumulator<T>(e.result_types[0].element, [&]<class A>() {
      index_t stored = 0;
      for_each_index(e.result_types[0].shape, [&](const ints& index) {
        ints l = ints::filled(lhs.size, 0), r = ints::filled(rhs.size, 0);
        int axis = by_sum ? 1 : 0;
        for (int i = 0; i < lhs_batching.size; ++i, ++axis)
          l.set(lhs_batching[i], index[axis]), r.set(rhs_batching[i], index[axis]);
        for (index_t d : ragged_dot_dimension_numbers.lhs_result_dimensions(lhs.size)) l.set(d, index[axis++]);
        for (index_t d : ragged_dot_dimension_numbers.rhs_result_dimensions(rhs.size)) r.set(d, index[axis++]);
        A sum{};
        for_each_index(lhs.select(summed), [&](const ints& place) {
          for (int i = 0; i < summed.size; ++i)
            l.set(summed[i], place[i]), r.set(rhs_contracting[lhs_contracting.find(summed[i])], place[i]);
          const index_t group = by_sum || by_row ? group_of(e, l) : 0;
          if (by_sum ? group != index[0] : group < 0) return;
          if (by_row) r.set(rhs_group[0], group);
          sum = multiply_add(convert_to<A>(e.operand<T>(0)[offset_of(lhs, l)]),
                             convert_to<A>(e.operand<T>(1)[offset_of(rhs, r)]), sum);
        });
        store_sum(e.result_types.data[0].element, e.results.data[0], stored++, sum);
      });
    });
  }

 private:
  // The group that an index of lhs is in; -1 for what is behind the last one.
  index_t group_of(const evaluation& e, const ints& lhs_index) const {
    const tensor_type& sizes = e.operand_types[2];
    const ints sized = ragged_dot_dimension_numbers.sized_dimensions(lhs_index.size), strides = strides_of(sizes.shape);
    index_t first = 0, left = lhs_index[ragged_dot_dimension_numbers.ragged()];
    for (int i = 0; i + 1 < sizes.rank(); ++i) first += lhs_index[sized[i]] * strides[i];
    for (index_t group = 0; group < sizes.shape[sizes.rank() - 1]; ++group) {
      const index_t size = read_index(sizes.element, e.operands.data[2], first + group);
      if (left < size) return group;
      left -= size < 0 ? 0 : size;
    }
    return -1;
  }
};

}  // namespace tenon::ops

namespace tenon {

// ragged_dot<ops::ragged_dot{.ragged_dot_dimension_numbers = {...}}>(lhs, rhs, group_sizes): products of groups of rows
// of lhs, which follow one another, each with a matrix of rhs of its own. lhs rows x inner, rhs groups x inner x
// columns and group_sizes of groups integers give rows x columns; the ragged dimension may be another one.
template <ops::ragged_dot Op, operand_like Lhs, operand_like Rhs, operand_like GroupSizes>
constexpr auto ragged_dot(Lhs&& lhs, Rhs&& rhs, GroupSizes&& group_sizes,
                          op_check<Op, result_types<>, Lhs, Rhs, GroupSizes> = {}) {
  return apply<Op>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs), static_cast<GroupSizes&&>(group_sizes));
}

}  // namespace tenon
