// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/print.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <shared/print_program.hpp>
#include <shared/read_program.hpp>
#include <tenon/tensors.hpp>
#include <text/graphs.hpp>

using namespace tenon;
using namespace tenon::ir;

namespace {

// What is printed, in either form, is read as the same program.
void check_round_trip(std::string_view text) {
  const parse_options options{"check chlo"};
  const graph_owner program = read_program(text, options);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  for (const text_form form : {text_form::own, text_form::generic}) {
    const std::string printed = print_program(program.program(), form);
    const graph_owner again = read_program(printed, options);
    REQUIRE_MESSAGE(!again.error(), std::string(again.error().sentence) << '\n' << printed);
    CHECK_MESSAGE(same_program(program.program(), again.program()), printed);
  }
}
void check_ops(std::string_view arguments, std::string_view ops) {
  check_round_trip("func.func @main(" + std::string(arguments) + ") {\n" + std::string(ops) + "\nreturn }");
}

}  // namespace

TEST_CASE("what is printed reads like what was written") {
  const std::string_view text =
      R"(func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> (tensor<2xf32>) {
  %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>
  %2 = stablehlo.compare LT, %1, %0, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %3 = stablehlo.select %2, %0, %1 : tensor<2x3xi1>, tensor<2x3xf32>
  %4 = stablehlo.slice %3 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %6 = stablehlo.reduce(%4 init: %arg1) applies stablehlo.maximum across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %6 : tensor<2xf32>
}
)";
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  CHECK(print_program(program.program()) == text);
}

TEST_CASE("slices without strides, as functions write them") {
  const auto halves = [](auto x) { return get<1>(split<2>(x)); };
  using body = detail::traced_body<decltype(halves), tensor<f32, 4>>;
  const std::string text = print_program(detail::recorded<body>::graph());
  CHECK(text.find("stablehlo.slice %arg0 [2:4] :") != text.npos);
  CHECK(!read_program(text).error());
}

TEST_CASE("forms that other readers of StableHLO demand") {
  const std::string_view text =
      R"(func.func public @main(%arg0: tensor<2x3xf32>) {
  %0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2:2 = chlo.top_k(%1, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  stablehlo.custom_call @call(%1) {has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = []} : (tensor<2x3xf32>) -> ()
  return
}
)";
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  CHECK(print_program(program.program()) == text);
}

TEST_CASE("functions, calls and names") {
  check_round_trip(R"(
    func.func private @"a b"(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) { return %x, %x : tensor<f32>, tensor<f32> }
    func.func private @declared()
    func.func private @also(tensor<2xf32>, tuple<tensor<f32>, !stablehlo.future<tensor<i8>>>) -> (tensor<f32>, tensor<?x2xf32, #stablehlo.bounds<3, ?>>)
    func.func @main(%x: tensor<f32>) {
      %0:2 = call @"a b"(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %1 = stablehlo.add %0#0, %0#1 : tensor<f32>
      %2:2 = stablehlo.composite "my.op" %1 {decomposition = @"a b", composite_attributes = {k = 1 : i64}, version = 2 : i32} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
      stablehlo.custom_call @"x\22y"(%1) {has_side_effect = true, backend_config = "a\\b", called_computations = [@main]} : (tensor<f32>) -> ()
      return
    })");
}

TEST_CASE("types") {
  check_ops(
      "%a: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %b: tuple<tensor<2xf32>, tuple<>>, %c: !stablehlo.token, "
      "%d: tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>>, %e: tensor<!quant.uniform<ui8:f32, 0.1:3>>, "
      "%f: !stablehlo.future<tensor<2xcomplex<f64>>>, %g: memref<2xf32>, %h: tensor<0xi4>",
      "%0 = stablehlo.optimization_barrier %c : !stablehlo.token");
}

TEST_CASE("regions") {
  check_ops("%p: tensor<i1>, %a: tensor<8xf32>, %z: tensor<f32>, %i: tensor<8xi32>, %j: tensor<i32>", R"(
    %0:2 = stablehlo.reduce(%a init: %z), (%i init: %j) across dimensions = [0] : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
      reducer(%x: tensor<f32>, %y: tensor<f32>) (%u: tensor<i32>, %v: tensor<i32>) {
        stablehlo.return %x, %v : tensor<f32>, tensor<i32>
      }
    %1 = stablehlo.while(%c = %0#1) : tensor<i32> cond {
      %2 = stablehlo.while(%d = %c) : tensor<i32> cond {
        stablehlo.return %p : tensor<i1>
      } do {
        %3 = stablehlo.add %d, %c : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return %c : tensor<i32>
    }
    %4 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<8xf32> }, { stablehlo.return %a : tensor<8xf32> }) : (tensor<i1>) -> tensor<8xf32>
    %5:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
      %6 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>))");
}

TEST_CASE("attributes") {
  check_ops(
      "%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>, %s: "
      "tensor<2xui64>, %i: tensor<2x1xi32>, %t: tuple<tensor<f32>>, %c: tensor<4xcomplex<f32>>, %z: tensor<f32>",
      R"(
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
    %2:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %3 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 4>}> : (tensor<2x3x4xf32>, tensor<2x1xi32>) -> tensor<2x3x4xf32>
    %4 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, use_global_device_ids}> : (tensor<2x3x4xf32>) -> tensor<4x3x4xf32>
    %5 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>>) -> tensor<f32>
    %6 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %7 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3x4xf32>
    %8 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-3, rtol = 0.5, ulps = 5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3x4xf32>
    %9 = stablehlo.pad %z, %z, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.custom_call @foo(%a) {api_version = 4 : i32, backend_config = {x = 1 : i32}, operand_layouts = [dense<[0, 2, 1]> : tensor<3xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tensor<2x3x4xf32>) -> tensor<f32>
    %11 = stablehlo.custom_call @foo(%a) {backend_config = "", mhlo.backend_config = {x = 1 : i32}} : (tensor<2x3x4xf32>) -> tensor<f32>)");
}

TEST_CASE("ops of other dialects") {
  check_ops("%a: tensor<2xf32>", R"(
    check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32>
    "check.expect_close"(%a, %a) {max_ulp_difference = 3 : ui64} : (tensor<2xf32>, tensor<2xf32>) -> ()
    %0 = chlo._asin_acos_kernel %a : tensor<2xf32> -> tensor<2xf32>)");
}

TEST_CASE("ops of CHLO") {
  check_ops("%a: tensor<2x3xf32>", R"(
    %0 = chlo.erf %a : tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = chlo.next_after %a, %0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %2:2 = chlo.top_k(%1, k = 2, is_stable = true) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %3 = chlo.is_inf %2#0 : tensor<2x2xf32> -> tensor<2x2xi1>)");
  check_ops("%a: tensor<2x3xf32>, %b: tensor<3xf32>", R"(
    %0:2 = chlo.scan(%a) inits (%b) dimension = 0 attributes {is_reverse = true} {
    ^bb0(%1: tensor<3xf32>, %2: tensor<3xf32>):
      %3 = stablehlo.add %1, %2 : tensor<3xf32>
      stablehlo.return %3, %3 : tensor<3xf32>, tensor<3xf32>
    } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
    %4 = chlo.scan(%a) inits () dimension = 1 {
    ^bb0(%5: tensor<2xf32>):
      stablehlo.return %5 : tensor<2xf32>
    } : (tensor<2x3xf32>) -> tensor<2x3xf32>)");
  check_ops("%a: tensor<4x5xf32>, %b: tensor<3x5x7xf32>, %c: tensor<3xi64>", R"(
    %0 = "chlo.ragged_dot"(%a, %b, %c) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>]}> : (tensor<4x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<4x7xf32>)");
}

TEST_CASE("constants that no text holds") {
  graph_storage<graph_sizes{.nodes = 3,
                            .values = 3,
                            .words = 32,
                            .types = 3,
                            .regions = 1,
                            .functions = 1,
                            .literals = 3,
                            .names = 1,
                            .characters = 8}>
      storage;
  graph g = storage.open();
  g.regions.push({});
  g.functions.push({g.intern_name("main"), 0, true});
  const tensor_type types[] = {type_of(dtype::f32, {2}), type_of(dtype::complex_f32, {2}), type_of(dtype::i8, {1, 2})};
  const index_t words[] = {0x3F800000, 0x7FC00000, 0x3F800000, 0, -1, 5};
  for (int i = 0; i < 3; ++i) {
    graph_node node;
    node.kind = kind_of_op<ops::constant>;
    node.region = 0;
    node.words = g.words.push(i);
    node.word_count = 1;
    node.results = g.values.push({g.intern_type(types[i]), i, 0, 0});
    node.result_count = 1;
    g.literals.push({graph_literal::place::words, g.words.size, 2});
    g.words.push(words[2 * i]), g.words.push(words[2 * i + 1]);
    g.nodes.push(node);
  }
  g.regions.data[0].last = 3;
  CHECK(print_program(g) == R"(func.func public @main() {
  %0 = stablehlo.constant dense<[0x3F800000, 0x7FC00000]> : tensor<2xf32>
  %1 = stablehlo.constant dense<(0x3F800000, 0x00000000)> : tensor<2xcomplex<f32>>
  %2 = stablehlo.constant dense<[[-1, 5]]> : tensor<1x2xi8>
  return
}
)");
}
