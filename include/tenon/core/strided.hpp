// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <utility>

namespace tenon::core {

// A matrix whose entry (i, j) lies at data[i * row + j * column].
template <class T>
struct strided_matrix {
  T* data;
  index_t row, column;

  constexpr strided_matrix transposed() const { return {data, column, row}; }
  constexpr T* at(index_t i, index_t j) const { return data + i * row + j * column; }
};

// Calls f(offset, ...) for every index below `shape`, in row-major order: one offset, the sum of index * stride, for
// each list of strides.
template <class Function, class... Strides>
constexpr void for_each_offset(const ints& shape, Function f, const Strides&... strides) {
  constexpr int layouts = int(sizeof...(Strides));
  if (shape.product() == 0) return;
  const ints* stride[layouts] = {&strides...};
  index_t at[layouts]{};
  ints index = ints::filled(shape.size, 0);
  const int last = shape.size - 1;
  const index_t row = last < 0 ? 1 : shape.at[last];
  for (;;) {
    // The innermost dimension by itself, for its offsets to stay in registers.
    [&]<int... I>(std::integer_sequence<int, I...>) {
      index_t offset[layouts] = {at[I]...};
      const index_t step[layouts] = {(last < 0 ? 0 : stride[I]->at[last])...};
      for (index_t i = 0; i < row; ++i) {
        f(offset[I]...);
        ((offset[I] += step[I]), ...);
      }
    }(std::make_integer_sequence<int, layouts>{});
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      for (int i = 0; i < layouts; ++i) at[i] += stride[i]->at[axis];
      if (++index.at[axis] < shape.at[axis]) break;
      for (int i = 0; i < layouts; ++i) at[i] -= stride[i]->at[axis] * shape.at[axis];
      index.at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace tenon::core
