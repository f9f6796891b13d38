// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/lapack.hpp>.
#pragma once

#include <tenon/core/eigen.hpp>
#include <tenon/lapack/matrices.hpp>

#include TENON_EIGEN(Eigenvalues)
#include TENON_EIGEN(LU)

#include <cmath>

// Spectra of matrices without a symmetry, computed in f64.
namespace tenon::lapack {

// Eigenvectors of length 1, whose largest element is real; those of real eigenvalues of real matrices are real.
inline void normalize_columns(matrix<std::complex<double>>& vectors) {
  for (index_t j = 0; j < vectors.cols(); ++j) {
    index_t largest = 0;
    vectors.col(j).normalize();
    vectors.col(j).cwiseAbs().maxCoeff(&largest);
    const std::complex<double> element = vectors(largest, j);
    if (element.imag() == 0) continue;
    vectors.col(j) *= std::conj(element) / std::abs(element);
    vectors(largest, j) = vectors(largest, j).real();
  }
}

// A V = V diag(w), U^H A = diag(w) U^H; w as two results, real and imaginary parts, where A is real. Where that does
// not converge, or A is not finite, all are no numbers and info is 1. U is the inverse of V^H, so no number where V has
// none.
template <class T>
void geev(const evaluation& e) {
  constexpr bool real = !Eigen::NumTraits<T>::IsComplex;
  using wide = wide_of<T>;
  using complex = std::complex<real_of<T>>;
  const call c(e, 1, real ? 5 : 4);
  const index_t n = c.rows();
  const bool wants_left = c.option("compute_left", "NV") == 'V', wants_right = c.option("compute_right", "NV") == 'V';
  constexpr int second = real ? 2 : 1;
  const auto a = c.operand<T>(0, {n, n});
  const auto values = c.result<T>(0, {n});
  const auto imaginary = c.result<T>(real ? 1 : 0, {n});
  const auto left = c.result<complex>(second, {n, n}), right = c.result<complex>(second + 1, {n, n});
  const auto info = c.result<std::int32_t>(second + 2, {});
  using solver = std::conditional_t<real, Eigen::EigenSolver<matrix<double>>,
                                    Eigen::ComplexEigenSolver<matrix<std::complex<double>>>>;
  for (index_t i = 0; i < c.batches(); ++i) {
    const matrix<wide> whole = a[i].template cast<wide>();
    solver done;
    const bool finite = whole.allFinite();
    if (finite && n > 0) done.compute(whole, wants_left || wants_right);
    const bool solved = n == 0 || (finite && done.info() == Eigen::Success);
    info.fill(i, solved ? 0 : 1);
    left.fill(i, not_a_number<complex>), right.fill(i, not_a_number<complex>);
    if (!solved) {
      values.fill(i, not_a_number<T>), imaginary.fill(i, not_a_number<T>);
    } else if (n > 0) {
      if constexpr (real) {
        values.set(i, done.eigenvalues().real().template cast<T>());
        imaginary.set(i, done.eigenvalues().imag().template cast<T>());
      } else {
        values.set(i, done.eigenvalues().template cast<T>());
      }
      if (!wants_left && !wants_right) continue;
      matrix<std::complex<double>> vectors = done.eigenvectors();
      normalize_columns(vectors);
      if (wants_right) right.set(i, vectors.template cast<complex>());
      if (!wants_left) continue;
      const Eigen::FullPivLU<matrix<std::complex<double>>> inverted(vectors.adjoint());
      if (!inverted.isInvertible()) continue;
      vectors = inverted.inverse();
      normalize_columns(vectors);
      left.set(i, vectors.template cast<complex>());
    }
  }
}

// Turns the blocks of two conjugate eigenvalues on the diagonal so that both elements of their diagonals are the same,
// which are the real parts.
inline void standardize_blocks(matrix<double>& t, matrix<double>& u) {
  for (index_t k = 0; k + 1 < t.rows(); ++k) {
    if (t(k + 1, k) == 0) continue;
    const double angle = 0.5 * std::atan2(t(k, k) - t(k + 1, k + 1), t(k, k + 1) + t(k + 1, k));
    const Eigen::JacobiRotation<double> turn(std::cos(angle), std::sin(angle));
    t.applyOnTheLeft(k, k + 1, turn.adjoint());
    t.applyOnTheRight(k, k + 1, turn);
    u.applyOnTheRight(k, k + 1, turn);
    const double both = 0.5 * (t(k, k) + t(k + 1, k + 1));
    t(k, k) = t(k + 1, k + 1) = both;
    ++k;
  }
}

// A = U T U^H, where T is triangular, or, for real A, has blocks of two rows on its diagonal for conjugate eigenvalues.
// Eigenvalues are not sorted.
template <class T>
void gees(const evaluation& e) {
  constexpr bool real = !Eigen::NumTraits<T>::IsComplex;
  using wide = wide_of<T>;
  const call c(e, 1, real ? 6 : 5);
  const index_t n = c.rows();
  const bool wants_vectors = c.option("mode", "NV") == 'V';
  c.option("sort", "N");
  constexpr int after = real ? 4 : 3;
  const auto a = c.operand<T>(0, {n, n});
  const auto triangle = c.result<T>(0, {n, n}), vectors = c.result<T>(1, {n, n});
  const auto values = c.result<T>(2, {n}), imaginary = c.result<T>(real ? 3 : 2, {n});
  const auto sorted = c.result<std::int32_t>(after, {}), info = c.result<std::int32_t>(after + 1, {});
  using solver =
      std::conditional_t<real, Eigen::RealSchur<matrix<double>>, Eigen::ComplexSchur<matrix<std::complex<double>>>>;
  for (index_t i = 0; i < c.batches(); ++i) {
    const matrix<wide> whole = a[i].template cast<wide>();
    solver done(n > 0 ? n : 1);
    const bool finite = whole.allFinite();
    if (finite && n > 0) done.compute(whole);
    const bool solved = n == 0 || (finite && done.info() == Eigen::Success);
    sorted.fill(i, 0);
    info.fill(i, solved ? 0 : 1);
    vectors.fill(i, not_a_number<T>);
    if (!solved) {
      triangle.fill(i, not_a_number<T>), values.fill(i, not_a_number<T>), imaginary.fill(i, not_a_number<T>);
    } else if (n > 0) {
      matrix<wide> t = done.matrixT(), u = done.matrixU();
      if constexpr (real) {
        standardize_blocks(t, u);
        matrix<double> parts = matrix<double>::Zero(n, 1);
        for (index_t k = 0; k + 1 < n; ++k) {
          if (t(k + 1, k) == 0) continue;
          const double part = std::sqrt(std::abs(t(k + 1, k))) * std::sqrt(std::abs(t(k, k + 1)));
          parts(k, 0) = part, parts(k + 1, 0) = -part;
        }
        imaginary.set(i, parts.template cast<T>());
      }
      triangle.set(i, t.template cast<T>());
      values.set(i, t.diagonal().template cast<T>());
      if (wants_vectors) vectors.set(i, u.template cast<T>());
    }
  }
}

// A = Q H Q^H, where H has one diagonal below its own; below that are the vectors of the reflections, as of geqrf.
template <class T>
void gehrd(const evaluation& e) {
  const call c(e, 1, 3);
  const index_t n = c.rows(), reflections = n > 0 ? n - 1 : 0;
  c.demand(c.number("low") == 1 && c.number("high") == n, "low is to be 1, and high the number of rows");
  const auto a = c.operand<T>(0, {n, n});
  const auto factors = c.result<T>(0, {n, n});
  const auto tau = c.result<T>(1, {reflections});
  const auto info = c.result<std::int32_t>(2, {});
  for (index_t i = 0; i < c.batches(); ++i) {
    info.fill(i, 0);
    factors.set(i, a[i]);
    if (reflections == 0) continue;
    const Eigen::HessenbergDecomposition<matrix<wide_of<T>>> done(a[i].template cast<wide_of<T>>());
    factors.set(i, done.packedMatrix().template cast<T>());
    tau.set(i, done.householderCoefficients().conjugate().template cast<T>());
  }
}

inline const targets geev_targets("geev", "geev", []<class T>(const evaluation& e) { geev<T>(e); });
inline const targets gees_targets("gees", "gees", []<class T>(const evaluation& e) { gees<T>(e); });
inline const targets gehrd_targets("gehrd", "gehrd", []<class T>(const evaluation& e) { gehrd<T>(e); });

}  // namespace tenon::lapack
