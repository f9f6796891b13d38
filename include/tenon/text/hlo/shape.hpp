// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/lexer.hpp>

namespace tenon::text::hlo {

struct element_name {
  word_key name;
  dtype element;
};
// Element types as HLO names them, the frequent ones first.
inline constexpr element_name elements[] = {{key_of("f32"), dtype::f32},
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
                                            {key_of("token"), dtype::token}};
// `none` if there is none of that name.
constexpr dtype element_named(word_key name) {
  for (const element_name& each : elements)
    if (each.name == name) return each.element;
  return dtype::none;
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
    int id = 0;
    if (!build.intern(type, id)) return false;
    state.signature_types.push(id);
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
