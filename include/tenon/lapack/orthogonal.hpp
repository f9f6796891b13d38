// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/lapack.hpp>.
#pragma once

#include <tenon/lapack/matrices.hpp>

#include <Eigen/QR>

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
  c.require(reflections <= n && n <= m, "Q has no more columns than rows, and no fewer than reflections");
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

}  // namespace tenon::lapack
