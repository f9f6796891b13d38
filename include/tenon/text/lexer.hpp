// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/format/number.hpp>
#include <tenon/text/error.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

// The parser reads its text in place, by byte index. In constant evaluation every step counts, and comparing string
// views costs the length of the whole text on some compilers: so words are compared by keys, which are computed while
// reading.
namespace tenon::text {

namespace detail {

enum char_class : unsigned char { space = 1, digit = 2, word_start = 4, word_part = 8, hex = 16 };

struct char_classes {
  unsigned char of[256] = {};

  constexpr char_classes() {
    for (int c = '0'; c <= '9'; ++c) of[c] = digit | word_part | hex;
    for (int c = 'a'; c <= 'z'; ++c) of[c] = word_start | word_part;
    for (int c = 'A'; c <= 'Z'; ++c) of[c] = word_start | word_part;
    for (int c = 'a'; c <= 'f'; ++c) of[c] |= hex;
    for (int c = 'A'; c <= 'F'; ++c) of[c] |= hex;
    of[int('_')] = word_start | word_part;
    of[int('$')] = of[int('.')] = word_part;
    of[int(' ')] = of[int('\n')] = of[int('\t')] = of[int('\r')] = space;
  }
};
inline constexpr char_classes classes;

constexpr bool is(char c, char_class wanted) { return (classes.of[static_cast<unsigned char>(c)] & wanted) != 0; }

}  // namespace detail

// Exact for up to 8 characters: no two such words share a key. Longer words mix in what falls out at the top.
using word_key = std::uint64_t;
constexpr word_key extend(word_key key, char c) {
  return ((key << 8) | static_cast<unsigned char>(c)) + (key >> 56) * 0x9E3779B97F4A7C15u;
}
constexpr word_key key_of(std::string_view word) {
  word_key key = 0;
  for (std::size_t i = 0; i < word.size(); ++i) key = extend(key, word[i]);
  return key;
}

// A piece of the text.
struct word {
  int first = 0, size = 0;
  word_key key = 0;

  constexpr int end() const { return first + size; }
};

// A word that the language knows.
struct keyword {
  const char* characters;
  int size;
  word_key key;

  template <int Size>
  consteval keyword(const char (&literal)[Size])
      : characters(literal), size(Size - 1), key(key_of({literal, Size - 1})) {}
  constexpr keyword(const char* text, int count, word_key of_text) : characters(text), size(count), key(of_text) {}
};

// As equal as keys are, without a look at the characters.
constexpr bool is_key(const word& name, const keyword& wanted) {
  return name.key == wanted.key && name.size == wanted.size;
}
// A keyword as a word that stands nowhere in the text.
constexpr word word_of(const keyword& name) { return {-1, name.size, name.key}; }

// The keys of words that are parted by spaces.
template <int Count>
struct key_list {
  word_key at[Count]{};

  consteval explicit key_list(std::string_view words) {
    int count = 0;
    for (std::size_t first = 0; first < words.size(); ++count) {
      const std::size_t last = words.find(' ', first);
      at[count] = key_of(words.substr(first, last - first));
      first = last == words.npos ? last : last + 1;
    }
    if (count != Count) at[Count] = 0;  // no constant: there are more words, or fewer
  }
  constexpr bool contains(word_key wanted) const {
    for (const word_key key : at)
      if (key == wanted) return true;
    return false;
  }
};

// Reads words, strings and numbers of a text, and keeps the first error.
class lexer {
 public:
  const char* data = nullptr;
  int size = 0;
  int at = 0;
  parse_error error;  // only the first is kept; every function below answers false once there is one

  constexpr lexer() = default;
  constexpr explicit lexer(std::string_view text, int from = 0) : data(text.data()), size(int(text.size())), at(from) {
    if (from == 0 && same_characters(0, "\xEF\xBB\xBF", 3)) at = 3;  // a byte order mark
  }

  constexpr bool fail(const char* label, const char* sentence, int byte) {
    if (!error) error = {label, sentence, 0, 0, byte};
    return false;
  }
  constexpr bool fail(const char* label, const char* sentence) { return fail(label, sentence, at); }

  // The next `wanted` at or after `from`, or the end of the text; one step where the compiler has one for it. `wanted`
  // is one of " > ) . ? and the line feed.
  constexpr int find(char wanted, int from) const {
    if (from >= size) return size;
    if (std::is_constant_evaluated()) {
#if defined(__clang__)
      const char* found = __builtin_char_memchr(data + from, wanted, std::size_t(size - from));
      return found ? int(found - data) : size;
#elif defined(__GNUC__)
      const char* set = wanted == '"'   ? "\""
                        : wanted == '>' ? ">"
                        : wanted == ')' ? ")"
                        : wanted == '.' ? "."
                        : wanted == '?' ? "?"
                                        : "\n";
      // Known for string literals only.
      if (__builtin_constant_p(__builtin_strcspn(data + from, set))) {
        const std::size_t distance = __builtin_strcspn(data + from, set);
        return distance < std::size_t(size - from) ? from + int(distance) : size;
      }
#endif
      // Compilers bound the length of a single loop.
      while (from < size) {
        const int end = size - from > 65536 ? from + 65536 : size;
        for (; from < end; ++from)
          if (data[from] == wanted) return from;
      }
      return size;
    }
    const void* found = std::memchr(data + from, wanted, std::size_t(size - from));
    return found ? int(static_cast<const char*>(found) - data) : size;
  }

  // Whether these characters end just before `end`.
  constexpr bool stands_before(int end, const keyword& wanted) const {
    bool same = end >= wanted.size;
    for (int i = wanted.size; same && i > 0; --i) same = data[end - wanted.size + i - 1] == wanted.characters[i - 1];
    return same;
  }

  // Past white space and comments.
  constexpr void skip_space() {
    while (true) {
      while (at < size && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r')) ++at;
      if (at + 1 >= size || data[at] != '/' || data[at + 1] != '/') return;
      at = find('\n', at);
    }
  }
  // The next character that counts, or 0 at the end.
  constexpr char peek() {
    if (at < size && (data[at] <= ' ' || data[at] == '/')) skip_space();
    return at < size ? data[at] : '\0';
  }
  constexpr char peek_at(int offset) const { return at + offset < size ? data[at + offset] : '\0'; }
  constexpr bool accept(char wanted) {
    if (at < size && (data[at] <= ' ' || data[at] == '/')) skip_space();
    if (at >= size || data[at] != wanted) return false;
    ++at;
    return true;
  }
  constexpr bool accept(char first, char second) {
    if (peek() != first || peek_at(1) != second) return false;
    at += 2;
    return true;
  }
  constexpr bool expect(char wanted, const char* sentence) { return accept(wanted) || fail("syntax", sentence); }
  constexpr bool accept_arrow() { return accept('-', '>'); }

  // A word of letters, digits, _ $ and dots that starts like one; empty if there is none.
  constexpr word read_word() {
    if (at < size && (data[at] <= ' ' || data[at] == '/')) skip_space();
    word result{at, 0, 0};
    if (at >= size || !detail::is(data[at], detail::word_start)) return result;
    int i = at;
    word_key key = 0;
    constexpr keyword prefix = "stablehlo.";
    if (data[at] == 's' && same_characters(at, prefix.characters, prefix.size)) {
      i += prefix.size;
      key = prefix.key;
    }
    i = extend_by_word(key, i);
    result.size = i - at;
    result.key = key;
    at = i;
    return result;
  }
  // The name behind % @ # ! or ^: letters, digits, _ $ . and -.
  constexpr word read_name() {
    int i = at;
    word_key key = 0;
    while (true) {
      i = extend_by_word(key, i);
      // A minus belongs to the name unless it begins an arrow.
      if (i >= size || data[i] != '-' || (i + 1 < size && data[i + 1] == '>')) break;
      key = extend(key, data[i++]);
    }
    const word result{at, i - at, key};
    at = i;
    return result;
  }
  // The inside of a string, escapes as they stand. `at` is on the opening quote.
  constexpr bool read_string(word& result) {
    if (peek() != '"') return fail("syntax", "a string is expected");
    const int first = at + 1;
    int end = find('"', first);
    while (end < size && escaped(first, end)) end = find('"', end + 1);
    if (end >= size) return fail("syntax", "the string is not closed");
    result = {first, end - first, 0};
    at = end + 1;
    return true;
  }

  // The same with the key of what stands between the quotes.
  constexpr bool read_quoted(word& result) {
    if (!read_string(result)) return false;
    result.key = key_of_range(result.first, result.size);
    return true;
  }

  // Whether these characters stand at `first`.
  constexpr bool same_characters(int first, const char* characters, int count) const {
    if (count > size - first) return false;
#if defined(__clang__)
    return __builtin_memcmp(data + first, characters, std::size_t(count)) == 0;
#else
    // One step where both are string literals.
    if (__builtin_constant_p(__builtin_memcmp(data + first, characters, std::size_t(count))))
      return __builtin_memcmp(data + first, characters, std::size_t(count)) == 0;
    for (int i = 0; i < count; ++i)
      if (data[first + i] != characters[i]) return false;
    return true;
#endif
  }
  constexpr bool same_characters(int first, std::string_view text) const {
    return same_characters(first, text.data(), int(text.size()));
  }
  constexpr word_key key_of_range(int first, int count) const {
    word_key key = 0;
    for (int i = first; i < first + count; ++i) key = extend(key, data[i]);
    return key;
  }
  constexpr bool same(const word& a, const word& b) const {
    if (a.size != b.size || a.key != b.key) return false;
    return a.size <= 8 || same_characters(a.first, data + b.first, b.size);
  }
  constexpr bool is(const word& a, const keyword& b) const {
    if (a.key != b.key || a.size != b.size) return false;
    return a.size <= 8 || same_characters(a.first, b.characters, b.size);
  }
  // Moves past the word only if it comes next.
  constexpr bool accept(const keyword& wanted) {
    skip_space();
    if (at >= size || data[at] != wanted.characters[0]) return false;
    const int before = at;
    if (is(read_word(), wanted)) return true;
    at = before;
    return false;
  }
  constexpr bool next_is(const keyword& wanted) {
    const int before = at;
    const bool result = accept(wanted);
    at = before;
    return result;
  }

  // A whole number without a sign, at most 2^63 - 1.
  constexpr bool read_natural(std::int64_t& value) {
    skip_space();
    if (at >= size || !detail::is(data[at], detail::digit)) return fail("syntax", "a whole number is expected");
    std::uint64_t result = 0;
    if (!read_decimal(result) || result > INT64_MAX) return fail("syntax", "the number is too large");
    value = std::int64_t(result);
    return true;
  }
  // A whole number with an optional minus.
  constexpr bool read_integer(std::int64_t& value) {
    const bool negative = accept('-');
    if (!negative) accept('+');
    std::uint64_t magnitude = 0;
    if (!read_magnitude(magnitude)) return false;
    if (magnitude > std::uint64_t{INT64_MAX} + (negative ? 1 : 0)) return fail("syntax", "the number is too large");
    value = negative ? std::int64_t(-magnitude) : std::int64_t(magnitude);
    return true;
  }
  // Digits, if there are any; false if the number is too large.
  constexpr bool read_decimal(std::uint64_t& result) {
    for (; at < size && data[at] >= '0' && data[at] <= '9'; ++at) {
      const auto d = std::uint64_t(data[at] - '0');
      if (result > (UINT64_MAX - d) / 10) return false;
      result = result * 10 + d;
    }
    return true;
  }
  // Decimal or 0x hexadecimal.
  constexpr bool read_magnitude(std::uint64_t& value) {
    skip_space();
    const int start = at;
    std::uint64_t result = 0;
    if (at < size && data[at] == '0' && peek_at(1) == 'x') {
      at += 2;
      for (; at < size && detail::is(data[at], detail::hex); ++at) {
        if (result >> 60 != 0) return fail("syntax", "the number is too large", start);
        const char c = data[at];
        result = result * 16 + std::uint64_t(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
      }
      if (at == start + 2) return fail("syntax", "a hexadecimal number is expected", start);
    } else {
      if (!read_decimal(result)) return fail("syntax", "the number is too large", start);
      if (at == start) return fail("syntax", "a whole number is expected", start);
    }
    value = result;
    return true;
  }
  constexpr int skip_digits() {
    const int start = at;
    while (at < size && detail::is(data[at], detail::digit)) ++at;
    return at - start;
  }
  // Past digits with at most one point and one exponent, if that is a number.
  constexpr bool skip_decimal() {
    int digits = skip_digits();
    if (peek_at(0) == '.') ++at, digits += skip_digits();
    if (digits == 0 || (peek_at(0) != 'e' && peek_at(0) != 'E')) return digits > 0;
    ++at;
    if (peek_at(0) == '-' || peek_at(0) == '+') ++at;
    return skip_digits() > 0;
  }
  constexpr bool read_float(double& value) {
    skip_space();
    const int start = at;
    if (peek_at(0) == '-') ++at;
    skip_decimal();
    const number_result<f64> number = read_number<f64>({data + start, std::size_t(at - start)});
    value = number.value;
    if (number.status == number_status::out_of_range) return fail("syntax", "the number is too large for f64", start);
    return number.status == number_status::ok || fail("syntax", "a number is expected", start);
  }
  // `loc(...)`, which says where something came from and means nothing.
  constexpr bool skip_location() {
    if (peek() != 'l' || peek_at(1) != 'o' || peek_at(2) != 'c' || detail::is(peek_at(3), detail::word_part))
      return true;
    at += 3;
    if (peek() != '(') return fail("syntax", "loc is followed by (");
    return skip_balanced();
  }
  // From an opening bracket past the one that closes it. Strings may hold anything.
  constexpr bool skip_balanced() {
    char open[64];
    int depth = 0;
    const int start = at;
    while (at < size) {
      const char c = data[at];
      if (c == '"') {
        word ignored;
        if (!read_string(ignored)) return false;
        continue;
      }
      if (c == '/' && peek_at(1) == '/') {
        at = find('\n', at);
        continue;
      }
      ++at;
      if (c == '(' || c == '[' || c == '{' || c == '<') {
        if (depth == 64) return fail("too_large", "brackets are nested deeper than 64");
        open[depth++] = c;
      } else if (c == ')' || c == ']' || c == '}' || (c == '>' && (at < 2 || data[at - 2] != '-'))) {
        const char other = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '<';
        if (depth == 0 || open[depth - 1] != other) return fail("syntax", "this bracket closes nothing", at - 1);
        if (--depth == 0) return true;
      }
    }
    return fail("syntax", "the bracket is not closed", start);
  }

  // Turns the byte position of the error into line and column.
  constexpr void locate_error() {
    if (!error) return;
    error.line = 1;
    int begin = 0;
    for (int next = find('\n', 0); next < error.byte && next < size; next = find('\n', next + 1)) {
      ++error.line;
      begin = next + 1;
    }
    error.column = error.byte - begin + 1;
  }

 private:
  // Takes the characters of a word from `i` on into the key. Members cost steps, so the loop has copies of them.
  constexpr int extend_by_word(word_key& key, int i) const {
    const char* const text = data;
    const int end = size;
    word_key result = key;
    for (; i < end; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if ((detail::classes.of[c] & detail::word_part) == 0) break;
      result = ((result << 8) | c) + (result >> 56) * 0x9E3779B97F4A7C15u;
    }
    key = result;
    return i;
  }
  // An odd number of backslashes stands before `end`.
  constexpr bool escaped(int first, int end) const {
    int count = 0;
    while (end - 1 - count >= first && data[end - 1 - count] == '\\') ++count;
    return count % 2 != 0;
  }
};

}  // namespace tenon::text
