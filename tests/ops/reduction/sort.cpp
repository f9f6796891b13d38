// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/sort.hpp>

#include "ops/bodies.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
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
