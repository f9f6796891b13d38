// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/order.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace {

using namespace tenon;

using z = complex<float>;
constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

static_assert(ops::has_nan(z{nan, 0}) && ops::has_nan(z{0, nan}) && !ops::has_nan(z{infinity, 0}));
static_assert(ops::lexicographic_less(z{1, 9}, z{2, 0}) && ops::lexicographic_less(z{1, 1}, z{1, 2}) &&
              !ops::lexicographic_less(z{1, 2}, z{1, 2}) && !ops::lexicographic_less(z{2, 0}, z{1, 9}));
static_assert(!ops::lexicographic_less(z{nan, 0}, z{1, 0}) && !ops::lexicographic_less(z{1, 0}, z{nan, 0}));
static_assert(ops::extreme<true>(z{1, 2}, z{1, 3}).imag == 3 && ops::extreme<false>(z{1, 2}, z{1, 3}).imag == 2);
static_assert(ops::extreme<true>(-0.0f, 0.0f) == 0 && !ieee::is_negative(ops::extreme<true>(-0.0f, 0.0f)) &&
              ieee::is_negative(ops::extreme<false>(0.0f, -0.0f)));
static_assert(ops::lexicographic_less(z{-0.0f, 1}, z{0.0f, 2}));

// IEEE-754's totalOrder, from below.
constexpr float ascending[] = {-nan, -infinity, -1.5f, -1e-45f, -0.0f, 0.0f, 1e-45f, 1.5f, infinity, nan};
static_assert([] {
  for (int i = 0; i + 1 < 10; ++i)
    if (ops::total_order_key(ascending[i]) >= ops::total_order_key(ascending[i + 1])) return false;
  return true;
}());

}  // namespace

TEST_CASE("the keys of all floats of 16 high bits ascend with the floats") {
  float previous = -infinity;
  for (int high = 0xFF80; high > 0x8000; --high) {
    const float x = ieee::from_bits<float>(std::uint32_t(high) << 16);
    if (x != previous) CHECK(ops::total_order_key(previous) < ops::total_order_key(x));
    previous = x;
  }
  for (std::uint32_t high = 0; high <= 0x7F80; ++high) {
    const float x = ieee::from_bits<float>(high << 16);
    CHECK(ops::total_order_key(previous) < ops::total_order_key(x));
    previous = x;
  }
}
