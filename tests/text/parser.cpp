// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/parser.hpp>

#include <tenon/text/parse.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;

namespace {

// The label of the error in the body of a function with these arguments.
std::string label_of(std::string_view text) {
  const graph_owner program = parse(text);
  return program.error() ? program.error().label : "";
}
std::string body(std::string_view arguments, std::string_view ops) {
  return "func.func @main(" + std::string(arguments) + ") {\n" + std::string(ops) + "\nreturn }";
}
constexpr std::string_view two = "%a: tensor<2x3xf32>, %b: tensor<2x3xf32>";

// The attributes of the first op of that kind.
template <class Op>
Op first(const graph_owner& program) {
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  for (const graph_node& node : program.program().nodes)
    if (node.kind == kind_of_op<Op>) return read_attributes<Op>(program.program().words.data + node.words);
  REQUIRE_MESSAGE(false, "there is no such op");
  return {};
}
template <class Op>
Op first(std::string_view arguments, std::string_view ops) {
  const std::string text = body(arguments, ops);
  return first<Op>(parse(text));
}

}  // namespace

TEST_CASE("modules") {
  CHECK(label_of("") == "");
  CHECK(label_of("module {}") == "");
  CHECK(label_of("module @name attributes {mhlo.num_replicas = 1 : i32} { func.func @f() { return } }") == "");
  CHECK(label_of("#loc = loc(unknown)\nmodule @m { } loc(#loc)\n#loc1 = loc(\"f\":1:2)") == "");
  CHECK(label_of("module { sdy.mesh @mesh = <[\"x\"=2]> }") == "");
  CHECK(label_of("func.func @f() { return }\n{-# dialect_resources: { } #-}") == "");
  CHECK(label_of("module { module { } }") == "not_supported");
  CHECK(label_of("module {") == "syntax");
  CHECK(label_of("module { } }") == "syntax");
  CHECK(label_of("hello") == "syntax");
  CHECK(label_of("module attributes {a = #stablehlo.conv<[b, f]x[i, i]->[b, f]>} {}") == "syntax");
  CHECK(label_of("module attributes {a = #stablehlo.gather<x = [0], x = [1]>} {}") == "attribute");
}

TEST_CASE("replica groups that the axes of a mesh decide") {
  const auto groups = [](std::string_view mesh, std::string_view axes, std::string_view before = "") {
    const std::string text = "module { " + std::string(before) +
                             body("%x: tensor<4xf32>", R"(
      %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = )" +
                                                           std::string(mesh) + ", axes = [" + std::string(axes) +
                                                           "]>} : (tensor<4xf32>) -> tensor<4xf32>") +
                             "}";
    return first<ops::collective_broadcast>(parse(text)).replica_groups;
  };
  constexpr std::string_view x = "#stablehlo.axis_ref<name = \"x\">", y = "#stablehlo.axis_ref<name = \"y\">";
  constexpr std::string_view grid = "sdy.mesh @grid = <[\"x\"=2, \"y\"=3]> ";
  CHECK(groups("@grid", x, grid) == ints_table{{0, 3}, {1, 4}, {2, 5}});
  CHECK(groups("@grid", y, grid) == ints_table{{0, 1, 2}, {3, 4, 5}});
  CHECK(groups("@grid", std::string(y) + ", " + std::string(x), grid) == ints_table{{0, 3, 1, 4, 2, 5}});
  CHECK(groups("@grid", "", grid) == ints_table{{0}, {1}, {2}, {3}, {4}, {5}});
  CHECK(groups("@grid", x, "sdy.mesh @grid = <[\"x\"=2], device_ids=[1, 0]> ") == ints_table{{1, 0}});
  // A mesh that is not to be seen leaves the groups open.
  CHECK(groups("@grid", x, "func.func private @grid() ").empty());
  constexpr std::string_view inlined = "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 4>]>";
  CHECK(groups(inlined, x) == ints_table{{0, 1, 2, 3}});
  CHECK(groups(inlined, "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)2>") == ints_table{{0, 2}, {1, 3}});
  CHECK(groups(inlined, "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (2)2>") == ints_table{{0, 1}, {2, 3}});

  const auto label = [](std::string_view mesh, std::string_view axes) {
    return label_of(body("%x: tensor<4xf32>", R"(
      %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = )" +
                                                  std::string(mesh) + ", axes = " + std::string(axes) +
                                                  ">} : (tensor<4xf32>) -> tensor<4xf32>"));
  };
  CHECK(label("@none", "[]") == "attribute");
  CHECK(label(inlined, "[#stablehlo.axis_ref<name = \"z\">]") == "attribute");
  CHECK(label(inlined, "[#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)3>]") == "attribute");
  CHECK(label(inlined, "[#stablehlo.axis_ref<name = \"x\">, #stablehlo.axis_ref<name = \"x\">]") == "attribute");
  CHECK(label("#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 65>]>", "[]") == "too_large");
}

TEST_CASE("a name is what its escapes stand for") {
  CHECK(label_of(R"(func.func private @"a\22\FF"() { return }
    func.func @main() { call @"a\"\ff"() : () -> () return })") == "");
  CHECK(label_of(R"(func.func @"a\22"() { return } func.func @"a\22"() { return })") == "name");
}

TEST_CASE("results and regions that the op does not have") {
  CHECK(label_of(body("", "\"stablehlo.partition_id\"() : () -> ()")) == "results");
  const std::string region = "({ ^bb0(%b: tensor<f32>): stablehlo.return %b : tensor<f32> })";
  CHECK(label_of(body("%a: tensor<f32>", "%0 = \"stablehlo.abs\"(%a) " + region + " : (tensor<f32>) -> tensor<f32>")) ==
        "regions");
  CHECK(label_of(body("%a: tensor<f32>",
                      "\"func.call\"(%a) <{callee = @main}> " + region + " : (tensor<f32>) -> ()")) == "regions");
}

TEST_CASE("tables of numbers with long rows") {
  const auto pairs = [](std::string_view value) {
    return body("%x: tensor<4xf32>", R"(
      %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = )" +
                                         std::string(value) + "} : (tensor<4xf32>) -> tensor<4xf32>");
  };
  const std::string text = pairs("dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]> : tensor<1x12xi64>");
  const ints_table groups = first<ops::collective_broadcast>(parse(text)).replica_groups;
  CHECK(groups.columns == 12);
  CHECK(groups(0, 11) == 11);
  CHECK(label_of(pairs("[[0, 1], [2]]")) == "attribute");
}

TEST_CASE("functions") {
  const std::string_view text = R"(
    func.func private @declared(tensor<2xf32>, tensor<f32> {x.y = 1}) -> tensor<f32>
    func.func public @"with space"(%x: tensor<f32> {jax.arg = "x"} loc("here")) -> (tensor<f32> {jax.result = ""}, tensor<f32>)
        attributes {a.b} {
      return %x, %x : tensor<f32>, tensor<f32>
    } loc("there")
    func.func nested @bare(%x: tensor<f32>) -> tensor<f32> { func.return %x : tensor<f32> })";
  const graph_owner program = parse(text);
  REQUIRE(!program.error());
  const graph& g = program.program();
  CHECK(g.functions.size == 3);
  const graph_function& declared = *g.find_function("declared");
  CHECK(declared.region == -1);
  CHECK(g.members_of(g.types[declared.takes]).size == 2);
  CHECK(g.members_of(g.types[declared.gives]).size == 1);
  CHECK(label_of("func.func @f(tensor<f32>) { return }") == "syntax");
  CHECK(g.find_function("with space")->is_public);
  CHECK_FALSE(g.find_function("bare")->is_public);
  CHECK(g.values.size == 2);
  CHECK(label_of("func.func @f() { return } func.func @f() { return }") == "name");
  CHECK(label_of("func.func hidden @f() { return }") == "syntax");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> () { return %a : tensor<f32> }") == "return");
  CHECK(label_of("func.func @f(%a: tensor<f32>) -> tensor<f32> { return }") == "return");
  CHECK(label_of("func.func @f() { stablehlo.return }") == "syntax");
  CHECK(label_of("func.func @f() { }") == "syntax");
  CHECK(label_of("func.func @f() { return return }") == "syntax");
  CHECK(label_of("func.func @f() { return") == "syntax");
  CHECK(label_of("func.func @f( { return }") != "");
  CHECK(label_of("func.func f() { return }") == "syntax");
}

TEST_CASE("modules and functions in the form of any op") {
  const std::string properties = R"("builtin.module"() <{sym_name = "m"}> ({
    "func.func"() <{function_type = (tensor<2xf32>) -> tensor<f32>, sym_name = "declared", sym_visibility = "private"}> ({
    }) : () -> ()
    "func.func"() <{arg_attrs = [{a.b = 1 : i64}], function_type = (tensor<f32>) -> (tensor<f32>, tensor<f32>), sym_name = "main"}> ({
    ^bb0(%x: tensor<f32> loc("here")):
      %0 = "stablehlo.add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "func.return"(%x, %0) : (tensor<f32>, tensor<f32>) -> ()
    }) {c.d} : () -> () loc("there")
  }) {mhlo.num_replicas = 1 : i32} : () -> ())";
  const std::string behind = R"("builtin.module"() ({
  ^bb0:
    "func.func"() ({
    }) {function_type = (tensor<2xf32>) -> tensor<f32>, sym_name = "declared", sym_visibility = "private"} : () -> ()
    "func.func"() ({
    ^bb0(%x: tensor<f32>):
      %0 = "stablehlo.add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "func.return"(%x, %0) : (tensor<f32>, tensor<f32>) -> ()
    }) {function_type = (tensor<f32>) -> (tensor<f32>, tensor<f32>), sym_name = "main"} : () -> ()
  }) : () -> ())";
  for (const std::string& text : {properties, behind}) {
    const graph_owner program = parse(text);
    REQUIRE(!program.error());
    const graph& g = program.program();
    CHECK(g.functions.size == 2);
    CHECK(g.find_function("declared")->region == -1);
    CHECK_FALSE(g.find_function("declared")->is_public);
    CHECK(g.find_function("main")->is_public);
    CHECK(g.nodes.size == 1);
    CHECK(g.values.size == 2);
  }
  const auto function = [](std::string_view attributes, std::string_view region) {
    return label_of("\"func.func\"() <{" + std::string(attributes) + "}> (" + std::string(region) + ") : () -> ()");
  };
  const std::string_view named = "function_type = (tensor<f32>) -> (), sym_name = \"f\"";
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>): \"func.return\"() : () -> () }") == "");
  CHECK(function(named, "{ }") == "");
  CHECK(function(named, "{ \"func.return\"() : () -> () }") == "type");
  CHECK(function(named, "{ ^bb0(%a: tensor<f64>): \"func.return\"() : () -> () }") == "type");
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>, %b: tensor<f32>): \"func.return\"() : () -> () }") == "type");
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>): \"func.return\"(%a) : (tensor<f32>) -> () }") == "return");
  CHECK(function(named, "{ ^bb0(%a: tensor<f32>): }") == "syntax");
  CHECK(function("sym_name = \"f\"", "{ }") == "attribute");
  CHECK(function("function_type = () -> ()", "{ }") == "attribute");
  CHECK(function("function_type = tensor<f32>, sym_name = \"f\"", "{ }") == "syntax");
  CHECK(function("function_type = () -> (), sym_name = \"f\", sym_visibility = \"hidden\"", "{ }") == "syntax");
  CHECK(label_of("\"builtin.module\"() ({ ") == "syntax");
  CHECK(label_of("\"builtin.module\"() ({ }) : () -> (tensor<f32>)") == "syntax");
  CHECK(label_of("\"builtin.module\"() <{a = #stablehlo.gather<x = [0], x = [1]>}> ({ }) : () -> ()") == "attribute");
  CHECK(label_of("\"builtin.module\"() ({ \"builtin.module\"() ({ }) : () -> () }) : () -> ()") == "not_supported");
  CHECK(label_of("\"sdy.mesh\"() <{mesh = #sdy.mesh<[\"x\"=2]>, sym_name = \"m\"}> : () -> ()") == "");
  CHECK(label_of("\"sdy.mesh\"() <{sym_name = \"m\"}> : () -> ()") == "attribute");
}

TEST_CASE("names of values") {
  CHECK(
      label_of(body(two, "%0 = stablehlo.add %a, %b : tensor<2x3xf32>\n%0 = stablehlo.add %a, %b : tensor<2x3xf32>")) ==
      "name");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %c : tensor<2x3xf32>")) == "name");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %1 : tensor<2x3xf32>\n%1 = stablehlo.abs %a : tensor<2x3xf32>")) ==
        "name");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a#0, %a : tensor<2x3xf32>")) == "");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a#1, %a : tensor<2x3xf32>")) == "name");
  CHECK(label_of(body(two,
                      "%a_long.name-1$ = stablehlo.abs %a : tensor<2x3xf32>\n"
                      "%1 = stablehlo.abs %a_long.name-1$ : tensor<2x3xf32>")) == "");
  CHECK(label_of(body(two,
                      "%0:2 = stablehlo.optimization_barrier %a, %b : tensor<2x3xf32>, tensor<2x3xf32>\n"
                      "%1, %2 = stablehlo.optimization_barrier %0#1, %0#0 : tensor<2x3xf32>, tensor<2x3xf32>\n"
                      "%3 = stablehlo.add %1, %2 : tensor<2x3xf32>")) == "");
  CHECK(label_of(body(two, "%0:3 = stablehlo.optimization_barrier %a, %b : tensor<2x3xf32>, tensor<2x3xf32>")) ==
        "syntax");
  CHECK(label_of(body(two, "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()")) != "");
}

TEST_CASE("the types that are written are those of the values") {
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %b : tensor<3x2xf32>")) == "type");
  CHECK(label_of(body(two, "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x3xf32>) -> tensor<2x3xf32>")) == "type");
  CHECK(label_of(body(two, "%0 = \"stablehlo.abs\"(%a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>")) ==
        "type");
  CHECK(label_of(body(two, "%0 = stablehlo.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf64>")) ==
        "add_c1");
  CHECK(label_of(body("%a: tensor<2xcomplex<f32>>",
                      "%0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>")) == "");
}

TEST_CASE("attributes that are almost well formed") {
  const auto sent = [](std::string_view channel) {
    return label_of(body("%x: tensor<4xf32>, %token: !stablehlo.token",
                         "%0 = \"stablehlo.send\"(%x, %token) {channel_handle = #stablehlo.channel_handle<" +
                             std::string(channel) + ">} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token"));
  };
  CHECK(sent("handle = 1, type = 1") == "");
  CHECK(sent("handle = 1") == "attribute");
  CHECK(sent("type = 1") == "attribute");
  const auto with = [](std::string_view value) {
    return label_of(
        body("%x: tensor<4xf32>", "%0 = stablehlo.abs %x {a.b = " + std::string(value) + "} : tensor<4xf32>"));
  };
  for (std::string_view good : {"1", "-1.5e-3 : f32", "1.", "0x7F : i8", "2.5E+7"}) CHECK(with(good) == "");
  for (std::string_view bad : {"0.0.0", "1e5e6", "0x1G", "1.5.", "--1"}) CHECK(with(bad) != "");
  const auto reversed = [](std::string_view type) {
    return label_of(body("%x: tensor<4x2xf32>",
                         "%0 = \"stablehlo.collective_broadcast\"(%x) {replica_groups = "
                         "dense<[[0, 1]]> : tensor<1x2x" +
                             std::string(type) + ">} : (tensor<4x2xf32>) -> tensor<4x2xf32>"));
  };
  CHECK(reversed("i64") == "");
  CHECK(reversed("ui8") == "attribute");
}

TEST_CASE("unknown ops and attributes") {
  CHECK(label_of(body(two, "%0 = stablehlo.what %a : tensor<2x3xf32>")) == "unknown_op");
  const graph_owner of_chlo = parse(body(two, "%0 = chlo._asin_acos_kernel %a : tensor<2x3xf32> -> tensor<2x3xf32>"));
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

TEST_CASE("scan of CHLO") {
  const std::string region =
      "{\n^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):\nstablehlo.return %y, %x : tensor<3xf32>, "
      "tensor<3xf32>\n}";
  const std::string types = " : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)";
  const auto label = [&](const std::string& between, const std::string& its_types) {
    return label_of(body("%a: tensor<2x3xf32>, %b: tensor<3xf32>", "%0:2 = " + between + region + its_types));
  };
  CHECK(label("chlo.scan (%a) inits (%b) dimension=0 attributes {} ", types) == "");
  CHECK(label("chlo.scan(%a) inits(%b) dimension = 0 attributes {scan_dim_size = 2 : i64} ", types) == "");
  CHECK(label("chlo.scan(%a) inits(%b) dimension = 0 attributes {scan_dim_size = 3 : i64} ", types) == "scan_c3");
  CHECK(label("chlo.scan(%a) inits(%b) dimension = 0 attributes {what = 3 : i64} ", types) == "");
  CHECK(label("chlo.scan(%a, %b) inits() dimension = 0 ", types) == "scan_c3");
  CHECK(label("chlo.scan(%a) inits(%b) ", types) == "syntax");
  CHECK(label("chlo.scan(%a) (%b) dimension = 0 ", types) == "syntax");
  CHECK(label("chlo.scan %a inits(%b) dimension = 0 ", types) == "syntax");
  CHECK(label("chlo.scan(%a) inits(%b) dimension = 0 ", " : (tensor<2x3xf32>) -> tensor<2x3xf32>") == "type");
  CHECK(label("chlo.scan(%a) inits(%b) dimension = 1 ", types) == "scan_c5");
  // In the form that all ops share.
  const auto generic = [&](const std::string& sizes) {
    return label("\"chlo.scan\"(%a, %b) <{dimension = 0 : i64" + sizes + "}> (", ")" + types);
  };
  CHECK(generic(", operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>") == "");
  CHECK(generic(", operandSegmentSizes = array<i32: 2, 1>, resultSegmentSizes = array<i32: 1, 1>") == "scan_operands");
  CHECK(generic(", operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 2, 0>") == "scan_results");
  CHECK(generic("") == "scan_operands");
}

TEST_CASE("ops of CHLO that are ops of StableHLO") {
  const graph_owner tangent = parse(body(two, "%0 = chlo.tan %a : tensor<2x3xf32> -> tensor<2x3xf32>"));
  REQUIRE(!tangent.error());
  CHECK(tangent.program().nodes.data[0].kind == kind_of_op<ops::tan>);
  CHECK(label_of(body("", "%0 = chlo.constant dense<1> : tensor<3xi32>")) == "");
  const auto like = [](std::string_view value, std::string_view type) {
    return label_of(body(two, "%0 = \"chlo.constant_like\"(%a) <{value = " + std::string(value) +
                                  "}> : (tensor<2x3xf32>) -> tensor<" + std::string(type) + ">"));
  };
  CHECK(like("3.2 : f32", "2x3xf32") == "");
  CHECK(like("-7 : i32", "2x3xi32") == "");
  CHECK(like("3.2 : f32", "3x2xf32") == "constant_like_c1");
  CHECK(like("3.2 : f32", "2x3xf64") == "constant_like_c2");
  CHECK(like("3.2 : i32", "2x3xi32") != "");
  CHECK(label_of(body(two, "%0 = \"chlo.constant_like\"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>")) == "attribute");
  const std::string_view shapes = "%a: tensor<2x3xf32>, %c: tensor<3xf32>, %d: tensor<2x1xf32>, %e: tensor<2xf32>";
  const graph_owner sum =
      parse(body(shapes, "%0 = chlo.broadcast_add %c, %d : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>"));
  REQUIRE(!sum.error());
  const graph& g = sum.program();
  REQUIRE(g.nodes.size == 3);
  for (int i = 0; i < 2; ++i) {
    const graph_node& node = g.nodes.data[i];
    CHECK(node.kind == kind_of_op<ops::broadcast_in_dim>);
    const auto spread = read_attributes<ops::broadcast_in_dim>(g.words.data + node.words);
    CHECK(spread.broadcast_dimensions == (i == 0 ? ints{1} : ints{0, 1}));
  }
  CHECK(g.nodes.data[2].kind == kind_of_op<ops::add>);
  const auto label = [&](std::string_view op) { return label_of(body(shapes, op)); };
  CHECK(label("%0 = chlo.broadcast_add %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>") == "");
  CHECK(label("%0 = chlo.broadcast_multiply %a, %e {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, "
              "tensor<2xf32>) -> tensor<2x3xf32>") == "");
  CHECK(label("%0 = \"chlo.broadcast_compare\"(%a, %c) <{comparison_direction = #chlo<comparison_direction LT>}> : "
              "(tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>") == "");
  CHECK(label("%0 = chlo.broadcast_add %a, %e : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>") ==
        "chlo_broadcast_c1");
  CHECK(label("%0 = chlo.broadcast_add %d, %d : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>") ==
        "chlo_broadcast_c1");
}

TEST_CASE("ops of other dialects are kept where they are allowed") {
  const std::string text = body(two, R"(
    check.expect_eq_const %a, dense<1.0> : tensor<2x3xf32>
    "check.expect_close"(%a, %b) {max = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    %0 = interpreter.probe %b, probe_id = "p" : tensor<2x3xf32>
    %1 = chlo.next %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<f32>)");
  const graph_owner program = parse(text, {"check chlo interpreter"});
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 4);
  const auto attributes = [&](int i) {
    const index_t* words = g.words.data + g.nodes.data[i].words;
    return g.text.substr(std::size_t(words[0]), std::size_t(words[1]));
  };
  CHECK(is_foreign(g.nodes.data[0]));
  CHECK(name_of_foreign(g, g.nodes.data[0]) == "check.expect_eq_const");
  CHECK(g.words.data[g.nodes.data[0].words + 2] == 0);
  CHECK(g.literals.size == 1);
  CHECK(attributes(1) == "max = 3 : i64");
  CHECK(g.words.data[g.nodes.data[1].words + 2] == -1);
  CHECK(attributes(2) == ", probe_id = \"p\" ");
  CHECK(g.nodes.data[2].result_count == 1);
  CHECK(g.type_of_value(g.nodes.data[3].results) == type_of(dtype::f32));
  CHECK(parse(text, {"check chlo"}).error().line == 5);
}

TEST_CASE("notations of single ops") {
  CHECK(first<ops::compare>(two,
                            "%0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) "
                            "-> tensor<2x3xi1>")
            .compare_type == comparison_type::TOTALORDER);
  CHECK(first<ops::compare>(two,
                            "%0 = stablehlo.compare  GE, %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                            "tensor<2x3xi1>")
            .comparison_direction == comparison_direction::GE);
  CHECK(first<ops::iota>("", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>").iota_dimension == 1);
  CHECK(first<ops::broadcast_in_dim>("%a: tensor<3xf32>",
                                     "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : "
                                     "(tensor<3xf32>) -> tensor<2x3xf32>")
            .broadcast_dimensions == ints{1});
  CHECK(first<ops::reverse>(two, "%0 = stablehlo.reverse %a, dims = [1, 0] : tensor<2x3xf32>").dimensions ==
        ints{1, 0});
  CHECK(first<ops::concatenate>(two,
                                "%0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) "
                                "-> tensor<2x6xf32>")
            .dimension == 1);
  const auto slice =
      first<ops::slice>(two, "%0 = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>");
  CHECK(slice.start_indices == ints{0, 0});
  CHECK(slice.limit_indices == ints{2, 3});
  CHECK(slice.strides == ints{1, 2});
  const auto pad = first<ops::pad>("%a: tensor<2xf32>, %b: tensor<f32>",
                                   "%0 = stablehlo.pad %a, %b, low = [1], high = [-1], interior = [2] : "
                                   "(tensor<2xf32>, tensor<f32>) -> tensor<4xf32>");
  CHECK(pad.edge_padding_high == ints{-1});
  CHECK(pad.interior_padding == ints{2});
  CHECK(first<ops::reduce_precision>(two, "%0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3xf32>")
            .mantissa_bits == 10);
  CHECK(first<ops::dynamic_slice>("%a: tensor<4xf32>, %i: tensor<i32>",
                                  "%0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> "
                                  "tensor<2xf32>")
            .slice_sizes == ints{2});
  CHECK(first<ops::get_tuple_element>(
            "%t: tuple<tensor<f32>, tensor<i32>>",
            "%0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>")
            .index == 1);
  CHECK(first<ops::fft>("%a: tensor<4xcomplex<f32>>",
                        "%0 = stablehlo.fft %a, type = IFFT, length = [4] : "
                        "(tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>")
            .fft_length == ints{4});
  CHECK(label_of(body(two,
                      "%0 = stablehlo.concatenate %a, %b dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                      "tensor<2x6xf32>")) == "syntax");
  CHECK(label_of(body(two, "%0 = stablehlo.slice %a [0:2] : (tensor<2x3xf32>) -> tensor<2x3xf32>")) == "slice_c2");
}

TEST_CASE("types of notations") {
  CHECK(label_of(body("%p: tensor<i1>, %a: tensor<2xf32>",
                      "%0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2xf32>")) == "");
  CHECK(label_of(body("%p: tensor<i1>, %a: tensor<2xf32>", "%0 = stablehlo.select %p, %a, %a : tensor<i1>")) ==
        "syntax");
  CHECK(label_of(body("%a: tensor<2xf32>", "%0 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>")) == "");
  CHECK(label_of(body("%a: tensor<2xf32>", "%0 = stablehlo.complex %a, %a : tensor<2xcomplex<f64>>")) == "type");
  CHECK(label_of(body("%a: tensor<2xf32>", "%0 = stablehlo.tuple %a, %a : tuple<tensor<2xf32>, tensor<2xf32>>")) == "");
  CHECK(label_of(body("",
                      "%0 = stablehlo.create_token : !stablehlo.token\n"
                      "%1 = stablehlo.after_all %0, %0 : !stablehlo.token\n"
                      "%2 = stablehlo.after_all : !stablehlo.token\n"
                      "stablehlo.optimization_barrier ()")) == "");
  CHECK(label_of(body("", "%0 = stablehlo.partition_id : tensor<ui32>")) == "");
}

TEST_CASE("dot_general, convolution and other groups") {
  const std::string_view operands = "%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>";
  const std::string_view types = " : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>";
  const auto own = first<ops::dot_general>(
      operands,
      "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = "
      "[DEFAULT, HIGHEST]" +
          std::string(types));
  const auto generic = first<ops::dot_general>(
      operands,
      "%0 = \"stablehlo.dot_general\"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions "
      "= [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = "
      "[1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}>" +
          std::string(types));
  CHECK(own.dot_dimension_numbers.lhs_contracting_dimensions == ints{2});
  CHECK(generic.dot_dimension_numbers.rhs_batching_dimensions == ints{0});
  CHECK(own.precision_config == generic.precision_config);

  const std::string_view images = "%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>";
  const std::string_view image_types = " : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>";
  const std::string_view sizes = "batch_group_count = 1 : i64, feature_group_count = 1 : i64";
  const auto convolution = first<ops::convolution>(
      images,
      "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
      "{stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1], reverse = [false, false]} {" +
          std::string(sizes) + "}" + std::string(image_types));
  const auto long_form = first<ops::convolution>(
      images,
      "%0 = \"stablehlo.convolution\"(%x, %w) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, "
      "input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, "
      "kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, "
      "output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, padding = dense<1> : tensor<2x2xi64>, " +
          std::string(sizes) + "}" + std::string(image_types));
  CHECK(convolution.padding == long_form.padding);
  CHECK(convolution.dimension_numbers.kernel_output_feature_dimension == 3);
  CHECK(long_form.dimension_numbers.input_spatial_dimensions == ints{1, 2});
  CHECK(convolution.window_reversal == ints{0, 0});

  // The group's members may be fields of the op.
  CHECK(first<ops::all_gather>(
            "%a: tensor<2x2xf32>",
            "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 1 : i64, replica_groups = "
            "dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, "
            "type = 1>, use_global_device_ids} : (tensor<2x2xf32>) -> tensor<2x4xf32>")
            .channel_id == 5);
}

TEST_CASE("aliases stand for what they name") {
  const graph_owner program = parse(
      "#dims = array<i64: 1, 0>\n#same = #dims\n!t = tensor<2x3xf32>\n"
      "func.func @f(%a: !t) { %0 = \"stablehlo.transpose\"(%a) {permutation = #same} : (!t) -> tensor<3x2xf32> return "
      "}");
  CHECK(first<ops::transpose>(program).permutation == ints{1, 0});
  CHECK(label_of("#a = #a\nfunc.func @f(%a: tensor<2xf32>) { %0 = \"stablehlo.transpose\"(%a) {permutation = #a} : "
                 "(tensor<2xf32>) -> tensor<2xf32> return }") == "attribute");
  CHECK(label_of("!a = !a\nfunc.func @f(%a: !a) { return }") == "too_large");
}

TEST_CASE("constants") {
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>")) == "");
  CHECK(label_of(body("", "%0 = stablehlo.constant {x = 1} dense<[1, 2]> : tensor<2xi32>")) == "");
  CHECK(label_of(body(
            "", "%0 = \"stablehlo.constant\"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>")) == "");
  CHECK(
      label_of(body("", "%0 = \"stablehlo.constant\"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi64>")) ==
      "constant_c1");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>")) == "tensor_constant_c2");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<300> : tensor<i8>")) == "integer_constant_c1");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense_resource<w> : tensor<8xf32>")) == "not_supported");
  CHECK(label_of(body("", "%0 = stablehlo.constant dense<\"0x00\" : tensor<i8>")) == "syntax");
  CHECK(label_of(body("", "%0 = stablehlo.constant : tensor<i8>")) != "");
}

TEST_CASE("regions") {
  const std::string reduce = R"(
    func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<4xf32> {
      %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32> loc("y")):
        %1 = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })";
  const graph_owner program = parse(reduce);
  REQUIRE(!program.error());
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 2);
  CHECK(g.nodes.data[0].kind == kind_of_op<ops::add>);
  CHECK(g.nodes.data[0].region == 1);
  CHECK(g.nodes.data[1].region == 0);
  CHECK(g.regions_of(g.nodes.data[1])[0] == 1);
  CHECK(g.regions.data[1].parent == 0);
  CHECK(g.regions.data[1].argument_count == 2);
  CHECK(g.yields_of(g.regions.data[1])[0] == g.nodes.data[0].results);

  // Sisters may use the same names, but nobody hides a name from outside.
  const std::string_view branches = R"(%0 = "stablehlo.if"(%p) ({
      %x = stablehlo.abs %a : tensor<f32>
      "stablehlo.return"(%x) : (tensor<f32>) -> ()
    }, {
      %x = stablehlo.negate %a : tensor<f32>
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>)";
  const std::string_view arguments = "%p: tensor<i1>, %a: tensor<f32>";
  CHECK(label_of(body(arguments, branches)) == "");
  CHECK(label_of(body("%x: tensor<f32>, " + std::string(arguments), branches)) == "name");
  CHECK(label_of(body(arguments, std::string(branches) + "\n%1 = stablehlo.abs %x : tensor<f32>")) == "name");

  const auto region = [](std::string_view inside) {
    return body("%p: tensor<i1>", "%0 = \"stablehlo.if\"(%p) ({" + std::string(inside) + "}, {}) : (tensor<i1>) -> ()");
  };
  CHECK(label_of(region("")) == "syntax");
  CHECK(label_of(region("return")) == "syntax");
  CHECK(label_of(region("^bb0: stablehlo.return ^bb1: stablehlo.return")) == "not_supported");
  CHECK(label_of(region("stablehlo.return } stablehlo.return")) == "syntax");
}

TEST_CASE("reduce, while and their kin in their own notation") {
  const std::string text = R"(
    func.func @f(%a: tensor<8xf32>, %i: tensor<8xi32>, %z: tensor<f32>, %j: tensor<i32>) -> tensor<i32> {
      %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %0:2 = stablehlo.reduce(%a init: %z), (%i init: %j) across dimensions = [0] {x.y = 1} : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
        reducer(%p: tensor<f32>, %q: tensor<f32>) (%u: tensor<i32>, %v: tensor<i32>) {
          %1 = stablehlo.maximum %p, %q : tensor<f32>
          stablehlo.return %1, %u : tensor<f32>, tensor<i32>
        }
      %w:2 = stablehlo.while(%c = %0#1, %d = %s) : tensor<i32>, tensor<f32> attributes {x.z}
        cond {
          %1 = stablehlo.compare LT, %c, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %1 = stablehlo.add %c, %j : tensor<i32>
          stablehlo.return %1, %d : tensor<i32>, tensor<f32>
        }
      return %w#0 : tensor<i32>
    })";
  const graph_owner program = parse(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  const graph& g = program.program();
  REQUIRE(g.nodes.size == 7);
  CHECK(g.nodes.data[6].kind == kind_of_op<ops::while_>);
  CHECK(g.nodes.data[6].region_count == 2);
  const graph_region& reducer = g.regions.data[g.regions_of(g.nodes.data[3])[0]];
  CHECK(reducer.argument_count == 4);
  CHECK(g.type_of_value(reducer.arguments + 1) == type_of(dtype::i32));
  CHECK(g.type_of_value(reducer.arguments + 2) == type_of(dtype::f32));
  CHECK(label_of(body("",
                      "stablehlo.while() cond { %0 = stablehlo.constant dense<false> : tensor<i1> stablehlo.return "
                      "%0 : tensor<i1> } do { stablehlo.return }")) == "");
  CHECK(label_of(body(two,
                      "%0 = stablehlo.while(%x = %a) : tensor<2x3xf32> cond { stablehlo.return %x : "
                      "tensor<2x3xf32> } do { stablehlo.return %x : tensor<2x3xf32> }")) == "while_c1");
}

TEST_CASE("calls are checked against functions that may come later") {
  const std::string later = " func.func private @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }";
  CHECK(label_of(body("%a: tensor<f32>", "%0 = call @g(%a) : (tensor<f32>) -> tensor<f32>") + later) == "");
  CHECK(label_of(body("%a: tensor<f32>", "%0 = \"func.call\"(%a) <{callee = @g}> : (tensor<f32>) -> tensor<f32>") +
                 later) == "");
  CHECK(label_of(body("%a: tensor<f32>", "%0 = func.call @h(%a) : (tensor<f32>) -> tensor<f32>") + later) == "call_c1");
  CHECK(label_of(body("%a: tensor<f64>", "%0 = call @g(%a) : (tensor<f64>) -> tensor<f32>") + later) == "call_c2");
  CHECK(label_of(body("%a: tensor<f32>", "%0 = call @g(%a) : (tensor<f32>) -> tensor<f64>") + later) == "call_c3");
  CHECK(label_of(body("%a: tensor<f32>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @g} : (tensor<f32>) -> "
                      "tensor<f32>") +
                 later) == "");
  CHECK(label_of(body("%a: tensor<f32>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @h} : (tensor<f32>) -> "
                      "tensor<f32>") +
                 later) == "composite_c2");
  CHECK(label_of(body("%a: tensor<f64>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @g} : (tensor<f64>) -> "
                      "tensor<f32>") +
                 later) == "composite_c3");
  CHECK(label_of(body("%a: tensor<f32>",
                      "%0 = stablehlo.composite \"my.g\" %a {decomposition = @g} : (tensor<f32>) -> "
                      "tensor<f64>") +
                 later) == "composite_c4");
}

TEST_CASE("rules see constants, and the one op of a region") {
  const std::string_view ok =
      "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
      "%0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
      "tensor<2xi64>) -> tensor<2x3xf32>";
  CHECK(label_of(body("%a: tensor<f32>", ok)) == "");
  std::string wrong(ok);
  wrong.replace(wrong.find("[2, 3]"), 6, "[2, 4]");
  CHECK(label_of(body("%a: tensor<f32>", wrong)) == "rng_c3");

  const auto start = [](std::string_view op) {
    return body("%a: tensor<4xf32>",
                "%0 = \"stablehlo.async_start\"(%a) ({ ^bb0(%x: tensor<4xf32>): %1 = " + std::string(op) +
                    " stablehlo.return %1 : tensor<2xf32> }) : (tensor<4xf32>) -> "
                    "!stablehlo.future<tensor<2xf32>>");
  };
  CHECK(label_of(start("stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>")) == "");
  CHECK(label_of(start("stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>")) == "async_start_c3");
  CHECK(label_of(start("\"stablehlo.bitcast_convert\"(%x) : (tensor<4xf32>) -> tensor<2xf32>")) != "");
  CHECK(label_of(start("stablehlo.constant dense<0.0> : tensor<2xf32>")) == "async_start_c2");
}
