// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/copy_value.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#map
struct map {
  static constexpr std::string_view name = "map";
  static constexpr bool moves_bytes = true;
  ints dimensions{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("dimensions", self.dimensions); }

  constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) const {
    const signature computation = rule.regions[0];
    const ints shape = inputs[0].shape;
    rule("map_c2", "0 < size(inputs) = N", inputs.size > 0);
    for (const tensor_type& input : inputs) {
      rule("map_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(input, kinds::any | kinds::per_tensor_quantized));
      rule("map_c1", "shape(inputs...) = shape(result)", input.shape == shape);
    }
    rule("map_c3", "dimensions = range(rank(inputs[0]))", dimensions == ints::range(shape.size));
    bool suits = rule.regions.size == 1 && computation.arguments.size == inputs.size && computation.results.size == 1 &&
                 computation.results[0].rank() == 0 &&
                 rule.is(computation.results[0], kinds::any | kinds::per_tensor_quantized);
    for (int i = 0; i < inputs.size; ++i) suits = suits && computation.arguments[i] == inputs[i].with_shape({});
    rule("map_c4",
         "computation: (tensor<E0>, ..., tensor<EN-1>) -> tensor<E'> where Ei = element_type(inputs[i]) and E' = "
         "element_type(result)",
         suits);
    tensor_type result = computation.results[0].with_shape(shape);
    result.bounded = inputs[0].bounded;
    rule.result_element("map_c4", "element_type(result) = E'", result);
    rule.result_shape("map_c1", "shape(inputs...) = shape(result)", shape);
    results.push(result);
  }

  static constexpr void region_arguments(int, list<tensor_type> inputs, table<tensor_type>& arguments) {
    for (const tensor_type& input : inputs) arguments.push(input.with_shape({}));
  }

  // Element by element.
  static constexpr indexing::indexing_map reads(int, int, list<tensor_type>, list<tensor_type> results) {
    return indexing::identity_map(results[0].shape);
  }

  static constexpr index_t scratch_bytes(list<tensor_type> inputs, list<tensor_type>) {
    return bytes_of_pointers(inputs.size);
  }

  template <class>
  void evaluate(const evaluation& e) const {
    const auto arguments = static_cast<const void**>(e.scratch);
    const tensor_type& type = e.result_types.data[0];
    const index_t count = type.size(), step = storage_bytes(type.element);
    if (const lane_function lanes = e.lanes_of(0)) return lanes(e.operands.data, e.results.data, count);
    for (index_t i = 0; i < count; ++i) {
      for (int k = 0; k < e.operands.size; ++k)
        arguments[k] = e.operand<unsigned char>(k) + i * storage_bytes(e.operand_types.data[k].element);
      void* result = e.result<unsigned char>() + i * step;
      e.run(0, arguments, &result);
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// map<Dimensions>(inputs..., function): what the function makes of one element of each; Dimensions are all there are.
// Inputs of one shape and any element types; the result has their shape, and the element type that the function gives.
template <ints Dimensions, class... Arguments, class Rules = ops::regions_kept<ops::map{Dimensions}, 1, Arguments...>>
constexpr auto map(Arguments&&... arguments) {
  return ops::call_with_regions<ops::map{Dimensions}>(static_cast<Arguments&&>(arguments)...);
}
template <ints Dimensions, class... Arguments, class Rule = ops::regions_broken<ops::map{Dimensions}, 1, Arguments...>>
void map(Arguments&&...) = delete;

}  // namespace tenon
