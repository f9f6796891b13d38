// SPDX-License-Identifier: Apache-2.0
#include <lapack/run_call.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace kernels;

namespace {

TEST_CASE_TEMPLATE("A is Q T Q^H, from either triangle", T, float, std::complex<double>) {
  using R = real_of<T>;
  std::mt19937 source(10);
  for (const index_t n : {1, 2, 3, 8})
    for (const char uplo : {'L', 'U'}) {
      const matrix<T> root = random_matrix<T>(n, n, source), a = root + root.adjoint();
      // The other triangle is not read.
      matrix<T> read = random_matrix<T>(n, n, source);
      if (uplo == 'L') read.template triangularView<Eigen::Lower>() = a;
      if (uplo == 'U') read.template triangularView<Eigen::Upper>() = a;
      const value of = batch_of<T>({1, n, n}, {read});
      const dtype real = lapack::element_of<R>();
      const std::vector<value> results = run_call(call_name<T>(is_complex(of.type.element) ? "hetrd" : "sytrd"),
                                                  "{uplo = " + std::to_string(int(uplo)) + " : ui8}", {of}, {2},
                                                  {of.type, type_of(real, {1, n}), type_of(real, {1, n - 1}),
                                                   type_of(of.type.element, {1, n - 1}), type_of(dtype::i32, {1})},
                                                  {2, 1, 1, 1, 0});
      const matrix<T> factors = part_of<T>(results[0], 0, n, n), tau = part_of<T>(results[3], 0, n - 1, 1);
      matrix<T> t = matrix<T>::Zero(n, n), q = matrix<T>::Identity(n, n);
      t.diagonal() = part_of<R>(results[1], 0, n, 1).template cast<T>().col(0);
      for (const index_t side : {-1, 1})
        if (n > 1) t.diagonal(side) = part_of<R>(results[2], 0, n - 1, 1).template cast<T>().col(0);
      // H(1) ... H(n - 1) below, H(n - 1) ... H(1) above, where v ends with the one.
      for (index_t k = 0; k + 1 < n; ++k) {
        const index_t i = uplo == 'L' ? k : n - 2 - k;
        matrix<T> v = matrix<T>::Zero(n, 1);
        v(uplo == 'L' ? i + 1 : i, 0) = T(1);
        if (uplo == 'L') v.bottomRows(n - i - 2) = factors.col(i).tail(n - i - 2);
        if (uplo == 'U') v.topRows(i) = factors.col(i + 1).head(i);
        q = (q * (matrix<T>::Identity(n, n) - tau(i, 0) * v * v.adjoint())).eval();
      }
      CHECK(roundoffs<T>(q * t * q.adjoint() - a) < 20 * double(n) * double(a.norm()));
    }
}

TEST_CASE_TEMPLATE("systems with three diagonals", T, float, std::complex<double>) {
  std::mt19937 source(11);
  for (const index_t n : {1, 2, 3, 30}) {
    std::vector<matrix<T>> diagonals[3], sides;
    for (int i = 0; i < 2; ++i) {
      for (std::vector<matrix<T>>& each : diagonals) each.push_back(random_matrix<T>(n, 1, source));
      // Rows have to change places.
      diagonals[1].back() *= real_of<T>(0.01);
      sides.push_back(random_matrix<T>(n, 2, source));
    }
    std::vector<value> operands;
    for (const std::vector<matrix<T>>& each : diagonals) operands.push_back(batch_of<T>({2, n}, each));
    operands.push_back(batch_of<T>({2, n, 2}, sides));
    const std::vector<value> results =
        run_call(call_name<T>("gtsv"), "{}", operands, {1, 1, 1, 2},
                 {operands[0].type, operands[0].type, operands[0].type, operands[3].type, type_of(dtype::i32, {2})},
                 {1, 1, 1, 2, 0});
    CHECK(numbers_in(results[4]) == std::vector<std::int32_t>{0, 0});
    for (std::size_t i = 0; i < 2; ++i) {
      matrix<T> a = matrix<T>::Zero(n, n);
      a.diagonal() = diagonals[1][i].col(0);
      if (n > 1) a.diagonal(-1) = diagonals[0][i].col(0).tail(n - 1);
      if (n > 1) a.diagonal(1) = diagonals[2][i].col(0).head(n - 1);
      const matrix<T> x = part_of<T>(results[3], index_t(i), n, 2);
      CHECK(roundoffs<T>(a * x - sides[i]) < 20 * double(n) * double(x.norm() * a.norm() + 1));
    }
  }
  const value zero = tensor_of<double>({2}, {0, 0}), side = tensor_of<double>({2, 1}, {1, 1});
  const std::vector<value> singular =
      run_call("lapack_dgtsv_ffi", "{}", {zero, zero, zero, side}, {1, 1, 1, 2},
               {zero.type, zero.type, zero.type, side.type, type_of(dtype::i32)}, {1, 1, 1, 2, 0});
  CHECK(numbers_in(singular[4]) == std::vector<std::int32_t>{1});
}

}  // namespace
}  // namespace tenon::test
