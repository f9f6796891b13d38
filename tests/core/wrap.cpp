// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/wrap.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace {

using namespace tenon;
using namespace tenon::core;

template <class T>
constexpr bool wraps() {
  using limits = std::numeric_limits<T>;
  constexpr T lowest = limits::min(), highest = limits::max();
  return wrap::add(highest, T(1)) == lowest && wrap::subtract(lowest, T(1)) == highest &&
         wrap::multiply(highest, T(2)) == T(-2) && wrap::multiply(lowest, lowest) == T(0) &&
         wrap::negate(lowest) == (limits::is_signed ? lowest : T(0)) && wrap::negate(T(1)) == T(-1);
}
static_assert(wraps<std::int8_t>() && wraps<std::int16_t>() && wraps<std::int32_t>() && wraps<std::int64_t>());
static_assert(wraps<std::uint8_t>() && wraps<std::uint16_t>() && wraps<std::uint32_t>() && wraps<std::uint64_t>());

// Two ui16 would overflow as the int they are promoted to.
static_assert(wrap::multiply(std::uint16_t(65535), std::uint16_t(65535)) == 1);

static_assert(wrap::add(1.5, 2.0) == 3.5 && wrap::subtract(1.5f, 2.0f) == -0.5f && wrap::multiply(1.5, 2.0) == 3.0 &&
              wrap::negate(1.5) == -1.5);

}  // namespace

TEST_CASE("all products of bytes") {
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b)
      CHECK(wrap::multiply(std::int8_t(a), std::int8_t(b)) == std::int8_t(std::uint8_t(a * b)));
}
