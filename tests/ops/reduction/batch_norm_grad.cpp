// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/batch_norm_grad.hpp>
#include <tenon/ops/reduction/batch_norm_inference.hpp>
#include <tenon/ops/reduction/batch_norm_training.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr tensor_type f32_3 = type_of(dtype::f32, {3}), f32_2 = type_of(dtype::f32, {2}),
                      f64_3 = type_of(dtype::f64, {3}), q8_3 = quantized(dtype::i8, 1, {3});

// Types.

constexpr std::string_view broken(std::initializer_list<tensor_type> operands, index_t feature_index = 1,
                                  std::initializer_list<tensor_type> declared = {}) {
  return broken_by_quantized(ops::batch_norm_grad{0, feature_index}, operands, declared);
}
static_assert(result_type(ops::batch_norm_grad{0, 1}, {f32_2x3, f32_3, f32_3, f32_3, f32_2x3}) == f32_2x3);
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_2x3}, 1, {f32_2x3, f32_3, f32_3}).empty());
static_assert(broken({q8_2x3, q8_3, q8_3, q8_3, q8_2x3}, 1, {other_scale_2x3, q8_3, q8_3}).empty());

// Broken rules.

static_assert(broken({f32_2x3, f32_3}) == "operands");
static_assert(broken({i32_2x3, f32_3, f32_3, f32_3, f32_2x3}) == "batch_norm_grad_i1");
static_assert(broken({f32_2x3, f32_2x3, f32_3, f32_3, f32_2x3}) == "batch_norm_grad_i2");
static_assert(broken({f32_2x3, f32_3, f32_2x3, f32_3, f32_2x3}) == "batch_norm_grad_i3");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_2x3, f32_2x3}) == "batch_norm_grad_i4");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, i32_2x3}) == "batch_norm_grad_i5");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_2x3}, 2) == "batch_norm_grad_c1");
static_assert(broken({f32_2x3, f32_3, f64_3, f32_3, f32_2x3}) == "batch_norm_grad_c2");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_2x3}, 1, {f32_2x3, f64_3, f32_3}) == "batch_norm_grad_c2");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_3x2}) == "batch_norm_grad_c3");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_2x3}, 1, {f32_3x2, f32_3, f32_3}) == "batch_norm_grad_c3");
static_assert(broken({f32_2x3, f32_3, f32_2, f32_3, f32_2x3}) == "batch_norm_grad_c4");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_2, f32_2x3}) == "batch_norm_grad_c4");
static_assert(broken({f32_2x3, f32_3, f32_3, f32_3, f32_2x3}, 1, {f32_2x3, f32_3, f32_2}) == "batch_norm_grad_c4");
static_assert(broken({f32_2x3, f32_2, f32_2, f32_2, f32_2x3}) == "batch_norm_grad_c5");

}  // namespace

TEST_CASE("batch_norm_grad: the specification's example") {
  const value ones = tensor_of<f64>({2}, {1, 1});
  const tensor_type cube = type_of(dtype::f64, {2, 2, 2}), vector = type_of(dtype::f64, {2});
  const std::vector<value> results =
      evaluate<f64>(ops::batch_norm_grad{0, 2},
                    {tensor_of<f64>({2, 2, 2}, {1, 2, 3, 4, 3, 4, 1, 2}), ones, tensor_of<f64>({2}, {2, 3}), ones,
                     tensor_of<f64>({2, 2, 2}, std::vector<f64>(8, 0.1))},
                    {cube, vector, vector});
  CHECK(results[0].as<f64>() == std::vector<f64>(8, 0));
  CHECK(results[1].as<f64>() == std::vector<f64>{0, 0});
  CHECK(results[2].as<f64>() == std::vector<f64>{0.4, 0.4});
}

// The derivative of sum(grad_output * batch_norm(x)) by differences.
TEST_CASE("batch_norm_grad: the derivative of batch_norm_training") {
  constexpr int count = 5;
  const double x[count] = {0.3, -1.2, 2.5, 0.7, 1.1}, grad[count] = {0.2, -0.4, 1.3, 0.6, -0.9};
  const double scale = 1.7, offset = 0.25, epsilon = float(0.01);
  const auto loss = [&](int changed, double by, double scale_by, double offset_by) {
    double mean = 0, variance = 0, total = 0, y[count];
    for (int i = 0; i < count; ++i) mean += (y[i] = x[i] + (i == changed ? by : 0)) / count;
    for (double v : y) variance += (v - mean) * (v - mean) / count;
    for (int i = 0; i < count; ++i)
      total += grad[i] * ((scale + scale_by) * (y[i] - mean) / std::sqrt(variance + epsilon) + offset + offset_by);
    return total;
  };
  double mean = 0, variance = 0;
  for (double v : x) mean += v / count;
  for (double v : x) variance += (v - mean) * (v - mean) / count;
  const auto column = [](const double* values) {
    return tensor_of<f64>({count, 1}, std::vector<f64>(values, values + count));
  };
  const tensor_type vector = type_of(dtype::f64, {1});
  const std::vector<value> results =
      evaluate<f64>(ops::batch_norm_grad{epsilon, 1},
                    {column(x), tensor_of<f64>({1}, {scale}), tensor_of<f64>({1}, {mean}),
                     tensor_of<f64>({1}, {variance}), column(grad)},
                    {type_of(dtype::f64, {count, 1}), vector, vector});
  const double h = 1e-6;
  for (int i = 0; i < count; ++i)
    CHECK(results[0].as<f64>()[std::size_t(i)] ==
          doctest::Approx((loss(i, h, 0, 0) - loss(i, -h, 0, 0)) / (2 * h)).epsilon(1e-6));
  CHECK(results[1].as<f64>()[0] == doctest::Approx((loss(-1, 0, h, 0) - loss(-1, 0, -h, 0)) / (2 * h)).epsilon(1e-6));
  CHECK(results[2].as<f64>()[0] == doctest::Approx((loss(-1, 0, 0, h) - loss(-1, 0, 0, -h)) / (2 * h)).epsilon(1e-6));
}

// The same numbers, feature after feature and element after element.
TEST_CASE("batch_norm: features side by side give what features apart give") {
  for (index_t features : {1, 2, 63, 64, 65, 130}) {
    constexpr index_t rows = 9;
    std::vector<f32> last(std::size_t(rows * features)), first = last, grad_last = last, grad_first = last;
    std::vector<f32> scale, offset, mean, variance;
    for (index_t f = 0; f < features; ++f) {
      for (index_t i = 0; i < rows; ++i) {
        last[std::size_t(i * features + f)] = first[std::size_t(f * rows + i)] = f32((i * 7 + f * 3) % 11) * 0.3f - 1;
        grad_last[std::size_t(i * features + f)] = grad_first[std::size_t(f * rows + i)] =
            f32((i * 5 + f) % 13) * 0.2f - 1;
      }
      scale.push_back(f32(f % 3) + 0.5f);
      offset.push_back(f32(f % 5) - 2);
      mean.push_back(f32(f % 7) * 0.1f);
      variance.push_back(f32(f % 4) + 0.25f);
    }
    const ints vector{features}, features_last{rows, features}, features_first{features, rows};
    const auto of = [&](const std::vector<f32>& each) { return tensor_of<f32>(vector, each); };
    const auto same = [&](const value& by_last, const value& by_first) {
      const std::vector<f32> a = by_last.as<f32>(), b = by_first.as<f32>();
      for (index_t f = 0; f < features; ++f)
        for (index_t i = 0; i < rows; ++i)
          REQUIRE(a[std::size_t(i * features + f)] == doctest::Approx(b[std::size_t(f * rows + i)]));
    };
    const auto same_vectors = [](const value& by_last, const value& by_first) {
      const std::vector<f32> a = by_last.as<f32>(), b = by_first.as<f32>();
      for (std::size_t f = 0; f < a.size(); ++f) CHECK(a[f] == doctest::Approx(b[f]));
    };
    const value x = tensor_of<f32>(features_last, last), y = tensor_of<f32>(features_first, first);
    const value g = tensor_of<f32>(features_last, grad_last), h = tensor_of<f32>(features_first, grad_first);
    const tensor_type small = type_of(dtype::f32, vector);
    const auto grad_a = evaluate<f32>(ops::batch_norm_grad{1e-3f, 1}, {x, of(scale), of(mean), of(variance), g},
                                      {x.type, small, small});
    const auto grad_b = evaluate<f32>(ops::batch_norm_grad{1e-3f, 0}, {y, of(scale), of(mean), of(variance), h},
                                      {y.type, small, small});
    const auto trained_a =
        evaluate<f32>(ops::batch_norm_training{1e-3f, 1}, {x, of(scale), of(offset)}, {x.type, small, small});
    const auto trained_b =
        evaluate<f32>(ops::batch_norm_training{1e-3f, 0}, {y, of(scale), of(offset)}, {y.type, small, small});
    same(grad_a[0], grad_b[0]);
    same(trained_a[0], trained_b[0]);
    for (std::size_t i : {1u, 2u}) {
      same_vectors(grad_a[i], grad_b[i]);
      same_vectors(trained_a[i], trained_b[i]);
    }
    same(evaluate<f32>(ops::batch_norm_inference{1e-3f, 1}, {x, of(scale), of(offset), of(mean), of(variance)},
                       {x.type})[0],
         evaluate<f32>(ops::batch_norm_inference{1e-3f, 0}, {y, of(scale), of(offset), of(mean), of(variance)},
                       {y.type})[0]);
  }
}
