// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/inverse.hpp>
#include <tenon/ops/body_rules.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/combiner.hpp>
#include <tenon/ops/tensor_op.hpp>
#include <tenon/ops/window.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#select_and_scatter
struct select_and_scatter {
  static constexpr std::string_view name = "select_and_scatter";
  static constexpr bool moves_bytes = true, selects_in_windows = true, accumulates = true;
  ints window_dimensions{};
  ints window_strides{};  // absent: 1
  ints_table padding{};   // [low, high] per dimension; absent: none

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("window_dimensions", self.window_dimensions) && visit("window_strides", self.window_strides) &&
           visit("padding", self.padding);
  }

  // Operands: operand, source, init_value. Regions: select, scatter.
  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& source,
                              const tensor_type& init_value) const {
    constexpr kinds accepted = kinds::any | kinds::per_tensor_quantized;
    const signature select = rule.regions[0], scatter = rule.regions[1];
    const tensor_type element = operand.with_shape({});
    rule("select_and_scatter_i1", "operand: tensor or per-tensor quantized tensor", rule.is(operand, accepted));
    rule("select_and_scatter_i2", "source: tensor or per-tensor quantized tensor", rule.is(source, accepted));
    rule("select_and_scatter_i3", "init_value: 0-dimensional tensor or per-tensor quantized tensor",
         rule.is(init_value, accepted) && init_value.rank() == 0);
    rule("select_and_scatter_c1", "element_type(operand) = element_type(source)", element == source.with_shape({}));
    rule("select_and_scatter_c3", "element_type(init_value) = element_type(operand)", init_value == element);
    rule("select_and_scatter_c4", "size(window_dimensions) = rank(operand)",
         has_size(window_dimensions, operand.rank()));
    rule("select_and_scatter_c5", "0 < window_dimensions", window_dimensions.positive());
    rule("select_and_scatter_c6", "size(window_strides) = rank(operand)",
         window_strides.empty() || has_size(window_strides, operand.rank()));
    rule("select_and_scatter_c7", "0 < window_strides", window_strides.positive());
    rule("select_and_scatter_c8", "shape(padding) = [rank(operand), 2]",
         padding.empty() || (padding.rows == operand.rank() && padding.columns == 2 && padding.dropped == 0));
    rule("select_and_scatter_c2", "shape(source) = num_windows", source.shape == window().count(operand.shape));
    rule("select_and_scatter_c9", "select: (tensor<E>, tensor<E>) -> tensor<i1>, where E = element_type(operand)",
         rule.regions.size == 2 && select.arguments.size == 2 && select.arguments[0] == element &&
             select.arguments[1] == element && select.results.size == 1 && select.results[0] == type_of(dtype::i1));
    rule("select_and_scatter_c10",
         "scatter: (tensor<E>, tensor<E>) -> tensor<E>, where is_promotable(element_type(operand), E)",
         combines(rule, scatter, {&element, 1}));
    rule.result_shape("select_and_scatter_c11", "shape(operand) = shape(result)", operand.shape);
    rule.result_element("select_and_scatter_c12", "element_type(result) = E", scatter.results[0]);
    return scatter.results[0].with_shape(operand.shape);
  }

  // The arguments of the regions, for front ends that have yet to write them.
  constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) const {
    arguments_of_combiner(operands.part(0, 1), arguments);
  }

  constexpr window_attributes window() const { return {window_dimensions, window_strides, {}, {}, padding}; }

  // An element gets from the windows that cover it, and all elements of a window decide which of them gets.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const ints shape = results[0].shape;
    if (operand == 2) return indexing::scalar_map(shape);
    ints low, strides = window_strides.empty() ? ints::filled(shape.size, 1) : window_strides;
    const ints ones = ints::filled(shape.size, 1);
    const ints sizes = window_dimensions.empty() ? ones : window_dimensions;
    for (int i = 0; i < shape.size; ++i) low.push(padding.empty() ? 0 : padding(i, 0));
    const indexing::indexing_map covered =
        indexing::reduce_window_map(operands[1].shape, shape, sizes, strides, ones, ones, low);
    const indexing::indexing_map windows = indexing::inverse(covered, indexing::integers(shape));
    return operand == 1 ? windows : indexing::compose(windows, covered);
  }

  constexpr batch_dimensions batches(list<tensor_type> operands) const {
    return {window().plain_dimensions(operands[0].shape), 3};
  }

  static constexpr index_t scratch_bytes(list<tensor_type>, list<tensor_type>) { return combiner::scratch_bytes(1); }

  // For regions that kernels/window_selection.hpp does not run. Selects by walking through each window in ascending
  // row-major order; padding is no candidate, and a window without candidates scatters nothing. Scatters in ascending
  // row-major order of the source.
  template <class>
  void evaluate(const evaluation& e) const {
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape);
    window_axis axes[max_rank];
    for (int i = 0; i < shape.size; ++i) axes[i] = window().axis(shape, i);
    combiner scatter(e, 1, e.operand_types.part(1, 1), e.scratch);
    scatter.start(e.operands.data + 2, 0);
    for (index_t i = 0; i < shape.product(); ++i) scatter.store(e.results.data, i);
    index_t from = 0;
    for_each_index(e.operand_types.data[1].shape, [&](const ints& index) {
      index_t selected = -1;
      for_each_index(window_dimensions, [&](const ints& place) {
        index_t offset = 0;
        for (int i = 0; i < shape.size; ++i) {
          const index_t position = axes[i].position(index.at[i], place.at[i]);
          if (position < 0) return;
          offset += position * strides.at[i];
        }
        if (selected < 0 || !keeps(e, selected, offset)) selected = offset;
      });
      if (selected >= 0) {
        scatter.load(e.results.data, selected);
        scatter.take(e.operands.data + 1, from);
        scatter.store(e.results.data, selected);
      }
      ++from;
    });
  }

 private:
  static constexpr bool has_size(const ints& values, int size) { return values.size == size && values.dropped == 0; }

  static bool keeps(const evaluation& e, index_t selected, index_t candidate) {
    const index_t bytes = storage_bytes(e.operand_types.data[0].element);
    const std::byte* const operand = e.operand<std::byte>(0);
    const void* const arguments[] = {operand + selected * bytes, operand + candidate * bytes};
    unsigned char result = 0;
    void* const results[] = {&result};
    e.run(0, arguments, results);
    return result != 0;
  }
};

}  // namespace tenon::ops

namespace tenon {

// select_and_scatter<ops::select_and_scatter{.window_dimensions = ints{2, 2}}>(operand, source, init_value, select,
// scatter), where select and scatter are ops or functions of two scalars: each window of the operand selects an
// element, and scatters an element of source to its place. Any element type; source has an element for each window, the
// result the type of operand.
template <ops::select_and_scatter Op, class... Arguments, class Rules = ops::regions_kept<Op, 2, Arguments...>>
constexpr auto select_and_scatter(Arguments&&... arguments) {
  return ops::call_with_regions<Op, 2>(static_cast<Arguments&&>(arguments)...);
}
template <ops::select_and_scatter Op, class... Arguments, class Rule = ops::regions_broken<Op, 2, Arguments...>>
void select_and_scatter(Arguments&&...) = delete;

}  // namespace tenon
