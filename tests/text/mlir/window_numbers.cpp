// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/window_numbers.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::stablehlo_programs;

namespace {

std::string with_numbers(std::string_view numbers) {
  return body("%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>",
              "%0 = stablehlo.convolution(%x, %w) dim_numbers = " + std::string(numbers) +
                  ", window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
                  "(tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>");
}

// The sentence of the error, and the characters of the text from there on.
struct refusal {
  std::string label, sentence, from;
};
refusal refused(std::string_view numbers) {
  const std::string text = with_numbers(numbers);
  const graph_owner program = read_program(text);
  REQUIRE(program.error());
  return {program.error().label, program.error().sentence, text.substr(std::size_t(program.error().byte), 6)};
}

}  // namespace

TEST_CASE("the short form of the dimensions of a convolution") {
  const auto numbers = [](std::string_view text) {
    const std::string program = with_numbers(text);
    return first<ops::convolution>(read_program(program)).dimension_numbers;
  };
  const convolution_dimension_numbers plain = numbers("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
  CHECK(plain.input_batch_dimension == 0);
  CHECK(plain.input_feature_dimension == 3);
  CHECK(plain.input_spatial_dimensions == ints{1, 2});
  CHECK(plain.kernel_input_feature_dimension == 2);
  CHECK(plain.kernel_output_feature_dimension == 3);
  CHECK(plain.kernel_spatial_dimensions == ints{0, 1});
  CHECK(plain.output_batch_dimension == 0);
  CHECK(plain.output_feature_dimension == 3);
  CHECK(plain.output_spatial_dimensions == ints{1, 2});
  // Spatial dimensions have numbers of their own, in any order.
  const convolution_dimension_numbers turned = numbers("[b,1,0,f]x[1, 0,i , o]->[b,\n 1, 0, f]");
  CHECK(turned.input_spatial_dimensions == ints{2, 1});
  CHECK(turned.kernel_spatial_dimensions == ints{1, 0});
  CHECK(turned.output_spatial_dimensions == ints{2, 1});
}

TEST_CASE("what the short form lacks is said where it lacks") {
  const auto check = [](std::string_view numbers, std::string_view sentence, std::string_view from) {
    CAPTURE(numbers);
    const refusal found = refused(numbers);
    CHECK(found.label == "syntax");
    CHECK(found.sentence == sentence);
    CHECK(found.from == from);
  };
  check("[b, 0, 1, f][0, 1, i, o]->[b, 0, 1, f]", "x is expected between window numbers", "[0, 1,");
  check("[b, 0, 1, f]x[0, 1, i, o] [b, 0, 1, f]", "-> is expected between window numbers", "[b, 0,");
  check("b, 0, 1, f", "[ is expected, as in [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "b, 0, ");
  check("[b, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f]", "the dimension is given twice", "b]x[0,");
  check("[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]", "the dimension is given twice", "0, f]x");
  check("[b, 0, 9, f]x[0, 1, i, o]->[b, 0, 1, f]", "spatial dimensions are numbered from 0", "9, f]x");
  check("[b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f]", "spatial dimensions are numbered from 0", "b, 0, ");
  check("[b, 0, 1, 2]x[0, 1, i, o]->[b, 0, 1, f]", "a dimension is missing among the window numbers", "b, 0, ");
  check("[b, 0, 1, f]x[0, 1, i, 2]->[b, 0, 1, f]", "a dimension is missing among the window numbers", "0, 1, ");
  check("[]x[]->[]", "a dimension is missing among the window numbers", "]x[]->");
  check("[b, 0, 1, f x[0, 1, i, o]->[b, 0, 1, f]", "] is expected", "x[0, 1");
}
