// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/tiled_convolution.hpp>

#include <tenon/kernels/table.hpp>

#include <kernels/divided.hpp>
#include <ops/evaluate.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

struct sample {
  const char* name;
  ops::convolution op;
  ints lhs, rhs, result;
};
constexpr convolution_dimension_numbers channels_last{0, 2, {1}, 1, 2, {0}, 0, 2, {1}},
    images_last{0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}}, of_weights{3, 0, {1, 2}, 0, 3, {1, 2}, 2, 3, {0, 1}},
    channels_first{0, 1, {2, 3}, 1, 0, {2, 3}, 0, 1, {2, 3}};

// One for each way in which pixels are found, with padding on both sides.
const std::vector<sample> samples = {
    {"a window of one", {.padding = {{1, 1}}, .dimension_numbers = channels_last}, {3, 4, 2}, {1, 2, 16}, {3, 6, 16}},
    {"runs of pixels and features",
     {.padding = {{2, 1}, {1, 2}}, .dimension_numbers = images_last},
     {2, 5, 6, 3},
     {3, 2, 3, 20},
     {2, 6, 8, 20}},
    {"holes between pixels",
     {.padding = {{2, 1}, {1, 2}}, .lhs_dilation = {1, 2}, .rhs_dilation = {1, 2}, .dimension_numbers = images_last},
     {2, 5, 6, 3},
     {3, 2, 3, 20},
     {2, 6, 12, 20}},
    {"phases of two dimensions",
     {.padding = {{2, 1}, {1, 2}}, .lhs_dilation = {2, 3}, .dimension_numbers = images_last},
     {2, 5, 6, 3},
     {3, 3, 3, 20},
     {2, 10, 17, 20}},
    {"phases under a window that is turned round",
     {.padding = {{2, 1}, {1, -1}},
      .lhs_dilation = {1, 2},
      .window_reversal = {true, true},
      .dimension_numbers = images_last},
     {2, 5, 6, 3},
     {3, 4, 3, 20},
     {2, 6, 8, 20}},
    {"phases whose sums are cut",
     {.padding = {{0, 0}, {2, 2}}, .lhs_dilation = {1, 2}, .dimension_numbers = images_last},
     {2, 3, 4, 100},
     {1, 4, 100, 9},
     {2, 3, 8, 9}},
    {"phases under strides and a dilated window",
     {.window_strides = {2, 1},
      .padding = {{1, 1}, {2, 2}},
      .lhs_dilation = {3, 2},
      .rhs_dilation = {1, 2},
      .dimension_numbers = images_last},
     {2, 5, 6, 3},
     {2, 2, 3, 20},
     {2, 7, 13, 20}},
    {"phases of which some see holes alone",
     {.padding = {{0, 1}, {0, 1}}, .lhs_dilation = {1, 2}, .dimension_numbers = images_last},
     {2, 5, 6, 3},
     {1, 1, 3, 20},
     {2, 6, 12, 20}},
    {"many images, some of whose pixels see padding alone",
     {.padding = {{1, 1}, {2, 8}}, .dimension_numbers = of_weights},
     {2, 6, 9, 19},
     {2, 5, 8, 20},
     {4, 12, 19, 20}},
    {"rows of pixels",
     {.window_strides = {1, 2}, .padding = {{1, 1}, {3, 1}}, .dimension_numbers = channels_first},
     {2, 3, 5, 9},
     {4, 3, 2, 3},
     {2, 4, 6, 6}},
    {"rows of pixels with holes",
     {.padding = {{1, 1}, {3, 1}}, .lhs_dilation = {2, 2}, .dimension_numbers = channels_first},
     {2, 3, 5, 9},
     {4, 3, 2, 3},
     {2, 4, 10, 19}},
    {"planes",
     {.padding = {{1, 1}, {1, 2}}, .dimension_numbers = channels_first, .feature_group_count = 4},
     {2, 4, 6, 11},
     {4, 1, 3, 3},
     {2, 4, 6, 12}},
    {"one matrix by another", {.dimension_numbers = images_last}, {2, 5, 11, 21}, {1, 1, 21, 39}, {2, 5, 11, 39}},
    {"a matrix of every other pixel",
     {.window_strides = {2, 2}, .dimension_numbers = images_last},
     {2, 5, 12, 21},
     {1, 1, 21, 39},
     {2, 3, 6, 39}},
    {"several blocks of pixels, features and sums",
     {.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images_last},
     {2, 7, 9, 70},
     {3, 3, 70, 290},
     {2, 7, 9, 290}},
    {"several groups of blocks",
     {.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images_last, .feature_group_count = 3},
     {2, 7, 9, 15},
     {3, 3, 5, 120},
     {2, 7, 9, 120}},
    {"many neighbours of one channel each",
     {.window_strides = {1, 2},
      .padding = {{2, 2}, {2, 2}},
      .dimension_numbers = images_last,
      .feature_group_count = 45},
     {2, 5, 23, 45},
     {5, 5, 1, 45},
     {2, 5, 12, 45}},
    {"channels under a large window",
     {.padding = {{4, 4}, {4, 4}}, .dimension_numbers = images_last, .feature_group_count = 20},
     {2, 9, 16, 20},
     {9, 9, 1, 20},
     {2, 9, 17, 20}},
    {"channels by themselves",
     {.padding = {{1, 1}, {0, 2}}, .dimension_numbers = images_last, .feature_group_count = 9},
     {2, 5, 6, 9},
     {3, 3, 1, 9},
     {2, 5, 6, 9}},
};

template <class T = float>
std::vector<T> elements(const ints& shape) {
  std::vector<T> result;
  for (index_t i = 0; i < shape.product(); ++i) {
    const float x = float(i * 37 % 17) * 0.5f - 4.0f;
    if constexpr (std::is_integral_v<T>)
      result.push_back(T(int(x * 30.0f)));
    else
      result.push_back(convert_to<T>(x));
  }
  return result;
}
bool is_in(index_t axis, int axes) { return (axes >> axis & 1) != 0; }
// With these axes the other way round.
template <class T>
std::vector<T> reversed(const ints& shape, const std::vector<T>& from, int axes) {
  const ints strides = strides_of(shape);
  std::vector<T> result;
  for_each_index(shape, [&](const ints& index) {
    index_t at = 0;
    for (int d = 0; d < shape.size; ++d) at += (is_in(d, axes) ? shape[d] - 1 - index[d] : index[d]) * strides[d];
    result.push_back(from[std::size_t(at)]);
  });
  return result;
}
template <class T, class R = T>
std::vector<R> run(const sample& of, const std::vector<T>& lhs, int axes_read_backwards) {
  const auto backwards = [&](evaluation e) {
    ints strides[] = {strides_of(of.lhs), strides_of(of.rhs)};
    const void* operands[] = {e.operands[0], e.operands[1]};
    index_t begin = 0;
    for (int d = 0; d < of.lhs.size; ++d)
      if (is_in(d, axes_read_backwards)) {
        begin += (of.lhs[d] - 1) * strides[0][d];
        strides[0].set(d, -strides[0][d]);
      }
    operands[0] = static_cast<const T*>(operands[0]) + begin;
    e.operands = {operands, 2};
    if (axes_read_backwards != 0) e.operand_strides = {strides, 2};
    kernel_of<ops::convolution, dtype_of<T>, dtype_of<R>>()(e);
  };
  return evaluate_by(backwards, of.op, {tensor_of(of.lhs, lhs), tensor_of(of.rhs, elements<T>(of.rhs))},
                     {type_of(dtype_of<R>, of.result)})[0]
      .template as<R>();
}
template <class T, class R = T>
std::vector<R> defined(const sample& of, const std::vector<T>& lhs) {
  return evaluate_by([&](const evaluation& e) { of.op.evaluate<T>(e); }, of.op,
                     {tensor_of(of.lhs, lhs), tensor_of(of.rhs, elements<T>(of.rhs))},
                     {type_of(dtype_of<R>, of.result)})[0]
      .template as<R>();
}
template <class T>
std::vector<unsigned char> bytes_of(const ints& shape, const std::vector<T>& elements) {
  return tensor_of(shape, elements).bytes;
}

template <class T, class R>
struct elements_and_sums {
  using element = T;
  using result = R;
};

}  // namespace

TEST_CASE("sums are those of the definition") {
  for (const sample& each : samples) {
    CAPTURE(std::string(each.name));
    const std::vector<float> image = elements(each.lhs);
    CHECK(run(each, image, 0) == defined(each, image));
  }
}

// All sums of these elements are exact in f32, and rounded once.
TEST_CASE_TEMPLATE("narrow elements and integers are summed up as wide ones", Types, elements_and_sums<f16, f16>,
                   elements_and_sums<bf16, bf16>, elements_and_sums<f16, f32>, elements_and_sums<f8E4M3FN, f8E4M3FN>,
                   elements_and_sums<i8, i32>, elements_and_sums<ui8, ui32>, elements_and_sums<i8, i8>,
                   elements_and_sums<i16, i16>, elements_and_sums<i32, i32>) {
  using T = typename Types::element;
  using R = typename Types::result;
  std::vector<sample> all = samples;
  all.push_back({"images that are widened one after the other",
                 {.padding = {{1, 0}, {0, 0}}, .dimension_numbers = images_last},
                 {5, 40, 30, 20},
                 {1, 1, 20, 30},
                 {5, 41, 30, 30}});
  all.push_back({"channels of images that are widened one after the other",
                 {.padding = {{1, 1}, {0, 0}}, .dimension_numbers = channels_first, .feature_group_count = 18},
                 {5, 18, 40, 30},
                 {18, 1, 1, 1},
                 {5, 18, 42, 30}});
  all.push_back({"rows of pixels of an image, under strides",
                 {.window_strides = {2, 1}, .padding = {{2, 2}, {0, 0}}, .dimension_numbers = images_last},
                 {1, 260, 70, 4},
                 {3, 1, 4, 8},
                 {1, 131, 70, 8}});
  all.push_back({"rows of pixels, some of which see padding alone",
                 {.padding = {{3, 130}, {0, 0}}, .dimension_numbers = images_last},
                 {1, 60, 80, 4},
                 {3, 1, 4, 8},
                 {1, 191, 80, 8}});
  all.push_back({"rows of pixels with holes",
                 {.padding = {{1, 2}, {0, 0}},
                  .lhs_dilation = {3, 1},
                  .rhs_dilation = {2, 1},
                  .window_reversal = {true, false},
                  .dimension_numbers = images_last},
                 {1, 60, 90, 4},
                 {3, 1, 4, 8},
                 {1, 177, 90, 8}});
  for (const sample& each : all) {
    CAPTURE(std::string(each.name));
    const std::vector<T> image = elements<T>(each.lhs);
    const auto expected = bytes_of(each.result, defined<T, R>(each, image));
    CHECK(bytes_of(each.result, run<T, R>(each, image, 0)) == expected);
    const int batch_and_rows = 1 | 2;
    if (each.lhs.size == 4)
      CHECK(bytes_of(each.result, run<T, R>(each, reversed(each.lhs, image, batch_and_rows), batch_and_rows)) ==
            expected);
  }
}

TEST_CASE("sums of narrow elements are rounded to these once") {
  static_assert(has_contraction_kernel<ops::convolution, dtype::f16> &&
                has_contraction_kernel<ops::convolution, dtype::i8>);
  // Elements by which sums in f32 are not exact.
  const sample each = {"sums of many products",
                       {.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images_last},
                       {1, 6, 7, 100},
                       {3, 3, 100, 24},
                       {1, 6, 7, 24}};
  std::vector<bf16> image;
  for (index_t i = 0; i < each.lhs.product(); ++i) image.push_back(convert_to<bf16>(1.0f / float(i % 23 + 3)));
  const std::vector<bf16> expected = defined(each, image), got = run(each, image, 0);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float want = convert_to<f32>(expected[i]);
    CHECK(std::abs(convert_to<f32>(got[i]) - want) <= std::abs(want) / 128 + 1e-3f);
  }
}

TEST_CASE("images that are read backwards give what their reversals give") {
  for (const sample& each : samples) {
    const std::vector<float> image = elements(each.lhs);
    const int batch = int(each.op.dimension_numbers.input_batch_dimension);
    for (int axes = 0; axes < 1 << each.lhs.size; ++axes) {
      // The last dimension of an image stays dense, but for those of one plane.
      if (is_in(each.lhs.size - 1, axes)) continue;
      CAPTURE(std::string(each.name));
      CAPTURE(axes);
      const std::vector<float> expected = run(each, reversed(each.lhs, image, axes), 0);
      REQUIRE(run(each, image, axes) == expected);
      // Padding is zero, but not all is padding.
      std::size_t zeros = 0;
      for (const float x : expected) zeros += x == 0;
      CHECK(zeros < expected.size() * 3 / 4);
      if (axes == 1 << batch) CHECK(expected != run(each, image, 0));
    }
  }
}

TEST_CASE("convolutions are divided by images, pixels and output features, and give the same bits") {
  const std::vector<sample> large = {
      {"runs of pixels and features",
       {.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images_last},
       {3, 19, 17, 13},
       {3, 3, 13, 37},
       {3, 19, 17, 37}},
      {"a window of one", {.dimension_numbers = images_last}, {1, 23, 29, 31}, {1, 1, 31, 67}, {1, 23, 29, 67}},
      {"groups",
       {.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images_last, .feature_group_count = 3},
       {1, 29, 31, 12},
       {3, 3, 4, 57},
       {1, 29, 31, 57}},
      {"holes between pixels",
       {.padding = {{2, 1}, {1, 2}}, .lhs_dilation = {1, 2}, .rhs_dilation = {1, 2}, .dimension_numbers = images_last},
       {2, 15, 16, 13},
       {3, 2, 13, 36},
       {2, 16, 32, 36}},
      {"phases",
       {.padding = {{1, 2}, {1, 2}}, .lhs_dilation = {2, 2}, .dimension_numbers = images_last},
       {3, 15, 16, 13},
       {3, 3, 13, 36},
       {3, 30, 32, 36}},
      {"many images",
       {.padding = {{1, 1}, {1, 1}}, .dimension_numbers = of_weights},
       {13, 9, 11, 19},
       {13, 3, 5, 37},
       {37, 9, 9, 19}},
      {"rows of pixels",
       {.window_strides = {1, 2}, .padding = {{1, 1}, {1, 1}}, .dimension_numbers = channels_first},
       {2, 11, 23, 41},
       {29, 11, 3, 3},
       {2, 29, 23, 21}},
      {"planes",
       {.padding = {{1, 1}, {1, 2}}, .dimension_numbers = channels_first, .feature_group_count = 21},
       {2, 21, 36, 51},
       {21, 1, 3, 3},
       {2, 21, 36, 52}},
      {"one matrix by another", {.dimension_numbers = images_last}, {2, 35, 31, 21}, {1, 1, 21, 39}, {2, 35, 31, 39}},
      {"several blocks of pixels, features and sums",
       {.padding = {{1, 1}, {1, 1}}, .dimension_numbers = images_last},
       {2, 7, 9, 70},
       {3, 3, 70, 290},
       {2, 7, 9, 290}},
      {"channels by themselves",
       {.padding = {{1, 1}, {0, 2}}, .dimension_numbers = images_last, .feature_group_count = 39},
       {2, 35, 36, 39},
       {3, 3, 1, 39},
       {2, 35, 36, 39}},
  };
  for (const sample& each : large) {
    CAPTURE(std::string(each.name));
    check_divided(kernel_of<ops::convolution, dtype::f32, dtype::f32>(), each.op,
                  {tensor_of(each.lhs, elements(each.lhs)), tensor_of(each.rhs, elements(each.rhs))},
                  {type_of(dtype::f32, each.result)});
    check_divided(kernel_of<ops::convolution, dtype::bf16, dtype::bf16>(), each.op,
                  {tensor_of(each.lhs, elements<bf16>(each.lhs)), tensor_of(each.rhs, elements<bf16>(each.rhs))},
                  {type_of(dtype::bf16, each.result)});
  }
}
