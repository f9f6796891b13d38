// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/literal.hpp>

#include <doctest/doctest.h>

#include <bit>

using namespace tenon;
using namespace tenon::core;

namespace {

constexpr std::string_view label_of(std::string_view text, const tensor_type& type) {
  text::literal_reader reader(text, 0, int(text.size()), type);
  return reader.check() ? std::string_view{} : std::string_view(reader.error.label);
}

struct elements {
  std::uint64_t at[32]{};
  int count = 0;
  bool splat = false, good = false;
};
// The bits of all elements, real and imaginary parts one after the other.
constexpr elements decode(std::string_view text, const tensor_type& type) {
  elements result;
  text::literal_reader reader(text, 0, int(text.size()), type);
  result.good = reader.decode([&](index_t, int, std::uint64_t bits) { result.at[result.count++] = bits; });
  result.splat = reader.is_splat();
  return result;
}
constexpr bool decodes(std::string_view text, const tensor_type& type, std::initializer_list<std::uint64_t> bits) {
  const elements got = decode(text, type);
  if (!got.good || got.count != int(bits.size())) return false;
  int i = 0;
  for (std::uint64_t expected : bits)
    if (got.at[i++] != expected) return false;
  return true;
}

constexpr tensor_type i8_2{dtype::i8, 0, 0, 0, {2}}, f32_2x2{dtype::f32, 0, 0, 0, {2, 2}},
    scalar_f32{dtype::f32, 0, 0, 0, {}}, c64_2{dtype::complex_f32, 0, 0, 0, {2}};
constexpr std::uint64_t one = 0x3F800000, two = 0x40000000;

}  // namespace

TEST_CASE("lists, splats and strings of bytes") {
  static_assert(decodes("[[1.0, 2.0], [2.0, 1.0e+00]]", f32_2x2, {one, two, two, one}));
  static_assert(decodes("1.0", f32_2x2, {one}));
  static_assert(decode("1.0", f32_2x2).splat);
  static_assert(!decode("[[1.0, 2.0], [2.0, 1.0e+00]]", f32_2x2).splat);
  static_assert(decodes("\"0x0000803F000000400000803F00000040\"", f32_2x2, {one, two, one, two}));
  static_assert(decodes("\"0x0000803F\"", f32_2x2, {one}));
  static_assert(decode("\"0x0000803F\"", f32_2x2).splat);
  static_assert(decodes("", type_of(dtype::f32, {0, 2}), {}));
  static_assert(decodes("[]", type_of(dtype::f32, {0}), {}));
  static_assert(decodes("[true, false]", type_of(dtype::i1, {2}), {1, 0}));
  static_assert(decodes("\"0x0100\"", type_of(dtype::i1, {2}), {1, 0}));
  static_assert(decodes("\"0x05\"", type_of(dtype::i1, {3}), {1, 0, 1}));
}

TEST_CASE("integers fit their type") {
  static_assert(decodes("[-128, 127]", i8_2, {std::uint64_t(-128), 127}));
  static_assert(decodes("[0xFF, 0x7F]", i8_2, {std::uint64_t(-1), 127}));
  static_assert(decodes("\"0xFF7F\"", i8_2, {std::uint64_t(-1), 127}));
  static_assert(decodes("\"0x120E\"", type_of(dtype::ui4, {2}), {2, 14}));
  static_assert(decodes("\"0x120E\"", type_of(dtype::i4, {2}), {2, std::uint64_t(-2)}));
  static_assert(decodes("18446744073709551615", type_of(dtype::ui64), {UINT64_MAX}));
  static_assert(decodes("-9223372036854775808", type_of(dtype::i64), {std::uint64_t{1} << 63}));
  static_assert(label_of("[128, 0]", i8_2) == "integer_constant_c1");
  static_assert(label_of("[-129, 0]", i8_2) == "integer_constant_c1");
  static_assert(label_of("-1", type_of(dtype::ui8)) == "integer_constant_c1");
  static_assert(label_of("0x100", type_of(dtype::ui8)) == "integer_constant_c1");
  static_assert(label_of("18446744073709551616", type_of(dtype::ui64)) == "integer_constant_c1");
  static_assert(label_of("1.0", type_of(dtype::i32)) != "");
  static_assert(label_of("true", type_of(dtype::i32)) == "integer_constant_c1");
  static_assert(decodes("-0x1F", type_of(dtype::i32), {std::uint64_t(-31)}));
  static_assert(decodes("-0x80", type_of(dtype::i8), {std::uint64_t(-128)}));
  static_assert(label_of("-0x81", type_of(dtype::i8)) == "integer_constant_c1");
  static_assert(label_of("-0x1", type_of(dtype::ui8)) == "integer_constant_c1");
  static_assert(decodes("18446744073709551615", type_of(dtype::i64), {std::uint64_t(-1)}));
  static_assert(label_of("-9223372036854775809", type_of(dtype::i64)) == "integer_constant_c1");
  static_assert(label_of("7", type_of(dtype::i4)) == "");
  static_assert(label_of("8", type_of(dtype::i4)) == "integer_constant_c1");
}

TEST_CASE("floats") {
  static_assert(decodes("0x7FC00000", scalar_f32, {0x7FC00000}));
  static_assert(decodes("-0.0", scalar_f32, {0x80000000}));
  static_assert(decodes("1.e2", scalar_f32, {0x42C80000}));
  static_assert(decodes("0x7FC0", type_of(dtype::bf16), {0x7FC0}));
  static_assert(decodes("0.1", type_of(dtype::f64), {std::bit_cast<std::uint64_t>(0.1)}));
  static_assert(decodes("1.0e+50", scalar_f32, {0x7F800000}));
  static_assert(decodes("[0x07, 0x7]", type_of(dtype::f4E2M1FN, {2}), {7, 7}));
  static_assert(decodes("\"0x1743\"", type_of(dtype::f4E2M1FN, {2}), {7, 3}));
  static_assert(label_of("0x7FC0", scalar_f32) == "float_constant_c2");
  static_assert(label_of("0x7FC000000", scalar_f32) == "float_constant_c2");
  static_assert(label_of("nan", scalar_f32) == "float_constant_c1");
  static_assert(label_of("1.0e", scalar_f32) == "float_constant_c1");
  static_assert(label_of(".", scalar_f32) == "float_constant_c1");
  static_assert(label_of("0x1F", type_of(dtype::f4E2M1FN)) == "float_constant_c2");
}

TEST_CASE("complex numbers") {
  static_assert(decodes("[(1.0, 2.0), (2.0,1.0)]", c64_2, {one, two, two, one}));
  static_assert(decodes("(1.0,2.0)", c64_2, {one, two}));
  static_assert(decodes("\"0x0000803F00000040\"", c64_2, {one, two}));
  static_assert(label_of("[1.0, 2.0]", c64_2) == "complex_constant_c1");
  static_assert(label_of("(1.0)", c64_2) == "syntax");
}

TEST_CASE("the shape is that of the type") {
  static_assert(label_of("[[1.0, 2.0]]", f32_2x2) == "tensor_constant_c2");
  static_assert(label_of("[[1.0, 2.0], [1.0]]", f32_2x2) == "tensor_constant_c2");
  static_assert(label_of("[[1.0, 2.0], [1.0, 2.0, 3.0]]", f32_2x2) == "tensor_constant_c2");
  static_assert(label_of("[1.0, 2.0, 1.0, 2.0]", f32_2x2) == "tensor_constant_c2");
  static_assert(label_of("[[[1.0], [2.0]], [[1.0], [2.0]]]", f32_2x2) == "tensor_constant_c2");
  static_assert(label_of("[1.0]", scalar_f32) == "tensor_constant_c2");
  static_assert(label_of("", f32_2x2) == "tensor_constant_c2");
  static_assert(label_of("\"0x0000803F00000040\"", f32_2x2) == "tensor_constant_c2");
  static_assert(label_of("\"0000803F\"", f32_2x2) == "tensor_constant_c1");
  static_assert(label_of("\"0x0000803\"", f32_2x2) == "tensor_constant_c1");
  static_assert(label_of("[[1.0, 2.0], [1.0, 2.0]", f32_2x2) == "syntax");
  static_assert(label_of("1.0 2.0", f32_2x2) == "syntax");
  CHECK(label_of("\"0x0000803G\"", f32_2x2) == "tensor_constant_c1");
}
