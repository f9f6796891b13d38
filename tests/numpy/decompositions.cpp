// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tenon/tensors.hpp>

#include <Eigen/QR>
#include <Eigen/SVD>

#include <cmath>
#include <type_traits>

using namespace tenon;

namespace {

template <class T>
constexpr bool is_wide = std::is_same_v<T, f64> || std::is_same_v<T, complex<f64>>;
template <class T>
constexpr double rounding = is_wide<T> ? 1e-13 : 1e-5;

template <class T, index_t... Shape>
tensor<T, Shape...> numbers(int seed) {
  tensor<T, Shape...> result;
  for (index_t i = 0; i < result.size; ++i) {
    const auto number = [&](int step) { return f32((i * i * 7 + i * seed + step) % 23 - 11) / 4; };
    if constexpr (is_complex(dtype_of<T>))
      result.data()[i] = T{number(0), number(5)};
    else
      result.data()[i] = T(number(0));
  }
  return result;
}

template <class A, class B>
double distance(const A& a, const B& b) {
  return double(max(abs(a - b)));
}
template <class T, index_t Rows, index_t Columns>
auto adjoint(const tensor<T, Rows, Columns>& a) {
  tensor<T, Columns, Rows> result;
  for (index_t i = 0; i < Rows; ++i)
    for (index_t j = 0; j < Columns; ++j)
      if constexpr (is_complex(dtype_of<T>))
        result(j, i) = T{a(i, j).real, -a(i, j).imag};
      else
        result(j, i) = a(i, j);
  return result;
}

template <class T, index_t Rows, index_t Columns>
void check_qr(const tensor<T, Rows, Columns>& a) {
  constexpr index_t k = Rows < Columns ? Rows : Columns;
  constexpr auto factors = trace([](auto x) { return qr(x); });
  const auto [q, r] = factors(a);
  const double size = 1 + double(max(abs(a)));
  CHECK(distance(matmul(q, r), a) < size * rounding<T>);
  CHECK(distance(matmul(adjoint(q), q), eye<T, k>()) < rounding<T>);
  for (index_t i = 0; i < k; ++i)
    for (index_t j = 0; j < i && j < Columns; ++j) CHECK(r(i, j) == T{});
}

template <class T, index_t Rows, index_t Columns>
void check_svd(const tensor<T, Rows, Columns>& a) {
  constexpr index_t k = Rows < Columns ? Rows : Columns;
  constexpr auto factors = trace([](auto x) { return svd(x); });
  const auto [u, s, v_adjoint] = factors(a);
  const double largest = double(max(abs(a)));
  CHECK(distance(matmul(adjoint(u), u), eye<T, k>()) < rounding<T>);
  CHECK(distance(matmul(v_adjoint, adjoint(v_adjoint)), eye<T, k>()) < rounding<T>);
  CHECK(distance(matmul(u, matmul(diag(convert<T>(s)), v_adjoint)), a) <= 4 * largest * rounding<T>);
  using matrix = Eigen::Matrix<std::conditional_t<is_complex(dtype_of<T>), std::complex<double>, double>, -1, -1>;
  matrix wide(Rows, Columns);
  for (index_t i = 0; i < Rows; ++i)
    for (index_t j = 0; j < Columns; ++j)
      if constexpr (is_complex(dtype_of<T>))
        wide(i, j) = {double(a(i, j).real), double(a(i, j).imag)};
      else
        wide(i, j) = double(a(i, j));
  const Eigen::JacobiSVD<matrix> expected(wide);
  for (index_t i = 0; i < k; ++i)
    CHECK(std::abs(double(s(i)) - expected.singularValues()(i)) <= 4 * largest * rounding<T>);
}

TEST_CASE("orthogonal factors") {
  check_qr(numbers<f64, 4, 3>(5));
  check_qr(numbers<complex<f32>, 2, 3>(3));
}

TEST_CASE("columns that need no reflection, a matrix of zeros, and squares that overflow") {
  check_qr(tensor<f64, 4, 3>{{2, 1, 0}, {0, 0, 3}, {0, 0, 4}, {0, 0, 0}});
  check_qr(tensor<f64, 4, 3>{});
  check_qr(tensor<f64, 4, 3>{{3e200, 1, 0}, {4e200, 0, 3}, {0, 0, 4}, {0, 0, 1}});
}

TEST_CASE("singular values are those of Eigen") {
  check_svd(numbers<f64, 5, 4>(5));
  check_svd(tensor<f64, 5, 4>{{1, 2, 3, 4}, {2, 4, 6, 8}, {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 1, 2, 3}});  // of rank 2
  check_svd(tensor<f64, 5, 4>{});
  check_svd(numbers<complex<f32>, 2, 3>(3));
}

TEST_CASE("least squares, and the shortest solution") {
  const auto a = numbers<f64, 6, 3>(5);
  const auto b = numbers<f64, 6, 2>(2);
  using matrix = Eigen::Matrix<f64, -1, -1, Eigen::RowMajor>;
  const auto expected = [](const auto& left, const auto& right) {
    const Eigen::Map<const matrix> l(left.data(), left.type.dim(0), left.type.dim(1)),
        r(right.data(), right.type.dim(0), right.type.rank() == 1 ? 1 : right.type.dim(1));
    return matrix(Eigen::CompleteOrthogonalDecomposition<matrix>(l).solve(r));
  };
  CHECK(distance(lstsq(a, b), tensor_view<const f64, 3, 2>(expected(a, b).data())) < 1e-13);
  const auto c = numbers<f64, 3>(7);
  CHECK(distance(lstsq(adjoint(a), c), tensor_view<const f64, 6>(expected(adjoint(a), c).data())) < 1e-13);
}

template <class A>
concept decomposes = requires(const A& a) { qr(a); };
static_assert(decomposes<tensor<f32, 3, 2>> && !decomposes<tensor<i32, 3, 2>> && !decomposes<tensor<f32, 3>>);
static_assert(!decomposes<tensor<f32, 0, 2>> && !decomposes<tensor<bf16, 3, 2>>);

TEST_CASE("diagonals") {
  CHECK(equal(evaluate(diag(tensor<i32, 2>{1, 2})), tensor<i32, 2, 2>{{1, 0}, {0, 2}}));
  CHECK(equal(evaluate(diag(tensor<f32, 2, 3>{{1, 2, 3}, {4, 5, 6}})), tensor<f32, 2>{1, 5}));
  CHECK(equal(evaluate(diag(tensor<f32, 3, 2>{{1, 2}, {3, 4}, {5, 6}})), tensor<f32, 2>{1, 4}));
}

TEST_CASE("histograms") {
  const tensor<f32, 2, 4> x{{0, 1, 1, 2.5f}, {3, NAN, -1, 5}};
  const auto [counts, edges] = histogram<3>(x, 0, 3);
  CHECK(equal(counts, tensor<i32, 3>{1, 2, 2}));
  CHECK(equal(edges, tensor<f32, 4>{0, 1, 2, 3}));
  const auto [all_of_them, between_extremes] = histogram<2>(tensor<i32, 5>{7, 3, 5, 4, 6});
  CHECK(equal(all_of_them, tensor<i32, 2>{2, 3}));
  CHECK(equal(between_extremes, tensor<f32, 3>{3, 5, 7}));
  const auto [of_a_point, around_it] = histogram<1>(tensor<f32, 2>{4, 4});
  CHECK(equal(of_a_point, tensor<i32, 1>{2}));
  CHECK(equal(around_it, tensor<f32, 2>{3.5f, 4.5f}));
}

}  // namespace
