// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/format/read_number.hpp>

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

static_assert(reads("1", 1.0) && reads("-1.5", -1.5) && reads("+.5", 0.5) && reads("2.", 2.0f) && reads("1e2", 100.0));
static_assert(reads("0.000000e+00", 0.0) && reads("-0.0", -0.0) && reads("1.E-3", 0.001f) && reads("007.25", 7.25));
static_assert(reads("0.1", 0.1) && reads("0.1", 0.1f) && reads("1.000000e-01", 0.1f) &&
              reads("3.14159274", 3.14159274f));
static_assert(reads("1.17549435E-38", 1.17549435E-38f) && reads("1.40129846E-45", 0x1p-149f));
static_assert(reads("1.7976931348623157e308", 1.7976931348623157e308) && reads("4.9406564584124654E-324", 0x1p-1074));
static_assert(reads("2.2250738585072011e-308", 0x0.fffffffffffffp-1022));
static_assert(reads("9007199254740993", 9007199254740992.0) && reads("9007199254740995", 9007199254740996.0));
static_assert(reads("924127529457822.4375", 0x1.a43e9a8f6c4f4p+49) &&
              reads("123456789012345678901234567890", 0x1.8ee90ff6c373ep+96));
// A digit far behind decides.
static_assert(reads("9007199254740993.000000000000000000000000000000000000000000000000000001", 9007199254740994.0));
static_assert(reads("1.00000005960464477539062500000000000000000000000000000000000", 1.0f));
static_assert(reads("1.00000005960464477539062500000000000000000000000000000000001", 0x1.000002p0f));
static_assert(reads("65519.99999999999999999999999999999999999", element_traits<f16>::max()));
// Rounded once: through f64 this would be a tie, and go to 1.
static_assert(reads("1.00048828125000000000000000000001", f16::from_bits(0x3C01)));

static_assert(reads("1e999999999", infinite, out_of_range) &&
              reads("-1e99999999999999999999", -infinite, out_of_range));
static_assert(reads("1e-999999999", 0.0) && reads("-1e-99999999999999999999", -0.0) && reads("0e999999999", 0.0));
static_assert(reads("3.4028235677973367e38", f32(infinite), out_of_range) &&
              reads("3.4028235677973366e38", 0x1.FFFFFEp127f));
static_assert(reads("65520", f16::from_bits(0x7C00), out_of_range) && reads("-65519", f16::from_bits(0xFBFF)));
static_assert(reads<f8E4M3FN>("464", 0x7E) && reads<f8E4M3FN>("465", 0x7F, out_of_range));
static_assert(reads<f4E2M1FN>("-6.9999999999999999999999999999", 0xF) && reads<f4E2M1FN>("-7", 0xF, out_of_range));
static_assert(reads<f8E8M0FNU>("3", 0x81) && reads<f8E8M0FNU>("2.9999999999999999999", 0x80));
static_assert(reads<f8E8M0FNU>("1e-300", 0) && reads<f8E8M0FNU>("0", 0xFF, out_of_range) &&
              reads<f8E8M0FNU>("-1", 0xFF, out_of_range));
static_assert(reads<f8E4M3FNUZ>("-0.0", 0) && reads<bf16>("1.0039062500000001", 0x3F81));

static_assert(reads<bf16>("0x7FC0", 0x7FC0) && reads<f32>("0xff800000", 0xFF800000) && reads<f16>("0x1", 1));
static_assert(reads<f64>("0x7FF0000000000001", 0x7FF0000000000001) && reads<f4E2M1FN>("0XF", 0xF));
static_assert(read_number<f16>("0x10000").status == out_of_range &&
              read_number<f4E2M1FN>("0x10").status == out_of_range);
static_assert(read_number<f64>("0x1234567890ABCDEF0").status == out_of_range);
static_assert(reads<f32>("0x000000000000000000003F800000", 0x3F800000));
static_assert(reads<f32>("inf", 0x7F800000) && reads<f32>("-Infinity", 0xFF800000) && reads<f32>("NaN", 0x7FC00000));
static_assert(reads<f8E4M3FN>("nan", 0x7F) && reads<f8E4M3FN>("inf", 0x7F, out_of_range) &&
              reads<f4E2M1FN>("-inf", 0xF, out_of_range) && read_number<f6E2M3FN>("nan").status == out_of_range);

template <class T>
constexpr bool rejects_malformed() {
  for (const std::string_view text :
       {"",    "-",   "+",  ".",   "-.",  "e5",   ".e5",   "1e",      "1e+",  "1e-", "1.2.3", "1 ",  " 1",    "1,0",
        "--1", "+-1", "0x", "0xG", "-0x", "1e5.", "1e5e5", "infinit", "nan0", "1f",  "true1", "tru", "1_000", "\0001"})
    if (read_number<T>(text).status != malformed) return false;
  return true;
}
static_assert(rejects_malformed<f64>() && rejects_malformed<f16>() && rejects_malformed<i32>() &&
              rejects_malformed<ui4>() && rejects_malformed<i1>() && rejects_malformed<complex<f32>>());
static_assert(read_number<f32>("-0x1").status == malformed && read_number<i32>("1.0").status == malformed &&
              read_number<i32>("1e3").status == malformed && read_number<f32>("true").status == malformed);

static_assert(reads("0", i32{0}) && reads("-2147483648", INT32_MIN) && reads("+2147483647", INT32_MAX));
static_assert(reads("9223372036854775807", INT64_MAX) && reads("-9223372036854775808", INT64_MIN));
static_assert(reads("18446744073709551615", UINT64_MAX) && reads("0xFFFFFFFFFFFFFFFF", UINT64_MAX));
static_assert(read_number<ui64>("18446744073709551616").status == out_of_range);
static_assert(read_number<i64>("-9223372036854775809").status == out_of_range);
static_assert(read_number<i64>("99999999999999999999999999").status == out_of_range);
static_assert(reads("255", i8{-1}) && reads("0xff", i8{-1}) && read_number<i8>("256").status == out_of_range);
static_assert(reads("-128", i8{-128}) && read_number<i8>("-129").status == out_of_range && reads("-0x80", i8{-128}));
static_assert(reads("-0", ui8{0}) && read_number<ui8>("-1").status == out_of_range && reads("0xFF", ui8{255}));
static_assert(reads("-8", i4(-8)) && reads("15", i4(-1)) && reads("3", ui2(3)) && reads("-2", i2(-2)));
static_assert(read_number<i4>("16").status == out_of_range && read_number<i4>("-9").status == out_of_range &&
              read_number<ui2>("4").status == out_of_range);
static_assert(reads("true", true) && reads("false", false) && reads("1", true) && reads("0", false) &&
              reads("-1", true));
static_assert(read_number<i1>("2").status == out_of_range && read_number<i8>("true").status == malformed);

static_assert(read_number<complex<f32>>("(1.5,-2)").value == complex<f32>{1.5f, -2});
static_assert(read_number<complex<f64>>("( 0.1 ,\t1e400 )").status == out_of_range);
static_assert(read_number<complex<f64>>("(0x3FF0000000000000, 2)").value == complex<f64>{1, 2});
static_assert(read_number<complex<f64>>("(1,2").status == malformed &&
              read_number<complex<f64>>("(1)").status == malformed &&
              read_number<complex<f64>>("(1,2,3)").status == malformed &&
              read_number<complex<f64>>("(").status == malformed &&
              read_number<complex<f64>>("(,)").status == malformed &&
              read_number<complex<f64>>("1,2").status == malformed);

// Agrees with the C library, which glibc rounds exactly.
void check_reading(const std::string& text) {
  CAPTURE(text);
  const double wide = std::strtod(text.c_str(), nullptr);
  const float narrow = std::strtof(text.c_str(), nullptr);
  REQUIRE(reads(text, wide, std::isinf(wide) ? out_of_range : ok));
  REQUIRE(reads(text, narrow, std::isinf(narrow) ? out_of_range : ok));
}

std::string printed(const char* format, int precision, auto value) {
  char text[2000];
  std::snprintf(text, sizeof text, format, precision, value);
  return text;
}

}  // namespace

TEST_CASE("random decimals read as the nearest float") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 30000; ++i) {
    const auto wide = std::bit_cast<double>(random());
    const auto narrow = std::bit_cast<float>(std::uint32_t(random()));
    const int precision = int(random() % 25);
    if (std::isfinite(wide)) check_reading(printed("%.*e", precision, wide));
    if (std::isfinite(narrow)) check_reading(printed("%.*g", precision, narrow));
    std::string digits;
    const auto length = 1 + random() % (i % 50 == 0 ? 1000 : 40);
    while (digits.size() < length) digits += char('0' + random() % 10);
    digits.insert(random() % (length + 1), ".");
    check_reading(digits + "e" + std::to_string(int(random() % 700) - 350));
  }
}

TEST_CASE("decimals at and next to the middle of two floats") {
  std::mt19937_64 random(6);
  const auto check_around = [](const std::string& tie) {
    check_reading(tie);
    const auto end = tie.find('e');
    std::string digits = tie.substr(0, end);
    const std::string exponent = end == std::string::npos ? "" : tie.substr(end);
    if (digits.find('.') == std::string::npos) digits += ".0";
    check_reading(digits + std::string(900, '0') + exponent);
    check_reading(digits + std::string(900, '0') + "1" + exponent);
    check_reading(digits + "1" + exponent);
    if (digits.back() == '0') return;
    --digits.back();
    check_reading(digits + std::string(40, '9') + exponent);
  };
  for (int i = 0; i < 1000; ++i) {
    const auto narrow = std::bit_cast<float>(std::uint32_t(random() % 0x7F000000u));
    const auto next = std::nextafter(narrow, HUGE_VALF);
    check_around(printed("%.*e", 200, (double(narrow) + double(next)) / 2));
    // The middle of two f64: 5 in front of half a unit, written with the f64 twice as large.
    const auto wide = std::bit_cast<double>(random() % 0x7FD0000000000000u);
    const long double tie = (static_cast<long double>(wide) + std::nextafter(wide, infinite)) / 2;
    if (std::numeric_limits<long double>::digits >= 64) check_around(printed("%.*Le", 800, tie));
  }
}

TEST_CASE("hostile texts are read in bounded work") {
  const std::string nines(100000, '9');
  const std::string zeros(100000, '0');
  CHECK(reads("0." + nines, 1.0));
  CHECK(reads(nines, infinite, out_of_range));
  CHECK(reads(nines + "e-100000", 1.0));
  CHECK(reads("0." + zeros + "1e100001", 1.0));
  CHECK(reads("1" + zeros + "e-100000", 1.0));
  CHECK(reads("1" + zeros + "." + zeros + "1e-100000", 1.0));
  CHECK(reads("1e" + nines, infinite, out_of_range));
  CHECK(reads("1e-" + nines, 0.0));
  CHECK(reads(zeros, 0.0));
  CHECK(read_number<i64>(nines).status == out_of_range);
  CHECK(reads(zeros + "7", i64{7}));
  CHECK(read_number<f32>("0x" + nines).status == out_of_range);
  CHECK(read_number<f64>(nines + "x").status == malformed);
}

TEST_CASE("small floats are read as f64 is, rounded to them") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20000; ++i) {
    // At most 15 digits: the f64 lies on the same side of every tie as the decimal, or on it.
    const std::string text = printed("%.*e", 14, std::ldexp(double(random() >> 11), int(random() % 60) - 83));
    CAPTURE(text);
    const double value = std::strtod(text.c_str(), nullptr);
    REQUIRE(to_bits(read_number<f16>(text).value) == to_bits(f16(value)));
    REQUIRE(to_bits(read_number<bf16>(text).value) == to_bits(bf16(value)));
    REQUIRE(to_bits(read_number<f8E5M2FNUZ>(text).value) == to_bits(f8E5M2FNUZ(value)));
    REQUIRE(to_bits(read_number<f8E4M3FN>(text).value) == to_bits(f8E4M3FN(value)));
    REQUIRE(to_bits(read_number<f6E3M2FN>(text).value) == to_bits(f6E3M2FN(value)));
    REQUIRE(to_bits(read_number<f8E8M0FNU>(text).value) == to_bits(f8E8M0FNU(value)));
  }
}
