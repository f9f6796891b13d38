// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/convert_element.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::test;

template <class To, class From>
To converted(From from) {
  To to{};
  ops::convert_element(dtype_of<From>, &from, dtype_of<To>, &to);
  return to;
}

// The stored number of a value in a tensor with these parameters.
i8 quantize(f64 value, const tensor_type& type) {
  i8 to{};
  ops::quantize_element(&quantized_details, type, value, &to);
  return to;
}

}  // namespace

TEST_CASE("elements are converted within their kind") {
  CHECK(converted<i32>(i8(-3)) == -3);
  CHECK(converted<ui8>(i32(257)) == 1);
  CHECK(converted<f64>(f32(0.5f)) == 0.5);
  CHECK(converted<bf16>(f32(1.00390625f)) == bf16(1.0f));
  CHECK(converted<complex<f64>>(complex<f32>{1, -2}) == complex<f64>{1, -2});
  CHECK(converted<i64>(true) == 1);
}

TEST_CASE("a quantized element is rounded after the zero point is added") {
  const tensor_type type = quantized(dtype::i8, 4, {});  // scale 1, zero point 17, bf16
  CHECK(quantize(0.5, type) == 18);
  CHECK(quantize(1.5, type) == 18);
  CHECK(quantize(-0.5, type) == 16);
  CHECK(quantize(1e30, type) == 127);
  CHECK(quantize(-1e30, type) == -128);
}

TEST_CASE("elements go from one quantization to another by way of the expressed type") {
  const i8 from = 10;  // (10 + 30) * 0.1
  i8 to = 0;
  ops::convert_element(&quantized_details, q8_2x3, &from, other_scale_2x3, &to);
  CHECK(to == -12);  // 4 / 0.5 - 20
  ops::convert_element(&quantized_details, q8_2x3, &from, q8_2x3, &to);
  CHECK(to == 10);
}
