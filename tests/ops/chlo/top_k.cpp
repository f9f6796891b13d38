// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/top_k.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr tensor_type f32_2x2 = type_of(dtype::f32, {2, 2}), i32_2x2 = type_of(dtype::i32, {2, 2});

// types
static_assert(result_type(ops::top_k{2}, {f32_2x3}) == f32_2x2);
static_assert(result_type(ops::top_k{2}, {f32_2x3}, {f32_2x2, i32_2x2}) == f32_2x2);
static_assert(result_type(ops::top_k{3}, {i32_2x3}) == i32_2x3);
constexpr tensor_type open_rows = [] {
  tensor_type type = f32_2x3;
  type.bound(0);
  return type;
}();
static_assert(result_type(ops::top_k{3}, {open_rows}) == open_rows);

// broken rules
static_assert(broken_by(ops::top_k{2}, {}) == "operands");
static_assert(broken_by(ops::top_k{2}, {c64_2x3}) == "top_k_i1");
static_assert(broken_by(ops::top_k{-1}, {f32_2x3}) == "top_k_i2");
static_assert(broken_by(ops::top_k{4}, {f32_2x3}) == "top_k_c1");
static_assert(broken_by(ops::top_k{0}, {f32_scalar}) == "top_k_c1");
static_assert(broken_by(ops::top_k{2}, {f32_2x3}, {i32_2x2, i32_2x2}) == "top_k_c2");
static_assert(broken_by(ops::top_k{2}, {f32_2x3}, {f32_2x2, f32_2x2}) == "top_k_c3");

// As a stable sort places the elements.
template <class T, class Less>
void check(const std::vector<T>& elements, index_t k, Less less) {
  const index_t count = index_t(elements.size());
  const std::vector<value> results = evaluate<T>(ops::top_k{k}, {tensor_of<T>({count}, elements)},
                                                 {type_of(dtype_of<T>, {k}), type_of(dtype::i32, {k})});
  std::vector<i32> order(elements.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](i32 a, i32 b) {
    const T &first = elements[std::size_t(a)], &second = elements[std::size_t(b)];
    return less(second, first) || (!less(first, second) && a < b);
  });
  order.resize(std::size_t(k));
  CHECK(results[1].as<i32>() == order);
  const std::vector<T> values = results[0].as<T>();
  for (std::size_t i = 0; i < order.size(); ++i)
    CHECK(std::memcmp(&values[i], &elements[std::size_t(order[i])], sizeof(T)) == 0);
}

}  // namespace

TEST_CASE("top_k: integers of every k") {
  std::vector<i32> numbers;
  std::vector<ui8> bytes;
  std::vector<i4> small;
  std::vector<i64> large;
  for (int i = 0; i < 23; ++i)
    numbers.push_back((i * 7919) % 11 - 5), bytes.push_back(ui8(i * 97)), small.push_back(i4(i * 5)),
        large.push_back(i64((i * 7919) % 11 - 5) << 40);
  for (index_t k = 0; k <= 23; ++k) {
    check(numbers, k, [](i32 a, i32 b) { return a < b; });
    check(bytes, k, [](ui8 a, ui8 b) { return a < b; });
    check(small, k, [](i4 a, i4 b) { return a.value < b.value; });
    check(large, k, [](i64 a, i64 b) { return a < b; });
  }
  check(std::vector<i64>{1, 3, 3, 2}, 3, [](i64 a, i64 b) { return a < b; });
}

TEST_CASE("top_k: floats in total order") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> descending = {nan, infinity, 3, 3, 0x1p-149f, 0, -0.0f, -1, -infinity, -nan};
  std::vector<float> mixed;
  for (std::size_t i = 0; i < descending.size(); ++i) mixed.push_back(descending[i * 7 % descending.size()]);
  const auto results = evaluate<f32>(ops::top_k{10}, {tensor_of<f32>({10}, mixed)},
                                     {type_of(dtype::f32, {10}), type_of(dtype::i32, {10})});
  const std::vector<float> values = results[0].as<f32>();
  CHECK(std::memcmp(values.data(), descending.data(), 10 * sizeof(float)) == 0);
  const auto halves =
      evaluate<bf16>(ops::top_k{2}, {tensor_of<bf16>({4}, {bf16(-1.0f), bf16(2.0f), bf16(-3.0f), bf16(2.0f)})},
                     {type_of(dtype::bf16, {2}), type_of(dtype::i32, {2})});
  CHECK(halves[1].as<i32>() == std::vector<i32>{1, 3});
}

TEST_CASE("top_k: row by row") {
  const auto results = evaluate<f64>(ops::top_k{2}, {tensor_of<f64>({2, 3}, {1, 3, 2, 9, 7, 8})},
                                     {type_of(dtype::f64, {2, 2}), i32_2x2});
  CHECK(results[0].as<f64>() == std::vector<f64>{3, 2, 9, 8});
  CHECK(results[1].as<i32>() == std::vector<i32>{1, 2, 0, 2});
}
