// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/matrices.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

enum class transpose_a_kind { NO_TRANSPOSE, TRANSPOSE, ADJOINT };
template <>
inline constexpr std::string_view core::enumerators<transpose_a_kind>[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#triangular_solve
struct triangular_solve {
  static constexpr std::string_view name = "triangular_solve";
  static constexpr bool dequantizes = true, solves_systems = true;
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

  static constexpr batch_dimensions batches(list<tensor_type> operands) { return {operands[0].rank() - 2}; }

  // So much of every unknown, of as many systems as that holds, where several are solved at once.
  static constexpr index_t bytes_at_once = 256;
  static constexpr bool solves_at_once(dtype element, index_t systems) { return is_float(element) && systems > 1; }

  // Some solutions; narrow floats are computed in f32.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type>) const {
    const tensor_type a = operands[0], b = operands[1];
    const index_t systems = b.dim(b.rank() - (left_side ? 1 : 2));
    const index_t bytes = num_bits(a.element) < 32 ? index_t(sizeof(f32)) : storage_bytes(a.element);
    return a.dim(a.rank() - 1) * (solves_at_once(a.element, systems) ? bytes_at_once : bytes);
  }

  // Where a matrix and its right sides have their elements. x * op(a) = b is transpose(op(a)) * transpose(x) =
  // transpose(b).
  struct layout {
    index_t n, systems;
    index_t row, column;        // steps in the matrix
    index_t next, next_system;  // from an unknown to the next one, and from a right side
    bool forward, adjoint, unit_diagonal;

    template <class T>
    constexpr compute_t<T> entry(const T* a, index_t i, index_t k) const {
      const compute_t<T> value = convert_to<compute_t<T>>(a[i * row + k * column]);
      return adjoint ? conjugate(value) : value;
    }
  };
  constexpr layout layout_of(const ints& a, const ints& b) const {
    const bool transposed = (transpose_a != transpose_a_kind::NO_TRANSPOSE) == left_side;
    const index_t n = a[a.size - 1], width = b[b.size - 1];
    return {n,
            left_side ? width : b[b.size - 2],
            transposed ? 1 : n,
            transposed ? n : 1,
            left_side ? width : 1,
            left_side ? 1 : width,
            lower != transposed,
            transpose_a == transpose_a_kind::ADJOINT,
            unit_diagonal};
  }

  // By substitution, reading one triangle of `a` only. Programs run kernels/linear_algebra/triangular.hpp for floats.
  template <class T>
  void evaluate(const evaluation& e) const {
    using A = compute_t<T>;
    const ints& shape = e.operand_types.data[0].shape;
    const layout at = layout_of(shape, e.operand_types.data[1].shape);
    A* const x = static_cast<A*>(e.scratch);
    for (index_t system = 0; system < stack_size(shape) * at.systems; ++system) {
      const index_t matrix = system / at.systems;
      const T* const a = e.operand<T>(0) + matrix * at.n * at.n;
      const index_t first = matrix * at.n * at.systems + system % at.systems * at.next_system;
      for (index_t step = 0; step < at.n; ++step) {
        const index_t i = at.forward ? step : at.n - 1 - step;
        A sum = convert_to<A>(e.operand<T>(1)[first + i * at.next]);
        for (index_t k = at.forward ? 0 : i + 1; k < (at.forward ? i : at.n); ++k)
          sum = multiply_add(A(-at.entry(a, i, k)), x[k], sum);
        x[i] = unit_diagonal ? sum : sum / at.entry(a, i, i);
        e.result<T>()[first + i * at.next] = convert_to<T>(x[i]);
      }
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// triangular_solve<ops::triangular_solve{.left_side = true, .lower = true}>(a, b): x with op(a) x = b, or x op(a) = b
// without left_side. Floats and complex numbers of one type; a has ... x n x n elements, of which one triangle is read,
// b ... x n x m, or ... x m x n on the right; the result has the type of b.
template <ops::triangular_solve Op, operand_like A, operand_like B>
constexpr auto triangular_solve(A&& a, B&& b, op_check<Op, result_types<>, A, B> = {}) {
  return apply<Op>(static_cast<A&&>(a), static_cast<B&&>(b));
}

}  // namespace tenon
