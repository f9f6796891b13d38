// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/lapack.hpp>.
#pragma once

#include <tenon/core/eigen.hpp>
#include <tenon/lapack/matrices.hpp>

#include TENON_EIGEN(Eigenvalues)

#include <algorithm>
#include <cmath>

namespace tenon::lapack {

// A = Q T Q^H of a Hermitian matrix, of which one triangle is read: the diagonals of T, and the vectors of the
// reflections beyond them, as LAPACK numbers them for either triangle.
template <class T>
void sytrd(const evaluation& e) {
  const call c(e, 1, 5);
  const index_t n = c.rows(), reflections = n > 0 ? n - 1 : 0;
  const bool lower = c.option("uplo", "LU") == 'L';
  const auto a = c.operand<T>(0, {n, n});
  const auto factors = c.result<T>(0, {n, n});
  const auto diagonal = c.result<real_of<T>>(1, {n}), beside = c.result<real_of<T>>(2, {reflections});
  const auto tau = c.result<T>(3, {reflections});
  const auto info = c.result<std::int32_t>(4, {});
  for (index_t i = 0; i < c.batches(); ++i) {
    info.fill(i, 0);
    matrix<T> whole = a[i];
    factors.set(i, whole);
    if (n > 0) diagonal.set(i, whole.diagonal().real());
    if (reflections == 0) continue;
    // The upper triangle is the lower one of the matrix that is turned by half a circle, and so is all that follows.
    const auto turned = [&](const matrix<T>& x) { return lower ? x : matrix<T>(x.reverse()); };
    const Eigen::Tridiagonalization<matrix<wide_of<T>>> done(turned(whole).template cast<wide_of<T>>());
    matrix<T> packed = turned(whole);
    packed.template triangularView<Eigen::Lower>() = done.packedMatrix().template cast<T>();
    factors.set(i, turned(packed));
    diagonal.set(i, matrix<real_of<T>>(turned(packed).diagonal().real()));
    beside.set(i, matrix<real_of<T>>(turned(packed).diagonal(lower ? -1 : 1).real()));
    tau.set(i, turned(done.householderCoefficients().conjugate().template cast<T>()));
  }
}

// T X = B, where T has the diagonals `below`, of which the first element is not read, `diagonal`, and `above`, without
// the last. Rows that follow each other change places where that makes the pivot larger. info: the first pivot that is
// zero, from 1.
template <class T>
void gtsv(const evaluation& e) {
  const call c(e, 4, 5, 1);
  const index_t n = c.size_of_operand(0, 1), others = c.size_of_operand(3, 1);
  const auto size = [](const T& x) { return std::abs(Eigen::numext::real(x)) + std::abs(Eigen::numext::imag(x)); };
  const auto solution = c.result<T>(3, {n, others});
  const auto info = c.result<std::int32_t>(4, {});
  for (index_t i = 0; i < c.batches(); ++i) {
    const matrix<T> below = c.operand<T>(0, {n})[i];
    matrix<T> diagonal = c.operand<T>(1, {n})[i], above = c.operand<T>(2, {n})[i];
    matrix<T> x = c.operand<T>(3, {n, others})[i], second = matrix<T>::Zero(n, 1);
    c.result<T>(0, {n}).set(i, below), c.result<T>(1, {n}).set(i, diagonal), c.result<T>(2, {n}).set(i, above);
    index_t zero = 0;
    for (index_t k = 0; k < n && zero == 0; ++k) {
      if (k + 1 == n) {
        if (diagonal(k, 0) == T(0)) zero = k + 1;
        break;
      }
      T under = below(k + 1, 0);
      if (size(under) > size(diagonal(k, 0))) {
        std::swap(under, diagonal(k, 0));
        std::swap(above(k, 0), diagonal(k + 1, 0));
        if (k + 2 < n) std::swap(second(k, 0), above(k + 1, 0));
        x.row(k).swap(x.row(k + 1));
      }
      if (diagonal(k, 0) == T(0)) {
        zero = k + 1;
        break;
      }
      const T factor = under / diagonal(k, 0);
      diagonal(k + 1, 0) -= factor * above(k, 0);
      if (k + 2 < n) above(k + 1, 0) -= factor * second(k, 0);
      x.row(k + 1) -= factor * x.row(k);
    }
    for (index_t k = n - 1; zero == 0 && k >= 0; --k) {
      if (k + 1 < n) x.row(k) -= above(k, 0) * x.row(k + 1);
      if (k + 2 < n) x.row(k) -= second(k, 0) * x.row(k + 2);
      x.row(k) /= diagonal(k, 0);
    }
    solution.set(i, x);
    info.fill(i, std::int32_t(zero));
  }
}

inline const targets sytrd_targets("sytrd", "hetrd", []<class T>(const evaluation& e) { sytrd<T>(e); });
inline const targets gtsv_targets("gtsv", "gtsv", []<class T>(const evaluation& e) { gtsv<T>(e); });

}  // namespace tenon::lapack
