// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/lapack.hpp>.
#pragma once

#include <tenon/core/eigen.hpp>
#include <tenon/lapack/matrices.hpp>

#include TENON_EIGEN(QR)

#include <algorithm>

namespace tenon::lapack {

// A = Q R. R and, below it, the vectors v of the reflections I - tau v v^H, whose product is Q; v begins with a one
// that is not written.
template <class T>
void geqrf(const evaluation& e) {
  const call c(e, 1, 2);
  const index_t m = c.rows(), n = c.columns();
  const auto a = c.operand<T>(0, {m, n});
  const auto factors = c.result<T>(0, {m, n});
  const auto tau = c.result<T>(1, {std::min(m, n)});
  for (index_t i = 0; i < c.batches() && m * n > 0; ++i) {
    const Eigen::HouseholderQR<matrix<T>> done(a[i]);
    factors.set(i, done.matrixQR());
    // Eigen's are those that turn A into R: the inverses of those whose product is Q.
    tau.set(i, done.hCoeffs().conjugate());
  }
}

// The first columns of Q, from what geqrf gives.
template <class T>
void orgqr(const evaluation& e) {
  const call c(e, 2, 1);
  const index_t m = c.rows(), n = c.columns(), reflections = c.size_of_operand(1, 1);
  c.demand(reflections <= n && n <= m, "Q has no more columns than rows, and no fewer than reflections");
  const auto vectors = c.operand<T>(0, {m, n});
  const auto tau = c.operand<T>(1, {reflections});
  const auto q = c.result<T>(0, {m, n});
  for (index_t i = 0; i < c.batches(); ++i) {
    matrix<T> result = matrix<T>::Identity(m, n);
    if (reflections > 0) {
      const matrix<T> below = vectors[i].leftCols(reflections);
      const vector<T> factors = tau[i];
      result.applyOnTheLeft(Eigen::householderSequence(below, factors));
    }
    q.set(i, result);
  }
}

// A P = Q R, where the columns of A are taken in the order in which the largest rest is next; `places`, from 1, says
// it.
template <class T>
void geqp3(const evaluation& e) {
  const call c(e, 2, 3);
  const index_t m = c.rows(), n = c.columns();
  const auto a = c.operand<T>(0, {m, n});
  const auto fixed = c.operand<std::int32_t>(1, {n});
  const auto factors = c.result<T>(0, {m, n});
  const auto places = c.result<std::int32_t>(1, {n});
  const auto tau = c.result<T>(2, {std::min(m, n)});
  for (index_t i = 0; i < c.batches() && n > 0; ++i) {
    c.demand((fixed[i].array() == 0).all(), "columns that are to stand first are not supported");
    matrix<std::int32_t> order = vector<std::int32_t>::LinSpaced(n, 1, std::int32_t(n));
    if (m > 0) {
      const Eigen::ColPivHouseholderQR<matrix<wide_of<T>>> done(a[i].template cast<wide_of<T>>());
      factors.set(i, done.matrixQR().template cast<T>());
      tau.set(i, done.hCoeffs().conjugate().template cast<T>());
      order = done.colsPermutation().indices().array() + 1;
    }
    places.set(i, order);
  }
}

// Q C, Q^H C, C Q or C Q^H, where Q is the product of the reflections that geqrf gives.
template <class T>
void ormqr(const evaluation& e) {
  const call c(e, 3, 1);
  const index_t m = c.rows(), n = c.columns(), reflections = c.size_of_operand(1, 1);
  const bool left = c.flag("left"), transpose = c.flag("transpose");
  const ints shape{c.size_of_operand(2, 2), c.size_of_operand(2, 1)};
  c.demand(reflections <= n && reflections <= m && shape[left ? 0 : 1] == m, "the sizes of Q and C do not fit");
  const auto vectors = c.operand<T>(0, {m, n});
  const auto tau = c.operand<T>(1, {reflections});
  const auto factor = c.operand<T>(2, shape);
  const auto product = c.result<T>(0, shape);
  for (index_t i = 0; i < c.batches(); ++i) {
    matrix<T> result = factor[i];
    if (reflections > 0 && result.size() > 0) {
      const matrix<T> below = vectors[i].leftCols(reflections);
      const vector<T> factors = tau[i];
      const auto q = Eigen::householderSequence(below, factors);
      if (left && transpose) result.applyOnTheLeft(q.adjoint());
      if (left && !transpose) result.applyOnTheLeft(q);
      if (!left && transpose) result.applyOnTheRight(q.adjoint());
      if (!left && !transpose) result.applyOnTheRight(q);
    }
    product.set(i, result);
  }
}

inline custom_call_target geqrf_targets[] = {
    {"lapack_sgeqrf_ffi", &geqrf<float>},
    {"lapack_dgeqrf_ffi", &geqrf<double>},
    {"lapack_cgeqrf_ffi", &geqrf<std::complex<float>>},
    {"lapack_zgeqrf_ffi", &geqrf<std::complex<double>>},
};
inline custom_call_target orgqr_targets[] = {
    {"lapack_sorgqr_ffi", &orgqr<float>},
    {"lapack_dorgqr_ffi", &orgqr<double>},
    {"lapack_cungqr_ffi", &orgqr<std::complex<float>>},
    {"lapack_zungqr_ffi", &orgqr<std::complex<double>>},
};
inline custom_call_target geqp3_targets[] = {
    {"lapack_sgeqp3_ffi", &geqp3<float>},
    {"lapack_dgeqp3_ffi", &geqp3<double>},
    {"lapack_cgeqp3_ffi", &geqp3<std::complex<float>>},
    {"lapack_zgeqp3_ffi", &geqp3<std::complex<double>>},
};
inline custom_call_target ormqr_targets[] = {
    {"lapack_sormqr_ffi", &ormqr<float>},
    {"lapack_dormqr_ffi", &ormqr<double>},
    {"lapack_cunmqr_ffi", &ormqr<std::complex<float>>},
    {"lapack_zunmqr_ffi", &ormqr<std::complex<double>>},
};

}  // namespace tenon::lapack
