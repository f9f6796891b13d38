// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/program_graph.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string_view>

#include <shared/read_program.hpp>
#include <text/graphs.hpp>

using namespace tenon;
using namespace std::literals;

namespace {

struct layer {
  static constexpr std::string_view text = R"(
module @layer {
  func.func public @main(%x: tensor<8x4xf32>, %w: tensor<4x2xf32>, %b: tensor<2xf32>) -> tensor<8x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<8x2xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x2xf32>
    %3 = call @relu(%2) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xf32>) -> tensor<8x2xf32>
    %6 = stablehlo.divide %3, %5 : tensor<8x2xf32>
    return %6 : tensor<8x2xf32>
  }
  func.func private @relu(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
    %0 = stablehlo.constant dense<0.0> : tensor<8x2xf32>
    %1 = stablehlo.maximum %x, %0 : tensor<8x2xf32>
    return %1 : tensor<8x2xf32>
  }
}
)"sv;
};

struct wrong {
  static constexpr std::string_view text = R"(
func.func @main(%x: tensor<2xf32>, %y: tensor<2x1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})"sv;
};

struct checked : wrong {
  static constexpr std::string_view text = R"(
func.func @main(%x: tensor<2xf32>) {
  check.expect_eq_const %x, dense<1.0> : tensor<2xf32>
  return
})"sv;
  static constexpr std::string_view foreign_dialects = "check";
};

// 600 ops: more than one chunk, and more than one line.
struct long_text {
  static constexpr int ops = 600;
  char at[64 * ops]{};
  int size = 0;

  constexpr void add(std::string_view text) {
    for (char c : text) at[size++] = c;
  }
  constexpr void add_number(int i) {
    const char digits[] = {char('0' + i / 100), char('0' + i / 10 % 10), char('0' + i % 10)};
    add({digits, 3});
  }
  constexpr long_text() {
    add("func.func @main(%000: tensor<4xf32>) -> tensor<4xf32> {\n");
    for (int i = 1; i <= ops; ++i) {
      add("%"), add_number(i), add(" = stablehlo.add %"), add_number(i - 1), add(", %"), add_number(i / 2);
      add(" : tensor<4xf32>\n");
    }
    add("return %"), add_number(ops), add(" : tensor<4xf32> }\n");
  }
};
constexpr long_text generated;
struct long_program {
  static constexpr std::string_view text{generated.at, std::size_t(generated.size)};
};
// Too little memory at first: many types on one line.
struct crowded {
  static constexpr std::string_view text =
      "func.func @main(%a: tensor<1xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>, %e: tensor<5xf32>, "
      "%f: tensor<6xf32>, %g: tensor<7xf32>, %h: tensor<8xf32>, %i: tensor<9xf32>, %j: tensor<10xf32>, %k: "
      "tensor<11xf32>, %l: tensor<12xf32>, %m: tensor<13xf32>, %n: tensor<14xf32>, %o: tensor<15xf32>, %p: "
      "tensor<16xf32>, %q: tensor<17xf32>, %r: tensor<18xf32>, %s: tensor<19xf32>, %t: tensor<20xf32>, %u: "
      "tensor<21xf32>, %v: tensor<22xf32>, %w: tensor<23xf32>, %x: tensor<24xf32>, %y: tensor<25xf32>, %z: "
      "tensor<26xf32>, %aa: tensor<27xf32>, %ab: tensor<28xf32>, %ac: tensor<29xf32>, %ad: tensor<30xf32>, %ae: "
      "tensor<31xf32>, %af: tensor<32xf32>, %ag: tensor<33xf32>, %ah: tensor<34xf32>, %ai: tensor<35xf32>, %aj: "
      "tensor<36xf32>, %ak: tensor<37xf32>, %al: tensor<38xf32>, %am: tensor<39xf32>, %an: tensor<40xf32>) { return }"sv;
};

template <class Program>
bool as_at_run_time() {
  const graph_owner program = read_program(Program::text);
  return same_program(parsed<Program>::view(), program.program());
}

// Reads with little memory and few steps at a time; more of either when asked for.
template <int Scale, class Reader = text::mlir::parser>
bool reads_the_same(std::unique_ptr<text::parser_memory<Scale>> memory, std::string_view text,
                    const graph_owner& expected, int steps, int bytes) {
  do {
    memory->template run<Reader>(text, {}, steps, bytes, text::known_ops<text::every_op>);
  } while (memory->outcome == text::outcome::more);
  if (memory->outcome == text::outcome::full) {
    if constexpr (Scale < 2048) {
      auto more = std::make_unique<text::parser_memory<2 * Scale>>();
      more->take(*memory);
      return reads_the_same<2 * Scale, Reader>(std::move(more), text, expected, steps, bytes);
    }
    return false;
  }
  return !memory->error && same_program(memory->program.view(), expected.program());
}

}  // namespace

TEST_CASE("a program is parsed while compiling") {
  static_assert(!parsed<layer>::error);
  static_assert(parsed<layer>::sizes.nodes == 11);
  static_assert(parsed<layer>::sizes.functions == 2);
  static_assert(parsed<layer>::view().find_function("relu")->is_public == false);
  CHECK(as_at_run_time<layer>());
}

TEST_CASE("an error is a value") {
  static_assert(parsed<wrong>::error.line == 3 && parsed<wrong>::error.column == 8);
  static_assert(std::string_view(parsed<wrong>::error.label) == "add_c1");
  static_assert(parsed<wrong>::sizes.nodes == 0);
}

TEST_CASE("ops of other dialects") {
  static_assert(!parsed<checked>::error && parsed<checked>::sizes.nodes == 1 && parsed<checked>::sizes.literals == 1);
}

TEST_CASE("chunks and growing memory leave no trace") {
  static_assert(!parsed<long_program>::error && parsed<long_program>::sizes.nodes == long_text::ops);
  CHECK(as_at_run_time<long_program>());
  static_assert(!parsed<crowded>::error && parsed<crowded>::sizes.types == 40);
  CHECK(as_at_run_time<crowded>());
  const graph_owner expected = read_program(layer::text);
  for (int steps = 1; steps < 12; ++steps) {
    CHECK(reads_the_same<8>(std::make_unique<text::parser_memory<8>>(), layer::text, expected, steps, 1 << 20));
    CHECK(reads_the_same<16>(std::make_unique<text::parser_memory<16>>(), layer::text, expected, 1000, steps * 37));
  }
  const std::string_view hlo = R"(HloModule test
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
fused (y: f32[3], x: (f32[2,3], s32[])) -> (f32[2], f32[2,3]) {
  x = (f32[2,3], s32[]) parameter(1)
  y = f32[3] parameter(0)
  m = f32[2,3] get-tuple-element(x), index=0
  w = f32[2,3] broadcast(y), dimensions={1}
  zero = f32[] constant(0)
  p = f32[2,3] multiply(m, w)
  s = f32[2] reduce(p, zero), dimensions={1}, to_apply=sum
  ROOT r = (f32[2], f32[2,3]) tuple(s, p)
}
ENTRY e {
  x = (f32[2,3], s32[]) parameter(0)
  k = f32[3] constant({1, 2, 3})
  f = (f32[2], f32[2,3]) fusion(k, x), kind=kLoop, calls=fused
  ROOT t = ((f32[2], f32[2,3]), f32[3]) tuple(f, k)
})";
  const graph_owner expected_hlo = read_program(hlo);
  REQUIRE(!expected_hlo.error());
  CHECK(expected_hlo.program().functions.size == 3);
  using reader = text::hlo::parser<>;
  for (int steps = 1; steps < 12; ++steps) {
    CHECK(reads_the_same<8, reader>(std::make_unique<text::parser_memory<8>>(), hlo, expected_hlo, steps, 1 << 20));
    CHECK(reads_the_same<16, reader>(std::make_unique<text::parser_memory<16>>(), hlo, expected_hlo, 1000, steps * 37));
  }
}
