// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/specialize.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::passes;
using namespace tenon::stablehlo_programs;

namespace {

struct specialized {
  owned_graph program;
  specialization_error error;

  std::string label() const { return error ? error.label : ""; }
  const tensor_type& result() const {
    const graph& g = program.get();
    return g.type_of_value(g.yields_of(g.regions.data[g.functions.data[0].region])[0]);
  }
  bool has(int kind) const {
    for (const graph_node& node : program.get().nodes)
      if (node.kind == kind) return true;
    return false;
  }
};
specialized specialized_text(std::string_view text, std::initializer_list<ints> shapes) {
  parse_options options;
  options.open_sizes = true;
  const graph_owner read = read_program(text, options);
  REQUIRE_MESSAGE(!read.error(), std::string(read.error().sentence));
  specialized result;
  result.program =
      specialize(read.program(), *entry_of(read.program()), {shapes.begin(), int(shapes.size())}, 10000, result.error);
  // No size is open any more.
  for (const tensor_type& type : result.program.get().types) CHECK((result.error || !has_open_sizes(type)));
  return result;
}
// A function of %x: tensor<?x4xf32> with the size of its first dimension as %n: tensor<i32>.
specialized of_rows(std::string_view ops, std::string_view result, index_t rows = 3) {
  const std::string type = "tensor<" + std::string(result) + ">";
  return specialized_text("func.func @main(%x: tensor<?x4xf32>) -> " + type + " {\n" +
                              "%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>\n" +
                              std::string(ops) + "\nreturn %r : " + type + " }",
                          {{rows, 4}});
}

}  // namespace

TEST_CASE("the specification's program of mismatching shapes has a meaning where they match") {
  constexpr std::string_view sum = R"(
    func.func @foo(%arg0: tensor<?xi32>, %arg1: tensor<?xi32>) -> tensor<?xi32> {
      %0 = stablehlo.add %arg0, %arg1 : tensor<?xi32>
      func.return %0 : tensor<?xi32>
    })";
  CHECK(specialized_text(sum, {{3}, {3}}).result() == type_of(dtype::i32, {3}));
  CHECK(specialized_text(sum, {{0}, {0}}).result() == type_of(dtype::i32, {0}));
  const specialized broken = specialized_text(sum, {{3}, {4}});
  CHECK(broken.label() == "add_c1");
  CHECK(broken.error.source == int(sum.find("%0 = ")));
  CHECK(specialized_text(sum, {{3}}).label() == "type");
  CHECK(specialized_text(sum, {{3}, {3, 1}}).label() == "type");
  CHECK(label_of(sum) == "type");
}

TEST_CASE("integers that follow from sizes become constants and types") {
  const specialized spread = of_rows(R"(
    %one = stablehlo.constant dense<1> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<1xi32>
    %0 = stablehlo.add %n, %one : tensor<i32>
    %1 = stablehlo.multiply %0, %n : tensor<i32>
    %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.concatenate %2, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.dynamic_broadcast_in_dim %zero, %3, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>)",
                                     "?x4xf32");
  CHECK(spread.result() == type_of(dtype::f32, {12, 4}));
  CHECK(spread.has(kind_of_op<ops::broadcast_in_dim>));
  CHECK_FALSE(spread.has(kind_of_op<ops::dynamic_broadcast_in_dim>));
  CHECK_FALSE(spread.has(kind_of_op<ops::get_dimension_size>));
  // What is said of one element type and rank in several ways.
  const auto computed = [](const std::string& ops, const std::string& type = "i32") {
    const specialized made =
        of_rows("%m = stablehlo.constant dense<-2> : tensor<i32>\n" + ops + "\n%s = stablehlo.convert %v : (tensor<" +
                    type + ">) -> tensor<i32>\n%t = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>\n" +
                    "%r = stablehlo.dynamic_iota %t, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>",
                "?xf32", 7);
    return made.error ? -1 : made.result().dim(0);
  };
  CHECK(computed("%v = stablehlo.subtract %n, %m : tensor<i32>") == 9);
  CHECK(computed("%k = stablehlo.abs %m : tensor<i32>\n%v = stablehlo.divide %n, %k : tensor<i32>") == 3);
  CHECK(computed("%k = stablehlo.negate %m : tensor<i32>\n%v = stablehlo.remainder %n, %k : tensor<i32>") == 1);
  CHECK(computed("%v = stablehlo.maximum %n, %m : tensor<i32>") == 7);
  CHECK(computed("%k = stablehlo.minimum %n, %m : tensor<i32>\n%v = stablehlo.abs %k : tensor<i32>") == 2);
  CHECK(computed("%k = stablehlo.sign %m : tensor<i32>\n%v = stablehlo.add %n, %k : tensor<i32>") == 6);
  CHECK(computed("%v = stablehlo.clamp %m, %n, %n : tensor<i32>") == 7);
  CHECK(computed("%v = stablehlo.compare LT, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>", "i1") == 1);
  CHECK(computed("%k = stablehlo.compare GE, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                 "%l = stablehlo.not %k : tensor<i1>\n%v = stablehlo.select %l, %n, %m : tensor<i1>, tensor<i32>") ==
        7);
  CHECK(computed("%l = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                 "%k = stablehlo.concatenate %l, %l, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
                 "%j = stablehlo.slice %k [1:2] : (tensor<2xi32>) -> tensor<1xi32>\n"
                 "%v = stablehlo.reshape %j : (tensor<1xi32>) -> tensor<i32>") == 7);
  // Division by zero, what is too large for its type, and what follows from elements are not known.
  CHECK(computed("%z = stablehlo.subtract %n, %n : tensor<i32>\n%v = stablehlo.divide %n, %z : tensor<i32>") == -1);
  CHECK(computed("%k = stablehlo.constant dense<2147483647> : tensor<i32>\n%v = stablehlo.add %n, %k : tensor<i32>") ==
        -1);
  CHECK(computed("%k = stablehlo.slice %x [0:1, 0:1] : (tensor<?x4xf32>) -> tensor<1x1xf32>\n"
                 "%v = stablehlo.reshape %k : (tensor<1x1xf32>) -> tensor<f32>",
                 "f32") == -1);
}

TEST_CASE("ops that take a shape become those that have one") {
  const auto kind_and_type = [](std::string_view ops, std::string_view result, int kind, const ints& shape) {
    const specialized made = of_rows(ops, result);
    CAPTURE(ops);
    CHECK(made.label() == "");
    if (made.error) return;
    CHECK(made.result().shape == shape);
    CHECK(made.has(kind));
  };
  constexpr std::string_view pair = R"(
    %k = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %l = stablehlo.concatenate %k, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %z = stablehlo.constant dense<0> : tensor<2xi32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
)";
  const auto with_pair = [&](std::string_view op) { return std::string(pair) + std::string(op); };
  kind_and_type(
      with_pair("%r = stablehlo.dynamic_pad %x, %zero, %z, %l, %z : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, "
                "tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>"),
      "?x?xf32", kind_of_op<ops::pad>, {6, 5});
  kind_and_type(with_pair("%r = stablehlo.real_dynamic_slice %x, %z, %l, %ones : (tensor<?x4xf32>, tensor<2xi32>, "
                          "tensor<2xi32>, tensor<2xi32>) -> tensor<?x1xf32>"),
                "?x1xf32", kind_of_op<ops::slice>, {3, 1});
  kind_and_type(with_pair("%r = \"stablehlo.dynamic_gather\"(%x, %z, %l) <{dimension_numbers = "
                          "#stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1]>}> : (tensor<?x4xf32>, "
                          "tensor<2xi32>, tensor<2xi32>) -> tensor<?x1xf32>"),
                "?x1xf32", kind_of_op<ops::gather>, {3, 1});
  kind_and_type("%r = stablehlo.reshape %x : (tensor<?x4xf32>) -> tensor<2x?xf32>", "2x?xf32", kind_of_op<ops::reshape>,
                {2, 6});
  kind_and_type(
      "%r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x4xf32>, tensor<?x4xf32>) "
      "-> tensor<?x?xf64>",
      "?x?xf64", kind_of_op<ops::dot_general>, {3, 3});
  kind_and_type("%r = stablehlo.convert %x : (tensor<?x4xf32>) -> tensor<?x4xi8>", "?x4xi8", kind_of_op<ops::convert>,
                {3, 4});
  kind_and_type(
      "%r:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %n) : (tensor<?x4xf32>, tensor<i32>) -> "
      "(tensor<?x?xf32>, tensor<?x?xi32>)",
      "?x?xf32", kind_of_op<ops::top_k>, {3, 3});
  // The element count does not come out.
  CHECK(of_rows("%r = stablehlo.reshape %x : (tensor<?x4xf32>) -> tensor<5x?xf32>", "5x?xf32").label() == "reshape_c2");
  CHECK(of_rows("%r = stablehlo.reshape %x : (tensor<?x4xf32>) -> tensor<?x?xf32>", "?x?xf32").label() ==
        "not_supported");
  CHECK(of_rows("%r = stablehlo.add %x, %x : tensor<?x4xf32>", "?x4xf32").label() == "");
}

TEST_CASE("functions are made for each call, loops for what they carry, assertions hold or do not") {
  const specialized twice = specialized_text(R"(
    func.func private @rows(%x: tensor<?xf32>) -> tensor<i32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      return %n : tensor<i32>
    }
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = func.call @rows(%x) : (tensor<?xf32>) -> tensor<i32>
      %1 = func.call @rows(%y) : (tensor<?xf32>) -> tensor<i32>
      %2 = stablehlo.add %0, %1 : tensor<i32>
      %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
      %4 = stablehlo.dynamic_iota %3, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
      %5:2 = stablehlo.while(%a = %4, %b = %0) : tensor<?xf32>, tensor<i32>
      cond {
        %6 = stablehlo.compare GT, %b, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %6 : tensor<i1>
      } do {
        %6 = stablehlo.add %a, %4 : tensor<?xf32>
        %7 = stablehlo.subtract %b, %1 : tensor<i32>
        stablehlo.return %6, %7 : tensor<?xf32>, tensor<i32>
      }
      return %5#0 : tensor<?xf32>
    })",
                                             {{5}, {2}});
  CHECK(twice.label() == "");
  CHECK(twice.result().shape == ints{7});
  constexpr std::string_view even = R"(
    %two = stablehlo.constant dense<2> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %rest = stablehlo.remainder %n, %two : tensor<i32>
    %holds = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%holds, %n) {api_version = 2 : i32, error_message = "odd", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %r = stablehlo.add %x, %x : tensor<?x4xf32>)";
  CHECK(of_rows(even, "?x4xf32", 6).label() == "");
  CHECK_FALSE(of_rows(even, "?x4xf32", 6).has(kind_of_op<ops::custom_call>));
  CHECK(of_rows(even, "?x4xf32", 7).label() == "shape_assertion");
}

TEST_CASE("windows that JAX writes as a custom call") {
  constexpr std::string_view text = R"(
    func.func @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %a, %b : tensor<f32>
      return %0 : tensor<f32>
    }
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %none = stablehlo.constant dense<0> : tensor<1x1xi32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %w = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %l = stablehlo.subtract %w, %one : tensor<1xi32>
      %low = stablehlo.reshape %l : (tensor<1xi32>) -> tensor<1x1xi32>
      %p = stablehlo.concatenate %low, %none, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
      %q = stablehlo.constant dense<[[2, 0]]> : tensor<1x2xi32>
      %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %w, %one, %one, %one, %q) {called_computations = [@add]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })";
  const specialized made = specialized_text(text, {{3}});
  CHECK(made.label() == "");
  CHECK(made.has(kind_of_op<ops::reduce_window>));
  CHECK(made.result().shape == ints{3});
  CHECK(specialized_text(std::string(text).replace(text.find("%one, %q)"), 9, "%one, %p)"), {{3}}).label() ==
        "not_supported");
}

TEST_CASE("slices whose start is known when the program runs, as JAX walks along open dimensions") {
  constexpr std::string_view text = R"(
    func.func @main(%x: tensor<?x?xf32>, %i: tensor<2xi32>) -> tensor<1x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
      %c = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %sizes = stablehlo.concatenate %one, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %limit = stablehlo.add %i, %sizes : tensor<2xi32>
      %ones = stablehlo.constant dense<1> : tensor<2xi32>
      %r = stablehlo.real_dynamic_slice %x, %i, %limit, %ones : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
      return %r : tensor<1x?xf32>
    })";
  const specialized made = specialized_text(text, {{3, 5}, {2}});
  CHECK(made.label() == "");
  CHECK(made.has(kind_of_op<ops::gather>));
  CHECK(made.result().shape == ints{1, 5});
  const auto with = [&](std::string_view line, std::string_view other) {
    return specialized_text(std::string(text).replace(text.find(line), line.size(), other), {{3, 5}, {2}}).label();
  };
  CHECK(with("%limit = stablehlo.add %i, %sizes", "%limit = stablehlo.add %sizes, %i") == "");
  CHECK(with("%limit = stablehlo.add %i, %sizes", "%limit = stablehlo.multiply %i, %sizes") == "not_supported");
  CHECK(with("%limit = stablehlo.add %i, %sizes", "%limit = stablehlo.add %i, %i") == "not_supported");
  CHECK(with("%ones = stablehlo.constant dense<1>", "%ones = stablehlo.constant dense<2>") == "not_supported");
}

TEST_CASE("custom calls that are told the shapes of their results") {
  constexpr std::string_view text = R"(
    func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
      %c = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %shape = stablehlo.concatenate %c, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %none = stablehlo.constant dense<> : tensor<0xi32>
      %r:2 = stablehlo.custom_call @factor(%x, %shape, %none) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<?x?xf32>, tensor<2xi32>, tensor<0xi32>) -> (tensor<?x?xf32>, tensor<i32>)
      return %r#0 : tensor<?x?xf32>
    })";
  const specialized made = specialized_text(text, {{3, 3}});
  CHECK(made.label() == "");
  CHECK(made.result().shape == ints{3, 3});
  CHECK(specialized_text(std::string(text).replace(text.find("[1, 2]> : tensor<2xi64>"), 6, "[2, 1]"), {{3, 3}})
            .label() == "not_supported");
}
