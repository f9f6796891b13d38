// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <utility>

namespace tenon {

// Calls f(offset, ...) for every index below `shape`, in row-major order: one offset, the sum of index * stride, for
// each list of strides.
template <class Function, class... Strides>
constexpr void for_each_offset(const ints& shape, Function f, const Strides&... strides) {
  constexpr int layouts = int(sizeof...(Strides));
  if (shape.product() == 0) return;
  const ints* stride[layouts] = {&strides...};
  index_t at[layouts]{};
  ints index = ints::filled(shape.size, 0);
  const auto call = [&]<int... I>(std::integer_sequence<int, I...>) { f(at[I]...); };
  for (;;) {
    call(std::make_integer_sequence<int, layouts>{});
    int axis = shape.size - 1;
    for (; axis >= 0; --axis) {
      for (int i = 0; i < layouts; ++i) at[i] += stride[i]->at[axis];
      if (++index.at[axis] < shape.at[axis]) break;
      for (int i = 0; i < layouts; ++i) at[i] -= stride[i]->at[axis] * shape.at[axis];
      index.at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace tenon
