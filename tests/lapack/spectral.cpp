// SPDX-License-Identifier: Apache-2.0
#include <lapack/run_call.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace tenon::test {

using namespace kernels;

namespace {

template <class T>
constexpr dtype real_element = lapack::element_of<real_of<T>>();

template <class T>
std::vector<value> eigenpairs(const value& a, char uplo) {
  const index_t n = a.type.dim(1);
  return run_call(call_name<T>(is_complex(lapack::element_of<T>()) ? "heevd" : "syevd"),
                  "{mode = 86 : ui8, uplo = " + std::to_string(int(uplo)) + " : ui8}", {a}, {2},
                  {a.type, type_of(real_element<T>, {2, n}), type_of(dtype::i32, {2})}, {2, 1, 0});
}

template <class T>
std::vector<value> singular_parts(const value& a, char mode) {
  const index_t m = a.type.dim(1), n = a.type.dim(2), least = std::min(m, n);
  const index_t left = mode == 'S' ? least : m, right = mode == 'S' ? least : n;
  return run_call(call_name<T>("gesdd"), "{mode = " + std::to_string(int(mode)) + " : ui8}", {a}, {2},
                  {a.type, type_of(real_element<T>, {2, least}), type_of(a.type.element, {2, m, left}),
                   type_of(a.type.element, {2, right, n}), type_of(dtype::i32, {2})},
                  {2, 1, 2, 2, 0});
}

TEST_CASE_TEMPLATE("eigenvalues ascend, eigenvectors are orthonormal", T, float, double, std::complex<float>,
                   std::complex<double>) {
  std::mt19937 source(5);
  for (const index_t n : {1, 4, 30})
    for (const char uplo : {'L', 'U'}) {
      // The other triangle is not read.
      std::vector<matrix<T>> parts, wholes;
      for (int i = 0; i < 2; ++i) {
        const matrix<T> root = random_matrix<T>(n, n, source);
        wholes.push_back(root + root.adjoint());
        matrix<T> part = random_matrix<T>(n, n, source);
        if (uplo == 'L') part.template triangularView<Eigen::Lower>() = wholes.back();
        if (uplo == 'U') part.template triangularView<Eigen::Upper>() = wholes.back();
        parts.push_back(part);
      }
      const std::vector<value> results = eigenpairs<T>(batch_of<T>({2, n, n}, parts), uplo);
      CHECK(numbers_in(results[2]) == std::vector<std::int32_t>{0, 0});
      for (index_t i = 0; i < 2; ++i) {
        const matrix<T> v = part_of<T>(results[0], i, n, n), whole = wholes[std::size_t(i)];
        const matrix<real_of<T>> w = part_of<real_of<T>>(results[1], i, n, 1);
        for (index_t k = 1; k < n; ++k) CHECK(w(k - 1, 0) <= w(k, 0));
        const matrix<T> scaled = v * w.template cast<T>().col(0).asDiagonal();
        CHECK(roundoffs<T>(whole * v - scaled) < 20 * double(n) * double(whole.norm()));
        CHECK(roundoffs<T>(v.adjoint() * v - matrix<T>::Identity(n, n)) < 20 * double(n));
      }
    }
}

TEST_CASE_TEMPLATE("singular values descend, U diag(s) V^H is the matrix", T, float, double, std::complex<float>,
                   std::complex<double>) {
  std::mt19937 source(6);
  for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {6, 4}, {4, 6}, {30, 20}})
    for (const char mode : {'A', 'S', 'N'}) {
      const std::vector<matrix<T>> parts{random_matrix<T>(m, n, source), random_matrix<T>(m, n, source)};
      const std::vector<value> results = singular_parts<T>(batch_of<T>({2, m, n}, parts), mode);
      CHECK(numbers_in(results[4]) == std::vector<std::int32_t>{0, 0});
      const index_t least = std::min(m, n), left = mode == 'S' ? least : m, right = mode == 'S' ? least : n;
      for (index_t i = 0; i < 2; ++i) {
        const matrix<T>& a = parts[std::size_t(i)];
        const matrix<real_of<T>> s = part_of<real_of<T>>(results[1], i, least, 1);
        for (index_t k = 1; k < least; ++k) CHECK(s(k - 1, 0) >= s(k, 0));
        CHECK(double(s.norm()) == doctest::Approx(double(a.norm())).epsilon(1e-5));
        if (mode == 'N') continue;
        const matrix<T> u = part_of<T>(results[2], i, m, left), v = part_of<T>(results[3], i, right, n);
        const matrix<T> product = u.leftCols(least) * s.template cast<T>().col(0).asDiagonal() * v.topRows(least);
        CHECK(roundoffs<T>(product - a) < 20 * double(m + n) * double(a.norm()));
        CHECK(roundoffs<T>(u.adjoint() * u - matrix<T>::Identity(left, left)) < 20 * double(m + n));
        CHECK(roundoffs<T>(v * v.adjoint() - matrix<T>::Identity(right, right)) < 20 * double(m + n));
      }
    }
}

TEST_CASE("known values") {
  const value a = tensor_of<double>({2, 2, 2}, {2, 1, 1, 2, 3, 0, 0, -4});
  const std::vector<double> w = eigenpairs<double>(a, 'L')[1].as<double>();
  const std::vector<double> s = singular_parts<double>(a, 'A')[1].as<double>();
  const double eigenvalues[] = {1, 3, -4, 3}, singular_values[] = {3, 1, 4, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(w[i] == doctest::Approx(eigenvalues[i]));
    CHECK(s[i] == doctest::Approx(singular_values[i]));
  }
}

TEST_CASE("what is no number spoils its own matrix only") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const value a = tensor_of<double>({2, 2, 2}, {nan, 1, 1, 2, 3, 0, 0, 4});
  const std::vector<value> pairs = eigenpairs<double>(a, 'L'), parts = singular_parts<double>(a, 'S');
  CHECK(numbers_in(pairs[2]) == std::vector<std::int32_t>{1, 0});
  CHECK(numbers_in(parts[4]) == std::vector<std::int32_t>{-4, 0});
  CHECK(std::isnan(pairs[1].as<double>()[0]));
  CHECK(std::isnan(parts[1].as<double>()[0]));
  CHECK(pairs[1].as<double>()[3] == doctest::Approx(4));
  CHECK(parts[1].as<double>()[2] == doctest::Approx(4));
}

}  // namespace
}  // namespace tenon::test
