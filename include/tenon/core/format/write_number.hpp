// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/format/big_integer.hpp>
#include <tenon/core/format/read_number.hpp>
#include <tenon/core/message.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

// Element to text: exact, without locale or allocation, and also in constant evaluation.
namespace tenon::core {

// Enough characters for any number that write_number or write_literal writes.
inline constexpr std::size_t number_text_size = 64;

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
// White's method: stop as soon as the remainder is within the distance to the neighbours.
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
struct number_text : message_text<int(number_text_size)> {
  constexpr void add(char c) { push(c); }
  constexpr void add(std::string_view text) { *this << text; }
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
  if (last - first < text.length) return nullptr;
  for (char c : text.view()) *first++ = c;
  return first;
}

// Writes the shortest text that read_number gives back as the same element ("0.1", "-1.0e-10", "inf", "nan", "-3",
// "true", "(1.0,0.5)") to [first, last), where number_text_size characters are enough, without a final zero character.
// The end of the text, or null if there is no room for it.
template <element_like T>
constexpr char* write_number(char* first, char* last, T value) {
  return write_text<false>(first, last, value);
}

// The same in the form of MLIR's printer: "1.000000e+00", "0.333333343", "0x7FC00000".
template <element_like T>
constexpr char* write_literal(char* first, char* last, T value) {
  return write_text<true>(first, last, value);
}

}  // namespace tenon::core
