// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan/known_walks.hpp>

namespace tenon::kernels {

// Whether the elements of a value of 32 or 64 bits are sums of multiples of their indices, which the program says.
constexpr bool counted_value(const graph& g, int value, ints& multiples) {
  const tensor_type& type = g.type_of_value(value);
  if (!is_dense_tensor(type) || !is_integer(type.element) || num_bits(type.element) < 32) return false;
  const ints strides = strides_of(type.shape);
  strided_access all;
  if (!planning::known_walks(g, type.size()).find(value, {type.shape, strides, 0}, all) || all.base != 0) return false;
  multiples = {};
  for (int d = 0; d < type.rank(); ++d) {
    const index_t size = type.shape.at[d];
    strided_access line;
    if (!planning::known_walks(g, size).find(value, {{size}, {strides.at[d]}, 0}, line)) return false;
    if (line.sizes.size > 1) return false;
    multiples.push(line.sizes.empty() ? 0 : line.strides.at[0]);
  }
  return true;
}

}  // namespace tenon::kernels
