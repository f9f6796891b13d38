// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

namespace {

// Doubles until 100 is passed.
constexpr auto grown = trace([](auto x, auto rate) {
  const auto [y, turns] = while_<at_most<9>>(
      x, tensor<i32>(0), [](auto at, auto) { return at < 100.0; },
      [=](auto at, auto k) { return results(at * rate + sin(at), k + 1); });
  return results(y, turns);
});
constexpr auto size_of_grown = trace([](auto x, auto rate) {
  const auto [y, turns] = grown(x, rate);
  return y * y;
});

struct outcome {
  double value, by_x, by_rate;
};
outcome expected(double x, double rate) {
  double by_x = 1, by_rate = 0;
  for (int turn = 0; turn < 9 && x < 100; ++turn) {
    const double slope = rate + std::cos(x);
    by_x *= slope, by_rate = by_rate * slope + x;
    x = x * rate + std::sin(x);
  }
  return {x * x, 2 * x * by_x, 2 * x * by_rate};
}

}  // namespace

TEST_CASE("loops with a bound") {
  for (const double start : {1.0, 30.0, 200.0, 0.001}) {
    const tensor<f64> x(start), rate(2.0);
    const outcome wanted = expected(start, 2);
    const auto [value, by_x, by_rate] = value_and_grad<0, 1>(size_of_grown)(x, rate);
    CHECK(value() == doctest::Approx(wanted.value));
    CHECK(by_x() == doctest::Approx(wanted.by_x));
    CHECK(by_rate() == doctest::Approx(wanted.by_rate));
    const auto [forward, along] = jvp<0>(size_of_grown)(x, rate, tensor<f64>(1.0));
    CHECK(along() == doctest::Approx(wanted.by_x));
    const double h = 1e-6;
    const auto second = hvp(size_of_grown)(x, rate, tensor<f64>(1.0));
    CHECK(second() ==
          doctest::Approx((expected(start + h, 2).by_x - expected(start - h, 2).by_x) / (2 * h)).epsilon(1e-5));
  }
}

namespace {

// x = cos(a x) + b, and what it is worth.
constexpr auto settled = trace([](auto a, auto b) {
  return sum(square(fixed_point([](auto x, auto p, auto q) { return cos(p * x) * 0.5 + q; }, b, a, b)));
});
constexpr auto captured =
    trace([](auto a, auto b) { return sum(square(fixed_point([=](auto x) { return cos(a * x) * 0.5 + b; }, b))); });
using vector2 = tensor<f64, 2>;

double solution(double a, double b) {
  double x = b;
  for (int turn = 0; turn < 1000; ++turn) x = std::cos(a * x) * 0.5 + b;
  return x;
}
// d x^2 by a and by b.
double by_a(double a, double b) {
  const double x = solution(a, b), slope = -0.5 * std::sin(a * x);
  return 2 * x * slope * x / (1 - slope * a);
}
double by_b(double a, double b) {
  const double x = solution(a, b), slope = -0.5 * std::sin(a * x);
  return 2 * x / (1 - slope * a);
}

template <class Function>
void check_fixed_point(Function f) {
  const vector2 a{0.7, 1.1}, b{0.3, -0.2}, along{1, 2};
  const auto [of_a, of_b] = grad<0, 1>(f)(a, b);
  const auto [value, change] = jvp<0>(f)(a, b, along);
  const vector2 second = hvp(f)(a, b, along), forward = grad<mode::forward>(f)(a, b);
  double total = 0;
  for (index_t i = 0; i < 2; ++i) {
    CHECK(of_a(i) == doctest::Approx(by_a(a(i), b(i))));
    CHECK(of_b(i) == doctest::Approx(by_b(a(i), b(i))));
    CHECK(forward(i) == doctest::Approx(of_a(i)));
    total += along(i) * of_a(i);
    const double h = 1e-5;
    CHECK(second(i) ==
          doctest::Approx(along(i) * (by_a(a(i) + h, b(i)) - by_a(a(i) - h, b(i))) / (2 * h)).epsilon(1e-6));
  }
  CHECK(change() == doctest::Approx(total));
}

}  // namespace

TEST_CASE("fixed points") {
  check_fixed_point(settled);
  check_fixed_point(captured);
}
