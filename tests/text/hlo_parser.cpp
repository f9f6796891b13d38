// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo_parser.hpp>

#include <doctest/doctest.h>

#include <tenon/graph/owned.hpp>
#include <tenon/graph/simplify.hpp>
#include <tenon/text/parse.hpp>
#include <tenon/text/print.hpp>
#include <tenon/text/program_graph.hpp>

#include <cstdint>
#include <string>
#include <string_view>

using namespace tenon;

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

// The simplified program as StableHLO text, or the label of the error.
std::string simplified_text(std::string_view text) {
  const graph_owner program = parse(text);
  if (program.error())
    return std::string(program.error().label) + ": " + program.error().sentence + " at " +
           std::to_string(program.error().line) + ":" + std::to_string(program.error().column);
  const owned_graph result = simplify(program.program(), *entry_of(program.program()), 1000);
  return to_text(result.get());
}

constexpr std::string_view helpers = R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
at_least {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}
last {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
twice {
  a = f32[3] parameter(0)
  ROOT b = f32[3] add(a, a)
}
negative {
  a = f32[3] parameter(0)
  ROOT b = f32[3] negate(a)
}
)";
constexpr std::string_view stable_sum = R"(({ ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
    %both = stablehlo.add %lhs, %rhs : tensor<f32>
    stablehlo.return %both : tensor<f32> }))";

// The instructions of an entry computation, and the body of the function that says the same.
void check_same(std::string_view hlo, std::string_view arguments, std::string_view results, std::string_view ops) {
  const std::string one = "HloModule test, entry_computation_layout={()->f32[]}\n" + std::string(helpers) +
                          "\nENTRY main.7 {\n" + std::string(hlo) + "\n}\n";
  const std::string other = "func.func @main(" + std::string(arguments) + ") -> (" + std::string(results) + ") {\n" +
                            std::string(ops) + "\n}\n";
  const std::string expected = simplified_text(other);
  REQUIRE_MESSAGE(expected.find("func.func") == 0, expected);
  CHECK(simplified_text(one) == expected);
}

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
  for (const std::string name : {"acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh"})
    check_same("x = f32[2,3]{1,0} parameter(0)\nROOT y = f32[2,3]{1,0} " + name + "(x)", "%x: tensor<2x3xf32>",
               "tensor<2x3xf32>",
               "%y = chlo." + name + " %x : tensor<2x3xf32> -> tensor<2x3xf32>\nreturn %y : tensor<2x3xf32>");
}

TEST_CASE("movement") {
  check_same(R"(x = f32[2,3] parameter(0)
    zero = f32[] constant(0)
    t = f32[3,2]{0,1} transpose(x), dimensions={1,0}
    r = f32[6] reshape(t)
    b = f32[4,6] broadcast(r), dimensions={1}
    v = f32[4,6] reverse(b), dimensions={0,1}
    s = f32[2,3] slice(v), slice={[1:3], [0:6:2]}
    p = f32[5,7] pad(s, zero), padding=1_2x-1_1_2
    i = s32[5] iota(), iota_dimension=0
    c = f32[4,3] concatenate(s, x), dimensions={0}
    ROOT all = (f32[5,7], s32[5], f32[4,3]) tuple(p, i, c))",
             "%x: tensor<2x3xf32>", "tensor<5x7xf32>, tensor<5xi32>, tensor<4x3xf32>",
             R"(%zero = stablehlo.constant dense<0x00000000> : tensor<f32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %r = stablehlo.reshape %t : (tensor<3x2xf32>) -> tensor<6xf32>
    %b = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %v = stablehlo.reverse %b, dims = [0, 1] : tensor<4x6xf32>
    %s = stablehlo.slice %v [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %p = stablehlo.pad %s, %zero, low = [1, -1], high = [2, 1], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x7xf32>
    %i = stablehlo.iota dim = 0 : tensor<5xi32>
    %c = stablehlo.concatenate %s, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    return %p, %i, %c : tensor<5x7xf32>, tensor<5xi32>, tensor<4x3xf32>)");
}

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

TEST_CASE("products and windows") {
  check_same(
      R"(a = f32[4,2,3] parameter(0)
    b = f32[4,3,5] parameter(1)
    ROOT d = f32[4,2,5] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={highest,highest})",
      "%a: tensor<4x2x3xf32>, %b: tensor<4x3x5xf32>", "tensor<4x2x5xf32>",
      R"(%d = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
    return %d : tensor<4x2x5xf32>)");
  check_same(
      R"(x = f32[1,9,8,4] parameter(0)
    k = f32[3,2,2,6] parameter(1)
    ROOT c = f32[1,5,15,6]{3,2,1,0} convolution(x, k), window={size=3x2 stride=2x1 pad=1_1x1_0 lhs_dilate=1x2 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, feature_group_count=2)",
      "%x: tensor<1x9x8x4xf32>, %k: tensor<3x2x2x6xf32>", "tensor<1x5x15x6xf32>",
      R"(%c = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [1, 0]], lhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x9x8x4xf32>, tensor<3x2x2x6xf32>) -> tensor<1x5x15x6xf32>
    return %c : tensor<1x5x15x6xf32>)");
  check_same(R"(x = f32[6,4] parameter(0)
    zero = f32[] constant(0)
    s = f32[4] reduce(x, zero), dimensions={0}, to_apply=sum
    w = f32[3,4] reduce-window(x, zero), window={size=3x1 stride=2x1 pad=1_0x0_0}, to_apply=sum
    b = f32[6,4] select-and-scatter(x, w, zero), window={size=3x1 stride=2x1 pad=1_0x0_0}, select=at_least, scatter=sum
    ROOT t = (f32[4], f32[6,4]) tuple(s, b))",
             "%x: tensor<6x4xf32>", "tensor<4xf32>, tensor<6x4xf32>",
             R"(%zero = stablehlo.constant dense<0x00000000> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> )" +
                 std::string(stable_sum) + R"( : (tensor<6x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %b = "stablehlo.select_and_scatter"(%x, %w, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1> }, )" +
                 std::string(stable_sum).substr(1) +
                 R"( : (tensor<6x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x4xf32>
    return %s, %b : tensor<4xf32>, tensor<6x4xf32>)");
}

TEST_CASE("topk") {
  check_same(R"(x = f32[2,3] parameter(0)
    t = (f32[2,2], s32[2,2]) topk(x), k=2, largest=true
    ROOT v = f32[2,2] get-tuple-element(t), index=0)",
             "%x: tensor<2x3xf32>", "tensor<2x2xf32>",
             R"(%t:2 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    return %t#0 : tensor<2x2xf32>)");
}

TEST_CASE("lookup, sorting and mathematics of matrices") {
  check_same(
      R"(x = f32[9,4] parameter(0)
    i = s32[3,1] parameter(1)
    u = f32[3,4] parameter(2)
    k = s32[] parameter(3)
    g = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}, indices_are_sorted=true
    s = f32[9,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=sum
    d = f32[2,2] dynamic-slice(s, k, k), dynamic_slice_sizes={2,2}
    e = f32[3,4] dynamic-update-slice(g, d, k, k)
    o = f32[3,4] sort(e), dimensions={1}, is_stable=true, to_apply=less
    m = f32[3,4] map(o, g), dimensions={0,1}, to_apply=sum
    ROOT r = f32[3,4] copy(m))",
      "%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>, %k: tensor<i32>", "tensor<3x4xf32>",
      R"(%g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = true}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    %s = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> )" +
          std::string(stable_sum) + R"( : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
    %d = stablehlo.dynamic_slice %s, %k, %k, sizes = [2, 2] : (tensor<9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %e = stablehlo.dynamic_update_slice %g, %d, %k, %k : (tensor<3x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %o = "stablehlo.sort"(%e) <{dimension = 1 : i64, is_stable = true}> ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1> }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %m = "stablehlo.map"(%o, %g) <{dimensions = array<i64: 0, 1>}> )" +
          std::string(stable_sum) + R"( : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %m : tensor<3x4xf32>)");
  check_same(R"(a = f32[3,3] parameter(0)
    b = f32[3,2] parameter(1)
    l = f32[3,3] cholesky(a), lower=true
    x = f32[3,2] triangular-solve(l, b), left_side=true, lower=true, transpose_a=TRANSPOSE
    f = c64[3,2] fft(x), fft_type=RFFT, fft_length={2}
    ROOT r = f32[3,2] real(f))",
             "%a: tensor<3x3xf32>, %b: tensor<3x2xf32>", "tensor<3x2xf32>",
             R"(%l = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
    %x = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %f = stablehlo.fft %x, type = RFFT, length = [2] : (tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>>
    %r = stablehlo.real %f : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
    return %r : tensor<3x2xf32>)");
  check_same(R"(k = u64[2] parameter(0)
    low = f32[] constant(0)
    high = f32[] constant(1)
    r = (u64[2], u32[5]) rng-bit-generator(k), algorithm=rng_three_fry
    s = u64[2] get-tuple-element(r), index=0
    u = f32[4,2] rng(low, high), distribution=rng_uniform
    ROOT t = (u64[2], f32[4,2]) tuple(s, u))",
             "%k: tensor<2xui64>", "tensor<2xui64>, tensor<4x2xf32>",
             R"(%low = stablehlo.constant dense<0x00000000> : tensor<f32>
    %high = stablehlo.constant dense<0x3F800000> : tensor<f32>
    %r:2 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %shape = stablehlo.constant dense<[4, 2]> : tensor<2xi64>
    %u = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x2xf32>
    return %r#0, %u : tensor<2xui64>, tensor<4x2xf32>)");
  check_same(
      R"(x = f32[2,5,3] parameter(0)
    s = f32[3] parameter(1)
    o = f32[3] parameter(2)
    b = (f32[2,5,3], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=2
    ROOT r = f32[2,5,3] get-tuple-element(b), index=0)",
      "%x: tensor<2x5x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>", "tensor<2x5x3xf32>",
      R"(%b:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.001 : f32, feature_index = 2 : i64}> : (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %b#0 : tensor<2x5x3xf32>)");
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

TEST_CASE("collectives, and what comes in two parts") {
  check_same(
      R"(x = f32[4,2] parameter(0)
    r = f32[4,2] all-reduce(x), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), use_global_device_ids=true, to_apply=sum
    g0 = (f32[4,2], f32[8,2]) all-gather-start(r), replica_groups={{0,1}}, dimensions={0}
    g = f32[8,2] all-gather-done(g0)
    s = f32[4,2] reduce-scatter(g), replica_groups={{0,1}}, dimensions={0}, to_apply=sum
    p = f32[4,2] collective-permute(s), source_target_pairs={{0,1},{1,0}}
    a = f32[4,2] all-to-all(p), replica_groups={{0,1}}, dimensions={0}
    i = u32[] replica-id()
    j = u32[] partition-id()
    k = u32[] add(i, j)
    ROOT t = (f32[4,2], u32[]) tuple(a, k))",
      "%x: tensor<4x2xf32>", "tensor<4x2xf32>, tensor<ui32>",
      R"(%r = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> )" +
          std::string(stable_sum) + R"( : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %g = "stablehlo.all_gather"(%r) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
    %s = "stablehlo.reduce_scatter"(%g) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> )" +
          std::string(stable_sum) + R"( : (tensor<8x2xf32>) -> tensor<4x2xf32>
    %p = "stablehlo.collective_permute"(%s) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %a = "stablehlo.all_to_all"(%p) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %i = stablehlo.replica_id : tensor<ui32>
    %j = stablehlo.partition_id : tensor<ui32>
    %k = stablehlo.add %i, %j : tensor<ui32>
    return %a, %k : tensor<4x2xf32>, tensor<ui32>)");
  check_same(
      R"(x = f32[1,2] parameter(0)
    r = f32[1,2] all-reduce(x), channel_id=1, replica_groups=mesh['axis_0'=2,'axis_1'=2] {'axis_0'}, use_global_device_ids=true, to_apply=sum
    a = (f32[1,2], f32[1,2]) all-to-all(r, x), replica_groups={{0,1}}
    y = f32[1,2] get-tuple-element(a), index=1
    ROOT t = (f32[1,2], f32[1,2]) tuple(y, r))",
      "%x: tensor<1x2xf32>", "tensor<1x2xf32>, tensor<1x2xf32>",
      R"(%r = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> )" +
          std::string(stable_sum) + R"( : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.concatenate %r, %x, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    %a = "stablehlo.all_to_all"(%c) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = stablehlo.slice %a [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
    return %y, %r : tensor<1x2xf32>, tensor<1x2xf32>)");
  check_same(R"(x = f32[3] parameter(0)
    token = token[] after-all()
    in = ((f32[3]), token[]) infeed(token), infeed_config="c"
    data = (f32[3]) get-tuple-element(in), index=0
    y = f32[3] get-tuple-element(data), index=0
    t = token[] get-tuple-element(in), index=1
    out = token[] outfeed(y, t), outfeed_shape=f32[3]{0}
    started = ((f32[3]), f32[3], u32[]) async-start(y), calls=twice
    waited = ((f32[3]), f32[3], u32[]) async-update(started)
    done = f32[3] async-done(waited)
    copied = (f32[3], f32[3], u32[]) copy-start(done)
    z = f32[3] copy-done(copied)
    w = f32[3] custom-call(z), custom_call_target="my\"own", api_version=API_VERSION_STATUS_RETURNING
    ROOT b = f32[3] opt-barrier(w))",
             "%x: tensor<3xf32>", "tensor<3xf32>",
             R"(%token = stablehlo.after_all : !stablehlo.token
    %in:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    %out = "stablehlo.outfeed"(%in#0, %in#1) : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    %z = stablehlo.add %in#0, %in#0 : tensor<3xf32>
    %w = stablehlo.custom_call @"my\22own"(%z) : (tensor<3xf32>) -> tensor<3xf32>
    %b = stablehlo.optimization_barrier %w : tensor<3xf32>
    return %b : tensor<3xf32>)");
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

namespace {

std::string error_of(std::string_view text) {
  const graph_owner program = parse(text);
  if (!program.error()) return "none";
  return std::string(program.error().label) + " " + std::to_string(program.error().line) + ":" +
         std::to_string(program.error().column);
}
std::string entry(std::string_view lines) { return "ENTRY e {\n" + std::string(lines) + "\n}\n"; }

}  // namespace

TEST_CASE("what is wrong is reported with its place") {
  CHECK(error_of(entry("x = f32[3] parameter(0)\nROOT t = (f32[2], s32[2]) topk(x), k=2, largest=false")) ==
        "not_supported 3:27");
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
    if (const graph_owner program = parse(text); !program.error()) ++accepted;
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
