// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Text to element and back: exact, without locale or allocation, and also in constant evaluation.
namespace tenon {

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

// Enough characters for any number that write_number or write_literal writes.
inline constexpr std::size_t number_text_size = 64;

namespace detail {

// A non-negative integer of up to 3,200 bits: what the exact decision about any f64 takes.
struct big_integer {
  std::uint32_t limbs[100];  // least significant first, those below `size`
  int size = 0;

  constexpr explicit big_integer(std::uint64_t value) {
    for (; value != 0; value >>= 32) limbs[size++] = std::uint32_t(value);
  }

  constexpr int bits() const { return size == 0 ? 0 : 32 * size - std::countl_zero(limbs[size - 1]); }

  // this * factor + summand
  constexpr void multiply_add(std::uint32_t factor, std::uint32_t summand) {
    std::uint64_t carry = summand;
    for (int i = 0; i < size; ++i) {
      carry += std::uint64_t(limbs[i]) * factor;
      limbs[i] = std::uint32_t(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs[size++] = std::uint32_t(carry);
  }

  // a * factor
  constexpr void assign_product(const big_integer& a, std::uint64_t factor) {
    size = a.size + 2;
    for (int i = 0; i < size; ++i) limbs[i] = 0;
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t digit = half == 0 ? factor & 0xFFFFFFFFu : factor >> 32;
      std::uint64_t carry = 0;
      for (int i = 0; i < a.size; ++i) {
        carry += a.limbs[i] * digit + limbs[i + half];
        limbs[i + half] = std::uint32_t(carry);
        carry >>= 32;
      }
      limbs[a.size + half] = std::uint32_t(carry);
    }
    trim();
  }

  constexpr void multiply_power_of_five(int exponent) {
    for (; exponent >= 13; exponent -= 13) multiply_add(1220703125, 0);
    std::uint32_t rest = 1;
    for (; exponent > 0; --exponent) rest *= 5;
    if (rest != 1) multiply_add(rest, 0);
  }

  constexpr void shift_left(int count) {
    if (size == 0 || count == 0) return;
    const int whole = count / 32, part = count % 32;
    if (part != 0) multiply_add(std::uint32_t{1} << part, 0);
    if (whole == 0) return;
    for (int i = size - 1; i >= 0; --i) limbs[i + whole] = limbs[i];
    for (int i = 0; i < whole; ++i) limbs[i] = 0;
    size += whole;
  }

  constexpr void multiply_power_of_ten(int exponent) {
    multiply_power_of_five(exponent);
    shift_left(exponent);
  }

  constexpr void add(const big_integer& other) {
    std::uint64_t carry = 0;
    for (int i = 0; i < other.size || carry != 0; ++i) {
      if (i == size) limbs[size++] = 0;
      carry += std::uint64_t(limbs[i]) + (i < other.size ? other.limbs[i] : 0);
      limbs[i] = std::uint32_t(carry);
      carry >>= 32;
    }
  }

  // `other` is not larger.
  constexpr void subtract(const big_integer& other) {
    std::uint64_t borrow = 0;
    for (int i = 0; i < size; ++i) {
      const std::uint64_t difference = std::uint64_t(limbs[i]) - (i < other.size ? other.limbs[i] : 0) - borrow;
      limbs[i] = std::uint32_t(difference);
      borrow = difference >> 63;
    }
    trim();
  }

  constexpr void trim() {
    while (size > 0 && limbs[size - 1] == 0) --size;
  }

  // Bits [from, from + 64) of the number.
  constexpr std::uint64_t window(int from) const {
    std::uint64_t result = 0;
    for (int bit = 0; bit < 64;) {
      const int at = from + bit;
      const int limb = at / 32, offset = at % 32;
      if (limb < size) result |= std::uint64_t(limbs[limb] >> offset) << bit;
      bit += 32 - offset;
    }
    return result;
  }

  // The leading 64 bits, those of a short number shifted up; whether anything but zeros follows.
  constexpr std::uint64_t leading(bool& more) const {
    const int total = bits();
    more = false;
    if (total <= 64) return window(0) << (64 - total);
    for (int i = 0; i < (total - 64) / 32 && !more; ++i) more = limbs[i] != 0;
    const int limb = (total - 64) / 32, offset = (total - 64) % 32;
    more = more || (limbs[limb] & ((std::uint32_t{1} << offset) - 1)) != 0;
    return window(total - 64);
  }
};

// < 0, 0, > 0 as a is less than, equal to, greater than b.
constexpr int compare(const big_integer& a, const big_integer& b) {
  if (a.size != b.size) return a.size < b.size ? -1 : 1;
  for (int i = a.size - 1; i >= 0; --i)
    if (a.limbs[i] != b.limbs[i]) return a.limbs[i] < b.limbs[i] ? -1 : 1;
  return 0;
}

struct wide_integer {
  std::uint64_t high, low;
};

constexpr wide_integer multiply_wide(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
  const std::uint64_t low = a0 * b0;
  const std::uint64_t middle = a1 * b0 + (low >> 32);
  const std::uint64_t other = a0 * b1 + (middle & 0xFFFFFFFFu);
  return {a1 * b1 + (middle >> 32) + (other >> 32), (other << 32) | (low & 0xFFFFFFFFu)};
}

// dividend / divisor, for dividend.high < divisor with its top bit set: schoolbook division, 32 bits at a time.
constexpr std::uint64_t divide_wide(wide_integer dividend, std::uint64_t divisor, bool& remainder) {
  const std::uint64_t d1 = divisor >> 32, d0 = divisor & 0xFFFFFFFFu;
  std::uint64_t rest = dividend.high, quotient = 0;
  for (int step = 0; step < 2; ++step) {
    const std::uint64_t next = step == 0 ? dividend.low >> 32 : dividend.low & 0xFFFFFFFFu;
    std::uint64_t digit = rest / d1, left = rest % d1;
    while ((digit >> 32) != 0 || digit * d0 > (left << 32 | next)) {
      --digit;
      left += d1;
      if ((left >> 32) != 0) break;
    }
    rest = (rest << 32 | next) - digit * divisor;
    quotient = quotient << 32 | digit;
  }
  remainder = rest != 0;
  return quotient;
}

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
constexpr std::uint64_t decimal_magnitude(big_integer& digits, int exponent) {
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

// What stands in the text of a decimal number, and its first 19 digits from the first that is not zero.
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

}  // namespace detail

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
    const auto real = detail::read_float<element_t<real_type(type)>>(detail::without_spaces(text.substr(1, comma - 1)));
    const auto imag = detail::read_float<element_t<real_type(type)>>(
        detail::without_spaces(text.substr(comma + 1, text.size() - comma - 2)));
    if (real.status == number_status::malformed || imag.status == number_status::malformed) return {};
    return {{real.value, imag.value}, real ? imag.status : real.status};
  } else if constexpr (is_float(type)) {
    return detail::read_float<T>(text);
  } else {
    return detail::read_integer<T>(text);
  }
}

namespace detail {

// digits[0].digits[1]digits[2]... * 10^exponent
struct decimal_digits {
  char digits[24] = {};  // as characters
  int count = 0;
  int exponent = 0;
};

// A positive finite float as significand * 2^exponent.
struct binary_number {
  std::uint64_t significand = 0;
  int exponent = 0;
  bool lowest_of_binade = false;  // what is below is nearer than what is above
};

template <dtype Type>
constexpr binary_number take_apart(std::uint64_t magnitude) {
  constexpr float_format format = format_of(Type);
  if constexpr (format.specials == float_specials::power_of_two) {
    return {1, int(magnitude) - format.bias, true};
  } else {
    constexpr std::uint64_t implicit = std::uint64_t{1} << format.mantissa_bits;
    const int field = int(magnitude >> format.mantissa_bits);
    const std::uint64_t mantissa = magnitude & (implicit - 1);
    constexpr int unit = 1 - format.bias - format.mantissa_bits;
    if (field == 0) return {mantissa, unit, false};
    return {mantissa | implicit, unit + field - 1, mantissa == 0 && field > 1};
  }
}

// The largest k with 10^k <= 2^exponent, for |exponent| up to 1,650.
constexpr int log10_of_power_of_two(int exponent) {
  const int scaled = exponent * 78913;
  return scaled >= 0 ? scaled >> 18 : -((-scaled + (1 << 18) - 1) >> 18);
}

// The next digit of numerator / denominator, which is below 10; the numerator keeps the rest.
constexpr int take_digit(big_integer& numerator, const big_integer& denominator) {
  int digit = 0;
  for (; compare(numerator, denominator) >= 0; ++digit) numerator.subtract(denominator);
  return digit;
}

// Compares a + b with c.
constexpr int compare_sum(const big_integer& a, const big_integer& b, const big_integer& c) {
  big_integer sum(0);
  sum.add(a);
  sum.add(b);
  return compare(sum, c);
}

constexpr void round_up(decimal_digits& number) {
  int last = number.count - 1;
  for (; last >= 0 && number.digits[last] == '9'; --last) number.digits[last] = '0';
  if (last >= 0) {
    ++number.digits[last];
  } else {
    number.digits[0] = '1';
    ++number.exponent;
  }
}

// The fewest digits that no other float of the type is nearer to; among those the nearest to the number. Steele and
// White's method: stop as soon as what is left over is within the distance to the neighbours.
template <dtype Type>
constexpr decimal_digits shortest_digits(std::uint64_t magnitude) {
  const binary_number number = take_apart<Type>(magnitude);
  // Everything times 4, so that half and quarter units are whole.
  const int up = number.exponent > 0 ? number.exponent : 0;
  big_integer rest(number.significand * 4);
  big_integer above(2), below(number.lowest_of_binade ? 1u : 2u), one(4);
  rest.shift_left(up);
  above.shift_left(up);
  below.shift_left(up);
  one.shift_left(up - number.exponent);
  // Ties go to an even significand; where there is only the implicit bit, up.
  constexpr bool halves_up = format_of(Type).specials == float_specials::power_of_two;
  const bool below_belongs = halves_up || number.significand % 2 == 0;
  const bool above_belongs = !halves_up && number.significand % 2 == 0;

  int power = log10_of_power_of_two(63 - std::countl_zero(number.significand) + number.exponent);
  if (power >= 0) {
    one.multiply_power_of_ten(power);
  } else {
    rest.multiply_power_of_ten(-power);
    above.multiply_power_of_ten(-power);
    below.multiply_power_of_ten(-power);
  }
  while (compare_sum(rest, above, one) >= (above_belongs ? 0 : 1)) {
    one.multiply_add(10, 0);
    ++power;
  }
  decimal_digits result;
  result.exponent = power - 1;
  while (true) {
    rest.multiply_add(10, 0);
    above.multiply_add(10, 0);
    below.multiply_add(10, 0);
    const int digit = take_digit(rest, one);
    result.digits[result.count++] = char('0' + digit);
    const bool low = compare(rest, below) < (below_belongs ? 1 : 0);
    const bool high = compare_sum(rest, above, one) >= (above_belongs ? 0 : 1);
    if (!low && !high) continue;
    if (high && (!low || compare_sum(rest, rest, one) >= (digit % 2 == 0 ? 1 : 0))) round_up(result);
    return result;
  }
}

// At most `most` digits and no final zeros, to the letter as LLVM's APFloat writes them: what is cut off before the
// last digit or two is dropped, only then halves are rounded up.
template <dtype Type>
constexpr decimal_digits literal_digits(std::uint64_t magnitude, int most) {
  const binary_number number = take_apart<Type>(magnitude);
  const int zeros = std::countr_zero(number.significand);
  const int exponent = number.exponent + zeros;
  // All digits of the number, as an integer.
  big_integer rest(number.significand >> zeros);
  if (exponent < 0)
    rest.multiply_power_of_five(-exponent);
  else
    rest.shift_left(exponent);
  const int spare = rest.bits() - (most * 196 + 58) / 59;
  const int cut_off = spare > 0 ? spare * 59 / 196 : 0;
  int length = log10_of_power_of_two(rest.bits() - 1);
  big_integer one(1);
  one.multiply_power_of_ten(length);
  for (; compare(rest, one) >= 0; ++length) one.multiply_add(10, 0);

  decimal_digits result;
  result.exponent = length - 1 + (exponent < 0 ? exponent : 0);
  while (result.count < length - cut_off) {
    rest.multiply_add(10, 0);
    result.digits[result.count++] = char('0' + take_digit(rest, one));
  }
  if (result.count > most) {
    result.count = most;
    if (result.digits[most] >= '5') round_up(result);
  }
  while (result.count > 1 && result.digits[result.count - 1] == '0') --result.count;
  return result;
}

// Text that never grows beyond number_text_size.
struct number_text {
  char characters[number_text_size];
  int size = 0;

  constexpr void add(char c) { characters[size++] = c; }
  constexpr void add(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) add(text[i]);
  }
  constexpr void add_whole(std::uint64_t value, unsigned base, int least_digits = 1) {
    char reversed[20];
    int count = 0;
    for (; value != 0 || count < least_digits; value /= base) {
      const auto digit = int(value % base);
      reversed[count++] = char(digit < 10 ? '0' + digit : 'A' + digit - 10);
    }
    while (count > 0) add(reversed[--count]);
  }
  constexpr void add_digits(const decimal_digits& number, int from, int to) {
    for (int i = from; i < to; ++i) add(i < number.count ? number.digits[i] : '0');
  }
  constexpr void add_scientific(const decimal_digits& number, int least_fraction, char e, int least_exponent_digits) {
    add(number.digits[0]);
    add('.');
    add_digits(number, 1, number.count > least_fraction ? number.count : least_fraction + 1);
    add(e);
    add(number.exponent < 0 ? '-' : '+');
    add_whole(std::uint64_t(number.exponent < 0 ? -number.exponent : number.exponent), 10, least_exponent_digits);
  }
  // With a point, and a digit at least on either side of it.
  constexpr void add_positional(const decimal_digits& number) {
    const int whole = number.exponent + 1;
    if (whole > 0) {
      add_digits(number, 0, whole);
      add('.');
      add_digits(number, whole, number.count > whole ? number.count : whole + 1);
    } else {
      add("0.");
      for (int i = whole; i < 0; ++i) add('0');
      add_digits(number, 0, number.count);
    }
  }
  constexpr std::string_view view() const { return {characters, std::size_t(size)}; }
};

template <class T>
constexpr void add_float(number_text& text, T value) {
  constexpr float_format format = format_of(dtype_of<T>);
  const std::uint64_t bits = to_bits(value);
  const std::uint64_t magnitude = bits & ~format.sign();
  if (value != value) return text.add("nan");
  if (magnitude != bits) text.add('-');
  if (format.has_infinity() && magnitude == format.infinity()) return text.add("inf");
  if (value == T(f32{0})) return text.add("0.0");
  const decimal_digits digits = shortest_digits<dtype_of<T>>(magnitude);
  if (digits.exponent < -5 || digits.exponent > 15)
    text.add_scientific(digits, 1, 'e', 2);
  else
    text.add_positional(digits);
}

// As MLIR prints it: six decimals, else as many digits as the type can need, else the bit pattern; the latter also
// where the digits would not show a point.
template <class T>
constexpr void add_float_literal(number_text& text, T value) {
  constexpr dtype type = dtype_of<T>;
  constexpr float_format format = format_of(type);
  const std::uint64_t bits = to_bits(value);
  const std::uint64_t magnitude = bits & ~format.sign();
  if (value == value && magnitude <= format.max()) {
    number_text six;
    if (magnitude != bits) six.add('-');
    decimal_digits digits;
    if (value == T(f32{0}))
      digits.digits[digits.count++] = '0';
    else
      digits = literal_digits<type>(magnitude, 6);
    six.add_scientific(digits, 6, 'e', 2);
    if (to_bits(read_float<T>(six.view()).value) == bits) return text.add(six.view());

    constexpr int most = 2 + (format.mantissa_bits + 1) * 59 / 196;
    digits = literal_digits<type>(magnitude, most);
    const int last = digits.exponent - digits.count + 1;  // power of ten of the last digit
    const bool scientific = last >= 0 ? last > 3 || digits.count + last > most : digits.exponent < -3;
    if (scientific || last < 0) {
      if (magnitude != bits) text.add('-');
      if (scientific)
        text.add_scientific(digits, 1, 'E', 1);
      else
        text.add_positional(digits);
      return;
    }
  }
  text.add("0x");
  text.add_whole(bits, 16);
}

template <bool Literal, class T>
constexpr void add_number(number_text& text, T value) {
  if constexpr (is_complex(dtype_of<T>)) {
    text.add('(');
    add_number<Literal>(text, value.real);
    text.add(',');
    add_number<Literal>(text, value.imag);
    text.add(')');
  } else if constexpr (is_float(dtype_of<T>)) {
    if constexpr (Literal)
      add_float_literal(text, value);
    else
      add_float(text, value);
  } else if constexpr (std::same_as<T, bool>) {
    text.add(value ? std::string_view("true") : std::string_view("false"));
  } else {
    const bool negative = value < T(0);
    if (negative) text.add('-');
    text.add_whole(negative ? 0 - convert_to<ui64>(value) : convert_to<ui64>(value), 10);
  }
}

template <bool Literal, class T>
constexpr char* write_text(char* first, char* last, T value) {
  number_text text;
  add_number<Literal>(text, value);
  if (last - first < text.size) return nullptr;
  for (int i = 0; i < text.size; ++i) *first++ = text.characters[i];
  return first;
}

}  // namespace detail

// Writes the shortest text that read_number gives back as the same element ("0.1", "-1.0e-10", "inf", "nan", "-3",
// "true", "(1.0,0.5)") to [first, last), where number_text_size characters are enough, without a final zero character.
// The end of the text, or null if there is no room for it.
template <element_like T>
constexpr char* write_number(char* first, char* last, T value) {
  return detail::write_text<false>(first, last, value);
}

// The same in the form of MLIR's printer: "1.000000e+00", "0.333333343", "0x7FC00000".
template <element_like T>
constexpr char* write_literal(char* first, char* last, T value) {
  return detail::write_text<true>(first, last, value);
}

}  // namespace tenon
