// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/tensor_type.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;

constexpr tensor_type f32_2x3 = type_of(dtype::f32, {2, 3});
static_assert(f32_2x3.rank() == 2 && f32_2x3.size() == 6 && f32_2x3.dim(1) == 3 && f32_2x3.dim(2) == 0);
static_assert(type_of(dtype::i1).rank() == 0 && type_of(dtype::i1).size() == 1);
static_assert(f32_2x3.is_tensor() && !f32_2x3.is_token() && !f32_2x3.is_quantized());
static_assert(!token_type().is_tensor() && token_type().is_token() && !tensor_type{}.is_tensor());

static_assert(f32_2x3 == type_of(dtype::f32, {2, 3}) && !(f32_2x3 == type_of(dtype::f64, {2, 3})) &&
              !(f32_2x3 == type_of(dtype::f32, {3, 2})));

constexpr tensor_type bounded = [] {
  tensor_type type = f32_2x3;
  type.bound(1);
  type.bound(-1);
  type.bound(max_rank);
  return type;
}();
static_assert(bounded.is_bounded(1) && !bounded.is_bounded(0) && !bounded.is_bounded(-1) && !bounded.is_bounded(64));
static_assert(bounded.with_size(1, 3) == f32_2x3 && bounded.with_size(0, 7).is_bounded(1));
static_assert(!(bounded == f32_2x3) && bounded.with_shape({2, 3}) == f32_2x3);

constexpr tensor_type quantized = [] {
  tensor_type type = type_of(dtype::i8, {4});
  type.quantization = 1;
  return type;
}();
static_assert(quantized.is_quantized() && quantized.is_tensor() && !(quantized == type_of(dtype::i8, {4})));
static_assert(quantized.with_shape({5}).quantization == 1 &&
              quantized.with_element(dtype::i8) == type_of(dtype::i8, {4}));

static_assert(has_open_shape(with_open_shape(dtype::f32)) && !has_open_shape(f32_2x3));

static_assert(byte_size(f32_2x3) == 24 && byte_size(type_of(dtype::i4, {3})) == 3 && byte_size(token_type()) == 0);
static_assert(byte_size(type_of(dtype::f64, {INT64_MAX / 2})) == INT64_MAX);

static_assert(kind_of(dtype::i1) == kinds::boolean && kind_of(dtype::i4) == kinds::signed_integer &&
              kind_of(dtype::ui64) == kinds::unsigned_integer && kind_of(dtype::f8E8M0FNU) == kinds::floating_point &&
              kind_of(dtype::complex_f64) == kinds::complex && kind_of(dtype::token) == kinds(0));
static_assert(has(kinds::integer, kinds::signed_integer) && !has(kinds::integer, kinds::boolean) &&
              has(kinds::boolean | kinds::complex, kinds::complex));

}  // namespace

TEST_CASE("a type is a value") {
  tensor_type changed = f32_2x3;
  changed.shape.set(0, 5);
  CHECK(changed.size() == 15);
  CHECK(f32_2x3.size() == 6);
}
