// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/ops/contraction/matrices.hpp>

#include <concepts>
#include <cstring>

namespace tenon::kernels {

// An op that solves triangular systems of equations, of which it says the `layout_of`.
template <class Op>
concept solves_systems = Op::solves_systems;

// Row i of x holds the right sides, then the unknowns i, of all systems.
template <class T, class A, class Layout>
void substitute(const Layout& at, const T* a, A* x) {
  using vector [[gnu::vector_size(64)]] = A;
  constexpr index_t in_vector = 64 / index_t(sizeof(A)), at_once = 4 * in_vector;
  for (index_t step = 0; step < at.n; ++step) {
    const index_t i = at.forward ? step : at.n - 1 - step;
    A* const to = x + i * at_once;
    vector s, t, u, v, p, q, r, z;
    std::memcpy(&s, to, sizeof s), std::memcpy(&t, to + in_vector, sizeof t);
    std::memcpy(&u, to + 2 * in_vector, sizeof u), std::memcpy(&v, to + 3 * in_vector, sizeof v);
    for (index_t k = at.forward ? 0 : i + 1; k < (at.forward ? i : at.n); ++k) {
      const A factor = at.entry(a, i, k);
      const A* const from = x + k * at_once;
      std::memcpy(&p, from, sizeof p), std::memcpy(&q, from + in_vector, sizeof q);
      std::memcpy(&r, from + 2 * in_vector, sizeof r), std::memcpy(&z, from + 3 * in_vector, sizeof z);
      s -= factor * p, t -= factor * q, u -= factor * r, v -= factor * z;
    }
    if (!at.unit_diagonal) {
      const A divisor = at.entry(a, i, i);
      s /= divisor, t /= divisor, u /= divisor, v /= divisor;
    }
    std::memcpy(to, &s, sizeof s), std::memcpy(to + in_vector, &t, sizeof t);
    std::memcpy(to + 2 * in_vector, &u, sizeof u), std::memcpy(to + 3 * in_vector, &v, sizeof v);
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
          substitute(at, a, x);
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
