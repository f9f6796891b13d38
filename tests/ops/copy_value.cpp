// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/copy_value.hpp>

#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace kernels;
using namespace core;

namespace {

// What copy_converted and fill_with_zeros see: one operand, one result.
struct one_to_one {
  tensor_type from, to;
  const void* operand;
  void* result;
  evaluation e;

  one_to_one(const tensor_type& operand_type, const void* operand_at, const tensor_type& result_type, void* result_at)
      : from(operand_type), to(result_type), operand(operand_at), result(result_at) {
    e.operands = {&operand, 1}, e.operand_types = {&from, 1};
    e.results = {&result, 1}, e.result_types = {&to, 1};
    e.details = &quantized_details;
  }
  one_to_one(const one_to_one&) = delete;
};

TEST_CASE("elements keep their type or are converted") {
  const f32 values[] = {1.5f, -2, 3};
  f32 same[3];
  ops::copy_converted(one_to_one(type_of(dtype::f32, {3}), values, type_of(dtype::f32, {3}), same).e, 0);
  CHECK(same[1] == -2);
  f64 wide[3];
  ops::copy_converted(one_to_one(type_of(dtype::f32, {3}), values, type_of(dtype::f64, {3}), wide).e, 0);
  CHECK(wide[0] == 1.5);
  CHECK(wide[2] == 3);
}

TEST_CASE("quantized elements keep the number they stand for") {
  // scale 0.1, zero point -30, to scale 0.5, zero point -20
  const i8 stored[] = {-30, 20};
  i8 converted[2];
  ops::copy_converted(one_to_one(quantized(dtype::i8, 1, {2}), stored, quantized(dtype::i8, 2, {2}), converted).e, 0);
  CHECK(converted[0] == -20);
  CHECK(converted[1] == -10);
}

TEST_CASE("zeros") {
  f64 zeros[] = {1, 2};
  ops::fill_with_zeros(one_to_one(token, nullptr, type_of(dtype::f64, {2}), zeros).e, 0);
  CHECK(zeros[0] == 0);
  CHECK(zeros[1] == 0);
  i8 quantized_zeros[] = {1, 2};
  ops::fill_with_zeros(one_to_one(token, nullptr, quantized(dtype::i8, 2, {2}), quantized_zeros).e, 0);
  CHECK(quantized_zeros[0] == -20);
  CHECK(quantized_zeros[1] == -20);
}

TEST_CASE("nothing to copy") {
  int value = 5;
  ops::copy_bytes(&value, nullptr, 0);
  ops::copy_bytes(&value, &value, sizeof value);
  CHECK(value == 5);
}

}  // namespace
}  // namespace tenon::test
