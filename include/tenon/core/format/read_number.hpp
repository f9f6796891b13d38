// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/format/big_integer.hpp>

#include <bit>
#include <cstdint>
#include <string_view>

// Text to element: exact, without locale or allocation, and also in constant evaluation.
namespace tenon::core {

enum class number_status : std::uint8_t {
  ok,
  malformed,
  out_of_range  // more than the type can hold; a float still has the value that it overflows to
};

template <class T>
struct number_result {
  T value{};
  number_status status = number_status::malformed;

  constexpr explicit operator bool() const { return status == number_status::ok; }
};

inline constexpr int exact_power_of_five = 27;  // the last that fits 64 bits
struct powers_of_five {
  std::uint64_t at[exact_power_of_five + 1] = {1};
  constexpr powers_of_five() {
    for (int i = 1; i <= exact_power_of_five; ++i) at[i] = 5 * at[i - 1];
  }
};
inline constexpr powers_of_five power_of_five;

// The magnitude bits of significand * 10^exponent, |exponent| at most exact_power_of_five.
template <dtype Type>
constexpr std::uint64_t decimal_magnitude(std::uint64_t significand, int exponent) {
  const int shift = std::countl_zero(significand);
  significand <<= shift;
  bool more = false;
  if (exponent >= 0) {
    const wide_integer product = multiply_wide(significand, power_of_five.at[exponent]);
    if (product.high == 0) return round_magnitude<Type>(product.low, exponent - shift);
    const int spare = std::countl_zero(product.high);
    const std::uint64_t top = spare == 0 ? product.high : product.high << spare | product.low >> (64 - spare);
    more = product.low << spare != 0;
    return round_magnitude<Type>(top | (more ? 1 : 0), exponent - shift + 64 - spare);
  }
  // The quotient has 63 or 64 bits.
  const std::uint64_t power = power_of_five.at[-exponent];
  const int spare = std::countl_zero(power);
  const std::uint64_t quotient = divide_wide({significand >> 1, significand << 63}, power << spare, more);
  return round_magnitude<Type>(quotient | (more ? 1 : 0), exponent - shift + spare - 63);
}

// The magnitude bits of digits * 10^exponent, for up to 800 digits that end between 10^-1130 and 10^320. Uses up
// `digits`.
template <dtype Type>
[[gnu::cold]] constexpr std::uint64_t decimal_magnitude(big_integer& digits, int exponent) {
  bool more = false;
  if (exponent >= 0) {
    digits.multiply_power_of_five(exponent);
    const std::uint64_t top = digits.leading(more);
    return round_magnitude<Type>(top | (more ? 1 : 0), exponent + digits.bits() - 64);
  }
  big_integer power(1);
  power.multiply_power_of_five(-exponent);
  // Scaled so that the quotient has 63 or 64 bits; it is estimated from the leading bits and then put right.
  const int scale = 63 + power.bits() - digits.bits();
  std::uint64_t quotient = divide_wide({digits.leading(more) >> 1, 0}, power.leading(more), more);
  if (scale >= 0)
    digits.shift_left(scale);
  else
    power.shift_left(-scale);
  big_integer product(0);
  product.assign_product(power, quotient);
  for (; compare(product, digits) > 0; --quotient) product.subtract(power);
  digits.subtract(product);
  for (; compare(digits, power) >= 0; ++quotient) digits.subtract(power);
  return round_magnitude<Type>(quotient | (digits.size != 0 ? 1 : 0), exponent - scale);
}

constexpr int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

constexpr bool is_word(std::string_view text, std::string_view lower_case) {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] | 0x20) != lower_case[i]) return false;
  return true;
}

struct whole_number {
  std::uint64_t value = 0;
  number_status status = number_status::malformed;
};

// Digits, or "0x" and hexadecimal digits.
constexpr whole_number read_whole(std::string_view text) {
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
  const unsigned base = hexadecimal ? 16 : 10;
  std::uint64_t value = 0;
  bool fits = true;
  std::size_t at = hexadecimal ? 2 : 0;
  if (at == text.size()) return {};
  for (; at < text.size(); ++at) {
    const auto digit = unsigned(digit_value(text[at]));
    if (digit >= base) return {};
    fits = fits && value <= (~std::uint64_t{} - digit) / base;
    value = value * base + digit;
  }
  return {value, fits ? number_status::ok : number_status::out_of_range};
}

// The parts of the text of a decimal number, and its first 19 significant digits.
struct decimal_text {
  bool valid = false;
  bool negative = false;
  std::size_t begin = 0, end = 0;  // of the digits and the point
  std::uint64_t significand = 0;
  bool more = false;  // digits that are not zero follow
  int exponent = 0;   // significand * 10^exponent <= number < 10^leading
  int leading = 0;
};

constexpr decimal_text scan_decimal(std::string_view text) {
  // Counts end here; a number cannot come back from so far off unless its text is as long.
  constexpr int many = 1 << 29;
  const char* const data = text.data();
  const std::size_t size = text.size();
  decimal_text result;
  std::size_t at = 0;
  if (at < size && (data[at] == '-' || data[at] == '+')) result.negative = data[at++] == '-';
  result.begin = at;
  int taken = 0, dropped = 0, fraction = 0;
  bool any = false, point = false;
  for (; at < size; ++at) {
    const char c = data[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (point && fraction < many) ++fraction;
    if (taken < 19) {
      result.significand = result.significand * 10 + std::uint64_t(c - '0');
      if (result.significand != 0) ++taken;
    } else {
      if (dropped < many) ++dropped;
      result.more = result.more || c != '0';
    }
  }
  result.end = at;
  int exponent = 0;
  if (any && at < size && (data[at] | 0x20) == 'e') {
    ++at;
    bool down = false;
    if (at < size && (data[at] == '-' || data[at] == '+')) down = data[at++] == '-';
    any = at < size;
    for (; at < size && data[at] >= '0' && data[at] <= '9'; ++at)
      if (exponent < many / 10) exponent = exponent * 10 + (data[at] - '0');
    if (down) exponent = -exponent;
  }
  result.valid = any && at == size;
  result.exponent = exponent + dropped - fraction;
  result.leading = result.exponent + taken;
  return result;
}

template <dtype Type>
constexpr std::uint64_t decimal_magnitude(std::string_view text, const decimal_text& number) {
  // Nothing lies beyond these: round_magnitude says what becomes of it.
  if (number.leading > 320) return round_magnitude<Type>(1, 4000);
  if (number.leading < -330) return round_magnitude<Type>(1, -4000);
  if (!number.more && number.exponent <= exact_power_of_five && number.exponent >= -exact_power_of_five)
    return decimal_magnitude<Type>(number.significand, number.exponent);
  if (!number.more) {
    big_integer digits(number.significand);
    return decimal_magnitude<Type>(digits, number.exponent);
  }
  // Neither an f64 nor the middle between two has more than 770 digits; a 1 stands for what follows them.
  big_integer digits(0);
  int count = 0;
  bool more = false;
  for (std::size_t at = number.begin; at < number.end && !more; ++at) {
    const char c = text[at];
    if (c == '.' || (c == '0' && count == 0)) continue;
    more = count >= 780 && c != '0';
    if (count >= 780 && !more) continue;
    digits.multiply_add(10, more ? 1 : std::uint32_t(c - '0'));
    ++count;
  }
  return decimal_magnitude<Type>(digits, number.leading - count);
}

template <class T>
constexpr number_result<T> read_float(std::string_view text) {
  constexpr dtype type = dtype_of<T>;
  constexpr float_format format = format_of(type);
  constexpr auto result = [](std::uint64_t bits, bool ok) {
    return number_result<T>{from_bits<T>(bits), ok ? number_status::ok : number_status::out_of_range};
  };
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    const whole_number bits = read_whole(text);
    if (bits.status == number_status::malformed) return {};
    const bool fits = bits.status == number_status::ok && bits.value <= ~std::uint64_t{} >> (64 - num_bits(type));
    return result(bits.value, fits);
  }
  const decimal_text number = scan_decimal(text);
  if (!number.valid) {
    const std::string_view word = text.substr(number.begin);
    if (is_word(word, "nan")) return result(format.nan(number.negative), format.has_nan());
    if (is_word(word, "inf") || is_word(word, "infinity"))
      return result(format.overflow(number.negative), format.has_infinity());
    return {};
  }
  if (number.significand == 0)
    return result(format.zero(number.negative), format.specials != float_specials::power_of_two);
  if (format.specials == float_specials::power_of_two && number.negative) return result(format.nan(true), false);
  const std::uint64_t magnitude = decimal_magnitude<type>(text, number);
  if (magnitude == too_large) return result(format.overflow(number.negative), false);
  return result(format.with_sign(magnitude, number.negative), true);
}

template <class T>
constexpr number_result<T> read_integer(std::string_view text) {
  constexpr int bits = num_bits(dtype_of<T>);
  constexpr std::uint64_t all = ~std::uint64_t{} >> (64 - bits);
  constexpr bool is_signed = is_signed_integer(dtype_of<T>) || std::same_as<T, bool>;
  if constexpr (std::same_as<T, bool>) {
    if (same_text(text, "true")) return {true, number_status::ok};
    if (same_text(text, "false")) return {false, number_status::ok};
  }
  const bool negative = !text.empty() && text[0] == '-';
  const whole_number number = read_whole(!text.empty() && (negative || text[0] == '+') ? text.substr(1) : text);
  if (number.status == number_status::malformed) return {};
  const std::uint64_t most = !negative ? all : is_signed ? all / 2 + 1 : 0;
  const bool fits = number.status == number_status::ok && number.value <= most;
  return {from_bits<T>(negative ? 0 - number.value : number.value),
          fits ? number_status::ok : number_status::out_of_range};
}

constexpr std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The element that `text` stands for; the whole text, without spaces around it.
//   floats    decimal, rounded once and exactly, to nearest even; inf, nan; or 0x and the bit pattern
//   integers  decimal or 0x; signed types also take the unsigned number with the same bits, as MLIR does
//   i1        true, false, 0, 1
//   complex   (real,imaginary)
template <element_like T>
constexpr number_result<T> read_number(std::string_view text) {
  constexpr dtype type = dtype_of<T>;
  if constexpr (is_complex(type)) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') return {};
    std::size_t comma = 0;
    while (comma < text.size() && text[comma] != ',') ++comma;
    if (comma == text.size()) return {};
    const auto real = read_float<element_t<real_type(type)>>(without_spaces(text.substr(1, comma - 1)));
    const auto imag =
        read_float<element_t<real_type(type)>>(without_spaces(text.substr(comma + 1, text.size() - comma - 2)));
    if (real.status == number_status::malformed || imag.status == number_status::malformed) return {};
    return {{real.value, imag.value}, real ? imag.status : real.status};
  } else if constexpr (is_float(type)) {
    return read_float<T>(text);
  } else {
    return read_integer<T>(text);
  }
}

}  // namespace tenon::core
