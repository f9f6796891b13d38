// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction.hpp>
#include <tenon/ops/contraction/dot.hpp>
#include <tenon/ops/contraction/einsum.hpp>

#include "kernels/divided.hpp"
#include "ops/evaluate.hpp"

#include <doctest/doctest.h>
#include <shared/inference.hpp>

#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
value sample(const ints& shape, unsigned state) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i) {
    state = state * 1664525u + 1013904223u;
    const f32 fraction = f32(state >> 20) / 4096 - 0.5f;
    if constexpr (is_complex(dtype_of<T>))
      elements.push_back(T{fraction, f32(state >> 8 & 0xFFF) / 4096 - 0.5f});
    else if constexpr (is_float(dtype_of<T>))
      elements.push_back(convert_to<T>(fraction));
    else
      elements.push_back(convert_to<T>(i32(state >> 24)));
  }
  return tensor_of<T>(shape, elements);
}

// An op that is computed by the kernel instead of its own code.
template <class Op, auto Kernel>
struct by_kernel : Op {
  template <class T>
  void evaluate(const evaluation& e) const {
    Kernel(static_cast<const Op&>(*this), e);
  }
};

template <class R>
double distance(const value& a, const value& b) {
  const std::vector<R> x = a.as<R>(), y = b.as<R>();
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::fabs(convert_to<f64>(x[i]) - convert_to<f64>(y[i]));
    worst = difference > worst || std::isnan(difference) ? difference : worst;
  }
  return worst;
}

template <class T, class R = T>
void check(const ops::dot_general& op, const ints& lhs_shape, const ints& rhs_shape) {
  const value lhs = sample<T>(lhs_shape, 1), rhs = sample<T>(rhs_shape, 2);
  const tensor_type result = result_type(op, {lhs.type, rhs.type}).with_element(dtype_of<R>);
  REQUIRE(result.is_tensor());
  const value expected = evaluate<T>(op, {lhs, rhs}, {result})[0];
  constexpr auto kernel = [](const ops::dot_general& self, const evaluation& e) {
    REQUIRE(multiply_matrices<T>(joined_product(self.product(e.operand_types, e.details)), e));
  };
  const double tolerance = std::is_same_v<T, f64> ? 1e-13 : std::is_same_v<T, f32> ? 1e-4 : 0;
  const value got = evaluate<T>(by_kernel<ops::dot_general, kernel>{op}, {lhs, rhs}, {result})[0];
  CHECK(distance<R>(got, expected) <= tolerance);
}

constexpr ops::dot_general contracting(const ints& lhs, const ints& rhs, const ints& lhs_batching = {},
                                       const ints& rhs_batching = {}) {
  return {.dot_dimension_numbers = {lhs_batching, rhs_batching, lhs, rhs}};
}

}  // namespace

TEST_CASE_TEMPLATE("multiply_matrices: every arrangement of dimensions", T, f32, f64, i32, ui32) {
  check<T>(contracting({1}, {0}), {13, 37}, {37, 29});
  check<T>(contracting({0}, {0}), {37, 13}, {37, 29});
  check<T>(contracting({1}, {1}), {13, 37}, {29, 37});
  check<T>(contracting({0}, {1}), {37, 13}, {29, 37});
  check<T>(contracting({0}, {0}), {37}, {37});
  check<T>(contracting({1}, {0}), {13, 37}, {37});
  check<T>(contracting({0}, {0}), {37, 13}, {37});
  check<T>(contracting({0}, {0}), {37}, {37, 13});
  check<T>(contracting({0}, {1}), {37}, {13, 37});
  check<T>(contracting({}, {}), {5}, {9});
  check<T>(contracting({}, {}), {}, {});
  check<T>(contracting({}, {}, {0}, {1}), {3}, {2, 3});
  check<T>(contracting({2}, {1}, {0}, {0}), {3, 5, 7}, {3, 7, 11});
  check<T>(contracting({2, 0}, {1, 3}, {1}, {2}), {2, 3, 4, 5}, {6, 4, 3, 2});
  check<T>(contracting({1, 2}, {2, 0}, {0, 3}, {3, 1}), {2, 3, 4, 5}, {4, 5, 3, 2, 2});
  check<T>(contracting({1, 3}, {0, 1}), {4, 3, 2, 5}, {3, 5, 6});
  check<T>(contracting({3}, {1}, {0, 2}, {0, 2}), {2, 9, 3, 8}, {2, 8, 3, 10});
  check<T>(contracting({1}, {0}), {3, 0}, {0, 5});
  check<T>(contracting({1}, {0}), {0, 4}, {4, 5});
  check<T>(contracting({0, 2}, {0, 1}), {0, 4, 3}, {0, 3, 5});
}

namespace {

template <class T, class R>
void check_narrow() {
  // Rows, columns and depths around the sizes of vectors, panels, tiles and blocks.
  for (index_t m : {1, 2, 7, 9, 65, 130})
    for (index_t n : {1, 15, 16, 17, 33, 130})
      for (index_t k : {1, 3, 17, 40}) {
        check<T, R>(contracting({1}, {0}), {m, k}, {k, n});
        check<T, R>(contracting({0}, {1}), {k, m}, {n, k});
      }
  check<T, R>(contracting({1}, {0}), {1, 190}, {190, 700});
  check<T, R>(contracting({2}, {1}, {0}, {0}), {3, 5, 7}, {3, 7, 11});
  check<T, R>(contracting({1}, {0}), {3, 0}, {0, 5});
  check<T, R>(contracting({0}, {0}), {37}, {37});
  check<T, R>(contracting({}, {}), {5}, {9});
}

}  // namespace

TEST_CASE("multiply_matrices: narrow elements, bit for bit") {
  check_narrow<bf16, f32>();
  check_narrow<bf16, bf16>();
  check_narrow<f16, f32>();
  check_narrow<f16, f16>();
  check_narrow<f8E4M3FN, f32>();
  check_narrow<i8, i32>();
  check_narrow<i8, i8>();
  check_narrow<ui8, ui32>();
  check_narrow<i16, i32>();
  check_narrow<ui16, ui16>();
  check<i8, i32>(contracting({1}, {0}), {9, 800}, {800, 70});
  check<i16, i16>(contracting({1}, {0}), {70, 400}, {400, 9});
}

namespace {

// The results of the kernel and of the definition; whether tiles are to make them.
template <class T>
void check_complex(const ops::dot_general& op, const value& lhs, const value& rhs, bool by_tiles) {
  using part = typename T::value_type;
  const tensor_type result = result_type(op, {lhs.type, rhs.type});
  const std::vector<part> expected = evaluate<T>(op, {lhs, rhs}, {result})[0].template as<part>();
  static bool made_by_tiles;
  constexpr auto kernel = [](const ops::dot_general& self, const evaluation& e) {
    made_by_tiles = multiply_matrices<T>(joined_product(self.product(e.operand_types, e.details)), e);
    if (!made_by_tiles) contraction_kernel<ops::dot_general, T>(e);
  };
  const std::vector<part> got =
      evaluate<T>(by_kernel<ops::dot_general, kernel>{op}, {lhs, rhs}, {result})[0].template as<part>();
  CHECK(made_by_tiles == by_tiles);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isfinite(expected[i]))
      CHECK(std::abs(got[i] - expected[i]) <= (std::is_same_v<part, f64> ? 1e-12 : 1e-4));
    else
      CHECK((std::isnan(expected[i]) ? std::isnan(got[i]) : got[i] == expected[i]));
  }
}
template <class T>
void check_complex(const ops::dot_general& op, const ints& lhs, const ints& rhs, bool by_tiles = true) {
  check_complex<T>(op, sample<T>(lhs, 1), sample<T>(rhs, 2), by_tiles);
}

}  // namespace

TEST_CASE_TEMPLATE("multiply_matrices: complex numbers", T, complex<f32>, complex<f64>) {
  if constexpr (has_product_tiles<dtype_of<T>>) {
    // Rows, columns and depths around the sizes of vectors, panels, tiles and blocks.
    for (index_t m : {2, 7, 9, 19})
      for (index_t n : {2, 3, 8, 9, 17, 40})
        for (index_t k : {1, 2, 17}) {
          check_complex<T>(contracting({1}, {0}), {m, k}, {k, n});
          check_complex<T>(contracting({0}, {1}), {k, m}, {n, k});
        }
    check_complex<T>(contracting({1}, {0}), {5, 200}, {200, 270});
    check_complex<T>(contracting({1}, {1}), {5, 200}, {270, 200});
    check_complex<T>(contracting({0}, {0}), {37, 13}, {37, 29});
    check_complex<T>(contracting({2}, {1}, {0}, {0}), {3, 5, 7}, {3, 7, 11});
    check_complex<T>(contracting({2, 0}, {1, 3}, {1}, {2}), {2, 3, 4, 5}, {6, 4, 3, 2});
    check_complex<T>(contracting({1, 2}, {2, 0}, {0, 3}, {3, 1}), {2, 3, 4, 5}, {4, 5, 3, 2, 2}, false);
    check_complex<T>(contracting({1}, {0}), {3, 0}, {0, 5});
  }
  check_complex<T>(contracting({1}, {0}), {13, 37}, {37}, false);
  check_complex<T>(contracting({0}, {1}), {37}, {13, 37}, false);
  check_complex<T>(contracting({0}, {0}), {37}, {37}, false);
}

TEST_CASE("multiply_matrices: complex infinities are not recovered") {
  const f32 infinity = std::numeric_limits<f32>::infinity();
  using c = complex<f32>;
  const value lhs = tensor_of<c>({2, 2}, {c{infinity, 1}, c{1, 2}, c{0, 2}, c{infinity, infinity}});
  const value rhs = tensor_of<c>({2, 2}, {c{2, 3}, c{0, 1}, c{1, 1}, c{3, -infinity}});
  check_complex<c>(contracting({1}, {0}), lhs, rhs, true);
}

TEST_CASE("multiply_matrices: what it has no lanes for") {
  const ops::dot_general op = contracting({1}, {0});
  const auto taken = [&]<class T>(T, dtype result) {
    const value lhs = sample<T>({3, 9}, 1), rhs = sample<T>({9, 4}, 2);
    static bool answer;
    constexpr auto kernel = [](const ops::dot_general& self, const evaluation& e) {
      answer = multiply_matrices<T>(joined_product(self.product(e.operand_types, e.details)), e);
      self.template evaluate<T>(e);
    };
    evaluate<T>(by_kernel<ops::dot_general, kernel>{op}, {lhs, rhs}, {type_of(result, {3, 4})});
    return answer;
  };
  CHECK_FALSE(taken(f32{}, dtype::f64));
  CHECK_FALSE(taken(bf16{}, dtype::f16));
  CHECK_FALSE(taken(i8{}, dtype::i64));
  CHECK_FALSE(taken(i32{}, dtype::i64));
  CHECK(taken(bf16{}, dtype::f32));
  CHECK(taken(i8{}, dtype::i32));
}

TEST_CASE("contraction_kernel: einsum is a product whatever the order of its letters") {
  struct details : type_details {
    std::string_view config;
    constexpr std::string_view name_of(int) const override { return config; }
  };
  const auto check_text = [](std::string_view config, const ints& lhs_shape, const ints& rhs_shape) {
    CAPTURE(std::string(config));
    details known;
    known.config = config;
    const ints shapes[] = {lhs_shape, rhs_shape};
    const ops::einsum_plan plan(config, shapes, 2);
    REQUIRE(plan.valid);
    const tensor_type result = type_of(dtype::f32, plan.result);
    const value lhs = sample<f32>(lhs_shape, 1), rhs = sample<f32>(rhs_shape, 2);
    const ops::einsum op{.einsum_config = {0}};
    constexpr auto kernel = [](const ops::einsum& self, const evaluation& e) {
      REQUIRE(multiply_matrices<f32>(joined_product(self.product(e.operand_types, e.details)), e));
    };
    const surroundings around{.regions = {}, .signatures = {}, .details = &known};
    const value expected = evaluate<f32>(op, {lhs, rhs}, {result}, around)[0];
    const value got = evaluate<f32>(by_kernel<ops::einsum, kernel>{op}, {lhs, rhs}, {result}, around)[0];
    CHECK(distance<f32>(got, expected) <= 1e-4);
  };
  check_text("ij,jk->ik", {13, 37}, {37, 29});
  check_text("ij,jk->ki", {13, 37}, {37, 29});
  check_text("bij,bjk->bik", {3, 5, 7}, {3, 7, 9});
  check_text("bij,bjk->ikb", {3, 5, 7}, {3, 7, 9});
  check_text("ij,ij->", {5, 7}, {5, 7});
  check_text("ij,ij->ij", {5, 7}, {5, 7});
  check_text("i,j->ji", {5}, {7});
  check_text("ii,i->i", {5, 5}, {5});
  check_text("ii,ij->j", {5, 5}, {5, 7});
  check_text("ij,k->ik", {5, 7}, {3});
  check_text("...ij,...jk->...ik", {2, 1, 5, 7}, {3, 7, 4});
  check_text("ab,cb->ac", {1, 6}, {4, 6});
  check_text("aib,bjc->acij", {2, 3, 4}, {4, 5, 6});
  check_text("ij,jk->ik", {3, 0}, {0, 4});
}

namespace {

constexpr convolution_dimension_numbers channels_last{0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}};
constexpr convolution_dimension_numbers channels_first{0, 1, {2, 3}, 1, 0, {2, 3}, 0, 1, {2, 3}};

template <class T>
void check(const ops::convolution& op, const ints& lhs_shape, const ints& rhs_shape) {
  const value lhs = sample<T>(lhs_shape, 1), rhs = sample<T>(rhs_shape, 2);
  const tensor_type result = result_type(op, {lhs.type, rhs.type});
  REQUIRE(broken_by(op, {lhs.type, rhs.type}) == "");
  const value expected = evaluate<T>(op, {lhs, rhs}, {result})[0];
  constexpr auto kernel = [](const ops::convolution& self, const evaluation& e) {
    if constexpr (has_tiles<T>)
      if (tiled_convolution<T>(self, e).run()) return;
    self.template evaluate<T>(e);
  };
  const value got = evaluate<T>(by_kernel<ops::convolution, kernel>{op}, {lhs, rhs}, {result})[0];
  CHECK(distance<T>(got, expected) <= (std::is_same_v<T, f64> ? 1e-13 : std::is_same_v<T, f32> ? 1e-4 : 0));
}

// The sizes of a convolution, put where the dimension numbers say.
struct sizes {
  index_t batch, features, outputs;
  ints spatial, window;
};
template <class T>
void check(ops::convolution op, const sizes& s) {
  const convolution_dimension_numbers& n = op.dimension_numbers;
  ints lhs = ints::filled(s.spatial.size + 2, 0), rhs = lhs;
  lhs.set(n.input_batch_dimension, s.batch);
  lhs.set(n.input_feature_dimension, s.features);
  rhs.set(n.kernel_input_feature_dimension, s.features / op.feature_group_count);
  rhs.set(n.kernel_output_feature_dimension, s.outputs);
  for (int d = 0; d < s.spatial.size; ++d) {
    lhs.set(n.input_spatial_dimensions[d], s.spatial[d]);
    rhs.set(n.kernel_spatial_dimensions[d], s.window[d]);
  }
  check<T>(op, lhs, rhs);
}

}  // namespace

TEST_CASE_TEMPLATE("convolution_kernel: layouts and attributes", T, f32, f64) {
  const convolution_dimension_numbers orders[] = {
      channels_last,
      channels_first,
      {0, 3, {1, 2}, 1, 0, {2, 3}, 0, 3, {1, 2}},
      {0, 1, {2, 3}, 2, 3, {0, 1}, 0, 3, {1, 2}},
      {3, 0, {2, 1}, 3, 1, {2, 0}, 1, 0, {2, 3}},
      {0, 3, {1, 2}, 2, 3, {0, 1}, 1, 2, {0, 3}},
  };
  for (const convolution_dimension_numbers& numbers : orders) {
    ops::convolution op{.dimension_numbers = numbers};
    check<T>(op, {2, 5, 7, {6, 9}, {3, 2}});
    check<T>(op, {1, 1, 33, {5, 5}, {1, 1}});
    check<T>(op, {1, 37, 2, {4, 20}, {2, 3}});
    op.padding = {{1, 2}, {2, 0}};
    check<T>(op, {2, 5, 20, {6, 9}, {3, 3}});
    op.padding = {{-1, 1}, {3, -2}};
    check<T>(op, {1, 3, 9, {6, 11}, {3, 4}});
    op.window_strides = {2, 3};
    check<T>(op, {2, 4, 9, {8, 11}, {3, 2}});
    op.window_reversal = {1, 1};
    check<T>(op, {2, 4, 9, {8, 11}, {3, 2}});
    op.rhs_dilation = {1, 2};
    check<T>(op, {1, 4, 9, {8, 11}, {3, 2}});
    op.lhs_dilation = {2, 3};
    op.padding = {{4, 4}, {5, 1}};
    check<T>(op, {1, 4, 9, {4, 5}, {3, 2}});
    ops::convolution grouped{.padding = {{1, 1}, {1, 1}}, .dimension_numbers = numbers, .feature_group_count = 3};
    check<T>(grouped, {2, 12, 6, {5, 6}, {3, 3}});
    check<T>(grouped, {1, 3, 12, {5, 6}, {3, 3}});
    grouped.feature_group_count = 1;
    grouped.batch_group_count = 2;
    check<T>(grouped, {4, 3, 10, {5, 6}, {3, 3}});
  }
}

TEST_CASE_TEMPLATE("convolution_kernel: sums that are longer than a block", T, f32, f64) {
  for (const convolution_dimension_numbers& numbers : {channels_last, channels_first}) {
    ops::convolution op{.padding = {{1, 1}, {1, 1}}, .dimension_numbers = numbers};
    check<T>(op, {1, 70, 17, {5, 6}, {3, 3}});
    check<T>(op, {1, 401, 5, {3, 3}, {3, 3}});
    check<T>(op, {1, 2, 3, {8, 9}, {7, 8}});
  }
}

TEST_CASE_TEMPLATE("convolution_kernel: one channel in, one out", T, f32, f64) {
  for (index_t channels : {2, 3, 15, 16, 17, 63, 64, 65, 130})
    for (const convolution_dimension_numbers& numbers : {channels_last, channels_first}) {
      ops::convolution op{.window_strides = {1, 2}, .padding = {{1, 0}, {1, 1}}, .dimension_numbers = numbers};
      op.feature_group_count = channels;
      check<T>(op, {2, channels, channels, {4, 5}, {3, 2}});
    }
}

TEST_CASE_TEMPLATE("convolution_kernel: planes, each with weights of its own", T, f32, f64) {
  for (index_t width : {3, 15, 16, 17, 33, 40, 70})
    for (index_t stride : {1, 2, 3}) {
      ops::convolution op{
          .window_strides = {1, stride}, .padding = {{1, 1}, {2, 1}}, .dimension_numbers = channels_first};
      op.feature_group_count = 3;
      check<T>(op, {2, 3, 3, {4, width}, {3, 3}});
      op.window_reversal = {1, 1};
      op.rhs_dilation = {2, 1};
      check<T>(op, {1, 3, 3, {5, width}, {2, 2}});
      op.padding = {{0, 0}, {-1, 0}};
      op.lhs_dilation = {2, 1};
      check<T>(op, {1, 3, 3, {5, width}, {2, 2}});
      ops::convolution line{.window_strides = {stride}, .dimension_numbers = {0, 1, {2}, 1, 0, {2}, 0, 1, {2}}};
      line.feature_group_count = 2;
      check<T>(line, {2, 2, 2, {width}, {3}});
    }
}

TEST_CASE_TEMPLATE("convolution_kernel: other numbers of dimensions, and empty ones", T, f32, f64) {
  check<T>(ops::convolution{.dimension_numbers = {0, 1, {}, 0, 1, {}, 0, 1, {}}}, {3, 5, 7, {}, {}});
  check<T>(ops::convolution{.padding = {{2, 1}}, .dimension_numbers = {0, 2, {1}, 1, 2, {0}, 0, 2, {1}}},
           {2, 5, 20, {9}, {4}});
  check<T>(ops::convolution{.dimension_numbers = {0, 4, {1, 2, 3}, 3, 4, {0, 1, 2}, 0, 4, {1, 2, 3}}},
           {1, 3, 17, {4, 5, 6}, {2, 3, 2}});
  check<T>(ops::convolution{.dimension_numbers = channels_last}, {1, 3, 4, {2, 2}, {3, 3}});
  check<T>(ops::convolution{.dimension_numbers = channels_last}, {1, 0, 4, {4, 4}, {3, 3}});
  check<T>(ops::convolution{.padding = {{INT64_MIN / 2, INT64_MAX / 2}, {0, 0}}, .dimension_numbers = channels_last},
           {1, 2, 20, {4, 4}, {2, 2}});
}

TEST_CASE("convolution_kernel: other types are left to the op") {
  check<i32>(ops::convolution{.padding = {{1, 1}, {1, 1}}, .dimension_numbers = channels_last},
             {1, 3, 4, {5, 5}, {3, 3}});
  check<bf16>(ops::convolution{.dimension_numbers = channels_first}, {1, 3, 4, {5, 5}, {3, 3}});
}

namespace {

template <class T, class R = T>
void check_by_threads(const ops::dot_general& op, const ints& lhs_shape, const ints& rhs_shape) {
  CAPTURE(lhs_shape.at[0]);
  const value lhs = sample<T>(lhs_shape, 1), rhs = sample<T>(rhs_shape, 2);
  const tensor_type result = result_type(op, {lhs.type, rhs.type}).with_element(dtype_of<R>);
  check_divided([](const evaluation& e) { contraction_kernel<ops::dot_general, T>(e); }, op, {lhs, rhs}, {result});
}

}  // namespace

TEST_CASE("products are divided by rows, columns and batches, and give the same bits") {
  // Few rows, which are read in place; whole blocks and what is left of them; more rows than columns.
  check_by_threads<f32>(contracting({1}, {0}), {5, 301}, {301, 1003});
  check_by_threads<f32>(contracting({1}, {0}), {67, 205}, {205, 131});
  check_by_threads<f64>(contracting({1}, {0}), {331, 197}, {197, 19});
  check_by_threads<f32>(contracting({0}, {1}), {205, 97}, {131, 205});
  // Vectors, whose sums are formed along rows or across them.
  check_by_threads<f32>(contracting({1}, {0}), {1301, 1009}, {1009});
  check_by_threads<f32>(contracting({0}, {0}), {1009, 1301}, {1009, 1});
  check_by_threads<f32>(contracting({1}, {0}), {1, 1009}, {1009, 1301});
  // Batches, more and fewer than there are workers; sums over two dimensions, which no matrix joins.
  check_by_threads<f32>(contracting({2}, {1}, {0}, {0}), {13, 40, 50}, {13, 50, 60});
  check_by_threads<f64>(contracting({1}, {2}, {0}, {0}), {2, 90, 70}, {2, 110, 90});
  check_by_threads<f32>(contracting({0, 2}, {2, 0}), {9, 61, 31}, {31, 71, 9});
  // Narrow elements, and integers.
  check_by_threads<bf16>(contracting({1}, {0}), {67, 205}, {205, 131});
  check_by_threads<bf16, f32>(contracting({1}, {0}), {1, 1009}, {1009, 1301});
  check_by_threads<i8, i32>(contracting({1}, {0}), {67, 205}, {205, 131});
  check_by_threads<ui8>(contracting({1}, {0}), {205, 131}, {131, 67});
  check_by_threads<complex<f32>>(contracting({1}, {0}), {67, 205}, {205, 131});
  check_by_threads<complex<f32>>(contracting({0}, {1}), {205, 131}, {67, 205});
}

TEST_CASE("products that are linked: the bits of those that are not") {
  const auto check_known = [](const ops::dot_general& op, const ints& lhs_shape, const ints& rhs_shape) {
    const std::vector<value> operands{sample<f32>(lhs_shape, 1), sample<f32>(rhs_shape, 2)};
    const tensor_type result = result_type(op, {operands[0].type, operands[1].type});
    const tensor_type types[] = {operands[0].type, operands[1].type};
    const joined_product linked(op.product({types, 2}, nullptr));
    const auto by = [&](kernel run, const joined_product* product) {
      const auto call = [=](const evaluation& e) {
        evaluation known = e;
        known.product = product;
        run(known);
      };
      return evaluate_by(call, op, operands, {result})[0].bytes;
    };
    const auto wanted = by(&contraction_kernel<ops::dot_general, f32>, nullptr);
    CHECK(by(&contraction_kernel<ops::dot_general, f32>, &linked) == wanted);
  };
  check_known(contracting({1}, {0}), {7, 30}, {30, 19});
  check_known(contracting({0}, {1}), {30, 7}, {19, 30});
  check_known(contracting({2}, {1}, {0}, {0}), {3, 7, 30}, {3, 30, 19});
}
