// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/root.hpp>
#include <tenon/ops/contraction/accumulator.hpp>
#include <tenon/ops/contraction/matrices.hpp>
#include <tenon/ops/tensor_op.hpp>

#include <concepts>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#cholesky
struct cholesky {
  static constexpr std::string_view name = "cholesky";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool dequantizes = true, factors_matrices = true;
  bool lower = false;

  static constexpr bool attributes(auto& self, auto visit) { return visit("lower", self.lower); }

  static constexpr tensor_type infer(rules& rule, const tensor_type& a) {
    rule("cholesky_i1", "a: tensor of floating-point or complex type or per-tensor quantized tensor",
         rule.is(a, matrix_kinds));
    rule("cholesky_c2", "2 <= rank(a)", 2 <= a.rank());
    rule("cholesky_c3", "dim(a, -2) = dim(a, -1)", a.dim(a.rank() - 2) == a.dim(a.rank() - 1));
    return matrix_result(rule, "cholesky_c1", "baseline_type(a) = baseline_type(result)", a);
  }

  // Every element may depend on the whole matrix.
  static constexpr indexing::indexing_map reads(int, int, list<tensor_type> operands, list<tensor_type> results) {
    const int rank = results[0].rank();
    return indexing::whole_axes_map(results[0].shape, operands[0].shape, {rank - 2, rank - 1});
  }

  static constexpr batch_dimensions batches(list<tensor_type> operands) { return {operands[0].rank() - 2}; }

  // Narrow floats are computed in f32, in a matrix of their own; lower factors in rows of the upper one.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type>) const {
    const tensor_type a = operands[0];
    const index_t entries = a.dim(a.rank() - 1) * a.dim(a.rank() - 1);
    if (num_bits(a.element) < 32) return entries * index_t(sizeof(f32));
    return lower && is_float(a.element) ? entries * storage_bytes(a.element) : 0;
  }

  // Reads the one triangle of `a` and writes zeros to the other. A matrix that is not positive definite gives NaN from
  // the first row on that shows it. Programs run kernels/linear_algebra/triangular.hpp for floats.
  template <class T>
  void evaluate(const evaluation& e) const {
    using A = compute_t<T>;
    const ints& shape = e.operand_types.data[0].shape;
    const index_t n = shape[shape.size - 1];
    for (index_t matrix = 0; matrix < stack_size(shape); ++matrix) {
      const T* const a = e.operand<T>(0) + matrix * n * n;
      T* const result = e.result<T>() + matrix * n * n;
      if constexpr (std::same_as<A, T>) {
        factor(a, result, n);
      } else if constexpr (std::floating_point<A>) {
        A* const wide = static_cast<A*>(e.scratch);
        factor(a, wide, n);
        for (index_t i = 0; i < n * n; ++i) result[i] = convert_to<T>(wide[i]);
      }
    }
  }

 private:
  // Row by row: a = l * adjoint(l); the upper factor is adjoint(l).
  template <class T, class A>
  void factor(const T* a, A* result, index_t n) const {
    const index_t row = lower ? n : 1, column = lower ? 1 : n;
    for (index_t i = 0; i < n; ++i) {
      const A* const row_i = result + i * row;
      for (index_t j = 0; j <= i; ++j) {
        const A* const row_j = result + j * row;
        A sum = from_lower(convert_to<A>(a[i * row + j * column]));
        for (index_t k = 0; k < j; ++k)
          sum = multiply_add(A(-from_lower(row_i[k * column])), conjugate(from_lower(row_j[k * column])), sum);
        const A entry = i == j ? root(sum) : sum / from_lower(row_j[j * column]);
        result[i * row + j * column] = from_lower(entry);
      }
      for (index_t j = i + 1; j < n; ++j) result[i * row + j * column] = A{};
    }
  }
  // An entry of the lower factor from what stands in its place, and back.
  template <class A>
  constexpr A from_lower(A entry) const {
    return lower ? entry : conjugate(entry);
  }
  template <class A>
  static constexpr A root(A square) {
    if constexpr (is_complex(dtype_of<A>))
      return {math::sqrt(square.real), 0};
    else
      return math::sqrt(square);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The triangle L with a = L L^H, or by cholesky<false> the upper one U with a = U^H U; the other triangle of a is not
// read, that of the result is 0. Floats and complex numbers, of ... x n x n elements, positive definite (else NaN); the
// result has the type of a.
template <bool Lower = true, operand_like Operand>
constexpr auto cholesky(Operand&& a, op_check<ops::cholesky{Lower}, result_types<>, Operand> = {}) {
  return apply<ops::cholesky{Lower}>(static_cast<Operand&&>(a));
}

}  // namespace tenon
