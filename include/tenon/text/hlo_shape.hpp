// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/parser.hpp>

namespace tenon::text {

namespace detail {

struct hlo_element_name {
  word_key name;
  dtype element;
};
// Element types as HLO names them, the frequent ones first.
inline constexpr hlo_element_name hlo_elements[] = {
    {key_of("f32"), dtype::f32},
    {key_of("s32"), dtype::i32},
    {key_of("pred"), dtype::i1},
    {key_of("bf16"), dtype::bf16},
    {key_of("f16"), dtype::f16},
    {key_of("f64"), dtype::f64},
    {key_of("s64"), dtype::i64},
    {key_of("u32"), dtype::ui32},
    {key_of("u8"), dtype::ui8},
    {key_of("s8"), dtype::i8},
    {key_of("s2"), dtype::i2},
    {key_of("s4"), dtype::i4},
    {key_of("s16"), dtype::i16},
    {key_of("u2"), dtype::ui2},
    {key_of("u4"), dtype::ui4},
    {key_of("u16"), dtype::ui16},
    {key_of("u64"), dtype::ui64},
    {key_of("f4e2m1fn"), dtype::f4E2M1FN},
    {key_of("f8e3m4"), dtype::f8E3M4},
    {key_of("f8e4m3"), dtype::f8E4M3},
    {key_of("f8e4m3fn"), dtype::f8E4M3FN},
    {key_of("f8e4m3fnuz"), dtype::f8E4M3FNUZ},
    {key_of("f8e4m3b11fnuz"), dtype::f8E4M3B11FNUZ},
    {key_of("f8e5m2"), dtype::f8E5M2},
    {key_of("f8e5m2fnuz"), dtype::f8E5M2FNUZ},
    {key_of("f8e8m0fnu"), dtype::f8E8M0FNU},
    {key_of("c64"), dtype::complex_f32},
    {key_of("c128"), dtype::complex_f64},
    {key_of("token"), dtype::token},
};
// `none` if there is none of that name.
constexpr dtype hlo_element(word_key name) {
  for (const hlo_element_name& each : hlo_elements)
    if (each.name == name) return each.element;
  return dtype::none;
}

}  // namespace detail

// Reads shapes and layouts of HLO text, and what else its words are made of.
class hlo_shape_reader : public parser {
 public:
  using parser::parser;

 protected:
  ints layout_;  // of the array that was read last: minor to major

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
  // The next line.
  constexpr void skip_line() { at = find('\n', at); }
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
  // The value of an attribute: up to a comma, a line's end or a closing bracket.
  constexpr bool skip_attribute_value() {
    skip_blank();
    const int start = at;
    while (at < size) {
      const char c = data[at];
      if (c == ',' || c == '\n' || c == '}' || c == ')' || c == ']') break;
      if (c == '(' || c == '[' || c == '{' || c == '"') {
        word ignored;
        if (c == '"' ? !read_string(ignored) : !skip_group()) return false;
      } else {
        ++at;
      }
    }
    return at > start || fail("syntax", "the value of an attribute is expected");
  }

  // Appends the types of an array, or of all leaves of a tuple.
  constexpr bool read_shape(int& count, bool& nested) {
    int depth = 0;
    do {
      while (take('(')) {
        nested = nested || depth > 0;
        if (++depth > 64) return fail("too_large", "tuples are nested deeper than 64");
        if (next() == ')') break;
      }
      if (depth == 0 || next() != ')') {
        if (!read_array()) return false;
        ++count;
      }
      while (depth > 0 && take(')')) --depth;
    } while (depth > 0 && need(',', ", or ) is expected in the shape of a tuple"));
    return depth == 0;
  }

  // f32[2,<=3]{1,0:T(8,128)}
  constexpr bool read_array() {
    skip_blank();
    const int start = at;
    const word name = read_name();
    tensor_type type = type_of(text::detail::hlo_element(name.key));
    if (name.size == 0) return fail("type", "a shape such as f32[2,3] is expected", start);
    if (!need('[', "[ is expected after an element type")) return false;
    if (type.element == dtype::none) return fail("type", "the element type is unknown", start);
    while (!take(']')) {
      if (type.rank() > 0 && !need(',', ", or ] is expected after a size")) return false;
      skip_blank();
      if (peek_at(0) == '<' && peek_at(1) == '=') {
        at += 2;
        type.bound(type.rank());
      }
      index_t count = 0;
      if (!read_natural(count)) return false;
      type.shape.push(count);
      if (type.shape.dropped > 0) return fail("not_supported", "a tensor has at most 8 dimensions", start);
    }
    layout_ = ints{};
    if (at < size && data[at] == '{' && !read_layout(type.rank())) return false;
    int id = 0;
    if (!intern(type, id)) return false;
    state.signature_types.push(id);
    return true;
  }
  constexpr bool read_layout(int rank) {
    const int start = at;
    if (!skip_group()) return false;
    const int end = at;
    at = start + 1;
    ints axes;
    while (text::detail::is(next(), text::detail::digit)) {
      index_t axis = 0;
      if (!read_natural(axis)) return false;
      axes.push(axis);
      if (!take(',')) break;
    }
    at = end;
    if (axes.empty()) return true;
    if (axes.dropped > 0 || axes.size != rank || !axes.unique() || !axes.within(0, rank))
      return fail("type", "a layout lists every dimension once", start);
    layout_ = axes;
    return true;
  }
};

}  // namespace tenon::text
