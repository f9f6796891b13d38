// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/shape_operand.hpp>

#include <doctest/doctest.h>

#include <string>

namespace tenon::test {
using namespace core;

namespace {

constexpr tensor_type i64_2 = type_of(dtype::i64, {2}), f32_2x3 = type_of(dtype::f32, {2, 3}),
                      up_to_2x3{dtype::f32, 2, 0, 0, {2, 3}};

static_assert(ops::is_shape_operand(rules{}, i64_2));
static_assert(!ops::is_shape_operand(rules{}, type_of(dtype::i64)));
static_assert(!ops::is_shape_operand(rules{}, type_of(dtype::f32, {2})));

// Whether a shape operand of these values suits a result of this type.
constexpr bool suits(std::initializer_list<index_t> values, const tensor_type& result) {
  const list<index_t> constant{values.begin(), int(values.size())};
  rules rule;
  rule.constants = {&constant, 1};
  ops::check_shape_operand(rule, "label", 0, i64_2, result);
  return !rule.broken();
}
static_assert(suits({2, 3}, f32_2x3));
static_assert(suits({}, f32_2x3));
static_assert(!suits({2, 2}, f32_2x3));
static_assert(!suits({}, type_of(dtype::f32, {6})));
static_assert(suits({2, 1}, up_to_2x3));
static_assert(!suits({2, 4}, up_to_2x3));
static_assert(!suits({1, 3}, up_to_2x3));

std::string complaint(const tensor_type& result, const ints& computed) {
  evaluation e;
  e.result_types = {&result, 1};
  try {
    ops::expect_result_shape(e, "reshape", computed);
  } catch (const error& failure) {
    return failure.what();
  }
  return "";
}

TEST_CASE("the shape that is computed is the one that is promised") {
  CHECK(complaint(f32_2x3, {2, 3}).empty());
  CHECK(complaint(up_to_2x3, {2, 3}).empty());
  CHECK(complaint(up_to_2x3, {2, 1}) == "reshape: dimension 1 of the result has size 1, its type says 3 at most");
  CHECK(complaint(f32_2x3, {2, 1}) == "reshape: dimension 1 of the result has size 1, its type says 3");
}

}  // namespace
}  // namespace tenon::test
