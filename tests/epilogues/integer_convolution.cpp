// SPDX-License-Identifier: Apache-2.0
#include <tenon/epilogues/integer_convolution.hpp>

#include <tenon/kernels/contraction/convolution_layout.hpp>

#include <ops/evaluate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

constexpr convolution_dimension_numbers images{0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}},
    outputs_first{0, 3, {1, 2}, 3, 0, {1, 2}, 0, 3, {1, 2}}, planes{0, 1, {2, 3}, 2, 3, {0, 1}, 0, 3, {1, 2}},
    channels_first{0, 1, {2, 3}, 1, 0, {2, 3}, 0, 1, {2, 3}};

template <class T>
std::vector<T> numbers(const ints& shape, int seed) {
  std::vector<T> result;
  for (index_t i = 0; i < shape.product(); ++i) result.push_back(T(std::uint32_t(i + seed) * 2654435761u >> 24));
  return result;
}

// Whether sums are those that the op defines; `runs`: whether it does such convolutions at all.
template <class T>
void check(const ops::convolution& op, const ints& lhs, const ints& rhs, const ints& result, bool runs = true) {
  const auto run = [&](const auto& kernel) {
    return evaluate_by(kernel, op, {tensor_of(lhs, numbers<T>(lhs, 1)), tensor_of(rhs, numbers<T>(rhs, 2))},
                       {type_of(dtype::i32, result)})[0]
        .template as<i32>();
  };
  bool ran = false;
  const std::vector<i32> got = run([&](evaluation e) {
    std::vector<T> windows(std::size_t(2 * rhs.product() + 1));
    e.scratch = windows.data();
    ran = integer_convolution<T, convolution_layout>(convolution_layout(op, e), e).run();
  });
  CHECK(ran == runs);
  if (!runs) return;
  const std::vector<i32> expected = run([&](const evaluation& e) { op.evaluate<T>(e); });
  CHECK(got == expected);
  // Some pixels at a time, which are handed over where the first ones were.
  if (!expected.empty())
    for (index_t pixels : {1, 2, 5}) {
      std::vector<i32> sums(std::size_t(pixels * result[3] + 3)), given;
      const auto take = [&](index_t first, index_t last) {
        CHECK(first == index_t(given.size()));
        given.insert(given.end(), sums.begin(), sums.begin() + (last - first));
      };
      using taker = decltype(take);
      run([&](evaluation e) {
        std::vector<T> windows(std::size_t(2 * rhs.product() + 1));
        void* results[] = {sums.data()};
        e.scratch = windows.data(), e.results = {results, 1};
        e.epilogue = {
            [](const void* to, index_t first, index_t last) { (*static_cast<const taker*>(to))(first, last); }, &take,
            pixels * result[3] + 3};
        CHECK(integer_convolution<T, convolution_layout>(convolution_layout(op, e), e).run());
      });
      CHECK(given == expected);
    }
}

template <class T>
void check_all() {
  check<T>({.dimension_numbers = outputs_first}, {2, 5, 3, 8}, {6, 1, 1, 8}, {2, 5, 3, 6});
  check<T>({.dimension_numbers = images}, {2, 5, 3, 7}, {1, 1, 7, 9}, {2, 5, 3, 9});
  check<T>({.window_strides = {2, 2}, .dimension_numbers = images}, {2, 5, 6, 5}, {1, 1, 5, 3}, {2, 3, 3, 3});
  check<T>({.window_strides = {2, 2}, .padding = {{4, 5}, {1, 1}}, .dimension_numbers = outputs_first}, {1, 9, 10, 1},
           {7, 10, 4, 1}, {1, 5, 5, 7});
  check<T>({.padding = {{1, 1}, {2, 1}}, .dimension_numbers = images}, {2, 4, 5, 3}, {3, 3, 3, 5}, {2, 4, 6, 5});
  check<T>({.padding = {{1, 1}, {4, 4}}, .dimension_numbers = images}, {1, 3, 2, 2}, {3, 2, 2, 4}, {1, 3, 9, 4});
  check<T>({.padding = {{2, 1}, {1, -1}}, .lhs_dilation = {1, 2}, .rhs_dilation = {1, 2}, .dimension_numbers = images},
           {2, 5, 6, 3}, {3, 2, 3, 4}, {2, 6, 9, 4});
  check<T>({.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images, .feature_group_count = 3}, {3, 4, 5, 6},
           {3, 3, 2, 12}, {3, 4, 5, 12});
  check<T>({.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images, .feature_group_count = 11}, {2, 4, 5, 11},
           {3, 3, 1, 11}, {2, 4, 5, 11});
  check<T>({.window_strides = {2, 2},
            .padding = {{0, 1}, {2, 3}},
            .window_reversal = {1, 0},
            .dimension_numbers = images,
            .feature_group_count = 8},
           {2, 6, 7, 8}, {3, 3, 1, 8}, {2, 3, 5, 8});
  check<T>({.padding = {{1, 1}, {1, 1}}, .window_reversal = {0, 1}, .dimension_numbers = images}, {1, 4, 4, 2},
           {3, 3, 2, 2}, {1, 4, 4, 2});
  // Rows as they lie, and windows that are all inside of the image.
  check<T>({.dimension_numbers = images, .feature_group_count = 3}, {2, 4, 5, 6}, {1, 1, 2, 12}, {2, 4, 5, 12});
  check<T>({.window_strides = {1, 2}, .dimension_numbers = images}, {2, 1, 6, 5}, {1, 1, 5, 3}, {2, 1, 3, 3});
  check<T>({.dimension_numbers = planes}, {1, 7, 4, 5}, {1, 1, 7, 9}, {1, 4, 5, 9});
  check<T>({.dimension_numbers = planes}, {2, 7, 4, 5}, {1, 1, 7, 9}, {2, 4, 5, 9});
  check<T>({.padding = {{-1, -1}, {-2, 0}}, .dimension_numbers = images}, {2, 6, 7, 3}, {3, 3, 3, 5}, {2, 2, 3, 5});
  check<T>({.padding = {{-1, 0}, {-1, -1}}, .dimension_numbers = images, .feature_group_count = 11}, {2, 5, 6, 11},
           {3, 3, 1, 11}, {2, 2, 2, 11});
  check<T>({.dimension_numbers = channels_first}, {1, 3, 4, 4}, {2, 3, 3, 3}, {1, 2, 2, 2}, false);
}

}  // namespace

TEST_CASE("convolutions of integers that are read where they lie") {
  check_all<std::int8_t>();
  check_all<std::uint8_t>();
}

namespace {

void check_product(index_t m, index_t n, index_t k, std::initializer_list<index_t> elements) {
  std::vector<std::int8_t> a, b;
  for (index_t i = 0; i < m * k; ++i) a.push_back(std::int8_t(i * 37 % 251 - 120));
  for (index_t i = 0; i < n * k; ++i) b.push_back(std::int8_t(i * 91 % 253 - 126));
  std::vector<std::int32_t> expected(std::size_t(m * n));
  const integer_factors<std::int8_t> factors(a.data(), b.data(), k, 1, k, 1, k);
  multiply_integers<std::int8_t>(m, n, factors, expected.data(), n, false);
  for (index_t most : elements) {
    CAPTURE(most);
    std::vector<std::int32_t> given, sums(static_cast<std::size_t>(most));
    const auto take = [&](index_t first, index_t last) {
      CHECK(first == index_t(given.size()));
      given.insert(given.end(), sums.begin(), sums.begin() + (last - first));
    };
    using taker = decltype(take);
    multiply_for_epilogue<std::int8_t>(
        m, n, factors, sums.data(),
        {[](const void* to, index_t first, index_t last) { (*static_cast<const taker*>(to))(first, last); }, &take,
         most});
    CHECK(given == expected);
  }
}

}  // namespace

TEST_CASE("rows of a product go to what follows it, some at a time") { check_product(5, 6, 7, {6, 11, 12, 25, 30}); }

TEST_CASE("a row of a product goes to what follows it, some columns at a time") {
  check_product(1, 22, 9, {1, 5, 8, 22, 30});
}
