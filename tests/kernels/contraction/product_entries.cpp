// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction/product_entries.hpp>

#include <tenon/kernels/matrix_product.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

namespace {

// All bits of the numbers, the limits among them; exactly as many as a matrix has, so that sanitizers see what reads
// further.
template <class E>
std::vector<E> numbers(index_t size, unsigned state) {
  std::vector<E> all;
  for (index_t i = 0; i < size; ++i) {
    state = state * 1664525u + 1013904223u;
    all.push_back(state >> 28 == 0   ? std::numeric_limits<E>::min()
                  : state >> 28 == 1 ? std::numeric_limits<E>::max()
                                     : E(state >> 12));
  }
  all.shrink_to_fit();
  return all;
}

// c (+)= a * b as integers that wrap around, for rows or columns of neighbours.
template <class E>
bool multiplies(index_t m, index_t n, index_t k, bool a_by_columns, bool b_by_columns, bool accumulate) {
  const std::vector<E> a = numbers<E>(m * k, 1), b = numbers<E>(k * n, 2);
  const strided_matrix<const E> left =
      a_by_columns ? strided_matrix<const E>{a.data(), 1, m} : strided_matrix<const E>{a.data(), k, 1};
  const strided_matrix<const E> right =
      b_by_columns ? strided_matrix<const E>{b.data(), 1, k} : strided_matrix<const E>{b.data(), n, 1};
  std::vector<std::uint32_t> c(std::size_t(m * n), 7);
  std::vector<std::uint32_t> scratch(
      std::size_t(ops::product_dimensions::scratch_bytes(m, n, k, dtype_of<E>, dtype::i32)) / 4);
  widening_product<std::uint32_t, E, needs::all()>(m, n, k, left, right, c.data(), n, accumulate, scratch.data());
  bool agree = true;
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      std::uint32_t sum = accumulate ? 7 : 0;
      for (index_t p = 0; p < k; ++p) sum += std::uint32_t(*left.at(i, p)) * std::uint32_t(*right.at(p, j));
      agree = agree && c[std::size_t(i * n + j)] == sum;
    }
  return agree;
}

}  // namespace

static_assert(tiling::products_in_lane<std::uint16_t> == 1 && tiling::products_in_lane<float> == 1);
static_assert(tiling::products_in_lane<std::int8_t> == most_products_in_lane);

TEST_CASE_TEMPLATE("products of narrow integers are those of wide ones", E, std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t) {
  for (const bool a_by_columns : {false, true})
    for (const bool b_by_columns : {false, true})
      for (const bool accumulate : {false, true}) {
        CAPTURE(a_by_columns);
        CAPTURE(b_by_columns);
        CHECK(multiplies<E>(1, 1, 1, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(3, 5, 2, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(9, 33, 31, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(17, 70, 193, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(8, 600, 385, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(1, 45, 67, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(20, 1, 67, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(5, 7, 130, a_by_columns, b_by_columns, accumulate));
        CHECK(multiplies<E>(10, 40, 800, a_by_columns, b_by_columns, accumulate));
        for (index_t m : {2, 11})
          for (index_t n : {3, 18})
            for (index_t k = 1; k < 10; ++k) CHECK(multiplies<E>(m, n, k, a_by_columns, b_by_columns, accumulate));
      }
}

TEST_CASE_TEMPLATE("sums of the largest products are exact", E, std::int8_t, std::uint8_t, std::int16_t) {
  constexpr index_t n = 35, k = 803;
  constexpr E limits[] = {std::numeric_limits<E>::min(), std::numeric_limits<E>::max()};
  for (index_t m : {3, 12})
    for (const E x : limits)
      for (const E y : limits) {
        const std::vector<E> a(std::size_t(m * k), x), b(std::size_t(n * k), y);
        std::vector<std::uint32_t> c(std::size_t(m * n)),
            scratch(std::size_t(ops::product_dimensions::scratch_bytes(m, n, k, dtype_of<E>, dtype::i32)) / 4);
        for (const strided_matrix<const E>& right : {strided_matrix<const E>{b.data(), n, 1}, {b.data(), 1, k}}) {
          widening_product<std::uint32_t, E, needs::all()>(m, n, k, {a.data(), k, 1}, right, c.data(), n, false,
                                                           scratch.data());
          CHECK(c == std::vector<std::uint32_t>(c.size(), std::uint32_t(k) * std::uint32_t(x) * std::uint32_t(y)));
        }
      }
}
