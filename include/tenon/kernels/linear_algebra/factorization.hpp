// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/math/root.hpp>
#include <tenon/ops/contraction/matrices.hpp>

#include <concepts>
#include <cstring>

namespace tenon::kernels {

// An op that writes a triangular factor of each matrix: the lower one if it says `lower`, else the upper one.
template <class Op>
concept factors_matrices = Op::factors_matrices;

// a = transposed(u) * u, row by row, in place of the upper triangle: from a row, all rows before are taken away in
// turn.
template <class A>
void factor_rows(A* u, index_t n) {
  using vector [[gnu::vector_size(64)]] = A;
  constexpr index_t in_vector = 64 / index_t(sizeof(A));
  for (index_t j = 0; j < n; ++j) {
    A* const row = u + j * n;
    index_t k = 0;
    for (; k + 4 <= j; k += 4) {
      const A *const a = u + k * n, *const b = a + n, *const c = b + n, *const d = c + n;
      const A of_a = a[j], of_b = b[j], of_c = c[j], of_d = d[j];
      index_t i = j;
      for (; i + in_vector <= n; i += in_vector) {
        vector sum, p, q, r, s;
        std::memcpy(&sum, row + i, sizeof sum);
        std::memcpy(&p, a + i, sizeof p), std::memcpy(&q, b + i, sizeof q);
        std::memcpy(&r, c + i, sizeof r), std::memcpy(&s, d + i, sizeof s);
        sum -= of_a * p, sum -= of_b * q, sum -= of_c * r, sum -= of_d * s;
        std::memcpy(row + i, &sum, sizeof sum);
      }
      for (; i < n; ++i) row[i] = row[i] - of_a * a[i] - of_b * b[i] - of_c * c[i] - of_d * d[i];
    }
    for (; k < j; ++k)
      for (index_t i = j; i < n; ++i) row[i] -= u[k * n + j] * u[k * n + i];
    const A diagonal = math::sqrt(row[j]);
    row[j] = diagonal;
    for (index_t i = j + 1; i < n; ++i) row[i] /= diagonal;
  }
}

// Runs an op that factors matrices of floats. The lower factor is the upper one transposed, which is computed in rows.
template <class Op, class T>
void factorization_kernel(const evaluation& e) {
  using A = compute_t<T>;
  const Op op = read_attributes<Op>(e.words);
  if constexpr (std::floating_point<A>) {
    const ints& shape = e.operand_types.data[0].shape;
    const index_t n = shape[shape.size - 1];
    const bool lower = op.lower, in_place = !lower && std::same_as<A, T>;
    for (index_t matrix = 0; matrix < ops::stack_size(shape); ++matrix) {
      const T* const a = e.operand<T>(0) + matrix * n * n;
      T* const result = e.result<T>() + matrix * n * n;
      A* const upper = in_place ? reinterpret_cast<A*>(result) : static_cast<A*>(e.scratch);
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j)
          upper[i * n + j] = j < i ? A(0) : convert_to<A>(lower ? a[j * n + i] : a[i * n + j]);
      factor_rows(upper, n);
      for (index_t i = 0; i < n && !in_place; ++i)
        for (index_t j = 0; j < n; ++j) result[i * n + j] = convert_to<T>(lower ? upper[j * n + i] : upper[i * n + j]);
    }
  } else {
    op.template evaluate<T>(e);
  }
}

}  // namespace tenon::kernels
