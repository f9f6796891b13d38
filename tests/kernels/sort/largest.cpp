// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/sort.hpp>

#include <tenon/ops/chlo/top_k.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// As a stable sort places the elements.
template <class T, class Less>
void check(const std::vector<T>& elements, index_t k, Less less) {
  const index_t count = index_t(elements.size());
  const std::vector<value> results =
      evaluate_alike<T>(&largest_kernel<ops::top_k, T>, ops::top_k{k}, {tensor_of<T>({count}, elements)},
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
  const auto results =
      evaluate_alike<f32>(&largest_kernel<ops::top_k, f32>, ops::top_k{10}, {tensor_of<f32>({10}, mixed)},
                          {type_of(dtype::f32, {10}), type_of(dtype::i32, {10})});
  const std::vector<float> values = results[0].as<f32>();
  CHECK(std::memcmp(values.data(), descending.data(), 10 * sizeof(float)) == 0);
  const auto halves = evaluate_alike<bf16>(&largest_kernel<ops::top_k, bf16>, ops::top_k{2},
                                           {tensor_of<bf16>({4}, {bf16(-1.0f), bf16(2.0f), bf16(-3.0f), bf16(2.0f)})},
                                           {type_of(dtype::bf16, {2}), type_of(dtype::i32, {2})});
  CHECK(halves[1].as<i32>() == std::vector<i32>{1, 3});
}

TEST_CASE("top_k: row by row") {
  const auto results =
      evaluate_alike<f64>(&largest_kernel<ops::top_k, f64>, ops::top_k{2}, {tensor_of<f64>({2, 3}, {1, 3, 2, 9, 7, 8})},
                          {type_of(dtype::f64, {2, 2}), type_of(dtype::i32, {2, 2})});
  CHECK(results[0].as<f64>() == std::vector<f64>{3, 2, 9, 8});
  CHECK(results[1].as<i32>() == std::vector<i32>{1, 2, 0, 2});
}

TEST_CASE("top_k: long rows, of every type, as the op says it") {
  const auto check_all = [&]<class T>(T) {
    unsigned state = 1;
    for (const ints& shape : {ints{3, 400}, ints{2, 33}, ints{1, 31}, ints{2, 0}, ints{5, 64}}) {
      std::vector<T> elements;
      for (index_t i = 0; i < shape.product(); ++i) {
        state = state * 1664525u + 1013904223u;
        elements.push_back(convert_to<T>(f32(int(state >> 16) % 120 - (is_unsigned_integer(dtype_of<T>) ? 0 : 60))));
      }
      for (const index_t k : {0, 1, 5, 16, 17, 31}) {
        if (k > shape[1]) continue;
        evaluate_alike<T>(&largest_kernel<ops::top_k, T>, ops::top_k{k}, {tensor_of<T>(shape, elements)},
                          {type_of(dtype_of<T>, {shape[0], k}), type_of(dtype::i32, {shape[0], k})});
      }
    }
  };
  check_all(f32{}), check_all(f64{}), check_all(f16{}), check_all(bf16{}), check_all(f8E4M3FN{});
  check_all(i8{}), check_all(ui8{}), check_all(i32{}), check_all(i64{}), check_all(ui64{}), check_all(i4{});
}
