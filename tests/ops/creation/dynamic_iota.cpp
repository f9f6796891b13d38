// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/dynamic_iota.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::dynamic_iota along_0{0};
constexpr tensor_type i64_2 = type_of(dtype::i64, {2});

static_assert(result_type(along_0, {i64_2}, {f32_2x3}) == f32_2x3);
static_assert(broken_by_constants(along_0, {i64_2}, {f32_2x3}, {{2, 3}}).empty());

static_assert(broken_by(along_0, {f32_2x3}, {f32_2x3}) == "dynamic_iota_i1");
static_assert(broken_by(along_0, {i64_2}) == "dynamic_iota_o1");
static_assert(broken_by(along_0, {i64_2}, {i1_2x3}) == "dynamic_iota_o1");
static_assert(broken_by(ops::dynamic_iota{2}, {i64_2}, {f32_2x3}) == "dynamic_iota_c1");
static_assert(broken_by(ops::dynamic_iota{-1}, {i64_2}, {f32_2x3}) == "dynamic_iota_c1");
static_assert(broken_by(along_0, {type_of(dtype::i64, {3})}, {f32_2x3}) == "dynamic_iota_c2");
static_assert(broken_by_constants(along_0, {i64_2}, {f32_2x3}, {{3, 2}}) == "dynamic_iota_c2");

TEST_CASE("the specification's example") {
  const auto found = evaluate<i64>(along_0, {tensor_of<i64>({2}, {4, 5})}, {type_of(dtype::i64, {4, 5})});
  CHECK(found[0].as<i64>() == std::vector<i64>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3});
}

TEST_CASE("a shape that the type does not promise") {
  CHECK_THROWS_AS(evaluate<i64>(along_0, {tensor_of<i64>({2}, {5, 4})}, {type_of(dtype::i64, {4, 5})}), error);
}

}  // namespace
}  // namespace tenon::test
