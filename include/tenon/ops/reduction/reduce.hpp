// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/body_rules.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#reduce
struct reduce {
  static constexpr std::string_view name = "reduce";
  ints dimensions;

  // Operands: N inputs, then N initial values.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const int n = operands.size / 2;
    const list<tensor_type> inputs = operands.part(0, n), init_values = operands.part(n, n);
    rule("reduce_c3", "0 < size(inputs) = size(init_values) = size(results) = N", n > 0 && operands.size == 2 * n);
    rule("reduce_c3", "0 < size(inputs) = size(init_values) = size(results) = N",
         rule.declared.empty() || rule.declared.size == n);
    for (int i = 0; i < n; ++i) {
      rule("reduce_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(inputs[i], kinds::any | kinds::per_tensor_quantized));
      rule("reduce_i2", "init_values: 0-dimensional tensors or per-tensor quantized tensors",
           rule.is(init_values[i], kinds::any | kinds::per_tensor_quantized) && init_values[i].rank() == 0);
      rule("reduce_c1", "same(shape(inputs...))", inputs[i].shape == inputs[0].shape);
      rule("reduce_c2", "element_type(inputs...) = element_type(init_values...)",
           inputs[i].with_shape({}) == init_values[i].with_shape({}));
    }
    rule("reduce_c4", "0 <= dimensions < rank(inputs[0])", dimensions.within(0, inputs[0].rank()));
    rule("reduce_c5", "is_unique(dimensions)", dimensions.unique() && dimensions.dropped == 0);
    const signature body = rule.regions[0];
    rule("reduce_c6", "body: (tensor<E0>, ..., tensor<E0>, ...) -> (tensor<E0>, ...), element types promotable to Ei",
         rule.regions.size == 1 && combines(rule, body, inputs));
    const ints shape = inputs[0].shape.without(dimensions);
    for (int i = 0; i < n; ++i) {
      const tensor_type result = body.results[i].with_shape(shape);
      rule.result_shape("reduce_c7", "shape(results...) = shape(inputs...) without dimensions", shape, i);
      rule.result_element("reduce_c8", "element_type(results[i]) = Ei", result, i);
      results.push(result);
    }
  }

  // What the arguments of the body are, for front ends that have yet to write it.
  constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) const {
    arguments_of_combiner(operands.part(0, operands.size / 2), arguments);
  }
};

}  // namespace tenon::ops
BOOST_HANA_ADAPT_STRUCT(tenon::ops::reduce, dimensions);

namespace tenon {

// The elements along `Dimensions` combined by Body, an associative op or function of two scalars. Variadic: inputs first,
// then as many initial values, then the body.
template <ints Dimensions, class Input, class Init, class Body>
constexpr auto reduce(Input&& input, Init&& init, Body) {
  return apply<ops::reduce{Dimensions}, result_types<>, bodies<Body>>(static_cast<Input&&>(input),
                                                                     static_cast<Init&&>(init));
}

}  // namespace tenon
