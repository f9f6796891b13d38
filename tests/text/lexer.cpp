// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/lexer.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using text::lexer, text::word;

namespace {

constexpr bool reads_word(std::string_view text, std::string_view expected) {
  lexer l(text);
  const word w = l.read_word();
  return std::string_view(l.data + w.first, std::size_t(w.size)) == expected && w.key == text::key_of(expected);
}
constexpr int after_balanced(std::string_view text) {
  lexer l(text);
  return l.skip_balanced() ? l.at : -1;
}
constexpr int after_location(std::string_view text) {
  lexer l(text);
  return l.skip_location() ? l.at : -1;
}
constexpr int string_size(std::string_view text) {
  lexer l(text);
  word w;
  return l.read_string(w) ? w.size : -1;
}
constexpr std::int64_t natural(std::string_view text) {
  lexer l(text);
  std::int64_t value = 0;
  return l.read_natural(value) ? value : -1;
}
constexpr parse_error located(std::string_view text, int byte) {
  lexer l(text);
  l.fail("label", "sentence", byte);
  l.fail("later", "is not kept", 0);
  l.locate_error();
  return l.error;
}

}  // namespace

TEST_CASE("words and names") {
  static_assert(reads_word("stablehlo.add %a", "stablehlo.add"));
  static_assert(reads_word("  // comment\n\tfunc.func", "func.func"));
  static_assert(reads_word("stablehlo.", "stablehlo."));
  static_assert(reads_word("stable", "stable"));
  static_assert(reads_word("1x", ""));
  static_assert(reads_word("", ""));
  static_assert(text::key_of("abcdefgh") != text::key_of("abcdefgi"));
  static_assert(text::key_of("contracting_dims") != text::key_of("contracting_dimz"));
  lexer l("a-b.c$_1->x");
  CHECK(l.read_name().size == 8);
  CHECK(l.is(lexer("stablehlo.return").read_word(), "stablehlo.returns") == false);
}

TEST_CASE("keywords are passed only if they come next") {
  lexer l("dims = 1");
  CHECK_FALSE(l.accept("dim"));
  CHECK(l.next_is("dims"));
  CHECK(l.accept("dims"));
  CHECK(l.accept('='));
  CHECK_FALSE(l.accept('='));
  CHECK(l.peek() == '1');
}

TEST_CASE("strings") {
  static_assert(string_size("\"abc\"") == 3);
  static_assert(string_size(R"("a\"b")") == 4);
  static_assert(string_size(R"("a\\")") == 3);
  static_assert(string_size("\"abc") == -1);
  static_assert(string_size(R"("\")") == -1);
}

TEST_CASE("brackets") {
  static_assert(after_balanced("(a [b] {c} <d>)e") == 15);
  static_assert(after_balanced("<(d0) -> (d0)>") == 14);
  static_assert(after_balanced("(\")\")x") == 5);
  static_assert(after_balanced("(]") == -1);
  static_assert(after_balanced("((") == -1);
  static_assert(after_location("loc(\"file\":1:2) x") == 15);
  static_assert(after_location("location") == 0);
  static_assert(after_location("loc") == -1);
  const char deep[] = "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((";
  CHECK(after_balanced(deep) == -1);
}

TEST_CASE("whole numbers") {
  static_assert(natural("9223372036854775807") == INT64_MAX);
  static_assert(natural("9223372036854775808") == -1);
  static_assert(natural("x") == -1);
}

TEST_CASE("the first error is kept and gets its line and column") {
  static_assert(located("ab\ncd\n", 4).line == 2);
  static_assert(located("ab\ncd\n", 4).column == 2);
  static_assert(located("", 0).line == 1);
  static_assert(located("ab\n", 3).line == 2);
  CHECK(std::string_view(located("x", 0).label) == "label");
}

TEST_CASE("find works in constant evaluation and at run time") {
  constexpr std::string_view text = "aa\"b>\n";
  static_assert(lexer(text).find('"', 0) == 2);
  static_assert(lexer(text).find('>', 3) == 4);
  static_assert(lexer(text).find('\n', 6) == 6);
  static_assert(lexer(text).find('"', 3) == 6);
  const lexer l(text);
  CHECK(l.find('"', 0) == 2);
  CHECK(l.find('"', 3) == 6);
}

TEST_CASE("lists of keys") {
  constexpr text::key_list<3> keys("one a_longer_name x");
  static_assert(keys.contains(text::key_of("one")));
  static_assert(keys.contains(text::key_of("a_longer_name")));
  static_assert(keys.contains(text::key_of("x")));
  static_assert(!keys.contains(text::key_of("on")));
  static_assert(!keys.contains(text::key_of("one a_longer_name")));
}

TEST_CASE("numbers") {
  const auto integer = [](std::string_view text) {
    lexer in(text);
    std::int64_t value = 0;
    return in.read_integer(value) ? value : 7;
  };
  static_assert(integer("-12") == -12);
  static_assert(integer("0x1F") == 31);
  static_assert(integer("-9223372036854775808") == INT64_MIN);
  static_assert(integer("9223372036854775808") == 7);
  static_assert(integer("0x") == 7);
  static_assert(integer("x") == 7);
  const auto number = [](std::string_view text) {
    lexer in(text);
    double value = 0;
    return in.read_float(value) ? value : 7;
  };
  static_assert(number("-1.5e2,") == -150);
  static_assert(number("1e999") == 7);
  static_assert(number("e") == 7);
}
