// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction.hpp>

#include "ops/evaluate.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

template <class T>
value sample(const ints& shape, unsigned state) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i) {
    state = state * 1664525u + 1013904223u;
    if constexpr (is_float(dtype_of<T>))
      elements.push_back(convert_to<T>(f32(state >> 20) / 4096 - 0.5f));
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

template <class T>
void check(const ops::dot_general& op, const ints& lhs_shape, const ints& rhs_shape) {
  const value lhs = sample<T>(lhs_shape, 1), rhs = sample<T>(rhs_shape, 2);
  const tensor_type result = result_type(op, {lhs.type, rhs.type});
  REQUIRE(result.is_tensor());
  const value expected = evaluate<T>(op, {lhs, rhs}, {result})[0];
  constexpr auto kernel = [](const ops::dot_general& self, const evaluation& e) { dot_general_kernel<T>(self, e); };
  const value got = evaluate<T>(by_kernel<ops::dot_general, kernel>{op}, {lhs, rhs}, {result})[0];
  CHECK(distance<T>(got, expected) <= (std::is_same_v<T, f64> ? 1e-13 : std::is_same_v<T, f32> ? 1e-4 : 0));
}

constexpr ops::dot_general contracting(const ints& lhs, const ints& rhs, const ints& lhs_batching = {},
                                       const ints& rhs_batching = {}) {
  return {.dot_dimension_numbers = {lhs_batching, rhs_batching, lhs, rhs}};
}

}  // namespace

TEST_CASE_TEMPLATE("dot_general_kernel: every arrangement of dimensions", T, f32, f64, i32, bf16) {
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

TEST_CASE("dot_general_kernel: a sum of another type than the operands") {
  const ops::dot_general op = contracting({1}, {0});
  const value lhs = sample<f32>({3, 9}, 1), rhs = sample<f32>({9, 4}, 2);
  constexpr auto kernel = [](const ops::dot_general& self, const evaluation& e) { dot_general_kernel<f32>(self, e); };
  const tensor_type wide = type_of(dtype::f64, {3, 4});
  const value got = evaluate<f32>(by_kernel<ops::dot_general, kernel>{op}, {lhs, rhs}, {wide})[0];
  CHECK(distance<f64>(got, evaluate<f32>(op, {lhs, rhs}, {wide})[0]) == 0);
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
  constexpr auto kernel = [](const ops::convolution& self, const evaluation& e) { convolution_kernel<T>(self, e); };
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
