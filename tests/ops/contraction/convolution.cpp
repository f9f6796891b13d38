// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/convolution.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
constexpr convolution_dimension_numbers channels_last{0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}};
constexpr ops::convolution plain{.dimension_numbers = channels_last};

// Types.

constexpr tensor_type image = type_of(dtype::f32, {1, 8, 8, 6}), kernel = type_of(dtype::f32, {3, 3, 6, 16});
static_assert(result_type(plain, {image, kernel}) == type_of(dtype::f32, {1, 6, 6, 16}));
static_assert(result_type(ops::convolution{.window_strides = {2, 3},
                                           .padding = {{1, 1}, {-1, 0}},
                                           .lhs_dilation = {1, 2},
                                           .rhs_dilation = {2, 1},
                                           .dimension_numbers = channels_last},
                          {image, kernel}) == type_of(dtype::f32, {1, 3, 4, 16}));
// [f, b, 0]x[o, 0, i]->[0, f, b]
constexpr convolution_dimension_numbers mixed{1, 0, {2}, 2, 0, {1}, 2, 1, {0}};
static_assert(result_type(ops::convolution{.dimension_numbers = mixed},
                          {type_of(dtype::f32, {4, 2, 9}), type_of(dtype::f32, {5, 3, 4})}) ==
              type_of(dtype::f32, {7, 5, 2}));
static_assert(result_type(ops::convolution{.dimension_numbers = channels_last, .feature_group_count = 3},
                          {image, type_of(dtype::f32, {3, 3, 2, 6})}) == type_of(dtype::f32, {1, 6, 6, 6}));
static_assert(result_type(ops::convolution{.dimension_numbers = channels_last, .batch_group_count = 2},
                          {type_of(dtype::f32, {4, 8, 8, 6}), kernel}) == type_of(dtype::f32, {2, 6, 6, 16}));
static_assert(result_type(plain, {type_of(dtype::i4, {1, 8, 8, 6}), type_of(dtype::i4, {3, 3, 6, 16})},
                          {type_of(dtype::i8, {1, 6, 6, 16})}) == type_of(dtype::i8, {1, 6, 6, 16}));
constexpr ops::convolution no_window{.dimension_numbers = {.input_feature_dimension = 1,
                                                           .kernel_output_feature_dimension = 1,
                                                           .output_feature_dimension = 1}};
static_assert(result_type(no_window, {f32_2x3, f32_3x2}) == type_of(dtype::f32, {2, 2}));

// Broken rules.

constexpr std::string_view broken(const ops::convolution& op, const tensor_type& lhs = image,
                                  const tensor_type& rhs = kernel, std::initializer_list<tensor_type> declared = {}) {
  return broken_by(op, {lhs, rhs}, declared, {}, &quantized_details);
}
constexpr ops::convolution with(void (*change)(ops::convolution&)) {
  ops::convolution op = plain;
  change(op);
  return op;
}
using op = ops::convolution;
static_assert(broken(plain).empty());
static_assert(broken(plain, token) == "convolution_i1");
static_assert(broken(plain, image, token) == "convolution_i2");
static_assert(broken(plain, image, type_of(dtype::f32, {3, 3, 6})) == "convolution_c1");
static_assert(broken(plain, type_of(dtype::f32, {1}), type_of(dtype::f32, {3})) == "convolution_c1");
static_assert(broken(with([](op& c) { c.window_strides = {1}; })) == "convolution_c2");
static_assert(broken(with([](op& c) { c.window_strides = {1, 0}; })) == "convolution_c3");
static_assert(broken(with([](op& c) { c.padding = {{1, 1}, {1, 1}, {1, 1}}; })) == "convolution_c4");
static_assert(broken(with([](op& c) { c.padding = {{1, 1, 1}, {1, 1, 1}}; })) == "convolution_c4");
static_assert(broken(with([](op& c) { c.lhs_dilation = {1}; })) == "convolution_c5");
static_assert(broken(with([](op& c) { c.lhs_dilation = {0, 1}; })) == "convolution_c6");
static_assert(broken(with([](op& c) { c.rhs_dilation = {1}; })) == "convolution_c7");
static_assert(broken(with([](op& c) { c.rhs_dilation = {0, 1}; })) == "convolution_c8");
static_assert(broken(with([](op& c) { c.window_reversal = {1}; })) == "convolution_c9");
static_assert(broken(with([](op& c) { c.batch_group_count = 2; })) == "convolution_c10");
static_assert(broken(with([](op& c) { c.feature_group_count = 4; })) == "convolution_c11");
static_assert(broken(with([](op& c) { c.dimension_numbers.input_spatial_dimensions = {1}; })) == "convolution_c12");
static_assert(broken(with([](op& c) { c.dimension_numbers.input_feature_dimension = 0; })) == "convolution_c13");
static_assert(broken(with([](op& c) { c.dimension_numbers.input_batch_dimension = 4; })) == "convolution_c13");
static_assert(broken(plain, image, type_of(dtype::f32, {3, 3, 5, 16})) == "convolution_c14");
static_assert(broken(with([](op& c) { c.batch_group_count = 3; }), type_of(dtype::f32, {3, 8, 8, 6})) ==
              "convolution_c15");
static_assert(broken(with([](op& c) { c.feature_group_count = 3; }), image, type_of(dtype::f32, {3, 3, 2, 16})) ==
              "convolution_c16");
static_assert(broken(with([](op& c) { c.dimension_numbers.kernel_spatial_dimensions = {0, 1, 2}; })) ==
              "convolution_c17");
static_assert(broken(with([](op& c) { c.dimension_numbers.kernel_input_feature_dimension = 3; })) == "convolution_c18");
static_assert(broken(with([](op& c) { c.dimension_numbers.output_spatial_dimensions = {1}; })) == "convolution_c19");
static_assert(broken(with([](op& c) { c.dimension_numbers.output_batch_dimension = -1; })) == "convolution_c20");
static_assert(broken(with([](op& c) { c.feature_group_count = 0; })) == "convolution_c21");
static_assert(broken(with([](op& c) { c.batch_group_count = 0; })) == "convolution_c22");
static_assert(broken(with([](op& c) { c.feature_group_count = c.batch_group_count = 2; })) == "convolution_c23");
static_assert(broken(with([](op& c) { c.precision_config = {precision::HIGH}; })) == "convolution_c24");
static_assert(broken(plain, image, kernel, {type_of(dtype::f32, {2, 6, 6, 16})}) == "convolution_c25");
static_assert(broken(plain, image, kernel, {type_of(dtype::f32, {1, 6, 16})}) == "convolution_c26");
static_assert(broken(plain, image, type_of(dtype::f64, {3, 3, 6, 16})) == "convolution_c27");
static_assert(broken(plain, image, kernel, {type_of(dtype::i32, {1, 6, 6, 16})}) == "convolution_c27");

constexpr ints image_shape{1, 4, 4, 1}, weights_shape{3, 3, 1, 3}, result_shape{1, 2, 2, 3};
constexpr tensor_type q_image = quantized(dtype::i8, 1, image_shape);
constexpr tensor_type q_weights = quantized(dtype::i8, 2, weights_shape);
constexpr tensor_type q_result = quantized(dtype::i8, 1, result_shape);
static_assert(broken(plain, q_image, q_weights, {q_result}).empty());
static_assert(broken(plain, type_of(dtype::f32, image_shape), q_weights).empty());
static_assert(broken(plain, type_of(dtype::f32, image_shape), q_weights, {q_result}) == "convolution_c28");
// Parameters 6 run along dimension 1, 5 along dimension 0.
static_assert(broken(plain, q_image, quantized(dtype::i8, 6, weights_shape), {q_result}) == "convolution_c29");
constexpr convolution_dimension_numbers kernel_output_first{0, 3, {1, 2}, 3, 1, {0, 2}, 0, 3, {1, 2}};
static_assert(broken({.dimension_numbers = kernel_output_first}, q_image, quantized(dtype::i8, 6, {3, 3, 3, 1}),
                     {quantized(dtype::i8, 6, result_shape)}) == "convolution_c30");
static_assert(broken(plain, q_image, quantized(dtype::i4, 3, weights_shape), {q_result}) == "convolution_c31");
static_assert(broken(plain, q_image, q_weights, {quantized(dtype::i8, 4, result_shape)}) == "convolution_c32");
static_assert(broken(plain, q_image, q_weights, {quantized(dtype::i8, 6, result_shape)}) == "convolution_c33");
static_assert(broken(plain, type_of(dtype::bf16, image_shape), q_weights) == "convolution_c34");

// The maps.

constexpr tensor_type operands_of_map[] = {image, kernel};
static_assert(plain.reads(0, {operands_of_map, 2}, result_type(plain, {image, kernel})).result_count == 4);
static_assert(plain.reads(1, {operands_of_map, 2}, result_type(plain, {image, kernel})).result_count == 4);

// The definition: pad, then a window at a time, group by group.
std::vector<i64> defined(const ops::convolution& c, const value& lhs, const value& rhs, const ints& shape) {
  const convolution_dimension_numbers& n = c.dimension_numbers;
  const std::vector<i64> a = lhs.as<i64>(), b = rhs.as<i64>();
  const ints &lhs_shape = lhs.type.shape, &rhs_shape = rhs.type.shape;
  const auto or_one = [](const ints& values, int i) { return values.empty() ? 1 : values[i]; };
  std::vector<i64> result;
  for_each_index(shape, [&](const ints& index) {
    const index_t feature = index[n.output_feature_dimension], features = shape[n.output_feature_dimension];
    const index_t feature_group = feature / (features / c.feature_group_count);
    const index_t batch_group = feature / (features / c.batch_group_count);
    ints range = rhs_shape.select(n.kernel_spatial_dimensions);
    range.push(rhs_shape[n.kernel_input_feature_dimension]);
    i64 sum = 0;
    for_each_index(range, [&](const ints& place) {
      const index_t inner = place[place.size - 1];
      ints from = ints::filled(lhs_shape.size, 0), with = ints::filled(rhs_shape.size, 0);
      from.set(n.input_batch_dimension,
               batch_group * shape[n.output_batch_dimension] + index[n.output_batch_dimension]);
      from.set(n.input_feature_dimension, feature_group * rhs_shape[n.kernel_input_feature_dimension] + inner);
      with.set(n.kernel_input_feature_dimension, inner);
      with.set(n.kernel_output_feature_dimension, feature);
      for (int i = 0; i < n.input_spatial_dimensions.size; ++i) {
        const index_t at = index[n.output_spatial_dimensions[i]] * or_one(c.window_strides, i) +
                           place[i] * or_one(c.rhs_dilation, i) - c.padding(i, 0);
        if (at < 0 || at % or_one(c.lhs_dilation, i) != 0) return;
        if (at / or_one(c.lhs_dilation, i) >= lhs_shape[n.input_spatial_dimensions[i]]) return;
        from.set(n.input_spatial_dimensions[i], at / or_one(c.lhs_dilation, i));
        with.set(n.kernel_spatial_dimensions[i],
                 c.window_reversal[i] != 0 ? rhs_shape[n.kernel_spatial_dimensions[i]] - 1 - place[i] : place[i]);
      }
      sum += a[std::size_t(offset_of(lhs_shape, from))] * b[std::size_t(offset_of(rhs_shape, with))];
    });
    result.push_back(sum);
  });
  return result;
}

void check_against_definition(const ops::convolution& c, const ints& lhs_shape, const ints& rhs_shape) {
  const value lhs = counting<i64>(lhs_shape), rhs = counting<i64>(rhs_shape);
  REQUIRE(broken(c, lhs.type, rhs.type) == "");
  const tensor_type result = result_type(c, {lhs.type, rhs.type});
  CHECK(evaluate<i64>(c, {lhs, rhs}, {result})[0].as<i64>() == defined(c, lhs, rhs, result.shape));
}

}  // namespace

TEST_CASE("convolution: the specification's example") {
  const value lhs = tensor_of<i64>({1, 4, 4, 1}, {1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17});
  const value rhs = tensor_of<i64>({3, 3, 1, 1}, std::vector<i64>(9, 1));
  const ops::convolution c{.window_strides = {4, 4}, .lhs_dilation = {2, 2}, .dimension_numbers = channels_last};
  CHECK(evaluate<i64>(c, {lhs, rhs}, {type_of(dtype::i64, {1, 2, 2, 1})})[0].as<i64>() ==
        std::vector<i64>{10, 26, 46, 62});
}

TEST_CASE("convolution: one spatial dimension, every combination of small attributes") {
  const convolution_dimension_numbers numbers{0, 1, {2}, 1, 0, {2}, 0, 1, {2}};
  for (index_t size : {1, 4, 5})
    for (index_t window : {1, 2, 3})
      for (index_t stride : {1, 2})
        for (index_t lhs_dilation : {1, 3})
          for (index_t rhs_dilation : {1, 2})
            for (index_t low : {-1, 0, 2})
              for (index_t high : {-2, 0, 1})
                for (index_t reversed : {0, 1})
                  check_against_definition({.window_strides = {stride},
                                            .padding = {{low, high}},
                                            .lhs_dilation = {lhs_dilation},
                                            .rhs_dilation = {rhs_dilation},
                                            .window_reversal = {reversed},
                                            .dimension_numbers = numbers},
                                           {2, 2, size}, {3, 2, window});
}

TEST_CASE("convolution: groups and orders of dimensions") {
  check_against_definition(plain, {2, 5, 4, 3}, {2, 3, 3, 4});
  check_against_definition({.padding = {{1, 1}, {2, 0}}, .dimension_numbers = channels_last, .feature_group_count = 2},
                           {2, 5, 4, 4}, {2, 3, 2, 6});
  check_against_definition({.dimension_numbers = channels_last, .feature_group_count = 4}, {2, 5, 4, 4}, {2, 3, 1, 8});
  check_against_definition({.dimension_numbers = channels_last, .batch_group_count = 3}, {6, 5, 4, 2}, {2, 3, 2, 6});
  check_against_definition({.window_strides = {2}, .dimension_numbers = mixed}, {4, 2, 9}, {5, 3, 4});
  check_against_definition({.window_reversal = {1, 0}, .dimension_numbers = {3, 2, {1, 0}, 0, 2, {3, 1}, 1, 0, {3, 2}}},
                           {5, 6, 3, 2}, {3, 2, 4, 3});
  check_against_definition(no_window, {3, 4}, {4, 2});
}

TEST_CASE("convolution: more output features than are summed side by side") {
  for (index_t outputs : {16, 19, 33}) check_against_definition(plain, {2, 4, 3, 3}, {2, 2, 3, outputs});
  check_against_definition({.dimension_numbers = channels_last, .feature_group_count = 2}, {1, 3, 3, 6}, {2, 2, 3, 40});
  check_against_definition({.dimension_numbers = channels_last, .batch_group_count = 2}, {4, 3, 3, 2}, {2, 2, 2, 34});
}

TEST_CASE("convolution: empty windows and empty sums") {
  check_against_definition(plain, {1, 2, 2, 1}, {3, 3, 1, 1});
  check_against_definition(plain, {1, 4, 4, 0}, {3, 3, 0, 2});
  check_against_definition(plain, {0, 4, 4, 1}, {3, 3, 1, 2});
}

TEST_CASE("convolution: the sum has the type of the result") {
  const ops::convolution c{.dimension_numbers = {0, 1, {2}, 1, 0, {2}, 0, 1, {2}}};
  const value lhs = tensor_of<i8>({1, 1, 2}, {100, 100}), rhs = tensor_of<i8>({1, 1, 2}, {100, 27});
  CHECK(evaluate<i8>(c, {lhs, rhs}, {type_of(dtype::i32, {1, 1, 1})})[0].as<i32>()[0] == 12700);
  const std::vector<f16> ones(4000, f16(1.0f));
  const value a = tensor_of<f16>({1, 1, 4000}, ones);
  CHECK(f32(evaluate<f16>(c, {a, a}, {type_of(dtype::f16, {1, 1, 1})})[0].as<f16>()[0]) == 4000);
}
