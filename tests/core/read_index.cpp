// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/read_index.hpp>

#include <doctest/doctest.h>

namespace tenon {
using namespace core;

namespace {

template <class T>
index_t second_of(T value) {
  const T elements[] = {T(1), value};
  return read_index(dtype_of<T>, elements, 1);
}

TEST_CASE("indices of every integer type") {
  CHECK(second_of<i2>(i2(-2)) == -2);
  CHECK(second_of<ui2>(ui2(3)) == 3);
  CHECK(second_of<i4>(i4(-8)) == -8);
  CHECK(second_of<ui4>(ui4(15)) == 15);
  CHECK(second_of<i8>(-128) == -128);
  CHECK(second_of<ui8>(255) == 255);
  CHECK(second_of<i16>(-32768) == -32768);
  CHECK(second_of<ui16>(65535) == 65535);
  CHECK(second_of<i32>(INT32_MIN) == INT32_MIN);
  CHECK(second_of<ui32>(UINT32_MAX) == index_t(UINT32_MAX));
  CHECK(second_of<i64>(INT64_MIN) == INT64_MIN);
  CHECK(second_of<ui64>(7) == 7);
  CHECK(second_of<ui64>(UINT64_MAX) == INT64_MAX);
}

// Positions moved by every n-th of some indices, as a loop over them does it.
template <class T>
void check_offsets() {
  constexpr index_t outside = -(index_t(1) << 58), limit = 5, stride = 3;
  T elements[60];
  for (int i = 0; i < 60; ++i) elements[i] = convert_to<T>(index_t(i * 7 % 13) - 3);
  for (const index_t step : {1, 2, 3})
    for (index_t count = 0; count <= 19; ++count) {
      index_t to[20]{};
      for (index_t i = 0; i < 20; ++i) to[i] = i;
      add_index_offsets(
          dtype_of<T>, elements, 2, step, count,
          [=](index_t index) { return 0 <= index && index < limit ? index * stride : outside; }, to);
      for (index_t i = 0; i < 20; ++i) {
        const index_t index = read_index(dtype_of<T>, elements, 2 + i * step);
        REQUIRE(to[i] == i + (i >= count ? 0 : 0 <= index && index < limit ? index * stride : outside));
      }
    }
}

TEST_CASE("positions are moved by indices, or out of the way") {
  check_offsets<i32>();
  check_offsets<i64>();
  check_offsets<ui32>();
  check_offsets<ui64>();
  check_offsets<i8>();
  check_offsets<ui4>();
}

TEST_CASE("a list of indices") {
  const ui8 elements[] = {3, 1, 200};
  CHECK(read_indices(elements, dtype::ui8, 3) == ints{3, 1, 200});
}

}  // namespace
}  // namespace tenon
