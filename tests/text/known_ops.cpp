// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/known_ops.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::stablehlo_programs;

TEST_CASE("unknown ops and attributes") {
  CHECK(label_of(body(two, "%0 = stablehlo.what %a : tensor<2x3xf32>")) == "unknown_op");
  const graph_owner of_chlo =
      read_program(body(two, "%0 = chlo._asin_acos_kernel %a : tensor<2x3xf32> -> tensor<2x3xf32>"));
  CHECK(std::string_view(of_chlo.error().label) == "unknown_op");
  CHECK(std::string_view(of_chlo.error().sentence).find("chlo-legalize-to-stablehlo") != std::string_view::npos);
  CHECK(label_of(body(two, "\"check.eq\"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()")) == "unknown_op");
  CHECK(label_of(body(two, "\"stablehlo.call\"(%a) : (tensor<2x3xf32>) -> ()")) == "unknown_op");
  CHECK(label_of(body(two, "%0 = \"stablehlo.abs\"(%a) <{x = 1}> : (tensor<2x3xf32>) -> tensor<2x3xf32>")) ==
        "attribute");
  CHECK(label_of(body(two, "%0 = \"stablehlo.abs\"(%a) {x = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>")) == "");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %b, x = 1 : tensor<2x3xf32>")) == "attribute");
  CHECK(label_of(body(two, "%0 = \"stablehlo.transpose\"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>")) == "attribute");
  CHECK(label_of(body("", "%0 = \"stablehlo.iota\"() : () -> tensor<3xf32>")) == "attribute");
}

TEST_CASE("ops of CHLO") {
  const auto label = [](std::string_view op) { return label_of(body(two, op)); };
  CHECK(label("%0 = chlo.square %a : tensor<2x3xf32> -> tensor<2x3xf32>") == "");
  CHECK(label("%0 = \"chlo.erf\"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>") == "");
  CHECK(label("%0 = chlo.erf %a : tensor<2x3xf32> -> tensor<2x3xf64>") == "erf_c1");
  CHECK(label("%0 = chlo.erf %a : tensor<2x3xf32>") == "syntax");
  CHECK(label("%0 = stablehlo.erf %a : tensor<2x3xf32>") == "unknown_op");
  CHECK(label("%0 = chlo.add %a, %b : tensor<2x3xf32>") == "unknown_op");
  CHECK(label("%0 = chlo.next_after %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>") == "");
  CHECK(label("%0 = chlo.next_after %a, %b : tensor<2x3xf32> -> tensor<2x3xf32>") == "type");
  CHECK(label("%0:2 = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)") == "");
  CHECK(label("%v, %i = chlo.top_k(%a, k=2, is_stable = false) : tensor<2x3xf32> -> (tensor<2x2xf32>, "
              "tensor<2x2xi32>)") == "");
  CHECK(label("%0:2 = chlo.top_k(%a, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)") == "top_k_c1");
  CHECK(label("%0:2 = \"chlo.top_k\"(%a) : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)") == "attribute");
}

TEST_CASE("the ops that a text names") {
  constexpr text::op_set named = text::ops_named_in(
      "%0 = stablehlo.and %a, %b\n%1 = \"stablehlo.reduce_window\"(%0) dense<1.0>\n%2 = chlo.broadcast_add %0, %1\n"
      "check.expect_eq mhlo.topk mhlo.attributes xchlo.erf stablehlo.what stablehlo.");
  const int expected[] = {kind_of_op<ops::and_>, kind_of_op<ops::reduce_window>, kind_of_op<ops::add>,
                          kind_of_op<ops::erf>, kind_of_op<ops::top_k>};
  int count = 0;
  for (int kind = 0; kind < ops::all::size; ++kind) count += named.has(kind);
  CHECK(count == 5);
  for (const int kind : expected) CHECK(named.has(kind));

  std::string numbers = "stablehlo.abs ";
  for (int i = 0; i < 5000; ++i) numbers += "1.5, ";
  CHECK(text::ops_named_in(numbers).has(kind_of_op<ops::sort>));
}
