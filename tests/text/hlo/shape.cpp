// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo/shape.hpp>

#include <text/hlo/programs.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace tenon;
using namespace tenon::hlo_programs;

static_assert(text::hlo::element_named(text::key_of("f32")) == dtype::f32);
static_assert(text::hlo::element_named(text::key_of("s8")) == dtype::i8);
static_assert(text::hlo::element_named(text::key_of("u64")) == dtype::ui64);
static_assert(text::hlo::element_named(text::key_of("pred")) == dtype::i1);
static_assert(text::hlo::element_named(text::key_of("c128")) == dtype::complex_f64);
static_assert(text::hlo::element_named(text::key_of("f8e4m3fn")) == dtype::f8E4M3FN);
static_assert(text::hlo::element_named(text::key_of("i8")) == dtype::none);
static_assert(text::hlo::element_named(text::key_of("tuple")) == dtype::none);

TEST_CASE("shapes are types") {
  for (const auto& [shape, type] : {std::pair<std::string, std::string>{"f32[]", "f32"},
                                    {"f32[2,3]", "2x3xf32"},
                                    {"bf16[ 2 , 3 ]{0,1}", "2x3xbf16"},
                                    {"s32[4]{0:T(256)}", "4xi32"},
                                    {"pred[0,7]{1,0:T(8,128)(2,1)S(1)}", "0x7xi1"},
                                    {"u8[1,1,1,1,1,1,1,1]", "1x1x1x1x1x1x1x1xui8"},
                                    {"c64[2]{0}", "2xcomplex<f32>"}})
    check_same("ROOT x = " + shape + " parameter(0)", "%x: tensor<" + type + ">", "tensor<" + type + ">",
               "return %x : tensor<" + type + ">");
  CHECK(simplified_text("ROOT x = f32[<=5,3] parameter(0)") ==
        simplified_text("func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> "
                        "tensor<?x3xf32, #stablehlo.bounds<5, ?>> { return %x : "
                        "tensor<?x3xf32, #stablehlo.bounds<5, ?>> }"));
}

TEST_CASE("what is no shape is reported where it stands") {
  const auto error = [](const std::string& shape) { return error_of("ROOT x = " + shape + " parameter(0)"); };
  CHECK(error("f32") == "syntax 1:14");
  CHECK(error("q32[2]") == "type 1:10");
  CHECK(error("f32[-1]") == "syntax 1:14");
  CHECK(error("f32[2 3]") == "syntax 1:16");
  CHECK(error("f32[2") == "syntax 1:13");
  CHECK(error("f32[99999999999999999999]") == "syntax 1:33");
  CHECK(error("f32[2,3]{0}") == "type 1:18");
  CHECK(error("f32[2,3]{0,0}") == "type 1:18");
  CHECK(error("f32[2,3]{0,2}") == "type 1:18");
  CHECK(error("f32[1,1,1,1,1,1,1,1,1]") == "not_supported 1:10");
  CHECK(error("(f32[2]") == "syntax 1:10");
}

TEST_CASE("words may stand between notes and comments") {
  check_same(R"(/* one */ x /*two*/ = /*three*/ f32[2] /*four*/ parameter(/*five*/ 0) // to the end
    ROOT %y = f32[2]{0} add(f32[2]{0} %x, /*index=1*/ x))",
             "%x: tensor<2xf32>", "tensor<2xf32>",
             "%y = stablehlo.add %x, %x : tensor<2xf32>\nreturn %y : tensor<2xf32>");
  CHECK(error_of("x = f32[2] parameter(0) /* not closed") == "none");
  CHECK(error_of("/* not closed") != "none");
}
