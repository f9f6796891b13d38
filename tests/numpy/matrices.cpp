// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tenon/tensors.hpp>

#include <Eigen/LU>

#include <cmath>

using namespace tenon;

namespace {

// The first pivots are not the largest ones.
template <class T, index_t... Shape>
tensor<T, Shape...> numbers(int seed) {
  tensor<T, Shape...> result;
  for (index_t i = 0; i < result.size; ++i) result.data()[i] = T((i * i * 7 + i * seed) % 23 - 11) / T(4);
  return result;
}

TEST_CASE_TEMPLATE("solutions, inverses and determinants are those of Eigen", T, f32, f64) {
  constexpr index_t n = 12;
  using matrix = Eigen::Matrix<T, n, n, Eigen::RowMajor>;
  const auto a = numbers<T, n, n>(5);
  const auto b = numbers<T, n, 2>(3);
  const matrix inverse = Eigen::Map<const matrix>(a.data()).inverse();
  const tensor_view<const T, n, n> expected(inverse);
  const T within = (std::is_same_v<T, f32> ? T(1e-4) : T(1e-12)) * (1 + T(max(abs(expected))));
  const tensor<T, n, n> inverse_of_a = inv(a);
  const tensor<T, n, 2> x = solve(a, b);
  CHECK(T(max(abs(inverse_of_a - expected))) < within);
  CHECK(T(max(abs(x - matmul(expected, b)))) < within);
  CHECK(T(det(a)) == doctest::Approx(Eigen::Map<const matrix>(a.data()).determinant()).epsilon(double(within)));
}

TEST_CASE("rows that change places") {
  const tensor<f32, 3, 3> a{{0, 2, 0}, {0, 0, 4}, {8, 0, 0}};
  CHECK(equal(evaluate(solve(a, tensor<f32, 3>{2, 8, 24})), tensor<f32, 3>{3, 1, 2}));
  CHECK(f32(det(a)) == 64);
  CHECK(f32(det(a(range<0, 2>, range<1, 3>)(all, range<0>) * 1)) == 8);
  CHECK(f32(det(tensor<f32, 2, 2>{{0, 1}, {1, 0}})) == -1);
}

TEST_CASE("complex numbers") {
  using c = complex<f32>;
  const tensor<c, 2, 2> a{{c{0, 1}, c{2, 0}}, {c{0, 4}, c{0, 0}}};
  CHECK(equal(evaluate(solve(a, tensor<c, 2>{c{1, 0}, c{4, 0}})), tensor<c, 2>{c{0, -1}, c{0, 0}}));
}

TEST_CASE("singular matrices have determinant 0 and no solution") {
  const tensor<f64, 3, 3> a{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}};
  CHECK(f64(det(a)) == 0);
  const tensor<f64, 3> x = solve(a, tensor<f64, 3>{1, 1, 1});
  CHECK_FALSE((std::isfinite(x(0)) && std::isfinite(x(1))));
}

template <class A, class B>
concept solvable = requires(const A& a, const B& b) { solve(a, b); };
static_assert(solvable<tensor<f32, 3, 3>, tensor<f32, 3>> && solvable<tensor<f32, 3, 3>, tensor<f32, 3, 1>>);
static_assert(!solvable<tensor<f32, 3, 2>, tensor<f32, 3>> && !solvable<tensor<f32, 3, 3>, tensor<f32, 2>>);
static_assert(!solvable<tensor<i32, 3, 3>, tensor<i32, 3>> && !solvable<tensor<f32, 2, 3, 3>, tensor<f32, 3>>);
static_assert(!solvable<tensor<f32, 3, 3>, tensor<f64, 3>>);

TEST_CASE("within traced functions") {
  constexpr auto f = trace([](auto a, auto b) { return solve(a, b) + inv(a)(at<0>) * broadcast_like(det(a), b); });
  const tensor<f32, 2, 2> a{{0, 2}, {4, 0}};
  CHECK(equal(f(a, tensor<f32, 2>{2, 4}), tensor<f32, 2>{1, -1}));
}

}  // namespace
