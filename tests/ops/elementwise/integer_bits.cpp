// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/integer_bits.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace tenon;

static_assert(ops::bits_of_width<8>(std::int8_t(-1)) == 0xFF && ops::bits_of_width<32>(-1) == 0xFFFFFFFFu);
static_assert(ops::bits_of_width<64>(std::int64_t(-1)) == UINT64_MAX && ops::bits_of_width<1>(std::uint8_t(3)) == 1);

TEST_CASE("the bits above the width are dropped") {
  for (int value = -8; value < 8; ++value) CHECK(ops::bits_of_width<4>(std::int8_t(value)) == (value & 15));
  for (int value = -2; value < 2; ++value) CHECK(ops::bits_of_width<2>(std::int8_t(value)) == (value & 3));
}
