// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo/expansions.hpp>

#include <text/hlo/programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::hlo_programs;

TEST_CASE("a bitcast moves the bytes of one layout into those of another") {
  check_same(R"(x = f32[2,6]{0,1} parameter(0)
    y = f32[3,4]{1,0} bitcast(x)
    ROOT z = s32[4,3]{0,1} bitcast(y))",
             "%x: tensor<2x6xf32>", "tensor<4x3xi32>",
             R"(%a = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>
    %y = stablehlo.reshape %a : (tensor<6x2xf32>) -> tensor<3x4xf32>
    %b = stablehlo.transpose %y, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %z = stablehlo.bitcast_convert %b : (tensor<4x3xf32>) -> tensor<4x3xi32>
    return %z : tensor<4x3xi32>)");
}

TEST_CASE("the largest and the smallest elements") {
  check_same(R"(x = f32[2,3] parameter(0)
    t = (f32[2,2], s32[2,2]) topk(x), k=2, largest=true
    ROOT v = f32[2,2] get-tuple-element(t), index=0)",
             "%x: tensor<2x3xf32>", "tensor<2x2xf32>",
             R"(%t:2 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    return %t#0 : tensor<2x2xf32>)");
  check_same(R"(x = f32[2,3] parameter(0)
    t = (f32[2,2], s32[2,2]) topk(x), k=2, largest=false
    v = f32[2,2] get-tuple-element(t), index=0
    i = s32[2,2] get-tuple-element(t), index=1
    ROOT r = (f32[2,2], s32[2,2]) tuple(v, i))",
             "%x: tensor<2x3xf32>", "tensor<2x2xf32>, tensor<2x2xi32>",
             R"(%n = stablehlo.negate %x : tensor<2x3xf32>
    %t:2 = chlo.top_k(%n, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %v = stablehlo.negate %t#0 : tensor<2x2xf32>
    return %v, %t#1 : tensor<2x2xf32>, tensor<2x2xi32>)");
  check_same(R"(x = u8[3] parameter(0)
    t = (u8[1], s32[1]) topk(x), k=1, largest=false
    ROOT v = u8[1] get-tuple-element(t), index=0)",
             "%x: tensor<3xui8>", "tensor<1xui8>",
             R"(%n = stablehlo.not %x : tensor<3xui8>
    %t:2 = chlo.top_k(%n, k = 1) : tensor<3xui8> -> (tensor<1xui8>, tensor<1xi32>)
    %v = stablehlo.not %t#0 : tensor<1xui8>
    return %v : tensor<1xui8>)");
  CHECK(error_of(entry("x = f32[3] parameter(0)\nROOT t = (f32[4], s32[4]) topk(x), k=4, largest=false")) ==
        "top_k_c1 3:27");
  // As XLA on a CPU calls it.
  check_same(R"(x = f32[2,3] parameter(0)
    t = (f32[2,2], s32[2,2]) custom-call(x), custom_call_target="TopK", called_computations={%less}
    ROOT v = s32[2,2] get-tuple-element(t), index=1)",
             "%x: tensor<2x3xf32>", "tensor<2x2xi32>",
             R"(%t:2 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    return %t#1 : tensor<2x2xi32>)");
}

TEST_CASE("products of operands of different element types") {
  check_same(R"(a = bf16[2,3] parameter(0)
    b = f32[3,4] parameter(1)
    ROOT d = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
             "%a: tensor<2x3xbf16>, %b: tensor<3x4xf32>", "tensor<2x4xf32>",
             R"(%c = stablehlo.convert %a : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %d = stablehlo.dot_general %c, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %d : tensor<2x4xf32>)");
  check_same(R"(a = bf16[2,3] parameter(0)
    b = f16[3,4] parameter(1)
    ROOT d = bf16[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
             "%a: tensor<2x3xbf16>, %b: tensor<3x4xf16>", "tensor<2x4xbf16>",
             R"(%c = stablehlo.convert %a : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    %e = stablehlo.convert %b : (tensor<3x4xf16>) -> tensor<3x4xf32>
    %d = stablehlo.dot_general %c, %e, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %f = stablehlo.convert %d : (tensor<2x4xf32>) -> tensor<2x4xbf16>
    return %f : tensor<2x4xbf16>)");
  check_same(R"(a = u8[2,3] parameter(0)
    b = s8[3,4] parameter(1)
    ROOT d = s32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
             "%a: tensor<2x3xui8>, %b: tensor<3x4xi8>", "tensor<2x4xi32>",
             R"(%c = stablehlo.convert %a : (tensor<2x3xui8>) -> tensor<2x3xi32>
    %e = stablehlo.convert %b : (tensor<3x4xi8>) -> tensor<3x4xi32>
    %d = stablehlo.dot_general %c, %e, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
    return %d : tensor<2x4xi32>)");
  CHECK(error_of(entry("a = c64[2] parameter(0)\nb = f32[2] parameter(1)\nROOT d = c64[] dot(a, b), "
                       "lhs_contracting_dims={0}, rhs_contracting_dims={0}")) == "dot_general_c13 4:16");
  CHECK(error_of(entry("a = bf16[2] parameter(0)\nROOT d = f32[] dot(a), lhs_contracting_dims={0}")) != "none");
}

TEST_CASE("products of scaled operands") {
  check_same(R"(a = f8e4m3fn[2,8] parameter(0)
    b = f8e4m3fn[3,8] parameter(1)
    s = f8e8m0fnu[2,2] parameter(2)
    t = bf16[1,1] parameter(3)
    ROOT d = bf16[2,3] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={1})",
             "%a: tensor<2x8xf8E4M3FN>, %b: tensor<3x8xf8E4M3FN>, %s: tensor<2x2xf8E8M0FNU>, %t: tensor<1x1xbf16>",
             "tensor<2x3xbf16>",
             R"(%a1 = stablehlo.convert %a : (tensor<2x8xf8E4M3FN>) -> tensor<2x8xf32>
    %s1 = stablehlo.convert %s : (tensor<2x2xf8E8M0FNU>) -> tensor<2x2xf32>
    %s2 = stablehlo.broadcast_in_dim %s1, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x4xf32>
    %s3 = stablehlo.reshape %s2 : (tensor<2x2x4xf32>) -> tensor<2x8xf32>
    %x = stablehlo.multiply %a1, %s3 : tensor<2x8xf32>
    %b1 = stablehlo.convert %b : (tensor<3x8xf8E4M3FN>) -> tensor<3x8xf32>
    %t1 = stablehlo.convert %t : (tensor<1x1xbf16>) -> tensor<1x1xf32>
    %t2 = stablehlo.broadcast_in_dim %t1, dims = [0, 2] : (tensor<1x1xf32>) -> tensor<1x3x1xf32>
    %t3 = stablehlo.reshape %t2 : (tensor<1x3x1xf32>) -> tensor<3x1xf32>
    %t4 = stablehlo.broadcast_in_dim %t3, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x1x8xf32>
    %t5 = stablehlo.reshape %t4 : (tensor<3x1x8xf32>) -> tensor<3x8xf32>
    %y = stablehlo.multiply %b1, %t5 : tensor<3x8xf32>
    %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
    %r = stablehlo.convert %d : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    return %r : tensor<2x3xbf16>)");
  const auto scaled = [](std::string_view scale) {
    return error_of(entry("a = bf16[2,8] parameter(0)\ns = " + std::string(scale) +
                          " parameter(1)\nROOT d = f32[2,2] scaled-dot(a, a, s, s), lhs_contracting_dims={1}, "
                          "rhs_contracting_dims={1}"));
  };
  CHECK(scaled("bf16[2,8]") == "none");
  CHECK(scaled("bf16[2,3]") == "not_supported 4:19");
  CHECK(scaled("bf16[0,8]") == "not_supported 4:19");
  CHECK(scaled("bf16[2]") == "not_supported 4:19");
  CHECK(error_of(entry("a = bf16[2,8] parameter(0)\nROOT d = f32[2,2] scaled-dot(a, a)")) == "attribute 3:19");
  CHECK(error_of(entry("a = s8[2,8] parameter(0)\nROOT d = f32[2,2] scaled-dot(a, a, a, a)")) == "not_supported 3:19");
}

TEST_CASE("a reshape to sizes that are operands") {
  check_same(R"(x = f32[4,6] parameter(0)
    m = s32[] parameter(1)
    n = s32[] parameter(2)
    ROOT r = f32[8,3] dynamic-reshape(x, m, n))",
             "%x: tensor<4x6xf32>, %m: tensor<i32>, %n: tensor<i32>", "tensor<8x3xf32>",
             R"(%a = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %s = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %r = stablehlo.dynamic_reshape %x, %s : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<8x3xf32>
    return %r : tensor<8x3xf32>)");
  CHECK(error_of(entry("x = f32[4] parameter(0)\nROOT r = f32[4] dynamic-reshape(x)")) == "not_supported 3:17");
  CHECK(error_of(entry("x = f32[4] parameter(0)\nROOT r = f32[4] dynamic-reshape(x, x)")) == "attribute 3:17");
}

TEST_CASE("a fraction is rounded up where it is above random bits") {
  check_same(R"(x = bf16[3] parameter(0)
    b = u16[3] parameter(1)
    ROOT y = s8[3] stochastic-convert(x, b))",
             "%x: tensor<3xbf16>, %b: tensor<3xui16>", "tensor<3xi8>",
             R"(%w = stablehlo.convert %x : (tensor<3xbf16>) -> tensor<3xf32>
    %s = stablehlo.sign %w : tensor<3xf32>
    %m = stablehlo.abs %w : tensor<3xf32>
    %f = stablehlo.floor %m : tensor<3xf32>
    %d = stablehlo.subtract %m, %f : tensor<3xf32>
    %c = stablehlo.constant dense<0x47800000> : tensor<3xf32>
    %p = stablehlo.multiply %d, %c : tensor<3xf32>
    %q = stablehlo.convert %p : (tensor<3xf32>) -> tensor<3xui16>
    %l = stablehlo.compare LT, %b, %q : (tensor<3xui16>, tensor<3xui16>) -> tensor<3xi1>
    %u = stablehlo.convert %l : (tensor<3xi1>) -> tensor<3xf32>
    %a = stablehlo.add %f, %u : tensor<3xf32>
    %r = stablehlo.multiply %a, %s : tensor<3xf32>
    %y = stablehlo.convert %r : (tensor<3xf32>) -> tensor<3xi8>
    return %y : tensor<3xi8>)");
  const auto converted = [](const std::string& result, const std::string& bits) {
    return error_of(entry("x = f32[3] parameter(0)\nb = " + bits + " parameter(1)\nROOT y = " + result +
                          " stochastic-convert(x, b)"));
  };
  CHECK(converted("s32[3]", "u32[3]") == "none");
  CHECK(converted("s32[3]", "u16[3]") == "not_supported 4:17");
  CHECK(converted("s32[3]", "s32[3]") == "not_supported 4:17");
  CHECK(converted("s32[3]", "u32[2]") == "not_supported 4:17");
  CHECK(converted("bf16[3]", "u32[3]") == "not_supported 4:18");
  CHECK(error_of(entry("x = f32[3] parameter(0)\nROOT y = s32[3] stochastic-convert(x)")) == "attribute 3:17");
}
