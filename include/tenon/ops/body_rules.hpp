// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>

namespace tenon::ops {

// is_promotable of the specification for element types as they stand in two tensor types.
constexpr bool is_promotable(const rules& rule, const tensor_type& from, const tensor_type& to) {
  if (from.is_quantized() || to.is_quantized()) {
    const quantization a = rule.quantization_of(from), b = rule.quantization_of(to);
    return from.is_quantized() && to.is_quantized() && a.expressed == b.expressed &&
           num_bits(a.storage) <= num_bits(b.storage);
  }
  return is_promotable(from.element, to.element);
}

// Whether `part` comes from `whole` by leaving out dimensions.
constexpr bool is_subsequence(const ints& part, const ints& whole) {
  int found = 0;
  for (index_t size : whole)
    if (found < part.size && part[found] == size) ++found;
  return found == part.size;
}

// body: (E0, ..., EN-1, E0, ..., EN-1) -> (E0, ..., EN-1), where element_type(inputs[i]) is promotable to Ei. The form
// that reduce, reduce_window, scatter and the reducing collectives ask for. The tensors are 0-dimensional; where a
// `slice` is given, StableHLO's verifier has always let some of its dimensions pass as well.
constexpr bool combines(const rules& rule, const signature& body, list<tensor_type> inputs, const ints& slice = {}) {
  if (body.arguments.size != 2 * inputs.size || body.results.size != inputs.size) return false;
  for (int i = 0; i < inputs.size; ++i) {
    const tensor_type result = body.results[i];
    if (!result.is_tensor() || !is_subsequence(result.shape, slice) || !(body.arguments[i] == result) ||
        !(body.arguments[inputs.size + i] == result) || !is_promotable(rule, inputs[i], result))
      return false;
  }
  return true;
}

// The arguments of such a body where the element types stay the same.
constexpr void arguments_of_combiner(list<tensor_type> inputs, table<tensor_type>& arguments) {
  for (int side = 0; side < 2; ++side)
    for (const tensor_type& input : inputs) arguments.push(input.with_shape({}));
}

}  // namespace tenon::ops
