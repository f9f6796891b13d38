// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients.hpp>
#include <tenon/tree.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

namespace {

using vector3 = tensor<f64, 3>;

struct line {
  BOOST_HANA_DEFINE_STRUCT(line, (vector3, slope), (tensor<f64>, offset));
};

constexpr auto clipped =
    custom_vjp(trace([](auto x) { return x * x; }),
               trace([](auto ct, auto y, auto x) { return clamp(-1.0, ct * 2.0 * x + 0.0 * y, 1.0); }));
constexpr auto straight = custom_jvp(trace([](auto x) { return floor(x); }), trace([](auto, auto dx) { return dx; }));
constexpr auto loss = trace([](auto x) { return sum(clipped(sin(x))) + sum(straight(x) * x); });

constexpr auto descend = trace([](auto parameters, auto x) {
  using namespace tree_arithmetic;
  constexpr auto loss_of = trace([](auto p, auto at) {
    auto [slope, offset] = p;
    return sum(slope * at) * offset;
  });
  const auto gradient = grad(loss_of)(parameters, x);
  return results(parameters - 0.5 * gradient, tree_map([](auto p, auto d) { return p * d; }, parameters, gradient));
});

}  // namespace

TEST_CASE("functions with rules of their own") {
  const vector3 x{0.5, 1.5, -2.5}, v{1, -1, 2};
  const auto [value, by_x] = value_and_grad(loss)(x);
  double expected = 0;
  for (index_t i = 0; i < 3; ++i) {
    const double s = std::sin(x(i)), slope = std::fmin(std::fmax(2 * s, -1), 1);
    expected += s * s + std::floor(x(i)) * x(i);
    CHECK(by_x(i) == doctest::Approx(slope * std::cos(x(i)) + std::floor(x(i)) + x(i)));
  }
  CHECK(value() == doctest::Approx(expected));
  constexpr auto rounded = trace([](auto a) { return sum(straight(a) * a); });
  const auto [y, dy] = jvp(rounded)(x, v);
  const vector3 forward = grad<mode::forward>(rounded)(x), backward = grad<mode::reverse>(rounded)(x);
  double along = 0;
  for (index_t i = 0; i < 3; ++i) {
    CHECK(forward(i) == doctest::Approx(std::floor(x(i)) + x(i)));
    CHECK(backward(i) == doctest::Approx(forward(i)));
    along += v(i) * forward(i);
  }
  CHECK(dy() == doctest::Approx(along));
}

TEST_CASE("arithmetic of trees") {
  line parameters;
  parameters.slope = vector3{1, 2, 3}, parameters.offset = 2.0;
  const auto [next, products] = descend(parameters, vector3{1, 0, -1});
  CHECK(next.slope(0) == 0);
  CHECK(next.slope(1) == 2);
  CHECK(next.slope(2) == 4);
  CHECK(next.offset() == 3);
  CHECK(products.slope(2) == -6);
  CHECK(products.offset() == -4);
}
