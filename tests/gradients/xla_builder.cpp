// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients.hpp>
#include <tenon/xla.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

namespace {

constexpr auto wave = xla::Build([] {
  const xla::Shape line = xla::ShapeUtil::MakeShape(xla::F64, {3}), number = xla::ShapeUtil::MakeShape(xla::F64, {});
  xla::XlaBuilder sum("sum"), b("wave");
  xla::Add(xla::Parameter(&sum, 0, number, "a"), xla::Parameter(&sum, 1, number, "b"));
  auto x = xla::Parameter(&b, 0, line, "x"), w = xla::Parameter(&b, 1, line, "w");
  xla::Reduce(xla::Mul(xla::Sin(x), w), xla::ConstantR0<f64>(&b, 0), sum.Build().value(), {0});
  return b.Build();
});

}  // namespace

TEST_CASE("gradients of computations of XLA's builder") {
  const tensor<f64, 3> x{1, 2, 3}, w{4, 5, 6}, v{1, -1, 2};
  const auto [value, by_x, by_w] = value_and_grad<0, 1>(wave)(x, w);
  const tensor<f64, 3> alone = grad(wave)(x, w);
  const auto [again, change] = jvp<0>(wave)(x, w, v);
  double total = 0, slope = 0;
  for (index_t i = 0; i < 3; ++i) {
    total += std::sin(x(i)) * w(i), slope += by_x(i) * v(i);
    CHECK(by_x(i) == doctest::Approx(std::cos(x(i)) * w(i)));
    CHECK(by_w(i) == doctest::Approx(std::sin(x(i))));
    CHECK(alone(i) == by_x(i));
  }
  CHECK(value() == doctest::Approx(total));
  CHECK(change() == doctest::Approx(slope));
}
