// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/loaded_program.hpp>

#include <tenon/core/tensor.hpp>

#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

// Kernels of few ops only.
kernel find(const kernel_key& key) {
  if (key.kind == kind_of_op<ops::add> && key.element == dtype::f32)
    return kernel_of<ops::add, dtype::f32, dtype::f32>();
  if (key.kind == kind_of_op<ops::negate> && key.element == dtype::f32)
    return kernel_of<ops::negate, dtype::f32, dtype::f32>();
  return nullptr;
}
std::string error_of(std::string_view text, const load_options& options = {}) {
  const shared_program program(text, &find, options);
  const load_error& error = program.error();
  if (!error) return program.has_entry() ? "none" : "no entry";
  return std::string(error.label) + " " + std::to_string(error.line) + ":" + std::to_string(error.column);
}
std::string function(std::string_view name, std::string_view op) {
  return "func.func @" + std::string(name) + "(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = " + std::string(op) +
         "\n  return %y : tensor<2xf32>\n}\n";
}
constexpr std::string_view twice = "stablehlo.add %x, %x : tensor<2xf32>",
                           negative = "stablehlo.negate %x : tensor<2xf32>";

// The first element that the program gives for 3.
float run(shared_program& program, const run_options& how = usual_options) {
  const float x[] = {3, 4};
  float y[] = {0, 0};
  const void* const arguments[] = {x};
  void* const results[] = {y};
  program(arguments, results, how);
  return y[0];
}

}  // namespace

TEST_CASE("a program in text runs as often as it is asked") {
  const std::string text = function("main", twice);
  shared_program program(text, &find);
  REQUIRE(program);
  REQUIRE(program.has_entry());
  CHECK(program.argument_count() == 1);
  CHECK(program.result_count() == 1);
  CHECK(program.argument_type(0) == type_of(dtype::f32, {2}));
  CHECK(program.result_type(0) == type_of(dtype::f32, {2}));
  CHECK(run(program) == 6);
  CHECK(run(program) == 6);
}

TEST_CASE("the same program in HLO text") {
  shared_program program("x = f32[2] parameter(0)\nROOT y = f32[2] add(x, x)", &find);
  REQUIRE(program);
  CHECK(run(program) == 6);
}

TEST_CASE("the function that runs is main, or the only one, or the one that is asked for") {
  const std::string one = function("f", twice), two = one + function("g", negative);
  load_options wanted;
  shared_program only(one, &find);
  REQUIRE(only.has_entry());
  CHECK(run(only) == 6);
  CHECK(error_of(two) == "no entry");
  wanted.entry = "g";
  shared_program second(two, &find, wanted);
  REQUIRE(second.has_entry());
  CHECK(run(second) == -3);
  wanted.entry = "h";
  CHECK(error_of(two, wanted) == "no entry");
  CHECK(error_of("") == "no entry");
}

TEST_CASE("what cannot be run says why, and where") {
  CHECK(error_of(function("main", "stablehlo.add %x, %z : tensor<2xf32>")) == "name 2:26");
  // There is no kernel for it.
  const std::string text = function("main", "stablehlo.tanh %x : tensor<2xf32>");
  const shared_program program(text, &find);
  CHECK(std::string_view(program.error().label) == "not_supported");
  CHECK(program.error().line == 2);
  CHECK(program.error().kind == kind_of_op<ops::tanh>);
  CHECK(error_of("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = call @main(%x) : (tensor<2xf32>) -> "
                 "tensor<2xf32>\n  return %y : tensor<2xf32>\n}") == "too_large 2:3");
}

TEST_CASE("programs that grow beyond a limit are refused") {
  // Each function calls the one before twice.
  std::string text = function("f0", twice);
  for (int i = 1; i < 60; ++i) {
    const std::string callee = "call @f" + std::to_string(i - 1), type = " : (tensor<2xf32>) -> tensor<2xf32>\n  ";
    text +=
        function(i == 59 ? "main" : "f" + std::to_string(i), callee + "(%x)" + type + "%z = " + callee + "(%y)" + type);
  }
  load_options few;
  few.most_nodes = 1000;
  CHECK(error_of(text, few) == "too_large 0:0");
}

TEST_CASE("tensors beyond what memory can hold are refused, not asked for") {
  for (const std::string size : {"4611686018427387904", "3000000000x3000000000"}) {
    const std::string type = "tensor<" + size + "xf32>";
    CHECK(error_of("func.func @main(%x: " + type + ") -> " + type + " { return %x : " + type + " }") ==
          "too_large 0:0");
    CHECK(error_of("func.func @main() -> " + type + " { %y = stablehlo.iota dim = 0 : " + type +
                   "\nreturn %y : " + type + " }") == "too_large 0:0");
  }
}

TEST_CASE("ops of other dialects are run by who knows them") {
  const std::string text = function("main", "\"mine.scale\"(%x) : (tensor<2xf32>) -> tensor<2xf32>");
  CHECK(error_of(text) == "unknown_op 2:8");
  const float factor = 5;
  load_options options;
  options.parsing.foreign_dialects = "other mine";
  options.foreign_context = &factor;
  options.foreign = [](const void* context, const graph& g, const graph_node& node, const evaluation& e) {
    CHECK(name_of_foreign(g, node) == "mine.scale");
    for (int i = 0; i < 2; ++i) e.result<float>(0)[i] = *static_cast<const float*>(context) * e.operand<float>(0)[i];
  };
  shared_program program(text, &find, options);
  REQUIRE(program);
  CHECK(run(program) == 15);
}

namespace {

// What a call fails with.
template <class Call>
std::string failure(Call call) {
  try {
    call();
  } catch (const error& failed) {
    return failed.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what cannot be run is not true, and fails where it is run") {
  const void* const arguments[] = {nullptr};
  void* const results[] = {nullptr};
  for (const std::string& text : {std::string(), function("main", "stablehlo.add %x, %z : tensor<2xf32>"),
                                  function("main", "stablehlo.tanh %x : tensor<2xf32>")}) {
    shared_program program(text, &find);
    CHECK_FALSE(program);
    CHECK(program.argument_count() == 0);
    CHECK(program.result_count() == 0);
    CHECK(failure([&] { program(arguments, results); }).starts_with("the program cannot be run: "));
    CHECK(failure([&] { program(arguments, results, nullptr); }).starts_with("the program cannot be run: "));
    CHECK(failure([&] { program({}, {}); }).starts_with("the program cannot be run: "));
  }
  const std::string text = function("main", twice);
  shared_program first(text, &find), second(std::move(first));
  CHECK_FALSE(first);
  CHECK(first.argument_count() == 0);
  CHECK(failure([&] { first.arena_bytes(); }) != "");
  CHECK(failure([&] { first(arguments, results); }) != "");
  REQUIRE(second);
  CHECK(run(second) == 6);
}

TEST_CASE("views are checked against the program") {
  const std::string text =
      "func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n  %z = stablehlo.add %x, %y : "
      "tensor<2xf32>\n  return %z : tensor<2xf32>\n}\n";
  shared_program program(text, &find);
  REQUIRE(program);
  const tensor<f32, 2> x{1, 2}, y{10, 20};
  tensor<f32, 2> z;
  program({x, y}, {z});
  CHECK(z(1) == 22);
  const tensor<f32, 3> longer;
  tensor<i32, 2> integers;
  CHECK(failure([&] { program({x}, {z}); }) == "the program has 2 arguments, not 1");
  CHECK(failure([&] { program({x, y}, {}); }) == "the program has 1 results, not 0");
  CHECK(failure([&] { program({x, longer}, {z}); }) ==
        "argument 1 is tensor<3xf32>, where the program has tensor<2xf32>");
  CHECK(failure([&] { program({x, y}, {integers}); }) ==
        "result 0 is tensor<2xi32>, where the program has tensor<2xf32>");
  CHECK(failure([&] { program({x, {y.type, nullptr}}, {z}); }) == "argument 1 is a null pointer");
}

TEST_CASE("pointers lead to memory that is aligned") {
  const std::string text = function("main", twice);
  shared_program program(text, &find);
  alignas(64) char memory[256] = {};
  alignas(16) char x[16] = {}, y[16] = {};
  const auto call = [&](const void* from, void* to, void* arena) {
    const void* const arguments[] = {from};
    void* const results[] = {to};
    return failure([&] { program(arguments, results, arena); });
  };
  REQUIRE(program.arena_bytes() < 128);
  CHECK(call(x, y, memory) == "");
  CHECK(call(x + 4, y + 4, memory) == "");
  CHECK(call(x, y, memory + 4) != "");
  CHECK(call(x, y, memory + 1) != "");
  CHECK(call(x + 1, y, memory) == "argument 0 is not aligned to its elements");
  CHECK(call(x, y + 2, memory) == "result 0 is not aligned to its elements");
  CHECK(call(nullptr, y, memory) == "argument 0 is a null pointer");
  CHECK(call(x, nullptr, memory) == "result 0 is a null pointer");
  CHECK(failure([&] { program(nullptr, nullptr); }) != "");
}

TEST_CASE("working memory beyond a limit is refused when the program is loaded") {
  const std::string text =
      "func.func @main(%x: tensor<2xf32>) -> tensor<100x2xf32> {\n  %w = stablehlo.broadcast_in_dim %x, dims = [1] : "
      "(tensor<2xf32>) -> tensor<100x2xf32>\n  return %w : tensor<100x2xf32>\n}\n";
  load_options little;
  little.most_bytes = 700;
  CHECK(error_of(text, little) == "too_large 0:0");
  CHECK(error_of("func.func @main() -> tensor<1000000000000xi8> {\n  %y = stablehlo.iota dim = 0 : "
                 "tensor<1000000000000xi8>\n  return %y : tensor<1000000000000xi8>\n}") == "too_large 0:0");
}
