// SPDX-License-Identifier: Apache-2.0
#include <tenon/numpy/elementwise.hpp>

#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace tenon;

namespace {

const tensor<f64, 5> x{-3, -0.5, 0.25, 1, 40};

// Whether every element of an expression is what `expected` gives for that of x.
template <class Expression, class Function>
bool is(const Expression& expression, Function expected) {
  const tensor<f64, 5> values = expression;
  bool agree = true;
  for (int i = 0; i < 5; ++i) {
    const double wanted = expected(x(i));
    agree = agree && (std::fabs(double(values(i)) - wanted) <= 1e-14 * (1 + std::fabs(wanted)) ||
                      (std::isnan(wanted) && std::isnan(double(values(i)))));
  }
  return agree;
}

constexpr auto layer = trace([](auto values) { return silu(exp(values * 0.1)) + pow(values, 2); });

}  // namespace

TEST_CASE("functions of elements under NumPy's names") {
  CHECK(is(exp(x), [](double v) { return std::exp(v); }));
  CHECK(is(expm1(x), [](double v) { return std::expm1(v); }));
  CHECK(is(log1p(abs(x)), [](double v) { return std::log1p(std::fabs(v)); }));
  CHECK(is(sin(x), [](double v) { return std::sin(v); }));
  CHECK(is(cos(x), [](double v) { return std::cos(v); }));
  CHECK(is(pow(x, 3), [](double v) { return v * v * v; }));
  CHECK(is(pow(2, x), [](double v) { return std::exp2(v); }));
  CHECK(is(arctan2(x, 2.0), [](double v) { return std::atan2(v, 2.0); }));
  CHECK(is(clip(x, -1, 1), [](double v) { return v < -1 ? -1 : v > 1 ? 1 : v; }));
  const tensor<f32, 3> special{1, std::numeric_limits<f32>::infinity(), std::numeric_limits<f32>::quiet_NaN()};
  CHECK(equal(evaluate(isfinite(special)), tensor<bool, 3>{true, false, false}));
  CHECK(equal(evaluate(isinf(special)), tensor<bool, 3>{false, true, false}));
}

TEST_CASE("activations") {
  CHECK(is(sigmoid(x), [](double v) { return 1 / (1 + std::exp(-v)); }));
  CHECK(is(silu(x), [](double v) { return v / (1 + std::exp(-v)); }));
  CHECK(is(softplus(x), [](double v) { return v > 30 ? v : std::log1p(std::exp(v)); }));
  CHECK(is(gelu<false>(x), [](double v) { return v * 0.5 * std::erfc(-v / std::sqrt(2.0)); }));
  CHECK(is(gelu(x), [](double v) {
    return 0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (v + 0.044715 * v * v * v)));
  }));
  CHECK(is(layer(x), [](double v) {
    const double e = std::exp(v * 0.1);
    return e / (1 + std::exp(-e)) + v * v;
  }));
}

TEST_CASE("variances and labels") {
  const tensor<f32, 2, 3> values{{1, 2, 3}, {4, 9, 5}};
  CHECK(equal(evaluate(var<ints{0}>(values)), tensor<f32, 3>{2.25, 12.25, 1}));
  CHECK(evaluate(var(values))() == doctest::Approx(40.0 / 6));
  CHECK(equal(evaluate(one_hot<4>(tensor<i32, 3>{2, 0, 7})),
              tensor<f32, 3, 4>{{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}}));
}
