// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/lapack.hpp>.
#pragma once

#include <tenon/core/eigen.hpp>
#include <tenon/core/value_bytes.hpp>
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

inline const targets geqrf_targets("geqrf", "geqrf", []<class T>(const evaluation& e) { geqrf<T>(e); });
inline const targets orgqr_targets("orgqr", "ungqr", []<class T>(const evaluation& e) { orgqr<T>(e); });
inline const targets geqp3_targets("geqp3", "geqp3", []<class T>(const evaluation& e) { geqp3<T>(e); });
inline const targets ormqr_targets("ormqr", "unmqr", []<class T>(const evaluation& e) { ormqr<T>(e); });

// As XLA's builder calls it: the two results are one tuple.
inline custom_call_target qr_target("Qr", [](const evaluation& e) {
  const list<tensor_type> types = e.details != nullptr ? e.details->members_of(e.result_types[0]) : list<tensor_type>{};
  if (types.size != 2) return geqrf_targets.run(e);
  evaluation parts = e;
  void* results[2];
  for (int i = 0; i < 2; ++i)
    results[i] = e.result<unsigned char>() + core::member_offset(e.result_types[0], i, e.details);
  parts.results = {results, 2}, parts.result_types = types;
  geqrf_targets.run(parts);
});
inline custom_call_target product_target("ProductOfElementaryHouseholderReflectors", &decltype(orgqr_targets)::run);

}  // namespace tenon::lapack
