// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/shift_lanes.hpp>

#include <tenon/ops/elementwise/shift_left.hpp>
#include <tenon/ops/elementwise/shift_right_logical.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;

namespace {

template <class T>
void check_amounts() {
  using tag = hn::ScalableTag<T>;
  if constexpr (has_lanes<T> && ops::shifts_lanes<tag>) {
    const tag d;
    T values[64], amounts[64], left[64] = {}, right[64] = {};
    for (int first = -3; first < int(8 * sizeof(T)) + 3; ++first) {
      for (int i = 0; i < 64; ++i) {
        values[i] = T(std::uint64_t(i + 1) * 0x9E3779B97F4A7C15u >> (i % 8));
        amounts[i] = T(first + i % 5);
      }
      const auto lhs = hn::LoadU(d, values), rhs = hn::LoadU(d, amounts);
      hn::StoreU(ops::shift_lanes<true>(d, lhs, rhs), d, left);
      hn::StoreU(ops::shift_lanes<false>(d, lhs, rhs), d, right);
      for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        CHECK(left[i] == ops::shift_left::element<T>(values[i], amounts[i]));
        CHECK(right[i] == ops::shift_right_logical::element<T>(values[i], amounts[i]));
      }
    }
  }
}

}  // namespace

TEST_CASE("each lane is shifted by its own amount, and empty from its width on") {
  check_amounts<std::int8_t>(), check_amounts<std::uint8_t>(), check_amounts<std::int16_t>();
  check_amounts<std::uint16_t>(), check_amounts<std::int32_t>(), check_amounts<std::uint32_t>();
  check_amounts<std::int64_t>(), check_amounts<std::uint64_t>();
}
