// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/inverse.hpp>
#include <tenon/ops/body_rules.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/combiner.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/index_vectors.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

struct scatter_dimension_numbers {
  ints update_window_dims{}, inserted_window_dims{}, input_batching_dims{}, scatter_indices_batching_dims{},
      scatter_dims_to_operand_dims{};
  index_t index_vector_dim = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("update_window_dims", self.update_window_dims) &&
           visit("inserted_window_dims", self.inserted_window_dims) &&
           visit("input_batching_dims", self.input_batching_dims) &&
           visit("scatter_indices_batching_dims", self.scatter_indices_batching_dims) &&
           visit("scatter_dims_to_operand_dims", self.scatter_dims_to_operand_dims) &&
           visit("index_vector_dim", self.index_vector_dim);
  }

  friend constexpr bool operator==(const scatter_dimension_numbers&, const scatter_dimension_numbers&) = default;

  constexpr ops::window_numbers windows() const {
    return {update_window_dims,           inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
            scatter_dims_to_operand_dims, index_vector_dim};
  }
};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#scatter
struct scatter {
  static constexpr std::string_view name = "scatter";
  static constexpr bool moves_bytes = true, folds_at_indices = true, updates_operands = true, accumulates = true;
  tenon::scatter_dimension_numbers scatter_dimension_numbers{};
  bool indices_are_sorted = false, unique_indices = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("scatter_dimension_numbers", self.scatter_dimension_numbers) &&
           visit("indices_are_sorted", self.indices_are_sorted) && visit("unique_indices", self.unique_indices);
  }

  // Operands: N inputs, the indices, N updates.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const auto& [update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
                 scatter_dims_to_operand_dims, index_vector_dim] = scatter_dimension_numbers;
    const int n = operands.size / 2;
    const list<tensor_type> inputs = operands.part(0, n), updates = operands.part(n + 1, n);
    const tensor_type input = inputs[0], update = updates[0], indices = operands[n];
    rule("scatter_c5", "0 < size(inputs) = size(updates) = N", n > 0 && operands.size == 2 * n + 1);
    rule("scatter_i2", "scatter_indices: tensor of integer type", rule.is(indices, kinds::integer));
    for (int i = 0; i < n; ++i) {
      rule("scatter_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(inputs[i], kinds::any | kinds::per_tensor_quantized));
      rule("scatter_i3", "updates: tensors or per-tensor quantized tensors",
           rule.is(updates[i], kinds::any | kinds::per_tensor_quantized));
      rule("scatter_c1", "same(shape(inputs...))", inputs[i].shape == input.shape);
      rule("scatter_c3", "same(shape(updates...))", updates[i].shape == update.shape);
    }

    const int rank = input.rank(), indices_rank = indices.rank();
    rule("scatter_c2",
         "rank(inputs[0]) = size(update_window_dims) + size(inserted_window_dims) + size(input_batching_dims)",
         rank == update_window_dims.size + inserted_window_dims.size + input_batching_dims.size);
    rule("scatter_c7", "is_unique(update_window_dims) and is_sorted(update_window_dims)",
         update_window_dims.unique() && update_window_dims.sorted());
    rule("scatter_c8", "0 <= update_window_dims < rank(updates[0])", update_window_dims.within(0, update.rank()));
    rule("scatter_c9", "is_unique(concatenate(inserted_window_dims, input_batching_dims))",
         (inserted_window_dims + input_batching_dims).unique());
    rule("scatter_c10", "is_sorted(inserted_window_dims)", inserted_window_dims.sorted());
    rule("scatter_c11", "0 <= inserted_window_dims < rank(inputs[0])", inserted_window_dims.within(0, rank));
    rule("scatter_c12", "is_sorted(input_batching_dims)", input_batching_dims.sorted());
    rule("scatter_c13", "0 <= input_batching_dims < rank(inputs[0]))", input_batching_dims.within(0, rank));
    rule("scatter_c14", "is_unique(scatter_indices_batching_dims)", scatter_indices_batching_dims.unique());
    rule("scatter_c15", "0 <= scatter_indices_batching_dims < rank(scatter_indices)",
         scatter_indices_batching_dims.within(0, indices_rank));
    rule("scatter_c16", "index_vector_dim not in scatter_indices_batching_dims",
         !scatter_indices_batching_dims.contains(index_vector_dim));
    rule("scatter_c17", "size(input_batching_dims) == size(scatter_indices_batching_dims)",
         input_batching_dims.size == scatter_indices_batching_dims.size);
    rule("scatter_c18",
         "dim(inputs[0], input_batching_dims...) = dim(scatter_indices, scatter_indices_batching_dims...)",
         input.shape.select(input_batching_dims) == indices.shape.select(scatter_indices_batching_dims));
    rule("scatter_c22", "0 <= index_vector_dim <= rank(scatter_indices)",
         0 <= index_vector_dim && index_vector_dim <= indices_rank);
    rule("scatter_c19",
         "size(scatter_dims_to_operand_dims) = index_vector_dim < rank(scatter_indices) ? dim(scatter_indices, "
         "index_vector_dim) : 1",
         scatter_dims_to_operand_dims.size == (index_vector_dim < indices_rank ? indices.dim(index_vector_dim) : 1));
    rule("scatter_c20", "is_unique(concatenate(scatter_dims_to_operand_dims, input_batching_dims))",
         (scatter_dims_to_operand_dims + input_batching_dims).unique());
    rule("scatter_c21", "0 <= scatter_dims_to_operand_dims < rank(inputs[0])",
         scatter_dims_to_operand_dims.within(0, rank));

    const ints window = update.shape.select(update_window_dims);
    const ints most = scatter_dimension_numbers.windows().window_sizes(input.shape);
    rule("scatter_c4",
         "shape(updates[0]) = combine(shape(scatter_indices) without index_vector_dim at update_scatter_dims, "
         "update_window_dim_sizes at update_window_dims)",
         update.shape == combine_shapes(indices.shape.without({index_vector_dim}), window, update_window_dims));
    for (int i = 0; i < window.size; ++i)
      rule("scatter_c4", "update_window_dim_sizes <= shape(inputs[0]) without inserted and batching dimensions",
           window[i] <= most[i]);

    const signature body = rule.regions[0];
    rule("scatter_c23",
         "update_computation: (tensor<E0>, ..., tensor<EN-1>, tensor<E0>, ..., tensor<EN-1>) -> (tensor<E0>, ..., "
         "tensor<EN-1>), where is_promotable(element_type(inputs[i]), Ei)",
         rule.regions.size == 1 && combines(rule, body, inputs));
    for (int i = 0; i < n; ++i) {
      rule("scatter_c6", "element_type(updates...) = element_type(inputs...)",
           updates[i].with_shape({}) == inputs[i].with_shape({}));
      const tensor_type result = body.results[i].with_shape(input.shape);
      rule.result_shape("scatter_c24", "shape(inputs...) = shape(results...)", result.shape, i);
      rule.result_element("scatter_c25", "element_type(results[i]) = Ei for all i in [0,N)", result, i);
      results.push(result);
    }
  }

  // Result i reads input i where it is, and of the updates those whose window covers the element: found the other way
  // round, from an update to where it goes.
  constexpr indexing::indexing_map reads(int operand, int result, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const int inputs = results.size;
    if (operand < inputs)
      return operand == result || inputs > 1 ? indexing::identity_map(results[0].shape) : indexing::unknown_map();
    const indexing::indexing_map updated =
        indexing::inverse(places(operands, results), indexing::integers(results[0].shape));
    if (operand > inputs) return updated;
    return indexing::compose(
        updated, indexing::gather_indices_map(operands[inputs + 1].shape, operands[inputs].shape, numbers()));
  }
  constexpr indexing::indexing_map writes(int operand, int, list<tensor_type> operands,
                                          list<tensor_type> results) const {
    const int inputs = results.size;
    if (operand < inputs) return indexing::identity_map(results[0].shape);
    if (operand > inputs) return places(operands, results);
    const indexing::indexing_map read =
        indexing::gather_indices_map(operands[inputs + 1].shape, operands[inputs].shape, numbers());
    return indexing::compose(indexing::inverse(read, indexing::integers(operands[inputs].shape)),
                             places(operands, results));
  }
  constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type> operands,
                                               list<tensor_type> results) const {
    const int inputs = results.size;
    const indexing::indexing_map updated =
        indexing::inverse(places(operands, results), indexing::integers(results[0].shape));
    return {inputs,
            indexing::compose(updated, indexing::gather_indices_map(operands[inputs + 1].shape, operands[inputs].shape,
                                                                    numbers(), variable))};
  }
  // From an update to the element that it is combined with.
  constexpr indexing::indexing_map places(list<tensor_type> operands, list<tensor_type> results) const {
    return indexing::scatter_update_output_map(results[0].shape, operands[results.size + 1].shape, numbers());
  }
  constexpr indexing::gather_numbers numbers() const {
    const auto& from = scatter_dimension_numbers;
    return {from.update_window_dims,
            from.inserted_window_dims,
            from.input_batching_dims,
            from.scatter_indices_batching_dims,
            from.scatter_dims_to_operand_dims,
            from.index_vector_dim,
            {}};
  }

  constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) const {
    arguments_of_combiner(operands.part(0, operands.size / 2), arguments);
  }

  static constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type>) {
    return combiner::scratch_bytes(operands.size / 2);
  }

  // result = body(result, update) for every element of every window, in row-major order of the index vectors and then
  // of the window; elements outside of the result are dropped. Programs run kernels/lookup/indexed_fold.hpp.
  template <class>
  void evaluate(const evaluation& e) const {
    const int n = e.results.size;
    const ints &shape = e.result_types.data[0].shape, &updates = e.operand_types.data[n + 1].shape;
    const window_numbers windows = scatter_dimension_numbers.windows();
    const ints window = window_shape(windows, shape.size, updates), strides = strides_of(shape);
    const ints steps = window_strides(windows, shape.size, updates);
    for (int i = 0; i < n; ++i) copy_converted(e, i);
    combiner body(e, 0, e.operand_types.part(n + 1, n), e.scratch);
    const auto combine_window = [&](const ints& start, index_t base) {
      for_each_index(window, [&](const ints& place) {
        index_t to = 0, from = base;
        for (int i = 0; i < shape.size; ++i) {
          if (start[i] < -place[i] || start[i] >= shape[i] - place[i]) return;
          to += (start[i] + place[i]) * strides[i];
          from += place[i] * steps[i];
        }
        body.load(e.results.data, to);
        body.take(e.operands.data + n + 1, from);
        body.store(e.results.data, to);
      });
    };
    for_each_window(windows, shape, e.operand_types.data[n], e.operands.data[n], updates, combine_window);
  }
};

}  // namespace tenon::ops

namespace tenon {

// scatter<ops::scatter{.scatter_dimension_numbers = {...}}>(inputs..., scatter_indices, updates..., ops::add{}): the
// inputs with updates combined into them at the index vectors; what lies outside is dropped. The results have the types
// of the inputs, any element type.
template <ops::scatter Op, class... Arguments, class Rules = ops::regions_kept<Op, 1, Arguments...>>
constexpr auto scatter(Arguments&&... arguments) {
  return ops::call_with_regions<Op>(static_cast<Arguments&&>(arguments)...);
}
template <ops::scatter Op, class... Arguments, class Rule = ops::regions_broken<Op, 1, Arguments...>>
void scatter(Arguments&&...) = delete;

}  // namespace tenon
