// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo/parser.hpp>

#include <tenon/text/program_graph.hpp>

#include <shared/print_program.hpp>
#include <shared/simplified_program.hpp>
#include <text/graphs.hpp>
#include <text/hlo/programs.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::passes;
using namespace tenon::hlo_programs;

std::string hlo_programs::simplified_text(std::string_view text) {
  const graph_owner program = read_program(text);
  if (program.error())
    return std::string(program.error().label) + ": " + program.error().sentence + " at " +
           std::to_string(program.error().line) + ":" + std::to_string(program.error().column);
  const owned_graph result = simplified_program(program.program());
  return print_program(result.get());
}

namespace {

static_assert(text::is_hlo("HloModule m\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}"));
static_assert(text::is_hlo("// note\nENTRY e { }"));
static_assert(text::is_hlo("%add (a: f32[]) -> f32[] {"));
static_assert(text::is_hlo("add {\n"));
static_assert(text::is_hlo("p0 = f32[2] parameter(0)"));
static_assert(!text::is_hlo(""));
static_assert(!text::is_hlo("module @m { }"));
static_assert(!text::is_hlo("module { }"));
static_assert(!text::is_hlo("func.func @main() { return }"));
static_assert(!text::is_hlo("#loc = loc(unknown)"));
static_assert(!text::is_hlo("\"builtin.module\"() ({ }) : () -> ()"));

}  // namespace

TEST_CASE("elementwise ops have the names of StableHLO, joined by -") {
  for (const std::string_view name : {"abs", "cbrt", "ceil", "cosine", "exponential", "exponential-minus-one", "floor",
                                      "log", "log-plus-one", "logistic", "negate", "round-nearest-afz",
                                      "round-nearest-even", "rsqrt", "sign", "sine", "sqrt", "tan", "tanh"}) {
    std::string other(name);
    for (char& c : other)
      if (c == '-') c = '_';
    check_same("x = f32[2,3]{1,0} parameter(0)\nROOT y = f32[2,3]{1,0} " + std::string(name) + "(x)",
               "%x: tensor<2x3xf32>", "tensor<2x3xf32>",
               "%y = stablehlo." + other + " %x : tensor<2x3xf32>\nreturn %y : tensor<2x3xf32>");
  }
  for (const std::string_view name :
       {"and", "or", "xor", "divide", "maximum", "minimum", "multiply", "power", "remainder", "shift-left",
        "shift-right-arithmetic", "shift-right-logical", "subtract"}) {
    std::string other(name);
    for (char& c : other)
      if (c == '-') c = '_';
    check_same("x = s32[4] parameter(0)\ny = s32[4] parameter(1)\nROOT z = s32[4] " + std::string(name) + "(x, y)",
               "%x: tensor<4xi32>, %y: tensor<4xi32>", "tensor<4xi32>",
               "%z = stablehlo." + other + " %x, %y : tensor<4xi32>\nreturn %z : tensor<4xi32>");
  }
  for (const auto& [name, other] :
       {std::pair{"count-leading-zeros", "count_leading_zeros"}, {"popcnt", "popcnt"}, {"not", "not"}})
    check_same("x = u8[4] parameter(0)\nROOT z = u8[4] " + std::string(name) + "(x)", "%x: tensor<4xui8>",
               "tensor<4xui8>",
               "%z = stablehlo." + std::string(other) + " %x : tensor<4xui8>\nreturn %z : tensor<4xui8>");
  check_same(R"(p = pred[3] parameter(0)
    x = f32[3] parameter(1)
    y = f32[3] parameter(2)
    s = f32[3] select(p, x, y)
    low = f32[] constant(-1)
    high = f32[] constant(1.5)
    c = f32[3] clamp(low, s, high)
    i = s32[3] convert(c)
    f = pred[3] is-finite(x)
    t = pred[3] compare(x, y), direction=NE, type=TOTALORDER
    b = s32[3] bitcast-convert(y)
    z = c64[3] complex(x, y)
    re = f32[3] real(z)
    im = f32[3] imag(z)
    a = f32[3] atan2(re, im)
    r = f32[3] reduce-precision(a), exponent_bits=5, mantissa_bits=10
    ROOT all = (s32[3], pred[3], pred[3], s32[3], /*index=4*/f32[3]) tuple(i, f, t, b, r))",
             "%p: tensor<3xi1>, %x: tensor<3xf32>, %y: tensor<3xf32>",
             "tensor<3xi32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>, tensor<3xf32>",
             R"(%s = stablehlo.select %p, %x, %y : tensor<3xi1>, tensor<3xf32>
    %low = stablehlo.constant dense<0xBF800000> : tensor<f32>
    %high = stablehlo.constant dense<0x3FC00000> : tensor<f32>
    %c = stablehlo.clamp %low, %s, %high : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %i = stablehlo.convert %c : (tensor<3xf32>) -> tensor<3xi32>
    %f = stablehlo.is_finite %x : (tensor<3xf32>) -> tensor<3xi1>
    %t = stablehlo.compare NE, %x, %y, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %b = stablehlo.bitcast_convert %y : (tensor<3xf32>) -> tensor<3xi32>
    %z = stablehlo.complex %x, %y : tensor<3xcomplex<f32>>
    %re = stablehlo.real %z : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %im = stablehlo.imag %z : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %a = stablehlo.atan2 %re, %im : tensor<3xf32>
    %r = stablehlo.reduce_precision %a, format = e5m10 : tensor<3xf32>
    return %i, %f, %t, %b, %r : tensor<3xi32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>, tensor<3xf32>)");
}

TEST_CASE("elementwise ops that are ops of CHLO") {
  for (const std::string name : {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "erf", "sinh"})
    check_same("x = f32[2,3]{1,0} parameter(0)\nROOT y = f32[2,3]{1,0} " + name + "(x)", "%x: tensor<2x3xf32>",
               "tensor<2x3xf32>",
               "%y = chlo." + name + " %x : tensor<2x3xf32> -> tensor<2x3xf32>\nreturn %y : tensor<2x3xf32>");
  check_same("x = u32[4] parameter(0)\ny = u32[4] parameter(1)\nROOT z = u32[4] mulhi(x, y)",
             "%x: tensor<4xui32>, %y: tensor<4xui32>", "tensor<4xui32>",
             "%z = chlo.mulhi %x, %y : tensor<4xui32>, tensor<4xui32> -> tensor<4xui32>\nreturn %z : tensor<4xui32>");
}

TEST_CASE("fusions and calls, loops and branches, tuples within tuples") {
  check_same(R"(x = f32[3] parameter(0)
    f = f32[3] fusion(x), kind=kLoop, calls=twice, metadata={op_name="a, b" stack_frame_id=4}, backend_config={"outer":["1, 2"]}
    c = f32[3] call(f), to_apply=%negative
    p = pred[] constant(true)
    i = f32[3] conditional(p, c, x), true_computation=twice, false_computation=negative
    k = s32[] constant(1)
    ROOT b = f32[3] conditional(k, i, x, i), branch_computations={twice, %negative, twice})",
             "%x: tensor<3xf32>", "tensor<3xf32>",
             R"(%f = stablehlo.add %x, %x : tensor<3xf32>
    %c = stablehlo.negate %f : tensor<3xf32>
    %p = stablehlo.constant dense<true> : tensor<i1>
    %i = "stablehlo.if"(%p) ({ %r = stablehlo.add %c, %c : tensor<3xf32>
      stablehlo.return %r : tensor<3xf32> }, { %r = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %r : tensor<3xf32> }) : (tensor<i1>) -> tensor<3xf32>
    %k = stablehlo.constant dense<1> : tensor<i32>
    %b = "stablehlo.case"(%k) ({ %r = stablehlo.add %i, %i : tensor<3xf32>
      stablehlo.return %r : tensor<3xf32> }, { %r = stablehlo.negate %x : tensor<3xf32>
      stablehlo.return %r : tensor<3xf32> }, { %r = stablehlo.add %i, %i : tensor<3xf32>
      stablehlo.return %r : tensor<3xf32> }) : (tensor<i32>) -> tensor<3xf32>
    return %b : tensor<3xf32>)");
  const std::string loop = R"(
below { s = (s32[], (f32[2], s32[])) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  inner = (f32[2], s32[]) get-tuple-element(s), index=1
  n = s32[] get-tuple-element(inner), index=1
  ROOT c = pred[] compare(i, n), direction=LT
}
double {
  s = (s32[], (f32[2], s32[])) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  inner = (f32[2], s32[]) get-tuple-element(s), index=1
  x = f32[2] get-tuple-element((f32[2], s32[]) inner), index=0
  n = s32[] get-tuple-element(inner), index=1
  one = s32[] constant(1)
  j = s32[] add(s32[] i, s32[] %one)
  y = f32[2] add(f32[2]{0} x, f32[2]{0} x)
  t = (f32[2], s32[]) tuple(y, n)
  ROOT r = (s32[], (f32[2], s32[])) tuple(j, t)
}
ENTRY e {
  x = f32[2] parameter(1)
  n = s32[] parameter(0)
  zero = s32[] constant(0)
  t = (f32[2], s32[]) tuple(x, n)
  s = (s32[], (f32[2], s32[])) tuple(zero, t)
  w = (s32[], (f32[2], s32[])) while(s), condition=below, body=double
  inner = (f32[2], s32[]) get-tuple-element(w), index=1
  ROOT r = f32[2] get-tuple-element(inner), index=0
})";
  CHECK(simplified_text(loop) ==
        simplified_text(R"(func.func @main(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %w:3 = stablehlo.while(%i = %zero, %y = %x, %m = %n) : tensor<i32>, tensor<2xf32>, tensor<i32>
      cond { %c = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1> }
      do { %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %z = stablehlo.add %y, %y : tensor<2xf32>
        stablehlo.return %j, %z, %m : tensor<i32>, tensor<2xf32>, tensor<i32> }
    return %w#1 : tensor<2xf32>
  })"));
}

TEST_CASE("constants of all types") {
  check_same(R"(a = f32[2,2]{1,0} constant({ { 1, -2.5 }, { inf, 1e-05 } })
    b = pred[3] constant({1, 0, 1})
    c = c64[2] constant({(1, 2), (-0.5, 0)})
    d = s8[2,1,2] constant({ { /*i0=0*/ { -128, 127 } }, { /*i0=1*/ { 3, 4 } } })
    e = bf16[] constant(1.5)
    f = f64[] constant(-nan)
    g = u64[] constant(18446744073709551615)
    h = f32[0] constant({})
    i = f8e4m3fn[2] constant({1, nan})
    ROOT t = (f32[2,2], pred[3], c64[2], s8[2,1,2], bf16[], /*index=5*/f64[], u64[], f32[0], f8e4m3fn[2]) tuple(a, b, c, d, e, f, g, h, i))",
             "",
             "tensor<2x2xf32>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<2x1x2xi8>, tensor<bf16>, tensor<f64>, "
             "tensor<ui64>, tensor<0xf32>, tensor<2xf8E4M3FN>",
             R"(%a = stablehlo.constant dense<[[0x3F800000, 0xC0200000], [0x7F800000, 0x3727C5AC]]> : tensor<2x2xf32>
    %b = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %c = stablehlo.constant dense<[(0x3F800000, 0x40000000), (0xBF000000, 0x00000000)]> : tensor<2xcomplex<f32>>
    %d = stablehlo.constant dense<[[[-128, 127]], [[3, 4]]]> : tensor<2x1x2xi8>
    %e = stablehlo.constant dense<0x3FC0> : tensor<bf16>
    %f = stablehlo.constant dense<0xFFF8000000000000> : tensor<f64>
    %g = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %h = stablehlo.constant dense<> : tensor<0xf32>
    %i = stablehlo.constant dense<[0x38, 0x7F]> : tensor<2xf8E4M3FN>
    return %a, %b, %c, %d, %e, %f, %g, %h, %i : tensor<2x2xf32>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<2x1x2xi8>, tensor<bf16>, tensor<f64>, tensor<ui64>, tensor<0xf32>, tensor<2xf8E4M3FN>)");
}

TEST_CASE("what is wrong is reported with its place") {
  CHECK(error_of(entry("x = f32[2] parameter(0)\ny = f32[3] parameter(1)\nROOT z = f32[2] add(x, y)")) ==
        "add_c1 4:17");
  CHECK(error_of(entry("x = f32[2] parameter(0)\nROOT z = f32[3] negate(x)")) == "negate_c1 3:17");
  CHECK(error_of(entry("x = f32[2,3] parameter(0)\nROOT z = f32[2,3] transpose(x), dimensions={0,0}")) ==
        "transpose_c2 3:19");
  CHECK(error_of(entry("x = f32[2] parameter(0)\nROOT z = f32[2] frobnicate(x)")) == "unknown_op 3:17");
  CHECK(error_of(entry("x = f32[2] parameter(0)\nROOT z = f32[2] negate(y)")) == "name 3:24");
  CHECK(error_of(entry("x = f32[2] parameter(0)\nROOT x = f32[2] negate(x)")) == "name 3:6");
  CHECK(error_of(entry("x = q7[2] parameter(0)")) == "type 2:5");
  CHECK(error_of(entry("x = f32[2]{1} parameter(0)")) == "type 2:11");
  CHECK(error_of(entry("x = f32[1,2,3,4,5,6,7,8,9] parameter(0)")) == "not_supported 2:5");
  CHECK(error_of(entry("x = f32[2] parameter(1)")) == "syntax 2:5");
  CHECK(error_of(entry("x = f32[2] parameter(0)\ny = f32[2] negate(x), foo=3")) == "attribute 3:23");
  CHECK(error_of(entry("x = f32[2] parameter(0)\ny = f32[2] call(x), to_apply=nobody")) == "name 3:30");
  CHECK(error_of(entry("x = f32[9] constant({...})")) == "not_supported 2:21");
  CHECK(error_of(entry("x = f32[2] constant({1, 2, 3})")) == "tensor_constant_c2 2:30");
  CHECK(error_of(entry("x = s8[] constant(128)")) == "integer_constant_c1 2:19");
  // It has no infinities.
  CHECK(error_of(entry("x = f8e4m3fn[] constant(inf)")) == "float_constant_c1 2:25");
  CHECK(error_of("a {\n  x = f32[2] parameter(0)\n}\nENTRY e {\n x = f32[3] parameter(0)\n y = f32[2] call(x), "
                 "to_apply=a\n}") == "call_c2 6:13");
  CHECK(error_of("ENTRY e {\n  x = f32[2] parameter(0)\n") == "syntax 3:1");
  CHECK(error_of("ENTRY e {\n}") == "syntax 2:1");
  CHECK(error_of("HloModule empty") == "syntax 1:16");
  CHECK(error_of("a {\n x = f32[] parameter(0)\n}\na {\n x = f32[] parameter(0)\n}") == "name 4:1");
  CHECK(error_of("ENTRY a {\n x = f32[] parameter(0)\n}\nENTRY b {\n x = f32[] parameter(0)\n}") == "name 4:1");
  CHECK(error_of("a {\n x = f32[] parameter(0)\n}\nx = f32[] parameter(0)") == "syntax 4:1");
}

TEST_CASE("an op of HLO without a counterpart is refused with what to do instead") {
  const graph_owner program = read_program(entry("x = u32[2] parameter(0)\nROOT y = u32[2] shuffle(x)"));
  CHECK(std::string_view(program.error().label) == "not_supported");
  CHECK(program.error().line == 3);
  CHECK(std::string_view(program.error().sentence).find(": ") != std::string_view::npos);
}

// The instructions of one computation alone, or computations without an entry, are a program too.
TEST_CASE("what begins a program") {
  CHECK(simplified_text("p = f32[2] parameter(0)\nROOT q = f32[2] add(p, p)") ==
        simplified_text(
            "func.func @main(%p: tensor<2xf32>) -> tensor<2xf32> { %q = stablehlo.add %p, %p : tensor<2xf32>\n"
            "return %q : tensor<2xf32> }"));
  CHECK(
      simplified_text("main {\n p = f32[2] parameter(0)\n}\n%other (p: f32[2]) -> f32[2] {\n p = f32[2] parameter(0)\n"
                      " q = f32[2] call(p), to_apply=main\n}, execution_thread=\"x\"\n") ==
      simplified_text("func.func @main(%p: tensor<2xf32>) -> tensor<2xf32> { return %p : tensor<2xf32> }"));
}

TEST_CASE("damaged texts are rejected, and nothing else happens") {
  const std::string whole =
      "HloModule test\n" + std::string(helpers) + entry(R"(x = f32[2,3]{1,0} parameter(0), metadata={op_name="a"}
  k = f32[2,3] constant({ { 1, nan, 3 }, { 4, -inf, 6 } })
  zero = f32[] constant(0)
  f = f32[2,3] add(x, k)
  s = f32[2] reduce(f, zero), dimensions={1}, to_apply=sum
  t = (f32[2], (f32[2,3])) tuple(s, f)
  i = s32[] constant(1)
  d = f32[1,2] dynamic-slice(x, i, i), dynamic_slice_sizes={1,2}
  b = f32[3,2]{0,1} bitcast(x)
  w = f32[2,2] reduce-window(x, zero), window={size=1x2 stride=1x1 pad=0_0x0_0}, to_apply=sum
  c = f32[2,3] sort(x), dimensions={0}, to_apply=less
  a = f32[2,3] all-reduce(c), replica_groups=[1,2]<=[2], to_apply=sum
  ROOT r = f32[2] get-tuple-element(t), index=0)");
  REQUIRE(error_of(whole) == "none");
  std::uint64_t state = 88172645463325252u;
  const auto draw = [&](std::size_t below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return std::size_t(state % below);
  };
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = whole;
    for (std::size_t n = draw(4) + 1; n > 0; --n) {
      const std::size_t at = draw(text.size()), length = draw(12) + 1;
      switch (draw(5)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, text.substr(draw(text.size()), length));
          break;
        case 2:
          text[at] = "(){}[],=<>%x0-9\"/*\n"[draw(19)];
          break;
        case 3:
          text.resize(at + 1);
          break;
        default:
          text.insert(at, "99999999999");
      }
    }
    if (const graph_owner program = read_program(text); !program.error()) ++accepted;
  }
  CHECK(accepted < 4000);
  std::string deep = "x = ";
  for (int i = 0; i < 100000; ++i) deep += '(';
  CHECK(error_of(deep) == "syntax 1:5");
  CHECK(error_of("x = f32[] constant(" + std::string(100000, '{') + ")") != "none");
  CHECK(error_of("x = f32[] add(" + std::string(100000, '(')) != "none");
}

namespace {

struct small {
  static constexpr std::string_view text = R"(
HloModule small
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  x = f32[2,3] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[2] reduce(x, zero), dimensions={1}, to_apply=sum
})";
};
static_assert(!parsed<small>::error);
static_assert(parsed<small>::view().functions.size == 2);
static_assert(entry_of(parsed<small>::view())->is_public);

// Line ends are white space while compiling, too.
struct in_one_line {
  static constexpr std::string_view text =
      "HloModule small, is_scheduled=true FileNames 1 \"a b\" StackFrames 1 {file_location_id=1} sum { a = f32[] "
      "parameter(0), metadata={op_name=\"x = y\"} b = f32[] parameter(1) ROOT c = f32[] add(a, b) }, "
      "execution_thread=\"host\" ENTRY e { x = f32[2,3] parameter(0) zero = f32[] constant(0) ROOT s = f32[2] "
      "reduce(x, zero), dimensions={1}, to_apply=sum }";
};
struct in_many_lines {
  static constexpr std::string_view text = R"(HloModule
small sum
{
a
=
f32
[
]
parameter
(
0
)
b = f32[] parameter(
1) ROOT
c = f32[]
add(a,
b) }
ENTRY
e (x: f32[2,3])
-> f32[2] {
x = f32[2,
3]
{1,0} parameter(0) zero
= f32[] constant
(0)
ROOT s = f32[2] reduce(x, zero)
, dimensions
=
{
1
}, to_apply=
sum
})";
};
static_assert(same_program(parsed<small>::view(), parsed<in_one_line>::view()));
static_assert(same_program(parsed<small>::view(), parsed<in_many_lines>::view()));

struct broken {
  static constexpr std::string_view text = "ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2,3] reshape(x)\n}";
};
static_assert(parsed<broken>::error.line == 3 && parsed<broken>::error.column == 21);
static_assert(std::string_view(parsed<broken>::error.label) == "reshape_c2");

}  // namespace

namespace {

// A constant of 4,000 numbers, and 400 instructions: more than one constant evaluation may read.
constexpr int numbers = 4000, instructions = 400;
struct characters {
  char at[numbers * 5 + instructions * 40 + 200]{};
  int size = 0;
  constexpr void put(std::string_view text) {
    for (const char c : text) at[size++] = c;
  }
  constexpr void put(int number) {
    char digits[8]{};
    int count = 0;
    do digits[count++] = char('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0) at[size++] = digits[--count];
  }
};
struct long_hlo {
  static constexpr characters written = [] {
    characters text;
    text.put("HloModule long\nENTRY e {\n  v0 = f32[4000] constant({");
    for (int i = 0; i < numbers; ++i) {
      if (i > 0) text.put(",");
      text.put(i % 997);
    }
    text.put("})\n");
    for (int i = 1; i <= instructions; ++i) {
      text.put("  v");
      text.put(i);
      text.put(" = f32[4000]{0} negate(v");
      text.put(i - 1);
      text.put(")\n");
    }
    text.put("}\n");
    return text;
  }();
  static constexpr std::string_view text{written.at, std::size_t(written.size)};
};
static_assert(!parsed<long_hlo>::error);
static_assert(parsed<long_hlo>::view().nodes.size == instructions + 1);

}  // namespace
