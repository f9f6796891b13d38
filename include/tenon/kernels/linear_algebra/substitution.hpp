// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>
#include <tenon/ops/contraction/matrices.hpp>

#include <concepts>

namespace tenon::kernels {

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

// Runs an op that solves systems, of floats several at once.
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
