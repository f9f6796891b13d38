// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/accumulator.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

using namespace tenon;

template <class T, class Expected>
bool sums_in(dtype result) {
  bool same = false;
  ops::with_accumulator<T>(result, [&]<class A>() { same = std::is_same_v<A, Expected>; });
  return same;
}

static_assert(ops::multiply_add(true, true, false) && !ops::multiply_add(true, false, false) &&
              ops::multiply_add(false, false, true));
static_assert(ops::multiply_add(2.0f, 3.0f, 1.0f) == 7.0f);
static_assert(ops::multiply_add(i32(INT32_MAX), i32(2), i32(3)) == 1);

}  // namespace

TEST_CASE("narrow floats are summed in f32, everything at least as wide as the result") {
  CHECK(sums_in<bf16, f32>(dtype::bf16));
  CHECK(sums_in<f16, f32>(dtype::f32));
  CHECK(sums_in<f32, f32>(dtype::f32));
  CHECK(sums_in<f32, f64>(dtype::f64));
  CHECK(sums_in<bool, bool>(dtype::i1));
}

TEST_CASE("small integers are summed in 32 bits, in 64 where the result has as many") {
  CHECK(sums_in<i8, i32>(dtype::i8));
  CHECK(sums_in<i8, i32>(dtype::i32));
  CHECK(sums_in<ui8, ui32>(dtype::ui32));
  CHECK(sums_in<i4, i32>(dtype::i32));
  CHECK(sums_in<i16, i64>(dtype::i64));
  i8 narrow[2]{};
  ops::store_sum(dtype::i8, narrow, 1, i32(300));
  CHECK(narrow[1] == i8(44));
}

TEST_CASE("a sum is stored in the type of the result") {
  bf16 narrow[2]{};
  ops::store_sum(dtype::bf16, narrow, 1, 1.5f);
  CHECK(f32(narrow[0]) == 0);
  CHECK(f32(narrow[1]) == 1.5f);
  f32 same[2]{};
  ops::store_sum(dtype::f32, same, 1, 2.5f);
  CHECK(same[1] == 2.5f);
}
