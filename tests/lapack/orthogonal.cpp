// SPDX-License-Identifier: Apache-2.0
#include <core/failure_of.hpp>
#include <lapack/run_call.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace tenon::test {

using namespace kernels;

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

TEST_CASE_TEMPLATE("the order of the columns, and products by Q", T, float, std::complex<double>) {
  std::mt19937 source(12);
  const std::string multiply = call_name<T>(is_complex(lapack::element_of<T>()) ? "unmqr" : "ormqr");
  for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {6, 4}, {4, 6}}) {
    const index_t steps = std::min(m, n);
    const matrix<T> a = random_matrix<T>(m, n, source);
    const value of = batch_of<T>({1, m, n}, {a});
    value free = blank(type_of(dtype::i32, {1, n}));
    std::fill(free.bytes.begin(), free.bytes.end(), typename decltype(free.bytes)::value_type{});
    const std::vector<value> factored = run_call(call_name<T>("geqp3"), "{}", {of, free}, {2, 1},
                                                 {of.type, free.type, type_of(of.type.element, {1, steps})}, {2, 1, 1});
    const matrix<T> factors = part_of<T>(factored[0], 0, m, n);
    const matrix<T> r = factors.template triangularView<Eigen::Upper>();
    for (index_t k = 1; k < steps; ++k) CHECK(std::abs(r(k, k)) <= std::abs(r(k - 1, k - 1)) * 1.0001);
    matrix<T> ordered(m, n);
    for (index_t k = 0; k < n; ++k) ordered.col(k) = a.col(numbers_in(factored[1])[std::size_t(k)] - 1);
    const value vectors = batch_of<T>({1, m, steps}, {matrix<T>(factors.leftCols(steps))});
    const auto times_q = [&](const matrix<T>& c, bool left, bool transpose) {
      const auto word = [](bool x) { return std::string(x ? "true" : "false"); };
      const value side = batch_of<T>({1, c.rows(), c.cols()}, {c});
      const std::vector<value> made =
          run_call(multiply, "{left = " + word(left) + ", transpose = " + word(transpose) + "}",
                   {vectors, factored[2], side}, {2, 1, 2}, {side.type}, {2});
      return part_of<T>(made[0], 0, c.rows(), c.cols());
    };
    const double most = 20 * double(m + n) * double(a.norm());
    CHECK(roundoffs<T>(times_q(r, true, false) - ordered) < most);
    CHECK(roundoffs<T>(times_q(ordered, true, true) - r) < most);
    CHECK(roundoffs<T>(times_q(matrix<T>(ordered.adjoint()), false, false) - matrix<T>(r.adjoint())) < most);
    CHECK(roundoffs<T>(times_q(matrix<T>(r.adjoint()), false, true) - matrix<T>(ordered.adjoint())) < most);
  }
}

TEST_CASE("more columns than rows") {
  const value a = tensor_of<double>({1, 2}, {1, 2}), tau = tensor_of<double>({1}, {0});
  CHECK(failure_of([&] { run_call("lapack_dorgqr_ffi", "{}", {a, tau}, {2, 1}, {a.type}, {2}); }) ==
        "lapack_dorgqr_ffi: Q has no more columns than rows, and no fewer than reflections");
}

}  // namespace
}  // namespace tenon::test
