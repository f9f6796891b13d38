// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/lexer.hpp>

namespace tenon::text::hlo {

// Element types as HLO names them: f32, bf16, s32, u8, f8e4m3fn ...
inline constexpr auto element_keys = [] {
  struct {
    word_key of[int(dtype::token) + 1]{};
  } keys;
  for (int i = int(dtype::i2); i <= int(dtype::f64); ++i) {
    std::string_view rest = name(dtype(i));
    if (rest.starts_with("ui") || rest.starts_with("i")) keys.of[i] = rest[0] == 'u' ? 'u' : 's';
    rest.remove_prefix(rest.starts_with("ui") ? 2 : rest[0] == 'i' ? 1 : 0);
    for (const char c : rest) keys.of[i] = extend(keys.of[i], 'A' <= c && c <= 'Z' ? char(c - 'A' + 'a') : c);
  }
  keys.of[int(dtype::tf32)] = keys.of[int(dtype::f6E2M3FN)] = keys.of[int(dtype::f6E3M2FN)] = 0;
  keys.of[int(dtype::i1)] = key_of("pred"), keys.of[int(dtype::token)] = key_of("token");
  keys.of[int(dtype::complex_f32)] = key_of("c64"), keys.of[int(dtype::complex_f64)] = key_of("c128");
  return keys;
}();
// `none` if there is none of that name.
constexpr dtype element_named(word_key name) {
  int i = name == 0 ? 0 : int(dtype::token);
  while (i > 0 && element_keys.of[i] != name) --i;
  return dtype(i);
}

// Reads shapes and layouts into the table of types of signatures.
class shape_reader : public reader_part {
 public:
  using reader_part::reader_part;

  ints layout;  // of the array that was read last: minor to major

  // Appends the types of an array, or of all leaves of a tuple.
  constexpr bool read_shape(int& count, bool& nested) {
    int depth = 0;
    do {
      while (in.take('(')) {
        nested = nested || depth > 0;
        if (++depth > 64) return in.fail("too_large", "tuples are nested deeper than 64");
        if (in.next() == ')') break;
      }
      if (depth == 0 || in.next() != ')') {
        if (!read_array()) return false;
        ++count;
      }
      while (depth > 0 && in.take(')')) --depth;
    } while (depth > 0 && in.need(',', ", or ) is expected in the shape of a tuple"));
    return depth == 0;
  }

  // Without their types.
  constexpr bool count_leaves(int& count) {
    const int before = state.signature_types.size;
    bool nested = false;
    const bool good = read_shape(count, nested);
    state.signature_types.size = before;
    return good;
  }

  // f32[2,<=3]{1,0:T(8,128)}
  constexpr bool read_array() {
    in.skip_blank();
    const int start = in.at;
    const word name = in.read_name();
    tensor_type type = type_of(element_named(name.key));
    if (name.size == 0) return in.fail("type", "a shape such as f32[2,3] is expected", start);
    if (!in.need('[', "[ is expected after an element type")) return false;
    if (type.element == dtype::none) return in.fail("type", "the element type is unknown", start);
    while (!in.take(']')) {
      if (type.rank() > 0 && !in.need(',', ", or ] is expected after a size")) return false;
      in.skip_blank();
      if (in.peek_at(0) == '<' && in.peek_at(1) == '=') {
        in.at += 2;
        type.bound(type.rank());
      }
      index_t count = 0;
      if (!in.read_natural(count)) return false;
      type.shape.push(count);
      if (type.shape.dropped > 0) return in.fail("not_supported", "a tensor has at most 8 dimensions", start);
    }
    layout = ints{};
    if (layout_follows() && !read_layout(type.rank())) return false;
    state.signature_types.push(build.intern(type));
    return true;
  }
  // A brace some way off is the one of a computation, as in -> f32[2] {, unless a number or a colon follows it.
  constexpr bool layout_follows() {
    const int end = in.at;
    const bool brace = in.take('{'), adjacent = in.at == end + 1;
    const char c = brace ? in.next() : '\0';
    in.at = end;
    if (!brace || !(adjacent || c == ':' || text::detail::is(c, text::detail::digit))) return false;
    in.skip_blank();
    return true;
  }
  // Past a shape, whose parts are not looked at.
  constexpr bool skip_shape() {
    if (in.next() == '(') return in.skip_group();
    in.read_name();
    if (in.next() == '[' && !in.skip_group()) return false;
    return !layout_follows() || in.skip_group();
  }
  constexpr bool read_layout(int rank) {
    const int start = in.at;
    if (!in.skip_group()) return false;
    const int end = in.at;
    in.at = start + 1;
    ints axes;
    while (text::detail::is(in.next(), text::detail::digit)) {
      index_t axis = 0;
      if (!in.read_natural(axis)) return false;
      axes.push(axis);
      if (!in.take(',')) break;
    }
    in.at = end;
    if (axes.empty()) return true;
    if (axes.dropped > 0 || axes.size != rank || !axes.unique() || !axes.within(0, rank))
      return in.fail("type", "a layout lists every dimension once", start);
    layout = axes;
    return true;
  }
};

}  // namespace tenon::text::hlo
