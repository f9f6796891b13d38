// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/contraction/matrices.hpp>
#include <tenon/ops/op.hpp>

#include <concepts>
#include <cstring>

namespace tenon {

enum class transpose_a_kind { NO_TRANSPOSE, TRANSPOSE, ADJOINT };
template <>
inline constexpr std::string_view enumerators<transpose_a_kind>[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#triangular_solve
struct triangular_solve {
  static constexpr std::string_view name = "triangular_solve";
  static constexpr bool dequantizes = true;
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  transpose_a_kind transpose_a = transpose_a_kind::NO_TRANSPOSE;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("left_side", self.left_side) && visit("lower", self.lower) &&
           visit("unit_diagonal", self.unit_diagonal) && visit("transpose_a", self.transpose_a);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& a, const tensor_type& b) const {
    constexpr const char* accepted = "tensor of floating-point or complex type or per-tensor quantized tensor";
    const int rank = a.rank();
    rule("triangular_solve_i1", accepted, rule.is(a, matrix_kinds));
    rule("triangular_solve_i2", accepted, rule.is(b, matrix_kinds));
    rule("triangular_solve_c1", "baseline_element_type(a) = baseline_element_type(b)",
         rule.baseline(a) == rule.baseline(b));
    rule("triangular_solve_c2", "2 <= rank(a) = rank(b) = R", 2 <= rank && rank == b.rank());
    const ints matrix{rank - 2, rank - 1};
    rule("triangular_solve_c3", "shape(a)[:-3] = shape(b)[:-3]", a.shape.without(matrix) == b.shape.without(matrix));
    rule("triangular_solve_c3", "dim(a, -2) = dim(a, -1) = dim(b, left_side ? -2 : -1)",
         a.dim(rank - 2) == a.dim(rank - 1) && a.dim(rank - 1) == b.dim(left_side ? rank - 2 : rank - 1));
    return matrix_result(rule, "triangular_solve_c4", "baseline_type(b) = baseline_type(result)", b);
  }

  // A column of the result depends on the whole matrix and on that column of b; without left_side, a row.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const int rank = results[0].rank();
    const ints whole = operand == 0 ? ints{rank - 2, rank - 1} : left_side ? ints{rank - 2} : ints{rank - 1};
    return indexing::whole_axes_map(results[0].shape, operands[operand].shape, whole);
  }

  // Some solutions; narrow floats are computed in f32.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type>) const {
    const tensor_type a = operands[0], b = operands[1];
    const index_t systems = b.dim(b.rank() - (left_side ? 1 : 2));
    const index_t bytes = num_bits(a.element) < 32 ? index_t(sizeof(f32)) : storage_bytes(a.element);
    return a.dim(a.rank() - 1) * (solves_at_once(a.element, systems) ? bytes_at_once : bytes);
  }

  // By substitution, reading one triangle of `a` only.
  template <class T>
  void evaluate(const evaluation& e) const {
    using A = compute_t<T>;
    const ints &shape = e.operand_types.data[0].shape, &b_shape = e.operand_types.data[1].shape;
    const index_t n = shape[shape.size - 1];
    const index_t width = b_shape[b_shape.size - 1], systems = left_side ? width : b_shape[b_shape.size - 2];
    // x * op(a) = b is transpose(op(a)) * transpose(x) = transpose(b).
    const bool transposed = (transpose_a != transpose_a_kind::NO_TRANSPOSE) == left_side;
    const bool adjoint = transpose_a == transpose_a_kind::ADJOINT;
    const index_t row = transposed ? 1 : n, column = transposed ? n : 1;
    const index_t next = left_side ? width : 1, next_system = left_side ? 1 : width;
    const bool forward = lower != transposed;
    A* const x = static_cast<A*>(e.scratch);
    for (index_t matrix = 0; matrix < stack_size(shape); ++matrix) {
      const T* const a = e.operand<T>(0) + matrix * n * n;
      const T* const b = e.operand<T>(1) + matrix * n * systems;
      T* const result = e.result<T>() + matrix * n * systems;
      const auto entry = [&](index_t i, index_t k) {
        const A value = convert_to<A>(a[i * row + k * column]);
        return adjoint ? conjugate(value) : value;
      };
      if constexpr (std::floating_point<A>) {
        constexpr index_t at_once = bytes_at_once / index_t(sizeof(A));
        if (solves_at_once(dtype_of<T>, systems)) {
          for (index_t first = 0; first < systems; first += at_once) {
            const index_t some = systems - first < at_once ? systems - first : at_once;
            for (index_t i = 0; i < n; ++i)
              for (index_t s = 0; s < at_once; ++s)
                x[i * at_once + s] = s < some ? convert_to<A>(b[(first + s) * next_system + i * next]) : A(0);
            substitute(n, forward, entry, x);
            for (index_t i = 0; i < n; ++i)
              for (index_t s = 0; s < some; ++s)
                result[(first + s) * next_system + i * next] = convert_to<T>(x[i * at_once + s]);
          }
          continue;
        }
      }
      for (index_t system = 0; system < systems; ++system) {
        const index_t first = system * next_system;
        for (index_t step = 0; step < n; ++step) {
          const index_t i = forward ? step : n - 1 - step;
          A sum = convert_to<A>(b[first + i * next]);
          for (index_t k = forward ? 0 : i + 1; k < (forward ? i : n); ++k) sum = sum - entry(i, k) * x[k];
          x[i] = unit_diagonal ? sum : sum / entry(i, i);
          result[first + i * next] = convert_to<T>(x[i]);
        }
      }
    }
  }

 private:
  // So much of every unknown: of as many systems as that holds.
  static constexpr index_t bytes_at_once = 256;

  static constexpr bool solves_at_once(dtype element, index_t systems) { return is_float(element) && systems > 1; }

  // Row i of x holds the right sides, then the unknowns i, of all systems.
  template <class A, class Entry>
  void substitute(index_t n, bool forward, Entry entry, A* x) const {
    using vector [[gnu::vector_size(64)]] = A;
    constexpr index_t in_vector = 64 / index_t(sizeof(A)), at_once = bytes_at_once / index_t(sizeof(A));
    for (index_t step = 0; step < n; ++step) {
      const index_t i = forward ? step : n - 1 - step;
      A* const to = x + i * at_once;
      vector s, t, u, v, p, q, r, z;
      std::memcpy(&s, to, sizeof s), std::memcpy(&t, to + in_vector, sizeof t);
      std::memcpy(&u, to + 2 * in_vector, sizeof u), std::memcpy(&v, to + 3 * in_vector, sizeof v);
      for (index_t k = forward ? 0 : i + 1; k < (forward ? i : n); ++k) {
        const A factor = entry(i, k);
        const A* const from = x + k * at_once;
        std::memcpy(&p, from, sizeof p), std::memcpy(&q, from + in_vector, sizeof q);
        std::memcpy(&r, from + 2 * in_vector, sizeof r), std::memcpy(&z, from + 3 * in_vector, sizeof z);
        s -= factor * p, t -= factor * q, u -= factor * r, v -= factor * z;
      }
      if (!unit_diagonal) {
        const A divisor = entry(i, i);
        s /= divisor, t /= divisor, u /= divisor, v /= divisor;
      }
      std::memcpy(to, &s, sizeof s), std::memcpy(to + in_vector, &t, sizeof t);
      std::memcpy(to + 2 * in_vector, &u, sizeof u), std::memcpy(to + 3 * in_vector, &v, sizeof v);
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// triangular_solve<ops::triangular_solve{.left_side = true, .lower = true}>(a, b)
template <ops::triangular_solve Op, operand_like A, operand_like B>
constexpr auto triangular_solve(A&& a, B&& b) {
  return apply<Op>(static_cast<A&&>(a), static_cast<B&&>(b));
}

}  // namespace tenon
