// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/lapack.hpp>.
#pragma once

#include <tenon/core/eigen.hpp>
#include <tenon/lapack/matrices.hpp>

#include TENON_EIGEN(Cholesky)

#include <algorithm>
#include <cmath>

namespace tenon::lapack {

// The number, from 1, of the first leading minor of a Hermitian matrix that is not positive; 0 if all of them are.
template <class T>
int first_minor_not_positive(matrix<T> a) {
  for (index_t k = 0; k < a.rows(); ++k) {
    const real_of<T> pivot = Eigen::numext::real(a(k, k)) - a.row(k).head(k).squaredNorm();
    if (!(pivot > 0)) return int(k + 1);
    const real_of<T> root = std::sqrt(pivot);
    a(k, k) = root;
    const index_t below = a.rows() - k - 1;
    a.col(k).tail(below) =
        ((a.col(k).tail(below) - a.bottomLeftCorner(below, k) * a.row(k).head(k).adjoint()) / root).eval();
  }
  return 0;
}

// A = L L^H, or U^H U; the other triangle stays. Info: 0, or the first leading minor that is not positive.
template <class T>
void potrf(const evaluation& e) {
  const call c(e, 1, 2);
  const index_t n = c.rows();
  const auto a = c.operand<T>(0, {n, n});
  const auto factor = c.result<T>(0, {n, n});
  const auto info = c.result<std::int32_t>(1, {});
  const bool lower = c.option("uplo", "LU") == 'L';
  for (index_t i = 0; i < c.batches(); ++i) {
    const matrix<T> whole = a[i];
    matrix<T> triangle = whole;
    if (!lower) triangle = whole.adjoint();
    const Eigen::LLT<matrix<T>> done(triangle);
    // Eigen takes a pivot that is no number for a positive one.
    const bool positive =
        n == 0 || (done.info() == Eigen::Success && done.matrixLLT().diagonal().real().minCoeff() > 0 &&
                   !done.matrixLLT().diagonal().real().hasNaN());
    info.fill(i, positive ? 0 : std::max(1, first_minor_not_positive<T>(triangle)));
    matrix<T> result = whole;
    if (lower) {
      result.template triangularView<Eigen::Lower>() = done.matrixLLT();
    } else {
      result.template triangularView<Eigen::Upper>() = done.matrixLLT().adjoint();
    }
    factor.set(i, result);
  }
}

// op(A) X = B, or X op(A) = B, where A is triangular and op(A) is A, A^T or A^H.
template <class T>
void trsm(const evaluation& e) {
  const call c(e, 2, 1);
  const index_t n = c.rows();
  const bool left = c.option("side", "LR") == 'L', unit = c.option("diag", "NU") == 'U';
  const char form = c.option("trans_x", "NTC");
  // The system from the left has the triangle on the other side if one of its forms is a transposition, not both.
  const bool lower = (c.option("uplo", "LU") == 'L') == ((form == 'N') == left);
  const index_t others = c.size_of_operand(1, left ? 1 : 2);
  const ints shape = left ? ints{n, others} : ints{others, n};
  const auto a = c.operand<T>(0, {n, n});
  const auto b = c.operand<T>(1, shape);
  const auto x = c.result<T>(0, shape);
  for (index_t i = 0; i < c.batches() && n * others > 0; ++i) {
    // X op(A) = B is op(A)^T X^T = B^T.
    matrix<T> system = a[i], solved = b[i];
    if (form == 'C') system = system.conjugate().eval();
    if ((form == 'N') != left) system.transposeInPlace();
    if (!left) solved = b[i].transpose();
    if (unit) system.diagonal().setOnes();
    if (lower) {
      system.template triangularView<Eigen::Lower>().solveInPlace(solved);
    } else {
      system.template triangularView<Eigen::Upper>().solveInPlace(solved);
    }
    if (!left) solved.transposeInPlace();
    x.set(i, solved);
  }
}

// P A = L U with partial pivoting, over A; `pivots[k]`, from 1, is the row that row k + 1 changed places with. Gives
// the first column, from 1, whose pivot is zero, or 0.
template <class T>
int factor_in_place(matrix<T>& a, matrix<std::int32_t>& pivots) {
  constexpr index_t panel = 32;
  const auto size = [](const T& x) { return std::abs(Eigen::numext::real(x)) + std::abs(Eigen::numext::imag(x)); };
  const index_t m = a.rows(), n = a.cols(), steps = std::min(m, n);
  int info = 0;
  for (index_t first = 0; first < steps; first += panel) {
    const index_t width = std::min(panel, steps - first), last = first + width;
    for (index_t k = first; k < last; ++k) {
      index_t pivot = k;
      for (index_t row = k + 1; row < m; ++row)
        if (size(a(row, k)) > size(a(pivot, k))) pivot = row;
      pivots(k, 0) = std::int32_t(pivot + 1);
      if (a(pivot, k) == T(0)) {
        if (info == 0) info = int(k + 1);
        continue;
      }
      if (pivot != k) a.row(k).swap(a.row(pivot));
      a.col(k).tail(m - k - 1) /= a(k, k);
      a.block(k + 1, k + 1, m - k - 1, last - k - 1).noalias() -=
          a.col(k).tail(m - k - 1) * a.row(k).segment(k + 1, last - k - 1);
    }
    if (last == n) break;
    auto right = a.block(first, last, width, n - last);
    a.block(first, first, width, width).template triangularView<Eigen::UnitLower>().solveInPlace(right);
    if (last < m) a.bottomRightCorner(m - last, n - last).noalias() -= a.block(last, first, m - last, width) * right;
  }
  return info;
}

template <class T>
void getrf(const evaluation& e) {
  const call c(e, 1, 3);
  const index_t m = c.rows(), n = c.columns(), steps = std::min(m, n);
  const auto a = c.operand<T>(0, {m, n});
  const auto factors = c.result<T>(0, {m, n});
  const auto pivots = c.result<std::int32_t>(1, {steps});
  const auto info = c.result<std::int32_t>(2, {});
  for (index_t i = 0; i < c.batches(); ++i) {
    matrix<T> work = a[i];
    matrix<std::int32_t> rows(steps, 1);
    info.fill(i, factor_in_place(work, rows));
    factors.set(i, work);
    pivots.set(i, rows);
  }
}

inline const targets potrf_targets("potrf", "potrf", []<class T>(const evaluation& e) { potrf<T>(e); });
inline const targets trsm_targets("trsm", "trsm", []<class T>(const evaluation& e) { trsm<T>(e); });
inline const targets getrf_targets("getrf", "getrf", []<class T>(const evaluation& e) { getrf<T>(e); });

}  // namespace tenon::lapack
