// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/program.hpp>
#include <tenon/text/mlir/expansions.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::stablehlo_programs;

namespace {

// As JAX writes lax.with_sharding_constraint.
constexpr std::string_view sharded = R"(
  module @jit attributes {mhlo.num_partitions = 1 : i32} {
    sdy.mesh @mesh = <["a"=1, "b"=1]> {stablehlo.mesh = {axes = [{name = "a", size = 1 : i64}, {name = "b", size = 1 : i64}]}} loc("here")
    func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<4xf32> {jax.result_info = "result"}) {
      %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]> : tensor<4xf32>
      %1 = stablehlo.add %0, %arg0 {mhlo.frontend_attributes = {_xla_compute_type = "host"}} : tensor<4xf32>
      %2 = "sdy.sharding_constraint"(%1) <{sharding = #sdy.sharding<@mesh, [{?}]>}> : (tensor<4xf32>) -> tensor<4xf32>
      %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
      sdy.sharding_group %3 group_id=0 : tensor<4xf32>
      return %3 : tensor<4xf32>
    }
  })";

struct largest_of_jax {
  static constexpr std::string_view text = R"(
    func.func @comparator(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
      %0 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }
    func.func @main(%arg0: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
      %0 = stablehlo.iota dim = 1 : tensor<2x4xi32>
      %c = stablehlo.constant dense<-1> : tensor<i32>
      %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
      %1:2 = stablehlo.custom_call @ApproxTopK(%arg0, %0, %cst, %c) {backend_config = "", called_computations = [@comparator], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.949999988 : f32, reduction_dim = 1 : i64, top_k = 2 : i64}} : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
      return %1#0, %1#1 : tensor<2x2xf32>, tensor<2x2xi32>
    }
  )";
};

struct product_of_jax {
  static constexpr std::string_view text = R"(
    func.func @main(%a: tensor<1x2xf8E4M3FN>, %b: tensor<2x1xf8E5M2>, %x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<1x1xf32>, tensor<f32>) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x2xf8E4M3FN>, tensor<2x1xf8E5M2>) -> tensor<1x1xf32>
      %1 = stablehlo.dot_general %x, %i, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xi32>) -> tensor<f32>
      return %0, %1 : tensor<1x1xf32>, tensor<f32>
    }
  )";
};

constexpr std::string_view of_resources = R"(func.func @main() -> (tensor<2xf32>, tensor<i32>) {
  %0 = stablehlo.constant dense_resource<w> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<"odd name"> : tensor<i32>
  return %0, %1 : tensor<2xf32>, tensor<i32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040",
      "odd name": "0x0400000007000000"
    }
  }
#-})";
struct held_in_resources {
  static constexpr std::string_view text = of_resources;
};

}  // namespace

TEST_CASE("what says where values lie leaves them as they are") {
  const graph_owner program = read_program(sharded);
  REQUIRE(!program.error());
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 1);
  CHECK(g.nodes.data[0].kind == kind_of_op<ops::add>);
  CHECK(g.yields_of(g.regions.data[0])[0] == g.nodes.data[0].results);
  const auto label = [](std::string_view op) { return label_of(body(two, op)); };
  CHECK(label("%0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<2x3xf32>") == "");
  CHECK(label("%0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<2x3xf32>") == "");
  CHECK(label("%0 = sdy.all_gather [{\"x\"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<2x3xf32>") == "");
  CHECK(label("%0 = sdy.all_to_all [{\"x\"}: 0->1] %a out_sharding=<@mesh, [{}, {}]> : tensor<2x3xf32>") == "");
  CHECK(label("%0 = sdy.all_reduce {\"y\"} %a out_sharding=<@mesh, [{}, {}]> : tensor<2x3xf32>") == "");
  CHECK(label("%0 = sdy.all_reduce {\"y\"} %a out_sharding=<@mesh, [{}, {}]> : tensor<3x2xf32>") == "type");
  CHECK(label("%0:2 = sdy.sharding_constraint %a <@mesh, [{}, {}]> : tensor<2x3xf32>") == "syntax");
  CHECK(label("%0 = \"sdy.sharding_constraint\"(%a) : (tensor<2x3xf32>) -> tensor<3xf32>") == "results");
  CHECK(label("%0 = \"sdy.sharding_constraint\"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>") ==
        "results");
  CHECK(label("%0 = sdy.what %a : tensor<2x3xf32>") == "unknown_op");
  CHECK(first<ops::custom_call>("%a: tensor<4xf32>",
                                "%0 = stablehlo.custom_call @Shardings(%a) : (tensor<4xf32>) -> tensor<4xf32>")
            .call_target_name.id >= 0);
}

TEST_CASE("ApproxTopK is a sort by its computation") {
  const tensor<f32, 2, 4> x{{3, 1, 2, 1}, {-1, 5, -2, 7}};
  const auto [values, places] = program<largest_of_jax>{}(x);
  CHECK(equal(values, tensor<f32, 2, 2>{{1, 1}, {-2, -1}}));
  CHECK(equal(places, tensor<i32, 2, 2>{{1, 3}, {2, 0}}));
  const auto label = [](std::string_view attributes, std::string_view result) {
    return label_of(
        "func.func @less(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {\n%0 = stablehlo.compare LT, %a, %b "
        ": (tensor<f32>, tensor<f32>) -> tensor<i1>\nreturn %0 : tensor<i1> }\n" +
        body("%a: tensor<4xf32>, %b: tensor<f32>",
             "%0 = stablehlo.custom_call @ApproxTopK(%a, %b) {" + std::string(attributes) +
                 "} : (tensor<4xf32>, tensor<f32>) -> tensor<" + std::string(result) + ">"));
  };
  const std::string called = "called_computations = [@less]", along = "mhlo.backend_config = {reduction_dim = 0 : i64}";
  CHECK(label(called + ", " + along, "3xf32") == "");
  CHECK(label(called, "3xf32") == "attribute");
  CHECK(label(along, "3xf32") == "attribute");
  CHECK(label(called + ", " + along, "5xf32") == "attribute");
  CHECK(label(called + ", " + along, "3xi32") == "attribute");
  CHECK(label(called + ", mhlo.backend_config = {reduction_dim = 1 : i64}", "3xf32") == "attribute");
  CHECK(label("called_computations = [@absent], " + along, "3xf32") == "call_c1");
}

// The label of an approximate top_k of 1x8 floats and of what is beside them.
std::string label_of_two(std::string_view places, std::string_view first, std::string_view second,
                         std::string_view settings = "reduction_dim = 1 : i64, top_k = 2 : i64",
                         std::string_view beside = "i32") {
  const auto scalar = [](std::string_view element) { return "tensor<" + std::string(element) + ">"; };
  const std::string compared = "%a: tensor<f32>, %b: tensor<f32>, %c: " + scalar(beside) + ", %d: " + scalar(beside);
  return label_of("func.func private @less(" + compared +
                  ") -> tensor<i1> {\n%0 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                  "return %0 : tensor<i1> }\nfunc.func @main(%x: tensor<1x8xf32>, %i: " +
                  scalar(places) +
                  ", %v: tensor<f32>, %n: tensor<i32>) {\n%0:2 = stablehlo.custom_call "
                  "@ApproxTopK(%x, %i, %v, %n) {called_computations = [@less], mhlo.backend_config = {" +
                  std::string(settings) + "}} : (tensor<1x8xf32>, " + scalar(places) +
                  ", tensor<f32>, tensor<i32>) -> (" + scalar(first) + ", " + scalar(second) + ")\nreturn }");
}

TEST_CASE("the ops of an expansion keep their rules") {
  CHECK(label_of_two("1x8xi32", "1x2xf32", "1x2xi32") == "");
  CHECK(label_of_two("1x2xi32", "1x2xf32", "1x2xi32") == "sort_c3");
  CHECK(label_of_two("1x9xi32", "1x2xf32", "1x2xi32") == "sort_c3");
  CHECK(label_of_two("1x8xi32", "1x2xf32", "1x3xi32") == "");
  CHECK(label_of_two("1x8xi32", "1x2xf32", "2x2xi32") == "attribute");
  CHECK(label_of_two("1x8xi32", "1x9xf32", "1x9xi32") == "attribute");
  CHECK(label_of_two("1x8xi32", "1x2xf64", "1x2xi32") == "attribute");
  for (const char* const settings :
       {"reduction_dim = 1 : i64, top_k = 3 : i64", "reduction_dim = 1 : i64, top_k = 0 : i64",
        "reduction_dim = -1 : i64, top_k = 2 : i64", "reduction_dim = 2 : i64, top_k = 1 : i64"})
    CHECK(label_of_two("1x8xi32", "1x2xf32", "1x2xi32", settings) == "attribute");
  CHECK(label_of_two("1x8xi32", "1x2xf32", "1x2xi32", "reduction_dim = 1 : i64", "f32") == "call_c2");
}

TEST_CASE("operands of products may have two element types") {
  const tensor<f8E4M3FN, 1, 2> a{{f8E4M3FN(1.5f), f8E4M3FN(-2.0f)}};
  const tensor<f8E5M2, 2, 1> b{{f8E5M2(4.0f)}, {f8E5M2(0.25f)}};
  const auto [narrow, mixed] = program<product_of_jax>{}(a, b, tensor<f32, 2>{0.5f, 3}, tensor<i32, 2>{7, -1});
  CHECK(narrow(0, 0) == 5.5f);
  CHECK(mixed.data()[0] == 0.5f);
  const auto label = [](std::string_view lhs, std::string_view rhs, std::string_view result) {
    const auto vector = [](std::string_view element) { return "tensor<2x" + std::string(element) + ">"; };
    return label_of(body("%a: " + vector(lhs) + ", %b: " + vector(rhs),
                         "%0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (" + vector(lhs) + ", " +
                             vector(rhs) + ") -> tensor<" + std::string(result) + ">"));
  };
  CHECK(label("i8", "ui8", "i32") == "");
  CHECK(label("complex<f32>", "f64", "complex<f64>") == "");
  CHECK(label("i8", "ui8", "f32") == "dot_general_c13");
  CHECK(label("i1", "i8", "i32") == "dot_general_c13");
}

TEST_CASE("literals may be in resources behind the module") {
  const auto [w, i] = program<held_in_resources>{}();
  CHECK(equal(w, tensor<f32, 2>{1, 2}));
  CHECK(i.data()[0] == 7);
  const std::string text(of_resources);
  const auto with = [&](std::string_view from, std::string_view to) {
    return std::string(text).replace(text.find(from), from.size(), to);
  };
  CHECK(label_of(text) == "");
  CHECK(label_of(with("<w>", "<v>")) == "attribute");
  CHECK(label_of(with("040000000000803F", "04000000803F")) == "tensor_constant_c2");
  CHECK(label_of(with("0x0400000007000000", "0x04")) == "tensor_constant_c1");
  CHECK(label_of(with("\"0x0400000007000000\"", "7")) == "attribute");
  CHECK(label_of(text.substr(0, text.find("{-#"))) == "attribute");
}

namespace {
struct error_function {
  static constexpr std::string_view text = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })";
};
}  // namespace

TEST_CASE("custom calls may name ops of CHLO") {
  const auto [y] = program<error_function>{}(tensor<f32, 2>{0, 100});
  CHECK(equal(y, tensor<f32, 2>{0, 1}));
  const auto label = [](std::string_view target, std::string_view from, std::string_view to) {
    const std::string of = "tensor<" + std::string(from) + ">";
    return label_of(body("%x: " + of, "%0 = stablehlo.custom_call @mhlo." + std::string(target) + "(%x) : (" + of +
                                          ") -> tensor<" + std::string(to) + ">"));
  };
  CHECK(label("sinh", "2xf32", "2xf32") == "");
  CHECK(label("erf", "2xi32", "2xi32") == "erf_i1");
  CHECK(label("erf", "2xf32", "3xf32") == "erf_c1");
}

TEST_CASE("the dialect MHLO has ops of StableHLO and CHLO by other names") {
  const graph_owner program = read_program(R"(
  func.func @main(%x: tensor<4x4xf32>, %i: tensor<4xi32>) -> tensor<4x2xf32> {
    %c = mhlo.constant dense<0.0> : tensor<f32>
    %0 = "mhlo.dot_general"(%x, %x) {dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1],
        rhs_contracting_dimensions = [0]>, precision_config = [#mhlo<precision DEFAULT>, #mhlo<precision DEFAULT>]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = mhlo.reduce(%0 init: %c) applies mhlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = "mhlo.reduce"(%0, %c) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = mhlo.maximum %a, %b : tensor<f32>
      mhlo.return %m : tensor<f32>
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = "mhlo.compare"(%1, %2) {comparison_direction = #mhlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %4 = mhlo.asin %x : tensor<4x4xf32>
    %5 = "mhlo.copy"(%4) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %6:2 = mhlo.topk(%5, k=2, largest=true) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %7:2 = stablehlo.custom_call @mhlo.topk(%5) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %s = mhlo.constant dense<[2, 3]> : tensor<2xi64>
    %8 = "mhlo.rng"(%c, %c, %s) {rng_distribution = #mhlo.rng_distribution<UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %9 = mhlo.create_token : !mhlo.token
    return %7#0 : tensor<4x2xf32>
  })");
  REQUIRE(!program.error());
  CHECK(program.program().nodes.size == 13);
  CHECK(label_of(body(two, "%0 = mhlo.stochastic_convert %a : tensor<2x3xf32>")) == "unknown_op");
  CHECK(label_of(body("%a: tensor<4xf32>",
                      "%0:2 = mhlo.topk(%a, k=2, largest=false) : tensor<4xf32> -> (tensor<2xf32>, "
                      "tensor<2xi32>)")) == "not_supported");
  CHECK(label_of(body(two, "%0 = tensor.empty() : tensor<3xi64>")) == "");
  CHECK(label_of(body(two, "%0 = \"tensor.empty\"() : () -> tensor<3xcomplex<f32>>")) == "");
  CHECK(label_of(body("%n: tensor<i64>", "%0 = tensor.empty(%n) : tensor<?xi64>")) == "type");
  CHECK(label_of(body(
            "%a: tensor<4xi32>",
            "%0 = stablehlo.compare LT, %a, %a, UNSIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>")) == "");
  CHECK(label_of(body("%a: tensor<4xi32>",
                      "%0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>")) ==
        "compare_c3");
}

TEST_CASE("the regions of a composite are read, and left out") {
  const graph_owner program = read_program(R"(
  func.func private @twice(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = "stablehlo.composite"(%x) <{name = "my.op", decomposition = @both}> ({
    ^bb0(%a: tensor<f32>):
      %1 = func.call @twice(%a) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      stablehlo.return
    }) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %2 = stablehlo.add %0#0, %0#1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) { return %x, %x : tensor<4xf32>, tensor<4xf32> })");
  REQUIRE(!program.error());
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 2);
  CHECK(g.nodes.data[0].kind == kind_of_op<ops::composite>);
  CHECK(g.nodes.data[1].kind == kind_of_op<ops::add>);
  CHECK(g.operands_of(g.nodes.data[1])[1] == g.nodes.data[0].results + 1);
  CHECK(g.regions.size == 3);
}

namespace {
struct largest_of_torch {
  static constexpr std::string_view text = R"(func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
  })";
};
}  // namespace
TEST_CASE("a custom call of MHLO's top_k is that op") {
  const auto [values, places] = program<largest_of_torch>{}(tensor<f32, 4>{1, 4, 2, 3});
  CHECK(equal(values, tensor<f32, 2>{4, 3}));
  CHECK(equal(places, tensor<i32, 2>{1, 3}));
}

TEST_CASE("a named computation stands in the region around it") {
  const graph_owner program = read_program(body(two, R"(
    %0:2 = sdy.named_computation<"sum(">(%a, %b) in_shardings=[<@mesh, []>] out_shardings=[<@mesh, []>] (%c: tensor<2x3xf32>, %d: tensor<2x3xf32>) {
      %s = stablehlo.add %c, %d : tensor<2x3xf32>
      sdy.return %s, %c : tensor<2x3xf32>, tensor<2x3xf32>
    } : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    %1 = "sdy.named_computation"(%0#1) <{name = "same"}> ({
    ^bb0(%c: tensor<2x3xf32>):
      "sdy.return"(%c) : (tensor<2x3xf32>) -> ()
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.multiply %0#0, %1 : tensor<2x3xf32>)"));
  REQUIRE(!program.error());
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 4);
  CHECK(g.operands_of(g.nodes.data[3])[0] == g.nodes.data[1].results);
  CHECK(g.operands_of(g.nodes.data[3])[1] == g.nodes.data[2].results);
  CHECK(label_of(body(two, R"(%0 = sdy.named_computation<"s">(%a) (%c: tensor<3x2xf32>) {
    sdy.return %c : tensor<3x2xf32>
  } : (tensor<2x3xf32>) -> tensor<3x2xf32>)")) == "manual_computation");
  CHECK(label_of(body(two, R"(%0 = sdy.named_computation<"s">(%a) (%c: tensor<2x3xf32>) {
    sdy.return %c : tensor<2x3xf32>
  } : (tensor<2x3xf32>) -> tensor<3x2xf32>)")) == "named_computation");
  CHECK(label_of(body(two, R"(%0 = sdy.manual_computation(%a) (%c: tensor<2x3xf32>) {
    sdy.return %c : tensor<2x3xf32>
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>)")) == "attribute");
}
