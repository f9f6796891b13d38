// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/notation.hpp>

#include <tenon/text/known_ops.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::stablehlo_programs;

// What an op says of itself, or what follows from its dialect, its attributes and its regions.
static_assert(notation_of_op<ops::add>() == op_notation::operands);
static_assert(notation_of_op<ops::tanh>() == op_notation::operands);
static_assert(notation_of_op<ops::zeta>() == op_notation::typed_operands);
static_assert(notation_of_op<ops::pad>() == op_notation::attributes);
static_assert(notation_of_op<ops::gather>() == op_notation::generic);
static_assert(notation_of_op<ops::sort>() == op_notation::generic);
static_assert(notation_of_op<ops::if_>() == op_notation::generic);
static_assert(notation_of_op<ops::while_>() == op_notation::while_);
static_assert(text::known_ops<text::op_set{}>.ops[kind_of_op<ops::pad>].notation == op_notation::attributes);

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

TEST_CASE("constants in parentheses") {
  const auto constant = [](const std::string& text) { return "%0 = stablehlo.constant" + text; };
  CHECK(label_of(body("", constant(" () {value = dense<7> : tensor<i32>} : () -> tensor<i32>"))) == "");
  CHECK(label_of(body("", constant("() {value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>"))) == "");
  CHECK(label_of(body("", constant("() {value = dense<7> : tensor<i32>} : () -> tensor<f32>"))) == "constant_c1");
  CHECK(label_of(body("", constant("() : () -> tensor<i32>"))) == "attribute");
  CHECK(label_of(body("%a: tensor<i32>", constant("(%a) {value = dense<7> : tensor<i32>} : (tensor<i32>) -> "
                                                  "tensor<i32>"))) == "operands");
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
  const graph_owner program = read_program(text);
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
