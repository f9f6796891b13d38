// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/precision.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;

constexpr precision_list list_of(std::initializer_list<precision> values) {
  precision_list result;
  for (precision value : values) result.push(value);
  return result;
}
static_assert(is_default({}) && is_default(list_of({precision::DEFAULT, precision::DEFAULT})));
static_assert(!is_default(list_of({precision::DEFAULT, precision::HIGHEST})));
static_assert(is_complete({}) && is_complete(list_of({precision::HIGH, precision::HIGH})));
static_assert(!is_complete(list_of({precision::HIGH})));

constexpr bool known(dtype operands, dtype sum, index_t components, index_t products, bool imprecise = false) {
  return dot_algorithm{operands, operands, sum, components, components, products, imprecise}.is_known();
}
static_assert(dot_algorithm{}.empty() && !dot_algorithm{dtype::f32}.empty());
static_assert(known(dtype::f8E5M2, dtype::f32, 1, 1) && known(dtype::f8E5M2, dtype::f32, 1, 1, true));
static_assert(dot_algorithm{dtype::f8E5M2, dtype::f8E4M3FN, dtype::f32, 1, 1, 1, true}.is_known());
static_assert(known(dtype::f16, dtype::f16, 1, 1) && known(dtype::f16, dtype::f32, 1, 1));
static_assert(known(dtype::bf16, dtype::bf16, 1, 1) && known(dtype::bf16, dtype::f32, 1, 3) &&
              known(dtype::bf16, dtype::f32, 1, 6));
static_assert(known(dtype::tf32, dtype::f32, 1, 1) && known(dtype::tf32, dtype::f32, 1, 3));
static_assert(known(dtype::f32, dtype::f32, 1, 1) && known(dtype::f64, dtype::f64, 1, 1));
static_assert(!known(dtype::f32, dtype::f64, 1, 1) && !known(dtype::f32, dtype::f32, 1, 2) &&
              !known(dtype::f32, dtype::f32, 1, 1, true) && !known(dtype::i32, dtype::i32, 1, 1) &&
              !known(dtype::f8E8M0FNU, dtype::f32, 1, 1) && !known(dtype::bf16, dtype::f32, 1, 2));
static_assert(!dot_algorithm{dtype::f32, dtype::f16, dtype::f32, 1, 1, 1, false}.is_known());

}  // namespace

TEST_CASE("an algorithm is a value") {
  dot_algorithm algorithm{dtype::f32, dtype::f32, dtype::f32, 1, 1, 1, false};
  CHECK(algorithm.is_known());
  algorithm.lhs_component_count = 2;
  CHECK_FALSE(algorithm.is_known());
}
