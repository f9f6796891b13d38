// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/tensor.hpp>
#include <tenon/gradients/derived_program.hpp>
#include <tenon/run/loaded_program.hpp>

#include <gradients/kernels.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>

using namespace tenon;

namespace {

using vector3 = tensor<f64, 3>;

constexpr std::string_view wave =
    R"(func.func @wave(%x: tensor<3xf64>, %n: tensor<i32>, %w: tensor<3xf64>) -> tensor<f64> {
  %0 = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.sine %x : tensor<3xf64>
  %2 = stablehlo.multiply %1, %w : tensor<3xf64>
  %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.add across dimensions = [0]
     : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %3 : tensor<f64>
})";
constexpr std::string_view endless = R"(func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %p = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f64>) -> tensor<2xf64>
  %y = stablehlo.while(%a = %p) : tensor<2xf64>
  cond {
    %one = stablehlo.constant dense<1.0> : tensor<f64>
    %s = stablehlo.slice %a [0:1] : (tensor<2xf64>) -> tensor<1xf64>
    %r = stablehlo.reshape %s : (tensor<1xf64>) -> tensor<f64>
    %c = stablehlo.compare LT, %r, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %b = stablehlo.reverse %a, dims = [0] : tensor<2xf64>
    %d = stablehlo.add %b, %b : tensor<2xf64>
    stablehlo.return %d : tensor<2xf64>
  }
  %e = stablehlo.slice %y [0:1] : (tensor<2xf64>) -> tensor<1xf64>
  %f = stablehlo.reshape %e : (tensor<1xf64>) -> tensor<f64>
  return %f : tensor<f64>
})";

std::string failure_of(const auto& f) {
  try {
    f();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("gradients of programs that are read") {
  load_options options;
  loaded_program f = [&] {
    const std::string name = "wave";
    options.entry = name;
    return loaded_program(wave, &find_wide_kernel, options);
  }();
  loaded_program by_w_and_x = value_and_grad(f, {2, 0}), by_x = grad(f);
  const vector3 x{1, 2, 3}, w{4, 5, 6}, v{1, -1, 2};
  const tensor<i32> n(7);
  tensor<f64> value, change;
  vector3 by_x_alone, by_x_too, by_w, second, by_x_again;
  by_w_and_x({x, n, w}, {value, by_w, by_x_too});
  by_x({x, n, w}, {by_x_alone});
  loaded_program along = jvp(f, {0}), back = vjp(f, {0});
  along({x, n, w, v}, {value, change});
  back({x, n, w, tensor<f64>(2.0)}, {value, by_x_again});
  // Of the gradient: the second derivatives times v.
  loaded_program again = vjp(by_x, {0});
  again({x, n, w, v}, {by_x_alone, second});
  double total = 0, slope = 0;
  for (index_t i = 0; i < 3; ++i) {
    total += std::sin(x(i)) * w(i), slope += std::cos(x(i)) * w(i) * v(i);
    CHECK(by_w(i) == doctest::Approx(std::sin(x(i))));
    CHECK(by_x_alone(i) == doctest::Approx(std::cos(x(i)) * w(i)));
    CHECK(by_x_too(i) == by_x_alone(i));
    CHECK(by_x_again(i) == doctest::Approx(2 * by_x_alone(i)));
    CHECK(second(i) == doctest::Approx(-std::sin(x(i)) * w(i) * v(i)));
  }
  CHECK(value() == doctest::Approx(total));
  CHECK(change() == doctest::Approx(slope));
}

TEST_CASE("what has no gradient is a failure that says why") {
  const loaded_program f(endless, &find_wide_kernel), g(wave, &find_wide_kernel), none("what", &find_wide_kernel);
  CHECK(failure_of([&] { grad(f); }).starts_with("line 3, column 3: grad_while: backwards"));
  CHECK(failure_of([&] { grad(g, {1}); }).starts_with("grad_argument: "));
  CHECK(failure_of([&] { grad(g, {3}); }).starts_with("grad_argument: "));
  CHECK(failure_of([&] { grad(none); }).starts_with("the program cannot be run: "));
  tensor<f64> x(0.3), dx(1.0), y, dy;
  jvp(f, {0})({x, dx}, {y, dy});
  CHECK(dy() == 4);
}
