// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/ops/body_rules.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/combiner.hpp>
#include <tenon/ops/tensor_op.hpp>
#include <tenon/ops/window.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#reduce_window
struct reduce_window {
  static constexpr std::string_view name = "reduce_window";
  static constexpr bool moves_bytes = true, folds_windows = true, accumulates = true;
  static constexpr int least_range = 1;
  ints window_dimensions{};
  ints window_strides{};    // absent: 1
  ints base_dilations{};    // absent: 1
  ints window_dilations{};  // absent: 1
  ints_table padding{};     // [low, high] per dimension; absent: none

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("window_dimensions", self.window_dimensions) && visit("window_strides", self.window_strides) &&
           visit("base_dilations", self.base_dilations) && visit("window_dilations", self.window_dilations) &&
           visit("padding", self.padding);
  }

  // Operands: N inputs, then N initial values.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const int n = operands.size / 2;
    const list<tensor_type> inputs = operands.part(0, n), init_values = operands.part(n, n);
    const signature body = rule.regions[0];
    const int rank = inputs[0].rank();
    rule("reduce_window_c1", "0 < size(inputs) = size(init_values) = size(results) = N",
         n > 0 && operands.size == 2 * n);
    rule("reduce_window_c1", "0 < size(inputs) = size(init_values) = size(results) = N",
         rule.declared.empty() || rule.declared.size == n);
    for (int i = 0; i < n; ++i) {
      rule("reduce_window_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(inputs[i], kinds::any | kinds::per_tensor_quantized));
      rule("reduce_window_i2", "init_values: 0-dimensional tensors or per-tensor quantized tensors",
           rule.is(init_values[i], kinds::any | kinds::per_tensor_quantized) &&
               (init_values[i].rank() == 0 || init_values[i].shape == body.results[i].shape));
      rule("reduce_window_c2", "same(shape(inputs...))", inputs[i].shape == inputs[0].shape);
      rule("reduce_window_c3", "element_type(inputs...) = element_type(init_values...)",
           inputs[i].with_shape({}) == init_values[i].with_shape({}));
    }
    rule("reduce_window_c4", "size(window_dimensions) = rank(inputs[0])", has_size(window_dimensions, rank));
    rule("reduce_window_c5", "0 < window_dimensions", window_dimensions.positive());
    rule("reduce_window_c6", "size(window_strides) = rank(inputs[0])",
         window_strides.empty() || has_size(window_strides, rank));
    rule("reduce_window_c7", "0 < window_strides", window_strides.positive());
    rule("reduce_window_c8", "size(base_dilations) = rank(inputs[0])",
         base_dilations.empty() || has_size(base_dilations, rank));
    rule("reduce_window_c9", "0 < base_dilations", base_dilations.positive());
    rule("reduce_window_c10", "size(window_dilations) = rank(inputs[0])",
         window_dilations.empty() || has_size(window_dilations, rank));
    rule("reduce_window_c11", "0 < window_dilations", window_dilations.positive());
    rule("reduce_window_c12", "shape(padding) = [rank(inputs[0]), 2]",
         padding.empty() || (padding.rows == rank && padding.columns == 2 && padding.dropped == 0));
    rule("reduce_window_c13",
         "body: (tensor<E0>, ..., tensor<E0>, ...) -> (tensor<E0>, ...), element types promotable to Ei",
         rule.regions.size == 1 && combines(rule, body, inputs, window_dimensions));
    const ints shape = window().count(inputs[0].shape);
    for (int i = 0; i < n; ++i) {
      rule.result_shape("reduce_window_c14", "same(shape(results...))",
                        rule.declared.empty() ? shape : rule.declared[0].shape, i);
      rule.result_shape("reduce_window_c15", "shape(results[0]) = num_windows", shape, i);
      const tensor_type result = body.results[i].with_shape(shape);
      rule.result_element("reduce_window_c16", "element_type(results[i]) = Ei", result, i);
      results.push(result);
    }
  }

  constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) const {
    arguments_of_combiner(operands.part(0, operands.size / 2), arguments);
  }

  constexpr window_attributes window() const {
    return {window_dimensions, window_strides, base_dilations, window_dilations, padding};
  }

  // The elements under the windows; places over padding take the initial value, which is operand N + i.
  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    if (operand >= operands.size / 2) return indexing::scalar_map(result.shape);
    const ints& shape = operands.data[operand].shape;
    ints strides, dilations, inner_dilations, low;
    for (int i = 0; i < shape.size; ++i) {
      const window_axis axis = window().axis(shape, i);
      strides.push(axis.stride);
      dilations.push(axis.base_dilation);
      inner_dilations.push(axis.window_dilation);
      low.push(axis.low);
    }
    return indexing::reduce_window_map(result.shape, shape, window_dimensions, strides, dilations, inner_dilations,
                                       low);
  }

  constexpr batch_dimensions batches(list<tensor_type> operands) const {
    return {window().plain_dimensions(operands[0].shape), (1u << operands.size / 2) - 1};
  }

  static constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type>) {
    return combiner::scratch_bytes(operands.size / 2);
  }

  // For bodies that are not a single associative op, which kernels/window_fold.hpp runs. For each window: starts from
  // the initial values and takes what is under the window, in ascending row-major order of the place in the window;
  // over padding and holes that is the initial value again.
  template <class>
  void evaluate(const evaluation& e) const {
    const int n = e.operands.size / 2;
    if (e.regions[0].results[0].rank() != 0) fail("reduce_window: only a body of 0-dimensional tensors can be run");
    combiner body(e, 0, e.operand_types.part(0, n), e.scratch);
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape);
    window_axis axes[max_rank];
    for (int i = 0; i < shape.size; ++i) axes[i] = window().axis(shape, i);
    index_t result = 0;
    for_each_index(e.result_types.data[0].shape, [&](const ints& index) {
      body.start(e.operands.data + n, 0);
      for_each_index(window_dimensions, [&](const ints& place) {
        index_t offset = 0;
        for (int i = 0; i < shape.size && offset >= 0; ++i) {
          const index_t position = axes[i].position(index.at[i], place.at[i]);
          offset = position < 0 ? -1 : offset + position * strides.at[i];
        }
        if (offset >= 0)
          body.take(e.operands.data, offset);
        else
          body.take(e.operands.data + n, 0);
      });
      body.store(e.results.data, result++);
    });
  }

 private:
  static constexpr bool has_size(const ints& values, int size) { return values.size == size && values.dropped == 0; }
};

}  // namespace tenon::ops

namespace tenon {

// The elements under each window combined by a body, an associative op or function of scalars:
// reduce_window<ops::reduce_window{.window_dimensions = ints{2, 2}}>(input, init, ops::maximum{}). Variadic: inputs
// first, then as many initial values, then the body. Any element type; sizes are the numbers of windows.
template <ops::reduce_window Op, class... Arguments, class Rules = ops::regions_kept<Op, 1, Arguments...>>
constexpr auto reduce_window(Arguments&&... arguments) {
  return ops::call_with_regions<Op>(static_cast<Arguments&&>(arguments)...);
}
template <ops::reduce_window Op, class... Arguments, class Rule = ops::regions_broken<Op, 1, Arguments...>>
void reduce_window(Arguments&&...) = delete;

}  // namespace tenon
