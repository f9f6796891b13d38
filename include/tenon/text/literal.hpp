// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/format/number.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/text/lexer.hpp>

namespace tenon::text {

namespace detail {

// The bits of a decimal number in a floating-point type: of `Known`, unless that is none. What is too large overflows.
template <dtype Known>
constexpr bool float_bits(std::string_view text, dtype type, std::uint64_t& bits) {
  const auto read = [&]<class T>() {
    const number_result<T> number = read_number<T>(text);
    bits = tenon::to_bits(number.value);
    return number.status != number_status::malformed;
  };
  if constexpr (Known == dtype::none)
    return visit<dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::f4E2M1FN, dtype::f6E2M3FN, dtype::f6E3M2FN,
                 dtype::f8E3M4, dtype::f8E4M3, dtype::f8E4M3FN, dtype::f8E4M3FNUZ, dtype::f8E4M3B11FNUZ, dtype::f8E5M2,
                 dtype::f8E5M2FNUZ, dtype::f8E8M0FNU>(type, read);
  else
    return is_float(Known) && visit<is_float(Known) ? Known : dtype::f32>(type, read);
}

}  // namespace detail

// How the elements of a literal are written.
enum class literal_form { list, splat, blob, blob_splat };

// As XLA prints the elements of a literal: { { 1, 2 }, { 3, 4 } }, inf, nan. In a resource they are a string whose
// first four bytes say how the others are aligned.
enum class literal_notation { stablehlo, hlo, resource };
constexpr literal_notation notation_of(const graph_literal& literal) {
  return literal.where == graph_literal::place::hlo_text   ? literal_notation::hlo
         : literal.where == graph_literal::place::resource ? literal_notation::resource
                                                           : literal_notation::stablehlo;
}

// Reads what stands inside `dense<...>`: nested lists, one element for all, or a string of hexadecimal bytes. Or what
// stands in the parentheses of HLO's `constant`.
// https://openxla.org/stablehlo/spec#constants
template <dtype Known = dtype::none>
class literal_reader : public lexer {
 public:
  literal_form form = literal_form::list;

  constexpr bool is_splat() const { return form == literal_form::splat || form == literal_form::blob_splat; }

  // `first` and `count` say where the literal stands in the text; the type gives element type and shape.
  constexpr literal_reader(std::string_view text, int first, int count, const tensor_type& type,
                           literal_notation notation = literal_notation::stablehlo)
      : lexer(std::string_view(text.data(), std::size_t(first + count)), first),
        part_(real_type(type.element)),
        parts_(is_complex(type.element) ? 2 : 1),
        shape_(type.shape),
        hlo_(notation == literal_notation::hlo),
        resource_(notation == literal_notation::resource),
        open_(hlo_ ? '{' : '['),
        close_(hlo_ ? '}' : ']') {}

 private:
  dtype part_;
  int parts_;
  ints shape_;
  bool hlo_, resource_;
  char open_, close_;
  bool lengths_only_ = false;

  // Past `/*i0=1*/`.
  constexpr void skip_notes() {
    while (hlo_ && peek() == '/' && peek_at(1) == '*') {
      at += 2;
      while (at < size && !(data[at] == '*' && peek_at(1) == '/')) ++at;
      at = at + 2 < size ? at + 2 : size;
    }
  }
  constexpr bool take(char wanted) {
    skip_notes();
    return accept(wanted);
  }

  template <class Token, class Bits>
  constexpr bool walk(Token take, Bits take_bits) {
    skip_notes();
    const char c = peek();
    if (at >= size) return shape_.product() == 0 || wrong_shape();
    if (c == '"' && !hlo_) return walk_blob(take_bits);
    if (c == open_) {
      if (!walk_list(take)) return false;
    } else {
      form = literal_form::splat;
      if (!read_element(0, take)) return false;
    }
    skip_space();
    return at == size || fail("syntax", "the literal goes on after its end");
  }

  template <class Token>
  constexpr bool walk_list(Token& take_element) {
    index_t counts[max_rank + 1] = {};
    index_t element = 0;
    int depth = 0;
    while (true) {
      bool item = true;
      if (take(open_)) {
        if (depth == shape_.size) return wrong_shape();
        counts[depth++] = 0;
        if ((skip_notes(), peek() != close_)) continue;
        item = false;
      } else {
        if (depth != shape_.size) return wrong_shape();
        if (!read_element(element++, take_element)) return false;
      }
      if (item) ++counts[depth - 1];
      while (!take(',')) {
        if (!take(close_)) return fail("syntax", hlo_ ? ", or } is expected" : ", or ] is expected");
        if (counts[depth - 1] != shape_.at[depth - 1]) return wrong_shape();
        if (--depth == 0) return true;
        ++counts[depth - 1];
      }
    }
  }

  template <class Token>
  constexpr bool read_element(index_t element, Token& take) {
    word token;
    if (parts_ == 1) return read_part(token) && take(element, 0, token);
    skip_notes();
    if (!accept('(')) return fail("complex_constant_c1", "a complex number is written (real, imaginary)");
    if (!read_part(token) || !take(element, 0, token)) return false;
    if (!expect(',', ", is expected between the parts of a complex number")) return false;
    if (!read_part(token) || !take(element, 1, token)) return false;
    return expect(')', ") is expected after a complex number");
  }

  // Finds the extent of a number and checks that it suits the type.
  constexpr bool read_part(word& token) {
    skip_space();
    token = {at, 0, 0};
    const bool result = is_float(part_) ? read_float_part() : read_integer_part();
    token.size = at - token.first;
    return result;
  }

  constexpr bool read_float_part() {
    const int start = at;
    if (at < size && (data[at] == '-' || data[at] == '+')) ++at;
    if (hlo_ && (peek_at(0) == 'i' || peek_at(0) == 'n')) return read_special(start);
    if (peek_at(0) == '0' && peek_at(1) == 'x') {
      at += 2;
      std::uint64_t value = 0;
      const int digits = skip_hex(value);
      const int bits = num_bits(part_);
      // Types narrower than a byte are written with up to two digits as well.
      const bool fits = digits == bits / 4 || (bits < 8 && digits <= 2 && value >> bits == 0);
      return (digits > 0 && fits) ||
             fail("float_constant_c2", "size(hexadecimal_digits) = num_bits(float_type) / 4", start);
    }
    return skip_decimal() || fail("float_constant_c1", "is_wellformed(float_literal, float_type)", start);
  }

  // inf, nan, nan(0x7ff): the digits in parentheses are those of the fraction.
  constexpr bool read_special(int start) {
    const word name = read_word();
    std::uint64_t ignored = 0;
    bool good = is(name, "nan") || (is(name, "inf") && format_of(part_).has_infinity());
    if (good && peek_at(0) == '(' && data[at - 1] == 'n') {
      good = peek_at(1) == '0' && peek_at(2) == 'x';
      at = at + 3 < size ? at + 3 : size;
      good = good && skip_hex(ignored) > 0 && peek_at(0) == ')';
      at += good ? 1 : 0;
    }
    return good || fail("float_constant_c1", "is_wellformed(float_literal, float_type)", start);
  }

  constexpr bool read_integer_part() {
    const int start = at;
    std::uint64_t ignored = 0;
    if (at < size && (data[at] == 't' || data[at] == 'f')) {
      const word value = read_word();
      return (is_boolean(part_) && (is(value, "true") || is(value, "false"))) ||
             fail(is_boolean(part_) ? "boolean_constant" : "integer_constant_c1",
                  "is_wellformed(integer_literal, integer_type)", start);
    }
    const bool whole = read_integer_bits(ignored) && peek_at(0) != '.' && peek_at(0) != 'e' && peek_at(0) != 'E';
    if (!whole) error = {};
    return whole || fail("integer_constant_c1", "is_wellformed(integer_literal, integer_type)", start);
  }

  constexpr bool read_integer_bits(std::uint64_t& result) {
    const bool negative = peek_at(0) == '-';
    if (negative || peek_at(0) == '+') ++at;
    const int bits = num_bits(part_);
    const bool hexadecimal = peek_at(0) == '0' && peek_at(1) == 'x';
    std::uint64_t value = 0;
    if (!detail::is(peek_at(0), detail::digit) || !read_magnitude(value)) return false;
    if (hexadecimal && !negative) {
      if (bits < 64 && value >> bits != 0) return false;
      const bool extends = is_signed_integer(part_) && bits < 64 && value >> (bits - 1) != 0;
      result = extends ? value | ~std::uint64_t{0} << bits : value;
      return true;
    }
    std::uint64_t most = bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    // MLIR's integers have no sign: what is above the largest i64 are its bits.
    if (negative)
      most = is_signed_integer(part_) ? (most >> 1) + 1 : 0;
    else if (is_signed_integer(part_) && (bits < 64 || hlo_))
      most >>= 1;
    result = negative ? std::uint64_t{0} - value : value;
    return value <= most;
  }

  constexpr int skip_hex(std::uint64_t& value) {
    const int start = at;
    for (; at < size && detail::is(data[at], detail::hex); ++at) value = value * 16 + hex_digit(data[at]);
    return at - start;
  }
  static constexpr std::uint64_t hex_digit(char c) { return std::uint64_t(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); }

  // The bits of a number that has been checked.
  constexpr bool bits_in(const word& token, std::uint64_t& bits) {
    if (is_float(part_)) {
      if (hlo_ && bits_of_special(token, bits)) return true;
      const int sign = data[token.first] == '-' || data[token.first] == '+' ? 1 : 0;
      if (token.size > sign + 2 && data[token.first + sign + 1] == 'x') {
        bits = 0;
        for (int i = token.first + sign + 2; i < token.end(); ++i) bits = bits * 16 + hex_digit(data[i]);
        if (data[token.first] == '-') bits |= format_of(part_).sign();
        return true;
      }
      return detail::float_bits<Known>({data + token.first, std::size_t(token.size)}, part_, bits) ||
             fail("float_constant_c1", "is_wellformed(float_literal, float_type)", token.first);
    }
    if (data[token.first] == 't' || data[token.first] == 'f') {
      bits = data[token.first] == 't';
      return true;
    }
    const int after = at;
    at = token.first;
    read_integer_bits(bits);
    at = after;
    return true;
  }
  // False where the token is a number.
  constexpr bool bits_of_special(const word& token, std::uint64_t& bits) {
    const bool negative = data[token.first] == '-';
    int i = token.first + (negative || data[token.first] == '+' ? 1 : 0);
    if (i >= token.end() || (data[i] != 'i' && data[i] != 'n')) return false;
    const float_format format = format_of(part_);
    if (data[i] == 'i') {
      bits = format.with_sign(format.infinity(), negative);
      return true;
    }
    bits = format.nan(negative);
    if (i + 6 < token.end() && format.has_infinity()) {
      std::uint64_t fraction = 0;
      for (i += 6; i < token.end() - 1; ++i) fraction = fraction * 16 + hex_digit(data[i]);
      fraction &= (std::uint64_t{1} << format.mantissa_bits) - 1;
      if (fraction != 0) bits = format.with_sign(format.infinity() | fraction, negative);
    }
    return true;
  }
  template <class Bits>
  constexpr bool walk_blob(Bits& take) {
    const int start = at;
    word digits;
    if (!read_string(digits)) return false;
    skip_space();
    if (at != size) return fail("syntax", "the literal goes on after its end");
    if (digits.size < (resource_ ? 10 : 2) || data[digits.first] != '0' || data[digits.first + 1] != 'x' ||
        digits.size % 2 != 0)
      return fail("tensor_constant_c1", "a string of elements is 0x and an even number of hexadecimal digits", start);
    const int prefix = resource_ ? 10 : 2;
    const index_t bytes = (digits.size - prefix) / 2, width = storage_bytes(part_);
    const index_t count = shape_.product();
    const bool packed = is_boolean(part_) && count > 1 && bytes == count / 8 + (count % 8 != 0 ? 1 : 0);
    if (packed || (count <= INT64_MAX / (width * parts_) && bytes == count * width * parts_)) {
      form = literal_form::blob;
    } else if (bytes == width * parts_) {
      form = literal_form::blob_splat;
    } else {
      return fail("tensor_constant_c2", "has_shape(tensor_literal, shape(tensor_type))", start);
    }
    if (lengths_only_) return true;
    const index_t stored = form == literal_form::blob ? count : 1;
    int from = digits.first + prefix;
    for (index_t element = 0; element < stored; ++element) {
      if (packed) {
        std::uint64_t byte = 0;
        if (!read_byte(digits.first + prefix + 2 * int(element / 8), byte)) return false;
        if (!take(element, 0, byte >> (element % 8) & 1)) return false;
        continue;
      }
      for (int part = 0; part < parts_; ++part) {
        std::uint64_t bits = 0;
        for (int i = 0; i < width; ++i, from += 2) {
          std::uint64_t byte = 0;
          if (!read_byte(from, byte)) return false;
          bits |= byte << (8 * i);
        }
        if (is_boolean(part_))
          bits = bits != 0;
        else if (width < 8)
          bits = of_element(bits);
        if (!take(element, part, bits)) return false;
      }
    }
    return true;
  }
  constexpr bool read_byte(int from, std::uint64_t& byte) {
    if (!detail::is(data[from], detail::hex) || !detail::is(data[from + 1], detail::hex))
      return fail("tensor_constant_c1", "a string of elements holds hexadecimal digits", from);
    byte = hex_digit(data[from]) * 16 + hex_digit(data[from + 1]);
    return true;
  }
  // The bits that the element has; a signed integer is extended.
  constexpr std::uint64_t of_element(std::uint64_t bits) const {
    const std::uint64_t highest = std::uint64_t{1} << (num_bits(part_) - 1);
    bits &= (highest << 1) - 1;
    return is_signed_integer(part_) ? (bits ^ highest) - highest : bits;
  }

  constexpr bool wrong_shape() { return fail("tensor_constant_c2", "has_shape(tensor_literal, shape(tensor_type))"); }

 public:
  // Some compilers want the templates above to be known where they are used.

  // Checks that the literal is well formed for its type. In constant evaluation only the length of a string of elements
  // is looked at; its digits are checked when somebody asks for the elements.
  constexpr bool check() {
    lengths_only_ = std::is_constant_evaluated();
    return walk([](index_t, int, const word&) { return true; }, [](index_t, int, std::uint64_t) { return true; });
  }

  // Calls store(element, part, bits) for every element in row-major order; part 1 is the imaginary one. Integers come
  // sign-extended. A splat is stored once, as element 0.
  template <class Store>
  constexpr bool decode(Store store) {
    return walk(
        [&](index_t element, int part, const word& token) {
          std::uint64_t bits = 0;
          if (!bits_in(token, bits)) return false;
          store(element, part, bits);
          return true;
        },
        [&](index_t element, int part, std::uint64_t bits) {
          store(element, part, bits);
          return true;
        });
  }
};

}  // namespace tenon::text
