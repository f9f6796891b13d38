// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/types.hpp>

#include <tenon/text/program_graph.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

using memory = text::parser_memory<64>;

// What a list of types becomes.
constexpr memory read(std::string_view text) {
  memory m;
  m.program.text = text;
  graph g = m.program.open();
  text::parser_tables state = m.open();
  text::lexer in(text);
  text::graph_builder build(in, g, state);
  text::mlir::type_reader reader(build);
  do {
    int type = 0;
    if (!reader.read_type(type)) break;
  } while (in.accept(','));
  m.error = in.error;
  m.program.used = g.sizes();
  return m;
}
constexpr tensor_type type_in(std::string_view text) {
  const memory m = read(text);
  return m.error ? tensor_type{} : m.program.view().types[m.program.used.types - 1];
}
constexpr std::string_view label_of(std::string_view text) {
  const memory m = read(text);
  return m.error ? std::string_view(m.error.label) : std::string_view{};
}
constexpr graph_quantization quantization_in(std::string_view text) {
  return read(text).program.view().quantizations[0];
}

}  // namespace

TEST_CASE("tensors") {
  static_assert(type_in("tensor<f32>") == type_of(dtype::f32));
  static_assert(type_in("tensor<2x3xf32>") == type_of(dtype::f32, {2, 3}));
  static_assert(type_in("tensor<0x3xi1>") == type_of(dtype::i1, {0, 3}));
  static_assert(type_in("tensor<4xcomplex<f64>>") == type_of(dtype::complex_f64, {4}));
  static_assert(type_in("tensor<2xf8E4M3B11FNUZ>") == type_of(dtype::f8E4M3B11FNUZ, {2}));
  static_assert(type_in("tensor<1x1x1x1x1x1x1x1xui4>").rank() == 8);
  static_assert(!type_in("tensor<2xindex>").is_tensor());
  static_assert(type_in("!stablehlo.token").is_token());
}

TEST_CASE("equal types are kept once") {
  static_assert(read("tensor<2xf32>, tensor<2xf32>, tensor<2xf32>").program.used.types == 1);
  static_assert(read("tensor<2xf32>, tensor< 2xf32 >").program.used.types == 1);
  static_assert(read("tensor<2xf32>, tensor<3xf32>, tensor<2xf32>").program.used.types == 2);
  static_assert(read("tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<4xf32>, tensor<5xf32>, tensor<6xf32>, "
                     "tensor<1xf32>, tensor<2xf32>")
                    .program.used.types == 6);
}

TEST_CASE("what is no type") {
  static_assert(label_of("tensor<2x3xf31>") == "type");
  static_assert(label_of("tensor<tf32>") == "type");
  static_assert(label_of("tensor<2xcomplex<f16>>") == "type");
  static_assert(label_of("tensor<*xf32>") == "type");
  static_assert(label_of("tensor<?x4xf32>") == "type");
  static_assert(label_of("tensor<2x3>") == "syntax");
  static_assert(label_of("tensor<2 x 3xf32>") == "syntax");
  static_assert(label_of("tensor<2xf32") == "syntax");
  static_assert(label_of("tensor") == "syntax");
  static_assert(label_of("f32") == "type");
  static_assert(label_of("!stablehlo.foobar") == "type");
  static_assert(label_of("(tensor<f32>) -> tensor<f32>") == "type");
  static_assert(label_of("tensor<1x1x1x1x1x1x1x1x1xf32>") == "too_large");
  static_assert(label_of("tensor<99999999999999999999xf32>") == "syntax");
  static_assert(label_of("tensor<2xf32, #sparse.encoding<{}>>") == "type");
}

TEST_CASE("bounded dimensions") {
  constexpr tensor_type type = type_in("tensor<?x4xf32, #stablehlo.bounds<3, ?>>");
  static_assert(type.shape == ints{3, 4} && type.bounded == 1);
  static_assert(type_in("tensor<2x?xf32, #stablehlo.type_extensions<bounds = [?, 7]>>").bounded == 2);
  static_assert(label_of("tensor<?x4xf32, #stablehlo.bounds<?, ?>>") == "type");
  static_assert(label_of("tensor<2x4xf32, #stablehlo.bounds<3, ?>>") == "type");
  static_assert(label_of("tensor<?x4xf32, #stablehlo.bounds<3>>") == "type");
  static_assert(label_of("tensor<?xf32, #stablehlo.bounds<3, 4>>") == "type");
}

TEST_CASE("tuples, futures and buffers") {
  constexpr auto m = read("tuple<tensor<f32>, !stablehlo.token>, tuple<tensor<f32>, !stablehlo.token>, tuple<>");
  static_assert(!m.error && m.program.used.types == 2 && m.program.used.member_lists == 2);
  static_assert(m.program.view().types[0].element == dtype::tuple);
  CHECK(m.program.view().members_of(m.program.view().types[0]).size == 2);
  static_assert(type_in("tuple<tuple<tensor<f32>>>").element == dtype::tuple);
  static_assert(type_in("!stablehlo.future<tensor<2xf32>>").element == dtype::future);
  static_assert(label_of("!stablehlo.future<i32>") == "type");
  static_assert(label_of("!stablehlo.future<tuple<>>") == "type");
  static_assert(label_of("!stablehlo.future<!stablehlo.token>") == "type");
  static_assert(type_in("memref<2xf32>").element == dtype::other);
  static_assert(!(type_in("memref<2xf32>") == type_in("tensor<2xf32>")));
  static_assert(label_of("tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<tuple<"
                         "tuple<tuple<tensor<f32>>>>>>>>>>>>>>>>>>") == "too_large");
}

TEST_CASE("quantized types") {
  constexpr tensor_type type = type_in("tensor<2x!quant.uniform<i8:f32, 0.5:-7>>");
  static_assert(type.element == dtype::i8 && type.quantization == 1);
  constexpr graph_quantization q = quantization_in("tensor<2x!quant.uniform<i8:f32, 0.5:-7>>");
  static_assert(q.storage == dtype::i8 && q.expressed == dtype::f32 && q.dimension == -1 && q.count == 1);
  static_assert(q.storage_min == -128 && q.storage_max == 127);
  constexpr graph_quantization narrow = quantization_in("tensor<!quant.uniform<i8<-127:127>:f32, 1.0>>");
  static_assert(narrow.storage_min == -127 && narrow.storage_max == 127);
  constexpr graph_quantization axis = quantization_in("tensor<3x2x!quant.uniform<u8:f32:1, {0.1:30, 0.5:20}>>");
  static_assert(axis.dimension == 1 && axis.count == 2 && axis.storage == dtype::ui8);
  static_assert(read("tensor<2x!quant.uniform<i8:f32, 0.5:-7>>, tensor<3x!quant.uniform<i8:f32, 0.50:-7>>")
                    .program.used.quantizations == 1);
  static_assert(
      read("tensor<2x!quant.uniform<i8:f32, 0.5:-7>>, tensor<2x!quant.uniform<i8:f32, 0.5:-6>>").program.used.types ==
      2);
}

TEST_CASE("the rules of quantized types") {
  static_assert(label_of("tensor<!quant.uniform<i8<-129:127>:f32, 1.0>>") == "quantized_element_c3");
  static_assert(label_of("tensor<!quant.uniform<i8<-128:128>:f32, 1.0>>") == "quantized_element_c3");
  static_assert(label_of("tensor<!quant.uniform<i8<5:5>:f32, 1.0>>") == "quantized_element_c3");
  static_assert(label_of("tensor<!quant.uniform<i8:f32, 0.0>>") == "quantized_element_c5");
  static_assert(label_of("tensor<!quant.uniform<i8:f32, -1.0>>") == "quantized_element_c5");
  static_assert(label_of("tensor<!quant.uniform<i4:f16, 10.550400e+04>>") == "quantized_element_c6");
  static_assert(label_of("tensor<!quant.uniform<i4:f16, 4.960464e-08>>") == "quantized_element_c6");
  static_assert(label_of("tensor<!quant.uniform<i4:f16, 65504.0>>") == "");
  static_assert(label_of("tensor<!quant.uniform<i8:f32, 1.0:128>>") == "quantized_element_c7");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32, {1.0, 2.0}>>") == "quantized_element_c10");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32:0, 1.0>>") == "quantized_element_c10");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32:-1, {1.0, 2.0}>>") == "quantized_element_c11");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>") == "quantized_tensor_c12");
  static_assert(label_of("tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>") == "quantized_tensor_c13");
  static_assert(label_of("tensor<!quant.uniform<f32:f32, 1.0>>") == "type");
  static_assert(label_of("tensor<!quant.uniform<i8:i32, 1.0>>") == "type");
}

TEST_CASE("a scale may be the bits of a float") {
  const auto scale_in = [](std::string_view text) { return read(text).program.view().scales[0]; };
  static_assert(scale_in("tensor<2x!quant.uniform<i8:f32, 0x3FC00000:-1>>") == 1.5);
  static_assert(scale_in("tensor<2x!quant.uniform<i8:f64, 0x3FF8000000000000>>") == 1.5);
  static_assert(read("tensor<2x!quant.uniform<i8:bf16, 0x3F80:+3>>").program.view().zero_points[0] == 3);
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32, 0x3FC0>>") == "float_constant_c2");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32, 0xBFC00000>>") == "quantized_element_c5");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32, 0x7F800000>>") == "quantized_element_c6");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f16, 1.0e9>>") == "quantized_element_c6");
  static_assert(label_of("tensor<2x!quant.uniform<i8:f32, 1.7e308>>") == "quantized_element_c6");
}
