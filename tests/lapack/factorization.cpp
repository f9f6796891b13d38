// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>

#include <core/failure_of.hpp>
#include <lapack/run_call.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace tenon::test {
using namespace kernels;

namespace {

template <class T>
std::vector<value> cholesky(const value& a, char uplo) {
  ints batch;
  for (int d = 0; d + 2 < a.type.rank(); ++d) batch.push(a.type.dim(d));
  return run_call(call_name<T>("potrf"), "{uplo = " + std::to_string(int(uplo)) + " : ui8}", {a}, {2},
                  {a.type, type_of(dtype::i32, batch)}, {2, 0});
}

template <class T>
void check_triangular_solve(index_t n, index_t others, std::mt19937& source) {
  for (const char side : {'L', 'R'})
    for (const char uplo : {'L', 'U'})
      for (const char form : {'N', 'T', 'C'})
        for (const char diag : {'N', 'U'}) {
          CAPTURE(side);
          CAPTURE(uplo);
          CAPTURE(form);
          CAPTURE(diag);
          const ints shape = side == 'L' ? ints{2, n, others} : ints{2, others, n};
          std::vector<matrix<T>> systems, right_sides;
          for (int i = 0; i < 2; ++i) {
            // What lies off the triangle is not read.
            matrix<T> a = random_matrix<T>(n, n, source) / T(real_of<T>(n));
            a.diagonal().array() += T(2);
            systems.push_back(a);
            right_sides.push_back(random_matrix<T>(shape[1], shape[2], source));
          }
          const std::string configuration = "{diag = " + std::to_string(int(diag)) +
                                            " : ui8, side = " + std::to_string(int(side)) +
                                            " : ui8, trans_x = " + std::to_string(int(form)) +
                                            " : ui8, uplo = " + std::to_string(int(uplo)) + " : ui8}";
          const value a = batch_of<T>({2, n, n}, systems), b = batch_of<T>(shape, right_sides);
          const std::vector<value> x = run_call(call_name<T>("trsm"), configuration, {a, b}, {2, 2}, {b.type}, {2});
          for (index_t i = 0; i < 2; ++i) {
            matrix<T> system = matrix<T>::Zero(n, n);
            for (index_t row = 0; row < n; ++row)
              for (index_t column = 0; column < n; ++column) {
                if (row == column) system(row, row) = diag == 'U' ? T(1) : systems[std::size_t(i)](row, row);
                if (uplo == 'L' ? column < row : column > row)
                  system(row, column) = systems[std::size_t(i)](row, column);
              }
            if (form == 'T') system = system.transpose().eval();
            if (form == 'C') system = system.adjoint().eval();
            const matrix<T> solved = part_of<T>(x[0], i, shape[1], shape[2]);
            const matrix<T> product = side == 'L' ? matrix<T>(system * solved) : matrix<T>(solved * system);
            CHECK(roundoffs<T>(product - right_sides[std::size_t(i)]) < 200.0 * double(n));
          }
        }
}

TEST_CASE_TEMPLATE("the Cholesky factor times its adjoint is the matrix", T, float, double, std::complex<float>,
                   std::complex<double>) {
  std::mt19937 source(1);
  for (const index_t n : {1, 3, 40}) {
    std::vector<matrix<T>> parts;
    for (int i = 0; i < 6; ++i) {
      const matrix<T> root = random_matrix<T>(n, n, source);
      matrix<T> a = root * root.adjoint();
      a.diagonal().array() += T(real_of<T>(n));
      parts.push_back(a);
    }
    for (const char uplo : {'L', 'U'}) {
      const std::vector<value> results = cholesky<T>(batch_of<T>({3, 2, n, n}, parts), uplo);
      CHECK(numbers_in(results[1]) == std::vector<std::int32_t>(6, 0));
      for (index_t i = 0; i < 6; ++i) {
        const matrix<T>& a = parts[std::size_t(i)];
        const matrix<T> factor = part_of<T>(results[0], i, n, n);
        matrix<T> triangle = factor, other = factor - a;
        if (uplo == 'L') {
          triangle.template triangularView<Eigen::StrictlyUpper>().setZero();
          other.template triangularView<Eigen::Lower>().setZero();
          CHECK(roundoffs<T>(triangle * triangle.adjoint() - a) < 4 * double(a.norm()));
        } else {
          triangle.template triangularView<Eigen::StrictlyLower>().setZero();
          other.template triangularView<Eigen::Upper>().setZero();
          CHECK(roundoffs<T>(triangle.adjoint() * triangle - a) < 4 * double(a.norm()));
        }
        CHECK(other.norm() == 0);
      }
    }
  }
  CHECK(numbers_in(cholesky<T>(batch_of<T>({0, 0}, {}), 'L')[1]) == std::vector<std::int32_t>{0});
  CHECK(cholesky<T>(batch_of<T>({0, 2, 2}, {}), 'L')[1].bytes.empty());
}

TEST_CASE("the first leading minor that is not positive") {
  const double nan = std::nan("");
  const auto info = [](std::initializer_list<double> elements, index_t n, char uplo = 'L') {
    return numbers_in(cholesky<double>(tensor_of<double>({n, n}, elements), uplo)[1])[0];
  };
  CHECK(info({4, 0, 2, 1}, 2) == 2);
  CHECK(info({4, 2, 0, 1}, 2, 'U') == 2);
  CHECK(info({4, 9, 2, 1.0001}, 2) == 0);
  CHECK(info({-1, 0, 0, 1}, 2) == 1);
  CHECK(info({0, 0, 0, 1}, 2) == 1);
  CHECK(info({1, 0, 0, 2, 4, 0, 0, 0, 1}, 3) == 2);
  CHECK(info({1, 0, 0, 2, 5, 0, 0, 3, 9}, 3) == 3);
  CHECK(info({1, 0, 0, 2, 5, 0, 0, 3, 10}, 3) == 0);
  CHECK(info({nan, 0, 0, 1}, 2) == 1);
  CHECK(info({1, 0, nan, 1}, 2) == 2);
  CHECK(info({1, nan, 0, 1}, 2) == 0);
}

TEST_CASE_TEMPLATE("what solves a triangular system", T, float, double, std::complex<float>, std::complex<double>) {
  std::mt19937 source(2);
  check_triangular_solve<T>(1, 1, source);
  check_triangular_solve<T>(5, 3, source);
  check_triangular_solve<T>(33, 1, source);
  check_triangular_solve<T>(4, 0, source);
}

TEST_CASE_TEMPLATE("the permuted matrix is L U", T, float, double, std::complex<float>, std::complex<double>) {
  std::mt19937 source(3);
  for (const auto& [m, n] :
       {std::pair<index_t, index_t>{1, 1}, {5, 5}, {7, 4}, {4, 7}, {80, 80}, {90, 40}, {40, 90}, {0, 3}}) {
    CAPTURE(m);
    CAPTURE(n);
    const index_t steps = std::min(m, n);
    const std::vector<matrix<T>> parts{random_matrix<T>(m, n, source), random_matrix<T>(m, n, source)};
    const value a = batch_of<T>({2, m, n}, parts);
    const std::vector<value> results =
        run_call(call_name<T>("getrf"), "{}", {a}, {2},
                 {a.type, type_of(dtype::i32, {2, steps}), type_of(dtype::i32, {2})}, {2, 1, 0});
    CHECK(numbers_in(results[2]) == std::vector<std::int32_t>{0, 0});
    for (index_t i = 0; i < 2; ++i) {
      const matrix<T> factors = part_of<T>(results[0], i, m, n);
      matrix<T> lower = factors.leftCols(steps), upper = factors.topRows(steps), permuted = parts[std::size_t(i)];
      lower.template triangularView<Eigen::Upper>().setZero();
      lower.diagonal().setOnes();
      upper.template triangularView<Eigen::StrictlyLower>().setZero();
      for (index_t k = 0; k < steps; ++k) {
        const index_t row = numbers_in(results[1])[std::size_t(i * steps + k)] - 1;
        REQUIRE(k <= row);
        REQUIRE(row < m);
        permuted.row(k).swap(permuted.row(row));
      }
      if (steps > 0) CHECK(double(lower.cwiseAbs().maxCoeff()) < 1.5);
      CHECK(roundoffs<T>(lower * upper - permuted) <= 20 * double(permuted.norm()));
    }
  }
}

TEST_CASE("pivots and the first of them that is zero") {
  const auto factored = [](const value& a) {
    return run_call("lapack_dgetrf_ffi", "{}", {a}, {2}, {a.type, type_of(dtype::i32, {2}), type_of(dtype::i32)},
                    {2, 1, 0});
  };
  const std::vector<value> swapped = factored(tensor_of<double>({2, 2}, {1, 2, 4, 4}));
  CHECK(swapped[0].as<double>() == std::vector<double>{4, 4, 0.25, 1});
  CHECK(numbers_in(swapped[1]) == std::vector<std::int32_t>{2, 2});
  const std::vector<value> singular = factored(tensor_of<double>({2, 2}, {1, 2, 2, 4}));
  CHECK(singular[0].as<double>() == std::vector<double>{2, 4, 0.5, 0});
  CHECK(numbers_in(singular[2]) == std::vector<std::int32_t>{2});
  CHECK(numbers_in(factored(tensor_of<double>({2, 2}, {0, 1, 0, 2}))[2]) == std::vector<std::int32_t>{1});
}

TEST_CASE("what a call does not say, or says otherwise") {
  const value a = tensor_of<float>({2, 2}, {1, 0, 0, 1});
  const std::vector<tensor_type> results{a.type, type_of(dtype::i32)};
  CHECK(failure_of([&] { run_call("lapack_spotrf_ffi", "{}", {a}, {2}, results, {2, 0}); }) ==
        "lapack_spotrf_ffi: backend_config is to say uplo, one of the letters LU");
  CHECK(failure_of([&] { run_call("lapack_spotrf_ffi", "{uplo = 65 : ui8}", {a}, {2}, results, {2, 0}); }) != "");
  CHECK(failure_of([&] { run_call("lapack_spotrf_ffi", "{xuplo = 76 : ui8}", {a}, {2}, results, {2, 0}); }) != "");
  // The layout of a vector is that of rows.
  CHECK(failure_of([&] { run_call("lapack_spotrf_ffi", "{uplo = 76 : ui8}", {a}, {1}, results, {2, 0}); }) ==
        "lapack_spotrf_ffi: matrices are to lie column by column, and batches one behind the other");
  CHECK(failure_of([&] { run_call("lapack_dpotrf_ffi", "{uplo = 76 : ui8}", {a}, {2}, results, {2, 0}); }) ==
        "lapack_dpotrf_ffi: an operand or result of another type");
  CHECK(failure_of([&] { run_call("lapack_spotrf_ffi", "{uplo = 76 : ui8}", {a}, {2}, {a.type}, {2}); }) ==
        "lapack_spotrf_ffi: another number of operands or results");
}

// As JAX writes it.
using factor_of_jax = TENON_PROGRAM(R"(
  func.func @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=2, j=2, k=2, l=2}, custom>} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
    return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32>
  }
)");

TEST_CASE("in a program") {
  const auto [factor, info] = factor_of_jax{}(tensor<f32, 2, 2>{{4, 7}, {2, 10}});
  CHECK(std::vector<float>(factor.data(), factor.data() + 4) == std::vector<float>{2, 7, 1, 3});
  CHECK(*info.data() == 0);
}

}  // namespace
}  // namespace tenon::test
