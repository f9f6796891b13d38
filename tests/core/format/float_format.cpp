// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/format/float_format.hpp>

#include <cstdint>
#include <limits>

using namespace tenon;
using namespace tenon::core;

namespace {

// The formats, by their largest number, infinity and NaN.
static_assert(format_of(dtype::f16).max() == 0x7BFF && format_of(dtype::f16).infinity() == 0x7C00);
static_assert(format_of(dtype::bf16).max() == 0x7F7F && format_of(dtype::bf16).sign() == 0x8000);
static_assert(format_of(dtype::f8E4M3FN).max() == 0x7E && !format_of(dtype::f8E4M3FN).has_infinity());
static_assert(format_of(dtype::f8E5M2).max() == 0x7B && format_of(dtype::f8E5M2).has_infinity());
static_assert(format_of(dtype::f8E4M3FNUZ).max() == 0x7F && format_of(dtype::f8E4M3FNUZ).has_nan());
static_assert(format_of(dtype::f4E2M1FN).max() == 0x7 && !format_of(dtype::f4E2M1FN).has_nan());
static_assert(format_of(dtype::f8E8M0FNU).max() == 0xFE && format_of(dtype::f8E8M0FNU).sign() == 0);

// What is too large becomes the infinity, else NaN, else the largest number.
static_assert(format_of(dtype::f16).overflow(true) == 0xFC00);
static_assert(format_of(dtype::f8E4M3FN).overflow(false) == 0x7F);
static_assert(format_of(dtype::f8E5M2FNUZ).overflow(true) == 0x80);
static_assert(format_of(dtype::f4E2M1FN).overflow(true) == 0xF);
// Formats without NaN have the zero of the opposite sign in its place.
static_assert(format_of(dtype::f4E2M1FN).nan(false) == 0x8 && format_of(dtype::f4E2M1FN).nan(true) == 0);

// Every number of a narrow format is read as f32 and written back.
template <dtype Type>
constexpr bool goes_round(std::uint32_t count) {
  for (std::uint32_t bits = 0; bits < count; ++bits) {
    const f32 value = decode<Type>(bits);
    if (value == value && encode<Type>(value) != bits) return false;
    if (value != value && !format_of(Type).has_nan()) return false;
  }
  return true;
}
static_assert(goes_round<dtype::f8E4M3FN>(256) && goes_round<dtype::f8E5M2>(256) && goes_round<dtype::f8E3M4>(256));
static_assert(goes_round<dtype::f8E4M3B11FNUZ>(256) && goes_round<dtype::f8E8M0FNU>(256));
static_assert(goes_round<dtype::f6E2M3FN>(64) && goes_round<dtype::f6E3M2FN>(64) && goes_round<dtype::f4E2M1FN>(16));

// Rounded once, to nearest even.
static_assert(encode<dtype::f16>(2049.0f) == encode<dtype::f16>(2048.0f));
static_assert(encode<dtype::f16>(2051.0f) == encode<dtype::f16>(2052.0f));
static_assert(encode<dtype::f16>(65519.0f) == 0x7BFF && encode<dtype::f16>(65520.0f) == 0x7C00);
static_assert(encode<dtype::f16>(0x1p-25f) == 0 && encode<dtype::f16>(0x1.8p-25f) == 1);
static_assert(encode<dtype::bf16>(0x1.01p0f) == 0x3F80 && encode<dtype::bf16>(0x1.03p0f) == 0x3F82);
// Through f32 it would be the middle of two numbers.
static_assert(encode<dtype::f16>(1.00048828125 + 0x1p-40) == 0x3C01);
static_assert(round_magnitude<dtype::f32>(0x1000001, 0) == 0x4B800000);
static_assert(round_magnitude<dtype::f32>(1, 128) == too_large && round_magnitude<dtype::f32>(1, -151) == 0);

// Floats become the nearest integer of the type; NaN becomes 0.
template <class Integer, class Float>
constexpr Integer truncated(Float value) {
  return truncate<Integer>(value, lowest_integer<Integer>(), highest_integer<Integer>());
}
static_assert(truncated<std::int8_t>(-1.9f) == -1 && truncated<std::int8_t>(300.0f) == 127);
static_assert(truncated<std::int8_t>(-300.0f) == -128 && truncated<std::uint8_t>(-5.0f) == 0);
static_assert(truncated<std::int32_t>(2147483648.0f) == INT32_MAX &&
              truncated<std::int32_t>(2147483520.0f) == 2147483520);
static_assert(truncated<std::int64_t>(9.3e18) == INT64_MAX && truncated<std::int64_t>(-9.3e18) == INT64_MIN);
static_assert(truncated<std::uint64_t>(1e30) == UINT64_MAX);
static_assert(truncated<std::int32_t>(std::numeric_limits<float>::quiet_NaN()) == 0);
static_assert(highest_integer<bool>() && highest_integer<std::int16_t>() == 32767);
static_assert(lowest_integer<std::int16_t>() == -32768 && lowest_integer<std::uint32_t>() == 0);

}  // namespace
