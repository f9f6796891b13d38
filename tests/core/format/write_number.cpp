// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/format/write_number.hpp>

#include <core/format/numbers.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::numbers;

namespace {

constexpr bool same(const char* text, const char* end, std::string_view expected) {
  return end != nullptr && std::string_view(text, std::size_t(end - text)) == expected;
}
template <class T>
constexpr bool writes(T value, std::string_view shortest, std::string_view literal) {
  char text[number_text_size] = {};
  return same(text, write_number(text, text + number_text_size, value), shortest) &&
         same(text, write_literal(text, text + number_text_size, value), literal);
}

static_assert(writes(0.0, "0.0", "0.000000e+00") && writes(-0.0f, "-0.0", "-0.000000e+00"));
static_assert(writes(1.0f, "1.0", "1.000000e+00") && writes(-2.5, "-2.5", "-2.500000e+00"));
static_assert(writes(0.1f, "0.1", "1.000000e-01") && writes(0.1, "0.1", "1.000000e-01"));
static_assert(writes(1.0f / 3, "0.33333334", "0.333333343") &&
              writes(1.0 / 3, "0.3333333333333333", "0.33333333333333331"));
static_assert(writes(-2.67572665f, "-2.6757267", "-2.67572665") && writes(100.0, "100.0", "1.000000e+02"));
static_assert(writes(0x1p-126f, "1.1754944e-38", "1.17549435E-38") && writes(0x1p-149f, "1.0e-45", "1.401300e-45"));
static_assert(writes(0x1.FFFFFEp127f, "3.4028235e+38", "3.40282347E+38"));
static_assert(writes(0x1p-1074, "5.0e-324", "4.940660e-324"));
static_assert(writes(0x1.fffffffffffffp1023, "1.7976931348623157e+308", "1.7976931348623157E+308"));
static_assert(writes(16777216.0f, "16777216.0", "0x4B800000") && writes(16777215.0f, "16777215.0", "0x4B7FFFFF"));
static_assert(writes(1e15, "1000000000000000.0", "1.000000e+15") && writes(1e16, "1.0e+16", "1.000000e+16"));
static_assert(writes(1e-5, "0.00001", "1.000000e-05") && writes(1e-6f, "1.0e-06", "9.99999997E-7"));
static_assert(writes(1e23, "1.0e+23", "9.9999999999999991E+22") && writes(9.5e-3f, "0.0095", "9.500000e-03"));
// A tie between two shortest texts goes to the even digit.
static_assert(writes(2005190.25f, "2005190.2", "2005190.25"));
static_assert(writes(f32(infinite), "inf", "0x7F800000") && writes(-infinite, "-inf", "0xFFF0000000000000"));
static_assert(writes(element_traits<f32>::nan(), "nan", "0x7FC00000") &&
              writes(bf16::from_bits(0xFF80), "-inf", "0xFF80"));
static_assert(writes(f16(65504), "65500.0", "6.550400e+04") && writes(f16::from_bits(1), "6.0e-08", "5.960460e-08"));
static_assert(writes(f16(0.0332031f), "0.0332", "3.320310e-02") && writes(bf16(3.140625f), "3.14", "3.140630e+00"));
static_assert(writes(f8E4M3FN::from_bits(0x7F), "nan", "0x7F") && writes(f8E4M3FN(448), "450.0", "4.480000e+02"));
static_assert(writes(f4E2M1FN(-6), "-6.0", "-6.000000e+00") && writes(f8E8M0FNU(0x1p-127), "6.0e-39", "5.877470e-39"));
static_assert(writes(true, "true", "true") && writes(false, "false", "false") && writes(i4(-8), "-8", "-8"));
static_assert(writes(INT64_MIN, "-9223372036854775808", "-9223372036854775808") && writes(ui8{255}, "255", "255"));
static_assert(writes(UINT64_MAX, "18446744073709551615", "18446744073709551615") && writes(i32{0}, "0", "0"));
static_assert(writes(complex<f32>{1, -0.5f}, "(1.0,-0.5)", "(1.000000e+00,-5.000000e-01)"));

constexpr bool needs_room() {
  char text[4] = {};
  return write_number(text, text + 3, 1.25) == nullptr && write_number(text, text + 4, 1.25) == text + 4 &&
         write_number(text, text, i32{1}) == nullptr && text[3] == '5';
}
static_assert(needs_room());

// The digits of a number without its sign, point, exponent and outer zeros.
std::string digits_of(std::string text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e')))
    if (c >= '0' && c <= '9') digits += c;
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

template <class T>
void check_writing(T value) {
  const std::string text = shortest(value);
  CAPTURE(text);
  REQUIRE(reads(text, value));
  REQUIRE(reads(literal(value), value));
  char expected[64];
  const auto end = std::to_chars(expected, expected + 64, value, std::chars_format::scientific).ptr;
  REQUIRE(digits_of(text) == digits_of({expected, end}));
}

}  // namespace

TEST_CASE("floats are written in the fewest digits, and read back") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10000; ++i) {
    const auto wide = std::bit_cast<double>(random());
    const auto narrow = std::bit_cast<float>(std::uint32_t(random()));
    if (std::isfinite(wide)) check_writing(wide);
    if (std::isfinite(narrow)) check_writing(narrow);
    check_writing(std::bit_cast<double>(random() >> (12 + random() % 52)));
    check_writing(float(int(random() % 2000000)) * 0.25f);
    if (i < 2046) check_writing(std::bit_cast<double>(std::uint64_t(i) << 52));
    if (i < 255) check_writing(std::bit_cast<float>(std::uint32_t(i) << 23));
  }
}

TEST_CASE("every small float is read back from both texts") {
  const auto check = []<class T>() {
    CAPTURE(name(dtype_of<T>));
    for (unsigned bits = 0; bits < 1u << num_bits(dtype_of<T>); ++bits) {
      const T value = from_bits<T>(bits);
      REQUIRE(reads<T>(literal(value), bits));
      if (value == value)
        REQUIRE(reads<T>(shortest(value), bits));
      else
        REQUIRE(shortest(value) == "nan");
    }
  };
  for (int i = 0; i < dtype_count; ++i)
    if (is_float(dtype(i)) && num_bits(dtype(i)) <= 16)
      visit<dtype::f4E2M1FN, dtype::f6E2M3FN, dtype::f6E3M2FN, dtype::f8E3M4, dtype::f8E4M3, dtype::f8E4M3FN,
            dtype::f8E4M3FNUZ, dtype::f8E4M3B11FNUZ, dtype::f8E5M2, dtype::f8E5M2FNUZ, dtype::f8E8M0FNU, dtype::bf16,
            dtype::f16>(dtype(i), check);
}
