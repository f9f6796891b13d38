// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/graph_builder.hpp>

namespace tenon::text::hlo {

// Reads what the words of HLO text are made of. There are notes such as /*index=5*/ between them.
class lexer : public text::lexer {
 public:
  using text::lexer::lexer;

  // Past white space, // comments and notes such as /*index=5*/.
  constexpr void skip_blank() {
    while (true) {
      skip_space();
      if (at + 1 >= size || data[at] != '/' || data[at + 1] != '*') return;
      at += 2;
      while (at < size && !(data[at] == '*' && peek_at(1) == '/')) ++at;
      at = at + 2 < size ? at + 2 : size;
    }
  }
  constexpr char next() {
    skip_blank();
    return at < size ? data[at] : '\0';
  }
  constexpr bool take(char wanted) {
    if (next() != wanted || at >= size) return false;
    ++at;
    return true;
  }
  constexpr bool need(char wanted, const char* sentence) { return take(wanted) || fail("syntax", sentence); }
  // A name with or without its percent sign; empty if there is none.
  constexpr word read_symbol() {
    if (next() == '%') ++at;
    return read_name();
  }
  // `, name=value, name=value`
  constexpr bool skip_attributes() {
    while (take(',')) {
      read_symbol();
      if (take('=') && !skip_attribute_value()) return false;
    }
    return true;
  }
  // Past brackets of any kind, from the opening one.
  constexpr bool skip_group() {
    const int start = at;
    int depth = 0;
    while (at < size) {
      const char c = data[at];
      if (c == '"') {
        word ignored;
        if (!read_string(ignored)) return false;
        continue;
      }
      ++at;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth == 0) return true;
    }
    return fail("syntax", "the bracket is not closed", start);
  }
  // Past the literal of a constant, or the number of a parameter, and its brackets. A list ends with }), and may be
  // long.
  constexpr bool skip_argument() {
    const int open = at;
    if (!need('(', "( is expected before the operands")) return false;
    if (next() != '{') {
      at = open;
      skip_blank();
      return skip_group();
    }
    for (int end = find(')', at); end < size; end = find(')', end + 1)) {
      int last = end - 1;
      while (detail::is(data[last], detail::space)) --last;
      if (data[last] != '}') continue;
      at = end + 1;
      return true;
    }
    return fail("syntax", "the bracket is not closed", open);
  }
  // The value of an attribute: up to a comma, white space or a closing bracket.
  constexpr bool skip_attribute_value() {
    skip_blank();
    const int start = at;
    while (at < size) {
      const char c = data[at];
      if (detail::is(c, detail::space) && goes_on_behind_blank(start)) continue;
      if (c == ',' && goes_on_behind_comma(start)) continue;
      if (c == ',' || detail::is(c, detail::space) || c == '}' || c == ')' || c == ']') break;
      if (c == '(' || c == '[' || c == '{' || c == '"') {
        word ignored;
        if (c == '"' ? !read_string(ignored) : !skip_group()) return false;
      } else {
        ++at;
      }
    }
    return at > start || fail("syntax", "the value of an attribute is expected");
  }
  // The same behind a comma: mesh['x'=2], device_ids=(...) {'x'}.
  constexpr bool goes_on_behind_comma(int start) {
    if (data[start] != 'm' || data[at - 1] != ']') return false;
    const int comma = at++;
    if (next() == 'd' && same_characters(at, "device_ids=")) return true;
    at = comma;
    return false;
  }
  // Whether what stands behind white space still belongs to a value: mesh['x'=2] {'x'}, [2,2] <= [4] T(1,0). Then `at`
  // is there.
  constexpr bool goes_on_behind_blank(int start) {
    const char before = at > start ? data[at - 1] : '\0';
    if (before != ']' && before != '=' && before != ')') return false;
    const int blank = at;
    const char c = next();
    if (before == ')'   ? c == '{' && data[start] == 'm'
        : before == '=' ? c == '['
                        : c == '<' || (c == 'T' && peek_at(1) == '(') || (c == '{' && data[start] == 'm'))
      return true;
    at = blank;
    return false;
  }
  // A whole number with an optional minus.
  constexpr bool read_number(index_t& value) {
    skip_blank();
    const bool negative = at < size && data[at] == '-';
    if (negative) ++at;
    if (!read_natural(value)) return false;
    if (negative) value = -value;
    return true;
  }
};

// The state that all parts of the reader share.
struct reader_part {
  lexer& in;
  graph_builder& build;
  graph& g;
  parser_tables& state;

  constexpr reader_part(lexer& text, graph_builder& builder)
      : in(text), build(builder), g(builder.g), state(builder.state) {}
};

}  // namespace tenon::text::hlo
