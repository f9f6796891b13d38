// SPDX-License-Identifier: Apache-2.0
#include <lapack/run_call.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace tenon::test {

using namespace kernels;

namespace {

template <class T>
constexpr bool is_real = !Eigen::NumTraits<T>::IsComplex;
template <class T>
using complex_of = std::complex<real_of<T>>;

template <class T>
std::vector<value> eigenvalues(const value& a) {
  const index_t n = a.type.dim(1);
  const tensor_type values = type_of(a.type.element, {2, n});
  const tensor_type vectors = type_of(lapack::element_of<complex_of<T>>(), {2, n, n});
  std::vector<tensor_type> results{values, vectors, vectors, type_of(dtype::i32, {2})};
  std::vector<int> ranks{1, 2, 2, 0};
  if (is_real<T>) results.insert(results.begin(), values), ranks.insert(ranks.begin(), 1);
  return run_call(call_name<T>("geev"), "{compute_left = 86 : ui8, compute_right = 86 : ui8}", {a}, {2}, results,
                  ranks);
}
template <class T>
matrix<complex_of<T>> values_in(const std::vector<value>& results, std::size_t first, index_t i, index_t n) {
  matrix<complex_of<T>> w = part_of<T>(results[first], i, n, 1).template cast<complex_of<T>>();
  if (is_real<T>) w += complex_of<T>(0, 1) * part_of<T>(results[first + 1], i, n, 1).template cast<complex_of<T>>();
  return w;
}

template <class T>
std::vector<value> schur(const value& a) {
  const index_t n = a.type.dim(1);
  const tensor_type values = type_of(a.type.element, {2, n}), numbers = type_of(dtype::i32, {2});
  std::vector<tensor_type> results{a.type, a.type, values, numbers, numbers};
  std::vector<int> ranks{2, 2, 1, 0, 0};
  if (is_real<T>) results.insert(results.begin() + 2, values), ranks.insert(ranks.begin() + 2, 1);
  return run_call(call_name<T>("gees"), "{mode = 86 : ui8, sort = 78 : ui8}", {a}, {2}, results, ranks);
}

TEST_CASE_TEMPLATE("eigenvectors from the right and from the left", T, float, std::complex<double>) {
  using C = complex_of<T>;
  std::mt19937 source(7);
  for (const index_t n : {1, 2, 5, 20}) {
    const std::vector<matrix<T>> parts{random_matrix<T>(n, n, source), random_matrix<T>(n, n, source)};
    const std::vector<value> results = eigenvalues<T>(batch_of<T>({2, n, n}, parts));
    const std::size_t after = is_real<T> ? 2 : 1;
    CHECK(numbers_in(results[after + 2]) == std::vector<std::int32_t>{0, 0});
    for (index_t i = 0; i < 2; ++i) {
      const matrix<C> a = parts[std::size_t(i)].template cast<C>(), w = values_in<T>(results, 0, i, n);
      const matrix<C> u = part_of<C>(results[after], i, n, n), v = part_of<C>(results[after + 1], i, n, n);
      const double norm = double(a.norm());
      CHECK(roundoffs<C>(a * v - v * w.col(0).asDiagonal()) < 20 * double(n) * norm);
      CHECK(roundoffs<C>(u.adjoint() * a - w.col(0).asDiagonal() * u.adjoint()) < 20 * double(n) * norm);
      for (index_t k = 0; k < n; ++k) {
        CHECK(double(v.col(k).norm()) == doctest::Approx(1));
        CHECK(double(u.col(k).norm()) == doctest::Approx(1));
      }
    }
  }
}

TEST_CASE_TEMPLATE("A is U T U^H", T, float, std::complex<double>) {
  using C = complex_of<T>;
  std::mt19937 source(8);
  for (const index_t n : {1, 2, 5, 20}) {
    const std::vector<matrix<T>> parts{random_matrix<T>(n, n, source), random_matrix<T>(n, n, source)};
    const std::vector<value> results = schur<T>(batch_of<T>({2, n, n}, parts));
    CHECK(numbers_in(results.back()) == std::vector<std::int32_t>{0, 0});
    for (index_t i = 0; i < 2; ++i) {
      const matrix<T>& a = parts[std::size_t(i)];
      const matrix<T> t = part_of<T>(results[0], i, n, n), u = part_of<T>(results[1], i, n, n);
      CHECK(roundoffs<T>(u * t * u.adjoint() - a) < 20 * double(n) * double(a.norm()));
      CHECK(roundoffs<T>(u.adjoint() * u - matrix<T>::Identity(n, n)) < 20 * double(n));
      const matrix<C> w = values_in<T>(results, 2, i, n);
      CHECK(std::abs(w.sum() - C(a.trace())) < 1e-4);
      for (index_t k = 0; k + 1 < n; ++k) {
        if (k + 2 < n) CHECK(t.col(k).tail(n - k - 2).isZero(0));
        if (t(k + 1, k) == T(0)) continue;
        // A block of two conjugate eigenvalues.
        CHECK(is_real<T>);
        CHECK(t(k, k) == t(k + 1, k + 1));
        CHECK(w(k, 0) == std::conj(w(k + 1, 0)));
        CHECK(w(k, 0).imag() > 0);
      }
    }
  }
}

TEST_CASE_TEMPLATE("A is Q H Q^H", T, float, std::complex<double>) {
  std::mt19937 source(9);
  for (const index_t n : {1, 2, 6}) {
    const matrix<T> a = random_matrix<T>(n, n, source);
    const value of = batch_of<T>({1, n, n}, {a});
    const std::string configuration = "{high = " + std::to_string(n) + " : i32, low = 1 : i32}";
    const std::vector<value> results =
        run_call(call_name<T>("gehrd"), configuration, {of}, {2},
                 {of.type, type_of(of.type.element, {1, n - 1}), type_of(dtype::i32, {1})}, {2, 1, 0});
    matrix<T> h = part_of<T>(results[0], 0, n, n), q = matrix<T>::Identity(n, n);
    for (index_t k = 0; k + 1 < n; ++k) {
      matrix<T> v = matrix<T>::Zero(n, 1);
      v(k + 1, 0) = T(1);
      v.bottomRows(n - k - 2) = h.col(k).tail(n - k - 2);
      h.col(k).tail(n - k - 2).setZero();
      q = (q * (matrix<T>::Identity(n, n) - part_of<T>(results[1], 0, n - 1, 1)(k, 0) * v * v.adjoint())).eval();
    }
    CHECK(roundoffs<T>(q * h * q.adjoint() - a) < 20 * double(n) * double(a.norm()));
  }
}

TEST_CASE("what is no number spoils its own matrix only, and empty matrices have nothing") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const value a = tensor_of<double>({2, 2, 2}, {nan, 1, 1, 2, 3, 0, 0, 4});
  const std::vector<value> values = eigenvalues<double>(a), triangles = schur<double>(a);
  CHECK(numbers_in(values[4]) == std::vector<std::int32_t>{1, 0});
  CHECK(numbers_in(triangles[5]) == std::vector<std::int32_t>{1, 0});
  CHECK(std::isnan(values[0].as<double>()[0]));
  CHECK(values[0].as<double>()[2] + values[0].as<double>()[3] == doctest::Approx(7));
  const value none = blank(type_of(dtype::f64, {2, 0, 0}));
  CHECK(numbers_in(eigenvalues<double>(none)[4]) == std::vector<std::int32_t>{0, 0});
  CHECK(numbers_in(schur<double>(none)[5]) == std::vector<std::int32_t>{0, 0});
}

}  // namespace
}  // namespace tenon::test
