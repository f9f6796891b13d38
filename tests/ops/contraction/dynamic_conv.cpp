// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/dynamic_conv.hpp>

#include "ops/constants.hpp"
#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
constexpr ops::dynamic_conv plain{.dimension_numbers = {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}}};
constexpr tensor_type image = type_of(dtype::f32, {1, 8, 8, 6}), kernel = type_of(dtype::f32, {3, 3, 6, 16}),
                      padding = type_of(dtype::i64, {2, 2}), result = type_of(dtype::f32, {1, 8, 8, 16});

// Types.

static_assert(result_type(plain, {image, kernel, padding}, {result}) == result);
static_assert(result_type(plain, {image, kernel, padding}, {type_of(dtype::none, {1, 8, 8, 16})}) == result);
static_assert(result_type(plain,
                          {type_of(dtype::i8, {1, 8, 8, 6}), type_of(dtype::i8, {3, 3, 6, 16}),
                           type_of(dtype::i32, {2, 2})},
                          {type_of(dtype::i32, {1, 8, 8, 16})}) == type_of(dtype::i32, {1, 8, 8, 16}));

// Broken rules.

constexpr std::string_view broken(const ops::dynamic_conv& op, const tensor_type& lhs = image,
                                  const tensor_type& rhs = kernel, const tensor_type& declared = result,
                                  std::initializer_list<index_t> values = {1, 1, 1, 1}) {
  return broken_by_constants(op, {lhs, rhs, padding}, {declared}, {{}, {}, values});
}
constexpr ops::dynamic_conv with(void (*change)(ops::dynamic_conv&)) {
  ops::dynamic_conv op = plain;
  change(op);
  return op;
}
using op = ops::dynamic_conv;
static_assert(broken(plain).empty());
static_assert(broken(plain, token) == "dynamic_conv_i1");
static_assert(broken(plain, image, token) == "dynamic_conv_i2");
static_assert(broken_by(plain, {image, kernel, f32_2x3}, {result}) == "dynamic_conv_i3");
static_assert(broken(plain, image, type_of(dtype::f32, {3, 3, 6})) == "dynamic_conv_c1");
static_assert(broken(with([](op& c) { c.window_strides = {1}; })) == "dynamic_conv_c2");
static_assert(broken(with([](op& c) { c.window_strides = {1, 0}; })) == "dynamic_conv_c3");
static_assert(broken_by(plain, {image, kernel, type_of(dtype::i64, {2, 3})}, {result}) == "dynamic_conv_c4");
static_assert(broken(with([](op& c) { c.lhs_dilation = {1}; })) == "dynamic_conv_c5");
static_assert(broken(with([](op& c) { c.lhs_dilation = {0, 1}; })) == "dynamic_conv_c6");
static_assert(broken(with([](op& c) { c.rhs_dilation = {1}; })) == "dynamic_conv_c7");
static_assert(broken(with([](op& c) { c.rhs_dilation = {0, 1}; })) == "dynamic_conv_c8");
static_assert(broken(with([](op& c) { c.window_reversal = {1}; })) == "dynamic_conv_c9");
static_assert(broken(with([](op& c) { c.batch_group_count = 2; })) == "dynamic_conv_c10");
static_assert(broken(with([](op& c) { c.feature_group_count = 4; })) == "dynamic_conv_c11");
static_assert(broken(with([](op& c) { c.dimension_numbers.input_spatial_dimensions = {1}; })) == "dynamic_conv_c12");
static_assert(broken(with([](op& c) { c.dimension_numbers.input_feature_dimension = 0; })) == "dynamic_conv_c13");
static_assert(broken(plain, image, type_of(dtype::f32, {3, 3, 5, 16})) == "dynamic_conv_c14");
static_assert(broken(with([](op& c) { c.batch_group_count = 3; }), type_of(dtype::f32, {3, 8, 8, 6})) ==
              "dynamic_conv_c15");
static_assert(broken(with([](op& c) { c.feature_group_count = 3; }), image, type_of(dtype::f32, {3, 3, 2, 16})) ==
              "dynamic_conv_c16");
static_assert(broken(with([](op& c) { c.dimension_numbers.kernel_spatial_dimensions = {0, 1, 2}; })) ==
              "dynamic_conv_c17");
static_assert(broken(with([](op& c) { c.dimension_numbers.kernel_input_feature_dimension = 3; })) ==
              "dynamic_conv_c18");
static_assert(broken(with([](op& c) { c.dimension_numbers.output_spatial_dimensions = {1}; })) == "dynamic_conv_c19");
static_assert(broken(with([](op& c) { c.dimension_numbers.output_batch_dimension = 4; })) == "dynamic_conv_c20");
static_assert(broken(with([](op& c) { c.feature_group_count = 0; })) == "dynamic_conv_c21");
static_assert(broken(with([](op& c) { c.batch_group_count = 0; })) == "dynamic_conv_c22");
static_assert(broken(with([](op& c) { c.feature_group_count = c.batch_group_count = 2; })) == "dynamic_conv_c23");
static_assert(broken(with([](op& c) { c.precision_config = {precision::HIGH}; })) == "dynamic_conv_c24");
static_assert(broken(plain, image, kernel, result, {1, 1, 1, 0}) == "dynamic_conv_c25");
static_assert(broken_by(plain, {image, kernel, padding}) == "dynamic_conv_c25");
static_assert(broken_by(plain, {image, kernel, padding}, {type_of(dtype::f32, {2, 8, 8, 16})}) == "dynamic_conv_c25");
static_assert(broken(plain, image, kernel, type_of(dtype::f32, {1, 8, 8})) == "dynamic_conv_c26");
static_assert(broken(plain, image, type_of(dtype::f64, {3, 3, 6, 16})) == "dynamic_conv_c27");

constexpr ints image_shape{1, 4, 4, 1}, weights_shape{3, 3, 1, 3}, result_shape{1, 2, 2, 3};
constexpr std::string_view broken_quantized(const tensor_type& lhs, const tensor_type& rhs, const tensor_type& declared,
                                            const convolution_dimension_numbers& numbers = plain.dimension_numbers) {
  return broken_by(ops::dynamic_conv{.dimension_numbers = numbers}, {lhs, rhs, padding}, {declared}, {},
                   &quantized_details);
}
constexpr tensor_type q_image = quantized(dtype::i8, 1, image_shape);
constexpr tensor_type q_weights = quantized(dtype::i8, 2, weights_shape);
constexpr tensor_type q_result = quantized(dtype::i8, 1, result_shape);
static_assert(broken_quantized(q_image, q_weights, q_result).empty());
static_assert(broken_quantized(type_of(dtype::f32, image_shape), q_weights, q_result) == "dynamic_conv_c28");
static_assert(broken_quantized(q_image, quantized(dtype::i8, 6, weights_shape), q_result) == "dynamic_conv_c29");
static_assert(broken_quantized(q_image, quantized(dtype::i8, 6, {3, 3, 3, 1}), quantized(dtype::i8, 6, result_shape),
                               {0, 3, {1, 2}, 3, 1, {0, 2}, 0, 3, {1, 2}}) == "dynamic_conv_c30");
static_assert(broken_quantized(q_image, quantized(dtype::i4, 3, weights_shape), q_result) == "dynamic_conv_c31");
static_assert(broken_quantized(q_image, q_weights, quantized(dtype::i8, 4, result_shape)) == "dynamic_conv_c32");
static_assert(broken_quantized(q_image, q_weights, quantized(dtype::i8, 6, result_shape)) == "dynamic_conv_c33");
static_assert(broken_quantized(type_of(dtype::bf16, image_shape), q_weights, type_of(dtype::bf16, result_shape)) ==
              "dynamic_conv_c34");

}  // namespace

TEST_CASE("dynamic_conv: the padding comes at run time") {
  const ops::dynamic_conv c{.dimension_numbers = {0, 1, {2}, 1, 0, {2}, 0, 1, {2}}};
  const value lhs = counting<i32>({1, 1, 3}), rhs = tensor_of<i32>({1, 1, 2}, {1, 10});
  const auto run = [&](const value& amounts, index_t size) {
    return evaluate<i32>(c, {lhs, rhs, amounts}, {type_of(dtype::i32, {1, 1, size})})[0].as<i32>();
  };
  CHECK(run(tensor_of<i64>({1, 2}, {0, 0}), 2) == std::vector<i32>{21, 32});
  CHECK(run(tensor_of<i64>({1, 2}, {1, 2}), 5) == std::vector<i32>{10, 21, 32, 3, 0});
  CHECK(run(tensor_of<i8>({1, 2}, {-1, 1}), 2) == std::vector<i32>{32, 3});
}
