// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/cholesky.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

// Types.

constexpr tensor_type f32_2x3x3 = type_of(dtype::f32, {2, 3, 3});
static_assert(result_type(ops::cholesky{}, {f32_2x3x3}) == f32_2x3x3);
static_assert(
    broken_by_quantized(ops::cholesky{}, {quantized(dtype::i8, 1, {3, 3})}, {quantized(dtype::i8, 2, {3, 3})}).empty());

// Broken rules.

static_assert(broken_by(ops::cholesky{}, {type_of(dtype::i32, {3, 3})}) == "cholesky_i1");
static_assert(broken_by_quantized(ops::cholesky{}, {quantized(dtype::i8, 6, {3, 3})}) == "cholesky_i1");
static_assert(broken_by(ops::cholesky{}, {f32_2x3x3}, {type_of(dtype::f64, {2, 3, 3})}) == "cholesky_c1");
static_assert(broken_by(ops::cholesky{}, {f32_2x3x3}, {type_of(dtype::f32, {3, 3})}) == "cholesky_c1");
static_assert(broken_by(ops::cholesky{}, {type_of(dtype::f32, {3})}) == "cholesky_c2");
static_assert(broken_by(ops::cholesky{}, {f32_2x3}) == "cholesky_c3");

template <class T>
std::vector<T> factor(bool lower, const value& a) {
  return evaluate<T>(ops::cholesky{lower}, {a}, {a.type})[0].template as<T>();
}

// A positive definite matrix, and how far factor * adjoint(factor) is from it.
template <class T>
double largest_error(index_t n, bool lower) {
  using real = element_t<real_type(dtype_of<T>)>;
  const auto part = [](index_t i, index_t k) { return real(double((i * 7 + k * 3) % 11) / 11 - 0.4); };
  const auto generator = [&](index_t i, index_t k) {
    if constexpr (is_complex(dtype_of<T>))
      return T{part(i, k), part(k + 2, i)};
    else
      return part(i, k);
  };
  std::vector<T> a;
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      T sum{};
      for (index_t k = 0; k < n; ++k) sum = sum + generator(i, k) * ops::conjugate(generator(j, k));
      a.push_back(i == j ? sum + convert_to<T>(real(1)) : sum);
    }
  const std::vector<T> l = factor<T>(lower, tensor_of<T>({n, n}, a));
  double largest = 0;
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      T sum{};
      for (index_t k = 0; k < n; ++k) {
        const T x = lower ? l[std::size_t(i * n + k)] : ops::conjugate(l[std::size_t(k * n + i)]);
        const T y = lower ? ops::conjugate(l[std::size_t(j * n + k)]) : l[std::size_t(k * n + j)];
        sum = sum + x * y;
      }
      const T difference = sum - a[std::size_t(i * n + j)];
      if constexpr (is_complex(dtype_of<T>))
        largest = std::max(largest, std::hypot(double(difference.real), double(difference.imag)));
      else
        largest = std::max(largest, std::fabs(double(difference)));
      const bool other_triangle = lower ? j > i : j < i;
      if (other_triangle) CHECK(l[std::size_t(i * n + j)] == T{});
    }
  return largest;
}

}  // namespace

TEST_CASE("cholesky: the specification's example") {
  const value a = tensor_of<f32>({3, 3}, {1, 2, 3, 2, 20, 26, 3, 26, 70});
  CHECK(factor<f32>(true, a) == std::vector<f32>{1, 0, 0, 2, 4, 0, 3, 5, 6});
  CHECK(factor<f32>(false, a) == std::vector<f32>{1, 2, 3, 0, 4, 5, 0, 0, 6});
}

TEST_CASE("cholesky: only one triangle is read, stacks are factored one by one") {
  const value a = tensor_of<f64>({2, 2, 2}, {4, 99, 2, 5, 9, -99, 3, 2});
  CHECK(factor<f64>(true, a) == std::vector<f64>{2, 0, 1, 2, 3, 0, 1, 1});
  const value b = tensor_of<bf16>({2, 2}, {bf16(4.0f), bf16(2.0f), bf16(99.0f), bf16(5.0f)});
  CHECK(factor<bf16>(false, b) == std::vector<bf16>{bf16(2.0f), bf16(1.0f), bf16(0.0f), bf16(2.0f)});
}

TEST_CASE("cholesky: more rows than a vector holds") {
  for (index_t n : {15, 16, 17, 33, 67})
    for (bool lower : {true, false}) {
      CHECK(largest_error<f32>(n, lower) < 1e-4);
      CHECK(largest_error<f64>(n, lower) < 1e-12);
    }
}

TEST_CASE("cholesky: a matrix that is not positive definite gives NaN from the row on that shows it") {
  for (bool lower : {true, false}) {
    const std::vector<f32> l = factor<f32>(lower, tensor_of<f32>({3, 3}, {4, 2, 2, 2, -1, 3, 2, 3, 9}));
    CHECK(l[0] == 2);
    CHECK(l[lower ? 3 : 1] == 1);
    CHECK(std::isnan(l[4]));
    CHECK(std::isnan(l[lower ? 7 : 5]));
    CHECK(std::isnan(l[8]));
    CHECK(l[lower ? 1 : 3] == 0);
  }
}

TEST_CASE("cholesky: the product of the factors is the matrix") {
  for (index_t n : {0, 1, 2, 7, 20})
    for (bool lower : {true, false}) {
      CHECK(largest_error<f32>(n, lower) < 1e-5);
      CHECK(largest_error<f64>(n, lower) < 1e-13);
      CHECK(largest_error<complex<f32>>(n, lower) < 1e-5);
      CHECK(largest_error<complex<f64>>(n, lower) < 1e-13);
    }
}

TEST_CASE("cholesky: a matrix that is not positive definite gives NaN") {
  const std::vector<f32> result = factor<f32>(true, tensor_of<f32>({2, 2}, {-1, 0, 0, 1}));
  CHECK(std::isnan(result[0]));
}
