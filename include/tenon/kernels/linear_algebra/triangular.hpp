// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>
#include <tenon/math/root.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/matrices.hpp>

#include <concepts>

namespace tenon::kernels {

// An op that writes a triangular factor of each matrix: the lower one if it says `lower`, else the upper one.
template <class Op>
concept factors_matrices = Op::factors_matrices;

// a = transposed(u) * u, row by row, in place of the upper triangle: from a row, all rows before are taken away in
// turn.
template <class A>
void factor_rows(A* u, index_t n) {
  using vec = tiling::product_lanes<A>;
  const index_t lanes = vec::count();
  for (index_t j = 0; j < n; ++j) {
    A* const row = u + j * n;
    index_t k = 0;
    for (; k + 4 <= j; k += 4) {
      const A *const a = u + k * n, *const b = a + n, *const c = b + n, *const d = c + n;
      const A of_a = -a[j], of_b = -b[j], of_c = -c[j], of_d = -d[j];
      index_t i = j;
      for (; i + lanes <= n; i += lanes) {
        auto sum = vec::multiply_add(vec::broadcast(of_a), vec::load(a + i), vec::load(row + i));
        sum = vec::multiply_add(vec::broadcast(of_b), vec::load(b + i), sum);
        sum = vec::multiply_add(vec::broadcast(of_c), vec::load(c + i), sum);
        vec::store(vec::multiply_add(vec::broadcast(of_d), vec::load(d + i), sum), row + i);
      }
      for (; i < n; ++i) {
        row[i] = ops::multiply_add(of_b, b[i], ops::multiply_add(of_a, a[i], row[i]));
        row[i] = ops::multiply_add(of_d, d[i], ops::multiply_add(of_c, c[i], row[i]));
      }
    }
    for (; k < j; ++k)
      for (index_t i = j; i < n; ++i) row[i] = ops::multiply_add(-u[k * n + j], u[k * n + i], row[i]);
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

// An op that solves triangular systems of equations, of which it says the `layout_of`.
template <class Op>
concept solves_systems = Op::solves_systems;

// Row i of x holds the right sides, then the unknowns i, of `at_once` systems.
template <class T, class A, class Layout>
void substitute(const Layout& at, const T* a, A* x, index_t at_once) {
  using vec = tiling::product_lanes<A>;
  const index_t lanes = vec::count();
  for (index_t step = 0; step < at.n; ++step) {
    const index_t i = at.forward ? step : at.n - 1 - step;
    A* const to = x + i * at_once;
    for (index_t first = 0; first < at_once; first += 4 * lanes) {
      auto s = vec::load(to + first), t = vec::load(to + first + lanes);
      auto u = vec::load(to + first + 2 * lanes), v = vec::load(to + first + 3 * lanes);
      for (index_t k = at.forward ? 0 : i + 1; k < (at.forward ? i : at.n); ++k) {
        const auto factor = vec::broadcast(-at.entry(a, i, k));
        const A* const from = x + k * at_once + first;
        s = vec::multiply_add(factor, vec::load(from), s), t = vec::multiply_add(factor, vec::load(from + lanes), t);
        u = vec::multiply_add(factor, vec::load(from + 2 * lanes), u);
        v = vec::multiply_add(factor, vec::load(from + 3 * lanes), v);
      }
      vec::store(s, to + first), vec::store(t, to + first + lanes);
      vec::store(u, to + first + 2 * lanes), vec::store(v, to + first + 3 * lanes);
    }
    if (at.unit_diagonal) continue;
    const A divisor = at.entry(a, i, i);
    for (index_t l = 0; l < at_once; ++l) to[l] /= divisor;
  }
}

template <class Op, class T>
void substitution_kernel(const evaluation& e) {
  using A = compute_t<T>;
  const Op op = read_attributes<Op>(e.words);
  const ints &shape = e.operand_types.data[0].shape, &right = e.operand_types.data[1].shape;
  const auto at = op.layout_of(shape, right);
  if constexpr (std::floating_point<A>) {
    if (op.solves_at_once(dtype_of<T>, at.systems)) {
      constexpr index_t at_once = Op::bytes_at_once / index_t(sizeof(A));
      A* const x = static_cast<A*>(e.scratch);
      for (index_t matrix = 0; matrix < ops::stack_size(shape); ++matrix) {
        const T* const a = e.operand<T>(0) + matrix * at.n * at.n;
        const T* const b = e.operand<T>(1) + matrix * at.n * at.systems;
        T* const result = e.result<T>() + matrix * at.n * at.systems;
        for (index_t first = 0; first < at.systems; first += at_once) {
          const index_t some = at.systems - first < at_once ? at.systems - first : at_once;
          for (index_t i = 0; i < at.n; ++i)
            for (index_t s = 0; s < at_once; ++s)
              x[i * at_once + s] = s < some ? convert_to<A>(b[(first + s) * at.next_system + i * at.next]) : A(0);
          substitute(at, a, x, at_once);
          for (index_t i = 0; i < at.n; ++i)
            for (index_t s = 0; s < some; ++s)
              result[(first + s) * at.next_system + i * at.next] = convert_to<T>(x[i * at_once + s]);
        }
      }
      return;
    }
  }
  op.template evaluate<T>(e);
}

}  // namespace tenon::kernels
