// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/element.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace tenon;
using namespace tenon::core;

namespace {

template <class... Ts>
struct types {
  static void each(auto visitor) { (visitor.template operator()<Ts>(), ...); }
};
using small_floats = types<f4E2M1FN, f6E2M3FN, f6E3M2FN, f8E3M4, f8E4M3, f8E4M3FN, f8E4M3FNUZ, f8E4M3B11FNUZ, f8E5M2,
                           f8E5M2FNUZ, f8E8M0FNU, bf16, f16>;
using integers = types<i2, i4, i8, i16, i32, i64, ui2, ui4, ui8, ui16, ui32, ui64>;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr bool dtypes_and_types_agree() {
  bool agree = true;
  for (int i = 0; i < dtype_count; ++i) {
    bool visited = false;
    visit(dtype(i), [&]<class T>() {
      visited = true;
      agree = agree && dtype_of<T> == dtype(i) && dtype_of<const T> == dtype(i) && element_like<T>;
      agree = agree && std::is_same_v<element_t<dtype_of<T>>, T>;
      agree = agree && int(sizeof(T)) == storage_bytes(dtype(i)) && std::is_trivially_copyable_v<T>;
    });
    agree = agree && visited == is_element(dtype(i));
  }
  return agree;
}
static_assert(dtypes_and_types_agree());
static_assert(dtype_of<char> == dtype::none && dtype_of<void*> == dtype::none && !element_like<long double>);
static_assert(dtype_of<long long> == dtype::i64 && dtype_of<unsigned> == dtype::ui32);
static_assert(visit(dtype::f16, []<class T>() { return sizeof(T); }) == 2);
static_assert(visit(dtype::token, []<class T>() { return sizeof(T); }) == 0);
static_assert(visit<dtype::f32, dtype::i4>(dtype::i4, []<class T>() { return sizeof(T); }) == 1);
static_assert(visit<dtype::f32, dtype::i4>(dtype::i8, []<class T>() { return sizeof(T); }) == 0);

static_assert(std::is_trivially_default_constructible_v<f16> && std::is_trivially_default_constructible_v<i4>);
template <f16 Half, i4 Nibble>
struct takes_values {
  static constexpr int sum = int(Half) + int(Nibble);
};
static_assert(takes_values<f16(5.5f), i4(-3)>::sum == 2);

static_assert(std::is_same_v<compute_t<bf16>, f32> && std::is_same_v<compute_t<f64>, f64>);
static_assert(std::is_same_v<compute_t<i2>, i8> && std::is_same_v<compute_t<ui4>, ui8>);
static_assert(std::is_same_v<compute_t<i1>, i1> && std::is_same_v<compute_t<complex<f32>>, complex<f32>>);

template <class T>
constexpr bool limits_are(double max, double smallest_normal, double smallest_positive, double epsilon) {
  using traits = element_traits<T>;
  return f64(traits::max()) == max && f64(traits::smallest_normal()) == smallest_normal &&
         f64(traits::smallest_positive()) == smallest_positive && f64(traits::epsilon()) == epsilon &&
         f64(traits::lowest()) == (traits::is_signed ? -max : smallest_positive);
}
static_assert(limits_are<f4E2M1FN>(6, 1, 0.5, 0.5));
static_assert(limits_are<f6E2M3FN>(7.5, 1, 0.125, 0.125));
static_assert(limits_are<f6E3M2FN>(28, 0.25, 0.0625, 0.25));
static_assert(limits_are<f8E3M4>(15.5, 0x1p-2, 0x1p-6, 0x1p-4));
static_assert(limits_are<f8E4M3>(240, 0x1p-6, 0x1p-9, 0x1p-3));
static_assert(limits_are<f8E4M3FN>(448, 0x1p-6, 0x1p-9, 0x1p-3));
static_assert(limits_are<f8E4M3FNUZ>(240, 0x1p-7, 0x1p-10, 0x1p-3));
static_assert(limits_are<f8E4M3B11FNUZ>(30, 0x1p-10, 0x1p-13, 0x1p-3));
static_assert(limits_are<f8E5M2>(57344, 0x1p-14, 0x1p-16, 0x1p-2));
static_assert(limits_are<f8E5M2FNUZ>(57344, 0x1p-15, 0x1p-17, 0x1p-2));
static_assert(limits_are<f8E8M0FNU>(0x1p127, 0x1p-127, 0x1p-127, 1));
static_assert(limits_are<bf16>(0x1.FEp127, 0x1p-126, 0x1p-133, 0x1p-7));
static_assert(limits_are<f16>(65504, 0x1p-14, 0x1p-24, 0x1p-10));
static_assert(limits_are<f32>(std::numeric_limits<f32>::max(), std::numeric_limits<f32>::min(),
                              std::numeric_limits<f32>::denorm_min(), std::numeric_limits<f32>::epsilon()));
static_assert(limits_are<f64>(std::numeric_limits<f64>::max(), std::numeric_limits<f64>::min(),
                              std::numeric_limits<f64>::denorm_min(), std::numeric_limits<f64>::epsilon()));

static_assert(element_traits<i2>::lowest() == i2(-2) && element_traits<i2>::max() == i2(1));
static_assert(element_traits<i4>::lowest() == i4(-8) && element_traits<ui4>::max() == ui4(15));
static_assert(element_traits<i64>::lowest() == INT64_MIN && element_traits<ui64>::max() == UINT64_MAX);
static_assert(!element_traits<i1>::lowest() && element_traits<i1>::max() && !element_traits<ui8>::is_signed);
static_assert(f32(element_traits<bf16>::least()) == -infinite && f32(element_traits<f8E5M2>::greatest()) == infinite);
static_assert(f32(element_traits<f8E4M3FN>::least()) == -448 && element_traits<i8>::greatest() == 127);
static_assert(!element_traits<f8E4M3FN>::has_infinity && element_traits<f8E4M3FN>::has_nan);
static_assert(!element_traits<f4E2M1FN>::has_nan && !element_traits<i32>::has_nan);
static_assert(to_bits(element_traits<f8E4M3FN>::nan()) == 0x7F && to_bits(element_traits<f16>::nan()) == 0x7E00);
static_assert(to_bits(element_traits<f8E5M2FNUZ>::nan()) == 0x80 && to_bits(element_traits<f8E8M0FNU>::nan()) == 0xFF);

static_assert(to_bits(i4(-1)) == 15 && from_bits<i4>(15) == i4(-1) && from_bits<ui2>(0xFE) == ui2(2));
static_assert(to_bits(true) == 1 && !from_bits<i1>(2) && to_bits(i32(-1)) == 0xFFFFFFFFu);
static_assert(to_bits(-2.0f) == 0xC0000000u && from_bits<f64>(0x3FF0000000000000u) == 1);

// The number that a bit pattern stands for, by the definition of the formats.
template <class T>
double meaning(unsigned bits) {
  using traits = element_traits<T>;
  constexpr unsigned sign = 1u << (traits::bits - 1);
  if constexpr (dtype_of<T> == dtype::f8E8M0FNU) return bits == 0xFF ? not_a_number : std::ldexp(1.0, int(bits) - 127);
  const unsigned magnitude = bits & (sign - 1);
  const bool negative = (bits & sign) != 0;
  const int exponent = int(magnitude >> traits::mantissa_bits);
  const unsigned mantissa = magnitude & ((1u << traits::mantissa_bits) - 1);
  constexpr int last_exponent = (1 << traits::exponent_bits) - 1;
  switch (dtype_of<T>) {
    case dtype::f8E3M4:
    case dtype::f8E4M3:
    case dtype::f8E5M2:
    case dtype::bf16:
    case dtype::f16:
      if (exponent == last_exponent) return mantissa != 0 ? not_a_number : negative ? -infinite : infinite;
      break;
    case dtype::f8E4M3FN:
      if (magnitude == sign - 1) return not_a_number;
      break;
    case dtype::f8E4M3FNUZ:
    case dtype::f8E4M3B11FNUZ:
    case dtype::f8E5M2FNUZ:
      if (bits == sign) return not_a_number;
      break;
    default:
      break;
  }
  const double value = exponent == 0 ? std::ldexp(mantissa, 1 - traits::exponent_bias - traits::mantissa_bits)
                                     : std::ldexp(mantissa + (1u << traits::mantissa_bits),
                                                  exponent - traits::exponent_bias - traits::mantissa_bits);
  return negative ? -value : value;
}

template <class T>
unsigned patterns() {
  return 1u << element_traits<T>::bits;
}

// Whether `result` is what the rounding rules want for a number.
template <class T>
bool rounds_to(double number, T result) {
  using traits = element_traits<T>;
  const double value = meaning<T>(unsigned(to_bits(result)));
  const double magnitude = std::fabs(number);
  const double max = meaning<T>(unsigned(to_bits(traits::max())));
  if constexpr (!traits::is_signed) {
    if (!(number > 0)) return std::isnan(value);
    if (number >= 1.5 * max) return std::isnan(value);
    if (number < 0x1p-127) return value == 0x1p-127;
    const double low = std::exp2(std::floor(std::log2(number)));
    return value == (number >= 1.5 * low ? 2 * low : low);
  } else {
    if (std::isnan(number))
      return traits::has_nan ? std::isnan(value) : value == 0 && std::signbit(value) != std::signbit(number);
    const double before = meaning<T>(unsigned(to_bits(traits::max())) - 1);
    const double tie = max + (max - before) / 2;
    const bool tie_stays = to_bits(traits::max()) % 2 == 0;
    if (magnitude > tie || (magnitude == tie && !tie_stays)) {
      if (traits::has_infinity) return value == std::copysign(infinite, number);
      if (traits::has_nan) return std::isnan(value);
      return value == std::copysign(max, number);
    }
    if (std::isnan(value) || std::isinf(value)) return false;
    const bool has_minus_zero = format_of(dtype_of<T>).specials != float_specials::nan_for_minus_zero;
    if (std::signbit(value) != std::signbit(number) && (value != 0 || has_minus_zero)) return false;
    const double distance = std::fabs(value - number);
    const auto bits = unsigned(to_bits(result)) & (patterns<T>() / 2 - 1);
    // Both neighbours are no nearer, and on a tie odd.
    for (const int step : {-1, 1}) {
      if ((bits == 0 && step < 0) || (bits == to_bits(traits::max()) && step > 0)) continue;
      const double other = std::fabs(meaning<T>(bits + unsigned(step)) - magnitude);
      if (other < distance || (other == distance && bits % 2 != 0)) return false;
    }
    return true;
  }
}

}  // namespace

TEST_CASE("every bit pattern means what its format says, and comes back") {
  small_floats::each([]<class T>() {
    CAPTURE(name(dtype_of<T>));
    for (unsigned bits = 0; bits < patterns<T>(); ++bits) {
      const T element = from_bits<T>(bits);
      const double expected = meaning<T>(bits);
      const f64 wide = f64(element);
      const f32 single = f32(element);
      if (std::isnan(expected)) {
        REQUIRE((std::isnan(wide) && std::isnan(single) && !(element == element)));
        REQUIRE((std::isnan(f32(T(wide))) && std::isnan(f32(T(single)))));
      } else {
        REQUIRE((wide == expected && single == expected && std::signbit(single) == std::signbit(expected)));
        REQUIRE((to_bits(T(wide)) == bits && to_bits(T(single)) == bits));
      }
    }
  });
}

TEST_CASE("numbers between two elements go to the nearest, ties to even") {
  small_floats::each([]<class T>() {
    CAPTURE(name(dtype_of<T>));
    for (unsigned bits = 0; bits < patterns<T>(); ++bits) {
      const double low = meaning<T>(bits);
      const double high = meaning<T>((bits + 1) % patterns<T>());
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      for (const double number : {middle, std::nextafter(middle, infinite), std::nextafter(middle, -infinite), low}) {
        CAPTURE(number);
        REQUIRE(rounds_to(number, T(number)));
        REQUIRE(rounds_to(f32(number), T(f32(number))));
      }
      const auto narrow = f32(middle);
      REQUIRE(rounds_to(std::nextafter(narrow, HUGE_VALF), T(std::nextafter(narrow, HUGE_VALF))));
      REQUIRE(rounds_to(std::nextafter(narrow, -HUGE_VALF), T(std::nextafter(narrow, -HUGE_VALF))));
    }
  });
}

TEST_CASE("random and extreme floats are rounded once") {
  std::mt19937_64 random(3);
  std::vector<double> numbers{0.0,
                              -0.0,
                              infinite,
                              -infinite,
                              not_a_number,
                              -not_a_number,
                              1e300,
                              -1e300,
                              1e-300,
                              -1e-300,
                              0x1p-127,
                              0x1.8p-127,
                              0x1p-128,
                              0x1.FFFFFFFp127,
                              -0x1p-150,
                              0x1p-149,
                              65519.999,
                              65520,
                              0x1.FEFFFFFFFp127,
                              0x1.FFp127,
                              447.9,
                              464,
                              464.0001,
                              6.99,
                              7,
                              7.75,
                              30,
                              247.99,
                              248,
                              61439.9,
                              61440,
                              0x1.0000000000001p-25};
  for (int i = 0; i < 20000; ++i) {
    numbers.push_back(std::bit_cast<f64>(random()));
    numbers.push_back(std::bit_cast<f32>(std::uint32_t(random())));
    numbers.push_back(std::ldexp(double(random()), int(random() % 60) - 90) * (i % 2 != 0 ? 1 : -1));
  }
  small_floats::each([&]<class T>() {
    CAPTURE(name(dtype_of<T>));
    for (const double number : numbers) {
      CAPTURE(number);
      REQUIRE(rounds_to(number, T(number)));
      REQUIRE(rounds_to(f32(number), T(f32(number))));
    }
  });
}

TEST_CASE("greater numbers give no smaller elements") {
  small_floats::each([]<class T>() {
    if constexpr (element_traits<T>::is_signed) {
      CAPTURE(name(dtype_of<T>));
      f32 before = f32(element_traits<T>::lowest());
      const f32 end = f32(element_traits<T>::max());
      for (f32 number = before; number <= end;) {
        const f32 now = f32(T(number));
        REQUIRE(now >= before);
        before = now;
        // Steps of about a thousandth, through zero.
        number = number < -1e-9f ? number * 0.999f : number < 1e-9f ? number + 1e-10f : number * 1.001f;
      }
    }
  });
}

namespace {

// Whether `result` is the element nearest to an integer of large magnitude.
template <class T>
bool is_nearest(bool negative, ui64 number, T result) {
  using traits = element_traits<T>;
  constexpr auto sign = ui64{1} << (traits::bits - 1);
  const ui64 bits = to_bits(result);
  if (((bits & sign) != 0) != negative) return false;
  const auto whole = [](ui64 pattern) { return f64(from_bits<T>(pattern)); };
  const auto distance = [&](ui64 pattern) {
    const f64 value = whole(pattern);
    // 2^64 is no std::uint64_t; distances to it still are.
    if (value >= 0x1p64) return ui64{0} - number;
    const auto integer = ui64(value);
    return integer > number ? integer - number : number - integer;
  };
  const ui64 magnitude = bits & (sign - 1);
  const ui64 own = distance(magnitude);
  for (const ui64 other : {magnitude - 1, magnitude + 1})
    if (distance(other) < own || (distance(other) == own && magnitude % 2 != 0)) return false;
  return true;
}

template <class T>
void check_integers() {
  CAPTURE(name(dtype_of<T>));
  std::mt19937_64 random(4);
  for (int i = 0; i < 100000; ++i) {
    // A few leading bits, a tie or nearly one, and then perhaps one more.
    ui64 number = random() | (ui64{1} << 63);
    if (i % 2 == 0) {
      const int kept = element_traits<T>::mantissa_bits + 2;
      number = number >> (64 - kept) << (64 - kept);
      if (i % 4 == 0) number += i % 8 == 0 ? 1 : ui64(-1);
    }
    number >>= random() % 8;
    REQUIRE(is_nearest(false, number, convert_to<T>(number)));
    const auto positive = i64(number >> 1);
    REQUIRE(is_nearest(false, ui64(positive), convert_to<T>(positive)));
    REQUIRE(is_nearest(true, ui64(positive), convert_to<T>(-positive)));
  }
}

}  // namespace

TEST_CASE("integers of 64 bits are rounded once") {
  check_integers<bf16>();
  check_integers<f32>();
  check_integers<f64>();
  // Rounding to f32 first would make this a tie, which goes up.
  static_assert(convert_to<i64>(convert_to<bf16>((i64{0x103} << 54) - 1)) == i64{0x102} << 54);
  static_assert(convert_to<f16>(i32{65519}) == element_traits<f16>::max());
  static_assert(convert_to<f16>(i32{65520}) == element_traits<f16>::infinity());
  static_assert(convert_to<f16>(INT64_MIN) == -element_traits<f16>::infinity());
  static_assert(f64(convert_to<bf16>(INT64_MIN)) == -0x1p63 && f64(convert_to<bf16>(UINT64_MAX)) == 0x1p64);
  static_assert(f32(convert_to<f8E4M3FN>(i64{464})) == 448 && !(convert_to<f8E4M3FN>(i64{465}) == f8E4M3FN(0)));
  static_assert(convert_to<f4E2M1FN>(ui64{1000}) == f4E2M1FN(6) && convert_to<f4E2M1FN>(i8{-128}) == f4E2M1FN(-6));
}

TEST_CASE("floats become integers without their fraction, within limits") {
  integers::each([]<class T>() {
    CAPTURE(name(dtype_of<T>));
    const auto low = compute_t<T>(element_traits<T>::lowest());
    const auto high = compute_t<T>(element_traits<T>::max());
    CHECK(convert_to<T>(not_a_number) == T(0));
    CHECK(convert_to<T>(infinite) == T(high));
    CHECK(convert_to<T>(-infinite) == T(low));
    CHECK(convert_to<T>(1e30f) == T(high));
    CHECK(convert_to<T>(-1e300) == T(low));
    CHECK(convert_to<T>(1.999f) == T(1));
    CHECK(convert_to<T>(-0.999) == T(0));
    CHECK(convert_to<T>(-1.5) == (low == 0 ? T(0) : T(-1)));
    CHECK(convert_to<T>(f64(low)) == T(low));
    CHECK(convert_to<T>(f32(low)) == T(low));
    CHECK(convert_to<T>(f64(high)) == T(high));
    CHECK(convert_to<T>(f32(high)) == T(high));
    CHECK(convert_to<T>(f64(high) + 1) == T(high));
    CHECK(convert_to<T>(f64(low) - 1) == T(low));
    if (element_traits<T>::bits < 50) {
      CHECK(convert_to<T>(f64(high) - 0.5) == T(high - 1));
      CHECK(convert_to<T>(f64(high) + 0.5) == T(high));
    }
  });
  static_assert(convert_to<i32>(f16(-2.75f)) == -2 && convert_to<ui8>(bf16(300)) == 255);
  static_assert(convert_to<i64>(0x1.FFFFFFFFFFFFFp62) == 9223372036854774784);
  static_assert(convert_to<i4>(f8E5M2(-57344)) == i4(-8) && int(f16(7.9f)) == 7 && i4(f16(-100)) == i4(-8));
}

TEST_CASE("integers wrap around") {
  static_assert(convert_to<i8>(i32{300}) == 44 && convert_to<ui8>(i32{-1}) == 255 &&
                convert_to<ui64>(i8{-1}) == ~ui64{});
  static_assert(convert_to<i4>(i8{8}) == i4(-8) && convert_to<ui4>(i2(-1)) == ui4(15) &&
                convert_to<i2>(ui4(7)) == i2(-1));
  static_assert(convert_to<i64>(i4(-8)) == -8 && convert_to<i32>(ui4(15)) == 15 && convert_to<i4>(INT64_MIN) == i4(0));
  static_assert(i4(7) + i4(1) == i4(-8) && i4(-8) - i4(1) == i4(7) && i4(5) * i4(5) == i4(-7) && -i4(-8) == i4(-8));
  static_assert(ui2(3) + ui2(1) == ui2(0) && ui2(0) - ui2(1) == ui2(3) && ~ui4(5) == ui4(10) && ~i4(5) == i4(-6));
  static_assert((i4(-1) & i4(6)) == i4(6) && (ui4(8) | ui4(3)) == ui4(11) && (i2(-2) ^ i2(1)) == i2(-1));
  static_assert(i4(-3) < i4(2) && ui4(12) > ui4(2) && i2(-2) <= i2(-2) && ui2(3) >= ui2(1));
  for (int number = -300; number < 300; ++number) {
    REQUIRE(int(i4(number)) == ((number + 8) & 15) - 8);
    REQUIRE(int(ui2(number)) == (number & 3));
    REQUIRE(to_bits(from_bits<i2>(ui64(number))) == (ui64(number) & 3));
  }
}

TEST_CASE("booleans and complex numbers") {
  static_assert(convert_to<i1>(i4(-8)) && !convert_to<i1>(ui2(0)) && convert_to<i1>(0x1p-1074) &&
                convert_to<i1>(i32{256}));
  static_assert(convert_to<i1>(not_a_number) && !convert_to<i1>(-0.0f) && !convert_to<i1>(f16(-0.0f)));
  static_assert(convert_to<i1>(f8E8M0FNU::from_bits(0)));
  static_assert(convert_to<f16>(true) == f16(1) && convert_to<i4>(true) == i4(1) && convert_to<ui64>(false) == 0);
  static_assert(convert_to<complex<f32>>(true) == complex<f32>{1, 0});
  static_assert(convert_to<complex<f64>>(i4(-3)) == complex<f64>{-3, 0});
  static_assert(convert_to<complex<f32>>(complex<f64>{1e300, 0.1}) == complex<f32>{f32(infinite), 0.1f});
  static_assert(convert_to<i8>(complex<f64>{-129.5, 7}) == -128 && convert_to<f16>(complex<f32>{2.5f, 1}) == f16(2.5f));
  static_assert(!convert_to<i1>(complex<f32>{0, 1}) && convert_to<i1>(complex<f32>{2, 0}));
}

TEST_CASE("arithmetic of small floats") {
  static_assert(f16(1) + f16(0x1p-11f) == f16(1) && f16(1) - f16(0x1p-11f) == f16(0x1.FFCp-1f));
  static_assert(f16(60000) * f16(2) == element_traits<f16>::infinity() && f16(1) / f16(3) == f16(1.0 / 3));
  static_assert(bf16(3e38) * bf16(10) == element_traits<bf16>::infinity());
  static_assert(to_bits(f16(1) / f16(-0.0f)) == 0xFC00 && to_bits(f8E4M3FN(448) + f8E4M3FN(448)) == 0x7F);
  static_assert(to_bits(-f16(0.0f)) == 0x8000 && to_bits(-f8E4M3FNUZ(0.0f)) == 0 && to_bits(-f8E4M3FNUZ(1)) == 0xC0);
  static_assert(to_bits(-f8E4M3FNUZ::from_bits(0x80)) == 0x80 && to_bits(-f8E8M0FNU(1)) == 0xFF);
  static_assert(f4E2M1FN(4) + f4E2M1FN(4) == f4E2M1FN(6) && f8E8M0FNU(2) * f8E8M0FNU(4) == f8E8M0FNU(8));
  constexpr f16 nan = element_traits<f16>::nan();
  static_assert(!(nan == nan) && !(nan < f16(1)) && !(nan >= f16(1)) && nan != f16(0) && !(nan + f16(1) == f16(1)));
  static_assert(f16(-0.0f) == f16(0.0f) && f16(-1) < f16(2) && f16(2) <= f16(2) && f16(2) > f16(-2) &&
                f16(3) >= f16(2));
  static_assert(bf16(f16(1.5f)) == bf16(1.5f) && f16(i4(-3)) == f16(-3));
  f16 sum(1);
  sum += f16(2);
  sum *= f16(4);
  sum -= f16(2);
  sum /= f16(4);
  CHECK(f32(sum) == 2.5f);
}
