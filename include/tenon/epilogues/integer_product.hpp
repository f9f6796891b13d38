// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/integers/products.hpp>

#include <algorithm>

namespace tenon::core {

// A product of matrices for an epilogue, which takes some rows at a time.
template <paired_integer T>
void multiply_integers(index_t rows, index_t columns, integer_factors<T> factors, std::int32_t* sums,
                       const epilogue& after) {
  const index_t most = after.most / columns;
  for (index_t i = 0; i < rows; i += most, factors.rows += std::ptrdiff_t(most) * factors.row) {
    const index_t end = std::min(i + most, rows);
    multiply_integers<T>(end - i, columns, factors, sums, columns, false);
    after.run(after.context, i * columns, end * columns);
  }
}

}  // namespace tenon::core
