// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/triangular_solve.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr ops::triangular_solve from_left{.left_side = true, .lower = true};
constexpr tensor_type f32_2x2 = type_of(dtype::f32, {2, 2}), f32_3x3 = type_of(dtype::f32, {3, 3});

// Types.

static_assert(result_type(from_left, {f32_2x2, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::triangular_solve{}, {f32_3x3, f32_2x3}) == f32_2x3);

// Broken rules.

constexpr std::string_view broken(const tensor_type& a, const tensor_type& b,
                                  std::initializer_list<tensor_type> declared = {}) {
  return broken_by_quantized(from_left, {a, b}, declared);
}
static_assert(broken(quantized(dtype::i8, 1, {2, 2}), q8_2x3, {other_scale_2x3}).empty());
static_assert(broken(type_of(dtype::i32, {2, 2}), f32_2x3) == "triangular_solve_i1");
static_assert(broken(f32_2x2, axis0_2x3) == "triangular_solve_i2");
static_assert(broken(f32_2x2, f64_2x3) == "triangular_solve_c1");
static_assert(broken(f32_2x2, type_of(dtype::f32, {1, 2, 3})) == "triangular_solve_c2");
static_assert(broken(type_of(dtype::f32, {2}), type_of(dtype::f32, {2})) == "triangular_solve_c2");
static_assert(broken(type_of(dtype::f32, {4, 2, 2}), type_of(dtype::f32, {3, 2, 3})) == "triangular_solve_c3");
static_assert(broken(f32_2x3, f32_2x3) == "triangular_solve_c3");
static_assert(broken(f32_3x3, f32_2x3) == "triangular_solve_c3");
static_assert(broken_by(ops::triangular_solve{}, {f32_2x2, f32_2x3}) == "triangular_solve_c3");
static_assert(broken(f32_2x2, f32_2x3, {f32_2x2}) == "triangular_solve_c4");

template <class T>
std::vector<T> solve(const ops::triangular_solve& op, const value& a, const value& b) {
  return evaluate<T>(op, {a, b}, {b.type})[0].template as<T>();
}

// op(a) * x - b or x * op(a) - b, where the other triangle of a is full of numbers that must not be read.
template <class T>
double largest_error(const ops::triangular_solve& op, index_t n, index_t systems) {
  using real = element_t<real_type(dtype_of<T>)>;
  const auto number = [](index_t i, index_t k) {
    const real re = real(double((i * 5 + k * 3 + 1) % 7) / 7 - 0.5), im = real(double((i + 2 * k) % 5) / 5 - 0.4);
    if constexpr (is_complex(dtype_of<T>))
      return T{re, im};
    else
      return T(re + 0 * im);
  };
  const auto inside = [&](index_t i, index_t k) { return op.lower ? k <= i : i <= k; };
  std::vector<T> a, b;
  for (index_t i = 0; i < n; ++i)
    for (index_t k = 0; k < n; ++k) {
      T entry = inside(i, k) ? number(i, k) : convert_to<T>(real(1e9));
      if (i == k) entry = op.unit_diagonal ? convert_to<T>(real(77)) : entry + convert_to<T>(real(2));
      a.push_back(entry);
    }
  for (index_t i = 0; i < n * systems; ++i) b.push_back(number(i, 3));
  const ints shape = op.left_side ? ints{n, systems} : ints{systems, n};
  const std::vector<T> x = solve<T>(op, tensor_of<T>({n, n}, a), tensor_of<T>(shape, b));
  const auto entry = [&](index_t i, index_t k) {
    const bool transposed = op.transpose_a != transpose_a_kind::NO_TRANSPOSE;
    const index_t row = transposed ? k : i, column = transposed ? i : k;
    if (!inside(row, column)) return T{};
    if (row == column && op.unit_diagonal) return convert_to<T>(real(1));
    const T value = a[std::size_t(row * n + column)];
    return op.transpose_a == transpose_a_kind::ADJOINT ? ops::conjugate(value) : value;
  };
  double largest = 0;
  for (index_t i = 0; i < n; ++i)
    for (index_t s = 0; s < systems; ++s) {
      const auto at = [&](index_t k) { return std::size_t(op.left_side ? k * systems + s : s * n + k); };
      T sum = -b[at(i)];
      for (index_t k = 0; k < n; ++k) sum = sum + (op.left_side ? entry(i, k) : entry(k, i)) * x[at(k)];
      if constexpr (is_complex(dtype_of<T>))
        largest = std::max(largest, std::hypot(double(sum.real), double(sum.imag)));
      else
        largest = std::max(largest, std::fabs(double(sum)));
    }
  return largest;
}

}  // namespace

TEST_CASE("triangular_solve: the specification's example") {
  CHECK(solve<f32>(from_left, tensor_of<f32>({3, 3}, {1, 0, 0, 2, 4, 0, 3, 5, 6}),
                   tensor_of<f32>({3, 3}, {2, 0, 0, 4, 8, 0, 6, 10, 12})) ==
        std::vector<f32>{2, 0, 0, 0, 2, 0, 0, 0, 2});
}

TEST_CASE("triangular_solve: every combination of attributes") {
  for (bool left_side : {true, false})
    for (bool lower : {true, false})
      for (bool unit_diagonal : {true, false})
        for (transpose_a_kind transpose_a :
             {transpose_a_kind::NO_TRANSPOSE, transpose_a_kind::TRANSPOSE, transpose_a_kind::ADJOINT}) {
          const ops::triangular_solve op{left_side, lower, unit_diagonal, transpose_a};
          CHECK(largest_error<f32>(op, 4, 3) < 1e-5);
          CHECK(largest_error<f64>(op, 5, 2) < 1e-13);
          CHECK(largest_error<complex<f32>>(op, 4, 3) < 1e-5);
          CHECK(largest_error<complex<f64>>(op, 5, 2) < 1e-13);
        }
}

TEST_CASE("triangular_solve: more systems than are solved at once") {
  for (bool left_side : {true, false})
    for (bool lower : {true, false})
      for (index_t systems : {31, 32, 33, 63, 64, 65, 130}) {
        const ops::triangular_solve op{left_side, lower, systems % 2 == 0, transpose_a_kind::NO_TRANSPOSE};
        CHECK(largest_error<f32>(op, 6, systems) < 1e-4);
        CHECK(largest_error<f64>(op, 7, systems) < 1e-12);
      }
}

TEST_CASE("triangular_solve: stacks, narrow floats") {
  const value a = tensor_of<f16>({2, 1, 1}, {f16(2.0f), f16(4.0f)}),
              b = tensor_of<f16>({2, 1, 1}, {f16(3.0f), f16(2.0f)});
  CHECK(solve<f16>(from_left, a, b) == std::vector<f16>{f16(1.5f), f16(0.5f)});
  CHECK(solve<f32>(from_left, tensor_of<f32>({0, 0}, {}), tensor_of<f32>({0, 2}, {})).empty());
}
