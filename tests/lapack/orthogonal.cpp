// SPDX-License-Identifier: Apache-2.0
#include <tenon/lapack/orthogonal.hpp>

#include <core/failure_of.hpp>
#include <lapack/run_call.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

template <class T>
std::string name_of_orgqr() {
  return call_name<T>(is_complex(lapack::element_of<T>()) ? "ungqr" : "orgqr");
}

TEST_CASE_TEMPLATE("A is Q R, and the columns of Q are orthonormal", T, float, double, std::complex<float>,
                   std::complex<double>) {
  std::mt19937 source(4);
  for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {6, 4}, {4, 6}, {50, 50}, {60, 5}}) {
    CAPTURE(m);
    CAPTURE(n);
    const index_t steps = std::min(m, n);
    const std::vector<matrix<T>> parts{random_matrix<T>(m, n, source), random_matrix<T>(m, n, source)};
    const value a = batch_of<T>({2, m, n}, parts);
    const tensor_type vector_type = type_of(lapack::element_of<T>(), {2, steps});
    const std::vector<value> factored = run_call(call_name<T>("geqrf"), "{}", {a}, {2}, {a.type, vector_type}, {2, 1});
    // All columns of Q, and as many as R has rows: mode complete and mode reduced.
    for (const index_t columns : {m, steps}) {
      std::vector<matrix<T>> vectors;
      for (index_t i = 0; i < 2; ++i) {
        matrix<T> padded = matrix<T>::Zero(m, columns);
        padded.leftCols(steps) = part_of<T>(factored[0], i, m, n).leftCols(steps);
        vectors.push_back(padded);
      }
      const value below = batch_of<T>({2, m, columns}, vectors);
      const std::vector<value> made =
          run_call(name_of_orgqr<T>(), "{}", {below, factored[1]}, {2, 1}, {below.type}, {2});
      for (index_t i = 0; i < 2; ++i) {
        const matrix<T> q = part_of<T>(made[0], i, m, columns);
        matrix<T> r = part_of<T>(factored[0], i, m, n).topRows(steps);
        r.template triangularView<Eigen::StrictlyLower>().setZero();
        CHECK(roundoffs<T>(q.adjoint() * q - matrix<T>::Identity(columns, columns)) < 10 * double(m));
        CHECK(roundoffs<T>(q.leftCols(steps) * r - parts[std::size_t(i)]) <
              10 * double(m) * double(parts[std::size_t(i)].norm()));
      }
    }
  }
}

TEST_CASE("reflections are written as LAPACK writes them") {
  const value a = tensor_of<double>({2, 2}, {3, 1, 4, 2});
  const std::vector<value> factored =
      run_call("lapack_dgeqrf_ffi", "{}", {a}, {2}, {a.type, type_of(dtype::f64, {2})}, {2, 1});
  // v = (1, 4 / (3 + 5)), tau = (5 + 3) / 5; nothing is left to reflect in the last column.
  const std::vector<double> factors = factored[0].as<double>(), tau = factored[1].as<double>();
  CHECK(factors[0] == doctest::Approx(-5));
  CHECK(factors[1] == doctest::Approx(-2.2));
  CHECK(factors[2] == doctest::Approx(0.5));
  CHECK(factors[3] == doctest::Approx(0.4));
  CHECK(tau[0] == doctest::Approx(1.6));
  CHECK(tau[1] == 0);
}

TEST_CASE("without reflections Q is the identity") {
  const value a = batch_of<double>({2, 2}, {matrix<double>::Constant(2, 2, 7)}), none = tensor_of<double>({0}, {});
  const std::vector<value> q = run_call("lapack_dorgqr_ffi", "{}", {a, none}, {2, 1}, {a.type}, {2});
  CHECK(q[0].as<double>() == std::vector<double>{1, 0, 0, 1});
}

TEST_CASE("more columns than rows") {
  const value a = tensor_of<double>({1, 2}, {1, 2}), tau = tensor_of<double>({1}, {0});
  CHECK(failure_of([&] { run_call("lapack_dorgqr_ffi", "{}", {a, tau}, {2, 1}, {a.type}, {2}); }) ==
        "lapack_dorgqr_ffi: Q has no more columns than rows, and no fewer than reflections");
}

}  // namespace
}  // namespace tenon::test
