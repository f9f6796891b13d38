// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/product_dimensions.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_CASE("product_dimensions: lanes for sums that lose nothing, and for no others") {
  using p = ops::product_dimensions;
  static_assert(p::lane_type(dtype::f32, dtype::f32) == dtype::f32);
  static_assert(p::lane_type(dtype::f64, dtype::f64) == dtype::f64);
  static_assert(p::lane_type(dtype::f32, dtype::f64) == dtype::none);
  static_assert(p::lane_type(dtype::bf16, dtype::f32) == dtype::f32);
  static_assert(p::lane_type(dtype::f16, dtype::f16) == dtype::f32);
  static_assert(p::lane_type(dtype::f16, dtype::bf16) == dtype::none);
  static_assert(p::lane_type(dtype::f16, dtype::f64) == dtype::none);
  static_assert(p::lane_type(dtype::f8E8M0FNU, dtype::f32) == dtype::none);
  static_assert(p::lane_type(dtype::i8, dtype::i32) == dtype::ui32);
  static_assert(p::lane_type(dtype::i8, dtype::i8) == dtype::ui32);
  static_assert(p::lane_type(dtype::i32, dtype::i32) == dtype::ui32);
  static_assert(p::lane_type(dtype::i8, dtype::i64) == dtype::none);
  static_assert(p::lane_type(dtype::i64, dtype::i64) == dtype::none);
  static_assert(p::lane_type(dtype::i4, dtype::i32) == dtype::none);
  static_assert(p::lane_type(dtype::i1, dtype::i1) == dtype::none);
  static_assert(p::lane_type(dtype::complex_f32, dtype::complex_f32) == dtype::f32);
  static_assert(p::lane_type(dtype::complex_f64, dtype::complex_f64) == dtype::f64);
  static_assert(p::lane_type(dtype::complex_f32, dtype::complex_f64) == dtype::none);
}

TEST_CASE("product_dimensions: the factors change places where only columns have neighbours in the result") {
  ops::product_dimensions all;
  all.rows.push(3, 4, 0, 1);
  all.columns.push(5, 0, 1, 3);
  all.inner.push(4, 1, 5, 0);
  const ops::product_dimensions turned = all.with_neighbours_in_rows();
  CHECK(turned.swapped);
  CHECK(turned.rows.sizes == ints{5});
  CHECK(turned.rows.lhs == ints{1});
  CHECK(turned.columns.rhs == ints{4});
  CHECK(turned.columns.result == ints{1});
  CHECK(turned.inner.lhs == ints{5});
  CHECK_FALSE(turned.with_neighbours_in_rows().swapped == all.swapped);
  ops::product_dimensions usual = all;
  usual.columns.result = {1};
  CHECK_FALSE(usual.with_neighbours_in_rows().swapped);
}

TEST_CASE("product_dimensions: scratch memory for lanes that elements do not fill") {
  ops::product_dimensions all;
  all.rows.push(3, 4, 0, 5);
  all.columns.push(5, 0, 1, 1);
  all.inner.push(4, 1, 5, 0);
  const index_t full = all.scratch_bytes(dtype::f32, dtype::f32);
  CHECK(full == ops::packing::product(3, 5, 4, 4));
  CHECK(all.scratch_bytes(dtype::bf16, dtype::f32) == full + ops::packing::widened_rows(4, 4));
  CHECK(all.scratch_bytes(dtype::bf16, dtype::bf16) ==
        full + ops::packing::widened_rows(4, 4) + ops::packing::result_block(3, 5, 4));
  CHECK(all.scratch_bytes(dtype::i64, dtype::i64) == 0);
}
