// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/format/literals.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace tenon;

TEST_CASE("literals have the type of their suffix") {
  static_assert(std::is_same_v<decltype(1.5_f16), f16> && f32(1.5_f16) == 1.5f);
  static_assert(std::is_same_v<decltype(2_bf16), bf16> && f32(-2_bf16) == -2);
  static_assert(std::is_same_v<decltype(0.1_f32), f32> && 0.1_f32 == 0.1f);
  static_assert(std::is_same_v<decltype(0.1_f64), f64> && 0.1_f64 == 0.1);
  static_assert(std::is_same_v<decltype(7_i4), i4> && i32(7_i4) == 7);
  static_assert(std::is_same_v<decltype(3_ui2), ui2> && i32(3_ui2) == 3);
  static_assert(std::is_same_v<decltype(255_ui8), ui8> && 255_ui8 == 255);
  static_assert(18446744073709551615_ui64 == ~ui64{0});
  static_assert(f32(65504.0_f16) == 65504, "the largest");
  static_assert(f32(2049_f16) == 2048, "rounded to even");
}
