// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/body_rules.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/combiner.hpp>
#include <tenon/ops/tensor_op.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#reduce
struct reduce {
  static constexpr std::string_view name = "reduce";
  static constexpr op_notation notation = op_notation::reduce;
  static constexpr bool moves_bytes = true, folds = true, accumulates = true;
  static constexpr int least_range = 1;
  ints dimensions{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("dimensions", self.dimensions); }

  // Operands: N inputs, then N initial values.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const int n = operands.size / 2;
    const list<tensor_type> inputs = operands.part(0, n), init_values = operands.part(n, n);
    const signature body = rule.regions[0];
    rule("reduce_c3", "0 < size(inputs) = size(init_values) = size(results) = N",
         n > 0 && operands.size == 2 * n && (rule.declared.empty() || rule.declared.size == n));
    for (int i = 0; i < n; ++i) {
      rule("reduce_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(inputs[i], kinds::any | kinds::per_tensor_quantized));
      rule("reduce_i2", "init_values: 0-dimensional tensors or per-tensor quantized tensors",
           rule.is(init_values[i], kinds::any | kinds::per_tensor_quantized) &&
               (init_values[i].rank() == 0 || init_values[i].shape == body.results[i].shape));
      rule("reduce_c1", "same(shape(inputs...))", inputs[i].shape == inputs[0].shape);
      rule("reduce_c2", "element_type(inputs...) = element_type(init_values...)",
           inputs[i].with_shape({}) == init_values[i].with_shape({}));
    }
    rule("reduce_c4", "0 <= dimensions < rank(inputs[0])", dimensions.within(0, inputs[0].rank()));
    rule("reduce_c5", "is_unique(dimensions)", dimensions.unique() && dimensions.dropped == 0);
    const ints shape = inputs[0].shape.without(dimensions);
    rule("reduce_c6", "body: (tensor<E0>, ..., tensor<E0>, ...) -> (tensor<E0>, ...), element types promotable to Ei",
         rule.regions.size == 1 && combines(rule, body, inputs, shape));
    for (int i = 0; i < n; ++i) {
      tensor_type result = body.results[i].with_shape(shape);
      int kept = 0;
      for (int axis = 0; axis < inputs[i].rank(); ++axis)
        if (!dimensions.contains(axis)) result.bounded |= std::uint8_t((inputs[i].bounded >> axis & 1) << kept++);
      rule.result_shape("reduce_c7", "shape(results...) = shape(inputs...) without dimensions", shape, i);
      rule.result_element("reduce_c8", "element_type(results[i]) = Ei", result, i);
      results.push(result);
    }
  }

  constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) const {
    arguments_of_combiner(operands.part(0, operands.size / 2), arguments);
  }

  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    if (operand >= operands.size / 2) return indexing::scalar_map(result.shape);
    return indexing::reduce_map(result.shape, operands[operand].shape, dimensions);
  }

  constexpr const ints& folded_axes() const { return dimensions; }

  static constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type>) {
    return combiner::scratch_bytes(operands.size / 2);
  }

  // For bodies that neither kernels/fold.hpp nor kernels/body_fold.hpp runs. Starts from the initial values and takes
  // the elements one by one, in ascending row-major order of the reduced indices: body(...body(body(init, x0), x1)...,
  // xn).
  template <class>
  void evaluate(const evaluation& e) const {
    const int n = e.operands.size / 2;
    if (e.regions[0].results[0].rank() != 0) fail("reduce: only a body of 0-dimensional tensors can be run");
    combiner body(e, 0, e.operand_types.part(0, n), e.scratch);
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape);
    const ints reduced_shape = shape.select(sorted(dimensions)), reduced_strides = strides.select(sorted(dimensions));
    index_t result = 0;
    for_each_offset(
        shape.without(dimensions),
        [&](index_t first) {
          body.start(e.operands.data + n, 0);
          for_each_offset(
              reduced_shape, [&](index_t offset) { body.take(e.operands.data, first + offset); }, reduced_strides);
          body.store(e.results.data, result++);
        },
        strides.without(dimensions));
  }

 private:
  static constexpr ints sorted(const ints& axes) {
    ints result;
    for (int axis = 0; axis < max_rank; ++axis)
      if (axes.contains(axis)) result.push(axis);
    return result;
  }
};

}  // namespace tenon::ops

namespace tenon {

// The elements along `Dimensions` combined by a body, an associative op or function of scalars: reduce<ints{1}>(input,
// init, ops::add{}). Variadic: inputs first, then as many initial values, then the body. Any element type; these
// dimensions go. `sum`, `max` ... have the common cases.
template <ints Dimensions, class... Arguments,
          class Rules = ops::regions_kept<ops::reduce{Dimensions}, 1, Arguments...>>
constexpr auto reduce(Arguments&&... arguments) {
  return ops::call_with_regions<ops::reduce{Dimensions}>(static_cast<Arguments&&>(arguments)...);
}
template <ints Dimensions, class... Arguments,
          class Rule = ops::regions_broken<ops::reduce{Dimensions}, 1, Arguments...>>
void reduce(Arguments&&...) = delete;

}  // namespace tenon
