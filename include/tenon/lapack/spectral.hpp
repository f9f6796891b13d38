// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/lapack.hpp>.
#pragma once

#include <tenon/core/eigen.hpp>
#include <tenon/lapack/matrices.hpp>

#include TENON_EIGEN(Eigenvalues)
#include TENON_EIGEN(SVD)

#include <algorithm>

namespace tenon::lapack {

// A V = V diag(w) of a Hermitian matrix, of which one triangle is read; w ascends. Where that does not converge, w and
// V are no numbers and info is 1.
template <class T>
void syevd(const evaluation& e) {
  const call c(e, 1, 3);
  const index_t n = c.rows();
  const auto a = c.operand<T>(0, {n, n});
  const auto vectors = c.result<T>(0, {n, n});
  const auto values = c.result<real_of<T>>(1, {n});
  const auto info = c.result<std::int32_t>(2, {});
  const bool lower = c.option("uplo", "LU") == 'L', wants_vectors = c.option("mode", "NV") == 'V';
  const Eigen::DecompositionOptions wanted = wants_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly;
  for (index_t i = 0; i < c.batches(); ++i) {
    // Of which Eigen reads the lower triangle.
    matrix<wide_of<T>> whole = a[i].template cast<wide_of<T>>();
    if (!lower) whole.adjointInPlace();
    whole.template triangularView<Eigen::StrictlyUpper>().setZero();
    Eigen::SelfAdjointEigenSolver<matrix<wide_of<T>>> done;
    const bool finite = whole.allFinite();
    if (finite && n > 0) done.compute(whole, wanted);
    const bool solved = n == 0 || (finite && done.info() == Eigen::Success);
    info.fill(i, solved ? 0 : 1);
    if (!solved) {
      vectors.fill(i, not_a_number<T>);
      values.fill(i, not_a_number<real_of<T>>);
    } else if (n > 0) {
      vectors.set(i, wants_vectors ? matrix<T>(done.eigenvectors().template cast<T>()) : a[i]);
      values.set(i, done.eigenvalues().template cast<real_of<T>>());
    }
  }
}

// A = U diag(s) V^H, s descends; mode A: all columns of U and rows of V^H, S: as many as s has, N: none. Where A has
// elements that are no finite numbers, the parts are no numbers and info is -4, as gesdd says of its operand.
template <class T>
void gesdd(const evaluation& e) {
  const call c(e, 1, 5);
  const index_t m = c.rows(), n = c.columns(), least = std::min(m, n);
  const char mode = c.option("mode", "ASN");
  // Without vectors their results are of either size.
  const index_t kept_of_u = mode == 'S' || (mode == 'N' && c.size_of_result(2, 1) != m) ? least : m;
  const index_t kept_of_v = mode == 'S' || (mode == 'N' && c.size_of_result(3, 2) != n) ? least : n;
  const auto a = c.operand<T>(0, {m, n});
  const auto left_over = c.result<T>(0, {m, n});
  const auto values = c.result<real_of<T>>(1, {least});
  const auto u = c.result<T>(2, {m, kept_of_u});
  const auto v = c.result<T>(3, {kept_of_v, n});
  const auto info = c.result<std::int32_t>(4, {});
  constexpr unsigned all = Eigen::ComputeFullU | Eigen::ComputeFullV, some = Eigen::ComputeThinU | Eigen::ComputeThinV;
  const unsigned wanted = mode == 'A' ? all : mode == 'S' ? some : 0;
  for (index_t i = 0; i < c.batches(); ++i) {
    const matrix<T> whole = a[i];
    left_over.set(i, whole);
    if (least == 0) {
      u.set(i, matrix<T>::Identity(m, kept_of_u));
      v.set(i, matrix<T>::Identity(kept_of_v, n));
      info.fill(i, 0);
      continue;
    }
    Eigen::BDCSVD<matrix<wide_of<T>>> done;
    const bool finite = whole.allFinite();
    if (finite) done.compute(whole.template cast<wide_of<T>>(), wanted);
    const bool solved = finite && done.info() == Eigen::Success;
    info.fill(i, solved ? 0 : finite ? 1 : -4);
    if (solved && mode != 'N') {
      u.set(i, done.matrixU().template cast<T>());
      v.set(i, done.matrixV().adjoint().template cast<T>());
    } else {
      u.fill(i, not_a_number<T>);
      v.fill(i, not_a_number<T>);
    }
    if (solved) {
      values.set(i, done.singularValues().template cast<real_of<T>>());
    } else {
      values.fill(i, not_a_number<real_of<T>>);
    }
  }
}

inline const targets syevd_targets("syevd", "heevd", []<class T>(const evaluation& e) { syevd<T>(e); });
inline const targets gesdd_targets("gesdd", "gesdd", []<class T>(const evaluation& e) { gesdd<T>(e); });
// Which differs from gesdd in how it goes about it.
inline const targets gesvd_targets("gesvd", "gesvd", []<class T>(const evaluation& e) { gesdd<T>(e); });

}  // namespace tenon::lapack
