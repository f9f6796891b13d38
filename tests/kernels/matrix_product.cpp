// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/matrix_product.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

namespace {

// Memory whose ends are checked: numbers outside must neither be read into a sum nor be changed.
template <class T>
struct guarded {
  static constexpr std::size_t margin = 64;
  std::vector<T> all;

  explicit guarded(std::size_t size) : all(size + 2 * margin, T(NAN)) {}
  T* data() { return all.data() + margin; }
  bool is_intact() const {
    bool intact = true;
    for (std::size_t i = 0; i < margin; ++i)
      intact = intact && std::isnan(all[i]) && std::isnan(all[all.size() - 1 - i]);
    return intact;
  }
};

template <class T>
guarded<T> numbers(index_t size, unsigned state) {
  guarded<T> result{std::size_t(size)};
  for (index_t i = 0; i < size; ++i) {
    state = state * 1664525u + 1013904223u;
    result.data()[i] = T(state >> 20) / T(4096) - T(0.5);
  }
  return result;
}

enum class order { rows, columns };

// c (+)= a * b against sums in f64 or long double.
template <class T>
void check(index_t m, index_t n, index_t k, order a_order, order b_order, bool accumulate) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  guarded<T> a = numbers<T>(m * k, 1), b = numbers<T>(k * n, 2), c = numbers<T>(m * n, 3), scratch(0);
  const strided_matrix<const T> left =
      a_order == order::rows ? strided_matrix<const T>{a.data(), k, 1} : strided_matrix<const T>{a.data(), 1, m};
  const strided_matrix<const T> right =
      b_order == order::rows ? strided_matrix<const T>{b.data(), n, 1} : strided_matrix<const T>{b.data(), 1, k};
  scratch = guarded<T>(std::size_t(ops::packing::product(m, n, k, sizeof(T))) / sizeof(T));
  std::vector<long double> expected;
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      long double sum = accumulate ? (long double)c.data()[i * n + j] : 0;
      for (index_t p = 0; p < k; ++p) sum += (long double)*left.at(i, p) * (long double)*right.at(p, j);
      expected.push_back(sum);
    }
  matrix_product<T>(m, n, k, left, right, c.data(), n, accumulate, scratch.data(), {0, m, 0, n});
  const long double tolerance = (sizeof(T) == 4 ? 1e-6L : 1e-14L) * (long double)(k + 1);
  long double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const long double difference = std::fabs((long double)c.data()[i] - expected[i]);
    worst = difference > worst || std::isnan(difference) ? difference : worst;
  }
  CHECK(worst <= tolerance);
  CHECK(c.is_intact());
  CHECK(scratch.is_intact());
}
template <class T>
void check(index_t m, index_t n, index_t k) {
  for (order a_order : {order::rows, order::columns})
    for (order b_order : {order::rows, order::columns})
      for (bool accumulate : {false, true}) check<T>(m, n, k, a_order, b_order, accumulate);
}

}  // namespace

TEST_CASE_TEMPLATE("matrix_product: short rows by a vector", T, float, double) {
  for (index_t m : {33, 47, 64, 211})
    for (index_t k = 1; k <= 5; ++k) check<T>(m, 1, k);
}

TEST_CASE_TEMPLATE("matrix_product: short rows of integers by a vector", T, std::uint32_t, std::uint64_t) {
  for (index_t m : {33, 47, 64})
    for (index_t k = 2; k <= 4; ++k) {
      std::vector<T> a, b, c(std::size_t(m), T(7)), expected = c;
      for (index_t i = 0; i < m * k; ++i) a.push_back(T(i * 11 % 29) - T(9));
      for (index_t j = 0; j < k; ++j) b.push_back(T(5 * j) - T(3));
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < k; ++j) expected[std::size_t(i)] += a[std::size_t(i * k + j)] * b[std::size_t(j)];
      std::vector<T> scratch(std::size_t(ops::packing::product(m, 1, k, sizeof(T))) / sizeof(T));
      matrix_product<T>(m, 1, k, strided_matrix<const T>{a.data(), k, 1}, strided_matrix<const T>{b.data(), 1, 1},
                        c.data(), 1, true, scratch.data(), {0, m, 0, 1});
      CHECK(c == expected);
    }
}

TEST_CASE_TEMPLATE("matrix_product: every small size", T, float, double) {
  for (index_t m : {1, 2, 3, 4, 5, 7, 8, 9, 17})
    for (index_t n : {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 33, 65})
      for (index_t k : {0, 1, 2, 3, 7, 16, 33}) check<T>(m, n, k);
}

TEST_CASE_TEMPLATE("matrix_product: blocks and what is left of them", T, float, double) {
  check<T>(30, 100, 400);
  check<T>(5, 531, 193);
  check<T>(33, 263, 385);
  check<T>(1, 700, 200);
  check<T>(700, 1, 200);
  check<T>(9, 1, 1000);
  check<T>(1, 9, 1000);
  check<T>(100, 10, 784);
}

TEST_CASE_TEMPLATE("matrix_product: few rows by columns of neighbours have the bits of each row", T, float, double) {
  for (index_t m : {2, 7, 24})
    for (index_t n : {2, 9, 70})
      for (index_t k : {200, 773}) {
        check<T>(m, n, k, order::rows, order::columns, true);
        if (32 * m > k * index_t(sizeof(T))) continue;
        guarded<T> a = numbers<T>(m * k, 1), b = numbers<T>(n * k, 2);
        std::vector<T> whole(std::size_t(m * n)), parts = whole, rows = whole;
        const strided_matrix<const T> left{a.data(), k, 1}, right{b.data(), 1, k};
        const auto run = [&](std::vector<T>& c, const product_part& part) {
          matrix_product<T>(m, n, k, left, right, c.data(), n, false, nullptr, part);
        };
        run(whole, {0, m, 0, n});
        run(parts, {0, m, 0, n / 2});
        run(parts, {0, 1, n / 2, n - n / 2});
        run(parts, {1, m - 1, n / 2, n - n / 2});
        for (index_t i = 0; i < m; ++i)
          matrix_product<T>(1, n, k, {left.at(i, 0), k, 1}, right, rows.data() + i * n, n, false, nullptr,
                            {0, 1, 0, n});
        CHECK(whole == rows);
        CHECK(whole == parts);
      }
}

TEST_CASE_TEMPLATE("matrix_product: an entry does not depend on where it stands", T, float, double) {
  constexpr index_t k = 50;
  guarded<T> row = numbers<T>(k, 4), column = numbers<T>(k, 5);
  for (index_t m : {2, 8, 13})
    for (index_t n : {2, 16, 41}) {
      std::vector<T> a, b, c(std::size_t(m * n)),
          scratch(std::size_t(ops::packing::product(m, n, k, sizeof(T))) / sizeof(T));
      for (index_t i = 0; i < m; ++i) a.insert(a.end(), row.data(), row.data() + k);
      for (index_t p = 0; p < k; ++p) b.insert(b.end(), std::size_t(n), column.data()[p]);
      matrix_product<T>(m, n, k, {a.data(), k, 1}, {b.data(), n, 1}, c.data(), n, false, scratch.data(), {0, m, 0, n});
      for (T entry : c) REQUIRE(entry == c[0]);
    }
}

TEST_CASE("matrix_product: infinities and NaN stay in their rows and columns") {
  std::vector<float> a(3 * 4, 1), b(4 * 5, 1), c(3 * 5), scratch(std::size_t(ops::packing::product(3, 5, 4, 4)) / 4);
  a[4] = INFINITY;
  b[2] = NAN;
  matrix_product<float>(3, 5, 4, {a.data(), 4, 1}, {b.data(), 5, 1}, c.data(), 5, false, scratch.data(), {0, 3, 0, 5});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) {
      if (j == 2)
        CHECK(std::isnan(c[std::size_t(5 * i + j)]));
      else
        CHECK(c[std::size_t(5 * i + j)] == (i == 1 ? INFINITY : 4.0f));
    }
}
