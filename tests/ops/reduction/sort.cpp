// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/sort.hpp>

#include "ops/bodies.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr auto& less_f32 = comparing<dtype::f32>;
constexpr tensor_type pairs[] = {f32_scalar, f32_scalar, i32_scalar, i32_scalar};
constexpr signature less_pairs{{pairs, 4}, {scalars<dtype::i1>, 1}};

// Types.

static_assert(result_type(ops::sort{1}, {f32_2x3}, {}, {less_f32}) == f32_2x3);
static_assert(broken_by(ops::sort{-2}, {f32_2x3, i32_2x3}, {f32_2x3, i32_2x3}, {less_pairs}).empty());

// Broken rules.

constexpr std::string_view broken(index_t dimension, std::initializer_list<tensor_type> inputs, const signature& less,
                                  std::initializer_list<tensor_type> declared = {}) {
  return broken_by(ops::sort{dimension}, inputs, declared, {less});
}
static_assert(broken(0, {token}, less_f32) == "sort_c4");
static_assert(broken(0, {tensor_type{dtype::token, 0, 0, 0, {2}}}, less_f32) == "sort_i1");
static_assert(broken(0, {}, less_f32) == "sort_c1");
static_assert(broken(0, {f32_2x3}, less_f32, {f64_2x3}) == "sort_c2");
static_assert(broken(0, {f32_2x3, type_of(dtype::i32, {3, 2})}, less_pairs) == "sort_c3");
static_assert(broken(0, {f32_2x3}, less_f32, {f32_3x2}) == "sort_c3");
static_assert(broken(2, {f32_2x3}, less_f32) == "sort_c4");
static_assert(broken(-3, {f32_2x3}, less_f32) == "sort_c4");
static_assert(broken(0, {f32_2x3}, less_pairs) == "sort_c5");
static_assert(broken(0, {i32_2x3}, less_f32) == "sort_c5");
static_assert(broken(0, {f32_2x3}, combining<dtype::f32>) == "sort_c5");
static_assert(broken_by(ops::sort{0}, {f32_2x3}) == "sort_c5");

}  // namespace

TEST_CASE("sort: the specification's example") {
  static constexpr tensor_type i64_scalar = type_of(dtype::i64);
  static constexpr tensor_type four[] = {i64_scalar, i64_scalar, i64_scalar, i64_scalar};
  const surroundings around{binary<i64>([](i64 a, i64 b) { return a > b; }), {{{four, 4}, {scalars<dtype::i1>, 1}}}};
  const std::vector<value> results = evaluate<i64>(
      ops::sort{0, true}, {tensor_of<i64>({2, 3}, {1, 2, 3, 3, 2, 1}), tensor_of<i64>({2, 3}, {3, 2, 1, 1, 2, 3})},
      {i64_2x3, i64_2x3}, around);
  CHECK(results[0].as<i64>() == std::vector<i64>{3, 2, 3, 1, 2, 1});
  CHECK(results[1].as<i64>() == std::vector<i64>{1, 2, 1, 3, 2, 3});
}

TEST_CASE("sort: every length is sorted, and equal elements keep their order") {
  const surroundings around{binary<i32>([](i32 a, i32 b) { return a < b; }),
                            {{{scalars<dtype::i32, dtype::i32, dtype::i8, dtype::i8>, 4}, {scalars<dtype::i1>, 1}}}};
  unsigned state = 1;
  for (index_t length = 0; length <= 70; ++length) {
    std::vector<i32> keys;
    std::vector<i8> positions;
    for (index_t i = 0; i < length; ++i) {
      state = state * 1664525u + 1013904223u;
      keys.push_back(i32(state >> 24) % (1 + i32(length) / 3));
      positions.push_back(i8(i));
    }
    const std::vector<value> results =
        evaluate<i32>(ops::sort{-1, true}, {tensor_of<i32>({length}, keys), tensor_of<i8>({length}, positions)},
                      {type_of(dtype::i32, {length}), type_of(dtype::i8, {length})}, around);
    std::sort(positions.begin(), positions.end(), [&](i8 a, i8 b) {
      const i32 x = keys[std::size_t(a)], y = keys[std::size_t(b)];
      return x < y || (x == y && a < b);
    });
    std::sort(keys.begin(), keys.end());
    REQUIRE(results[0].as<i32>() == keys);
    REQUIRE(results[1].as<i8>() == positions);
  }
}

TEST_CASE("sort: along a middle dimension") {
  const surroundings around = {binary<f64>([](f64 a, f64 b) { return a < b; }), {comparing<dtype::f64>}};
  const value x = tensor_of<f64>({2, 3, 2}, {5, 1, 3, 2, 4, 0, 7, 9, 8, 8, 6, 7});
  const std::vector<f64> sorted{3, 0, 4, 1, 5, 2, 6, 7, 7, 8, 8, 9};
  CHECK(evaluate<f64>(ops::sort{1}, {x}, {x.type}, around)[0].as<f64>() == sorted);
}

TEST_CASE("sort: a comparator that is no order still permutes") {
  for (const bool answer : {false, true}) {
    const surroundings around = {binary<i32>([=](i32, i32) { return answer; }), {comparing<dtype::i32>}};
    std::vector<i32> sorted =
        evaluate<i32>(ops::sort{0}, {counting<i32>({50})}, {type_of(dtype::i32, {50})}, around)[0].as<i32>();
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == counting<i32>({50}).as<i32>());
  }
}
