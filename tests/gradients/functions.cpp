// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients.hpp>
#include <tenon/programs.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

namespace {

constexpr auto wave = trace([](auto x, auto w) { return sum(sin(x * x) * w); });
constexpr auto stretched = trace([](auto x) { return x * broadcast_like(sum(x * x), x); });

constexpr auto inner = trace([](auto a, auto b) { return results(sin(a) * b, cos(b)); });

constexpr auto weighted = trace([](auto a, auto b) { return sum(a * b * b); });
constexpr auto cubes = trace([](auto a) { return sum(a * a * a); });

using vector3 = tensor<f64, 3>;
const vector3 x{1, 2, 3}, w{4, 5, 6}, v{1, -1, 2};

void check_near(const auto& a, const auto& b) {
  REQUIRE(a.size == b.size);
  for (index_t i = 0; i < a.size; ++i) CHECK(a.data()[i] == doctest::Approx(b.data()[i]));
}

}  // namespace

TEST_CASE("a value and its gradients") {
  const auto [value, by_w, by_x] = value_and_grad<1, 0>(wave)(x, w);
  double expected = 0;
  for (index_t i = 0; i < 3; ++i) {
    expected += std::sin(x(i) * x(i)) * w(i);
    CHECK(by_w(i) == doctest::Approx(std::sin(x(i) * x(i))));
    CHECK(by_x(i) == doctest::Approx(2 * x(i) * std::cos(x(i) * x(i)) * w(i)));
  }
  CHECK(value() == doctest::Approx(expected));
  check_near(grad(wave)(x, w), by_x);
}

TEST_CASE("an argument that is given twice counts where it is named") {
  constexpr auto twice = trace([](auto a) { return grad(weighted)(a, a); });
  check_near(twice(x), vector3{1, 4, 9});
}

TEST_CASE("what does not depend on an argument has gradients of zeros") {
  constexpr auto first = trace([](auto a, auto) { return sum(a); });
  check_near(grad<1>(first)(x, w), vector3{});
}

TEST_CASE("tangents and cotangents") {
  const auto [y, dy] = jvp(stretched)(x, v);
  constexpr auto pulled = trace([](auto a, auto ct) {
    const auto [result, pull] = vjp(stretched)(a);
    return results(pull(ct), pull(ct + ct));
  });
  const auto [once, double_of_it] = pulled(x, w);
  f64 forward = 0, backward = 0;
  for (index_t i = 0; i < 3; ++i) {
    CHECK(y(i) == x(i) * 14);
    forward += dy(i) * w(i), backward += once(i) * v(i);
    CHECK(double_of_it(i) == doctest::Approx(2 * once(i)));
  }
  CHECK(forward == doctest::Approx(backward));
  const auto [value, change] = jvp<0>(wave)(x, w, v);
  CHECK(change() == doctest::Approx(sum(grad(wave)(x, w) * v)));
}

TEST_CASE("all derivatives, forwards and backwards") {
  const tensor<f64, 3, 3> backward = jacobian(stretched)(x), forward = jacobian<mode::forward>(stretched)(x);
  for (index_t i = 0; i < 3; ++i)
    for (index_t j = 0; j < 3; ++j) {
      CHECK(backward(i, j) == doctest::Approx(2 * x(i) * x(j) + (i == j ? 14 : 0)));
      CHECK(forward(i, j) == doctest::Approx(backward(i, j)));
    }
}

TEST_CASE("second derivatives are symmetric") {
  constexpr auto mixed = trace([](auto a) { return sum(tanh(a) * broadcast_like(sum(exp(a)), a)); });
  const tensor<f64, 3, 3> all = hessian(mixed)(x);
  const vector3 along = hvp(mixed)(x, v);
  for (index_t i = 0; i < 3; ++i) {
    f64 product = 0;
    for (index_t j = 0; j < 3; ++j) {
      CHECK(all(i, j) == doctest::Approx(all(j, i)));
      product += all(i, j) * v(j);
    }
    CHECK(along(i) == doctest::Approx(product));
  }
}

TEST_CASE("gradients of gradients") {
  constexpr auto squares = trace([](auto a) { return sum(square(grad(cubes)(a))); });  // 9 a^4
  check_near(grad(squares)(x), vector3{36, 288, 972});
}

TEST_CASE("what is stopped is a constant") {
  constexpr auto half = trace([](auto a) { return sum(stop_gradient(a) * a); });
  check_near(grad(half)(x), x);
  constexpr auto none = trace([](auto a) { return sum(stop_gradient(a)); });
  check_near(grad(none)(x), vector3{});
}

TEST_CASE("what is computed again has the same gradient") {
  constexpr auto kept = trace([](auto a, auto b) {
    const auto [first, second] = inner(a, b);
    return sum(first * second);
  });
  constexpr auto again = trace([](auto a, auto b) {
    const auto [first, second] = checkpoint(inner)(a, b);
    return sum(first * second);
  });
  const auto [by_a, by_b] = grad<0, 1>(kept)(x, w);
  const auto [again_by_a, again_by_b] = grad<0, 1>(again)(x, w);
  check_near(again_by_a, by_a);
  check_near(again_by_b, by_b);
  check_near(hvp(again)(x, w, v), hvp(kept)(x, w, v));
}

TEST_CASE("loops in traced functions") {
  constexpr auto powers = trace([](auto a, auto n) {
    const auto [i, y] =
        while_(n, a, [](auto k, auto) { return k < 4; }, [](auto k, auto z) { return results(k + 1, sin(z)); });
    return sum(y);
  });
  // Where the counter begins is not known, so only forwards.
  const auto [y, dy] = jvp<0>(powers)(x, tensor<i32>(0), v);
  f64 expected = 0;
  for (index_t i = 0; i < 3; ++i) {
    f64 at = x(i), slope = v(i);
    for (int turn = 0; turn < 4; ++turn) slope *= std::cos(at), at = std::sin(at);
    expected += slope;
  }
  CHECK(dy() == doctest::Approx(expected));
}

TEST_CASE("edges are JAX's") {
  constexpr auto largest = trace([](auto a, auto b) { return sum(maximum(a, b)); });
  const auto [by_a, by_b] = grad<0, 1>(largest)(vector3{1, 2, 3}, vector3{1, 1, 4});
  check_near(by_a, vector3{0.5, 1, 0});
  check_near(by_b, vector3{0.5, 0, 1});
  constexpr auto sizes = trace([](auto a) { return sum(abs(a)); });
  check_near(grad(sizes)(vector3{0, -2, 3}), vector3{1, -1, 1});
  constexpr auto top = trace([](auto a) { return max(a); });
  check_near(grad(top)(vector3{2, 1, 2}), vector3{0.5, 0, 0.5});
  constexpr auto inside = trace([](auto a) { return sum(clamp(0, a, 1)); });
  check_near(grad(inside)(vector3{0, 0.5, 1}), vector3{0, 1, 0});
  constexpr auto powers = trace([](auto a, auto b) { return sum(power(a, b)); });
  const auto [by_base, by_exponent] = grad<0, 1>(powers)(vector3{0, 0, 2}, vector3{0, 2, 3});
  check_near(by_base, vector3{0, 0, 12});
  check_near(by_exponent, vector3{0, 0, 8 * std::log(2.0)});
  constexpr auto roots = trace([](auto a) { return sum(sqrt(a)); });
  CHECK(std::isinf(grad(roots)(vector3{0, 1, 4})(0)));
}

TEST_CASE("gradients of StableHLO texts") {
  using net = TENON_PROGRAM(R"(func.func @main(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<f64> {
    %0 = call @waves(%x, %w) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %1 = stablehlo.constant dense<0.0> : tensor<f64>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0]
       : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %2 : tensor<f64>
  }
  func.func private @waves(%x: tensor<3xf64>, %w: tensor<3xf64>) -> tensor<3xf64> {
    %0 = stablehlo.multiply %x, %x : tensor<3xf64>
    %1 = stablehlo.sine %0 : tensor<3xf64>
    %2 = stablehlo.multiply %1, %w : tensor<3xf64>
    return %2 : tensor<3xf64>
  })");
  const auto [value, by_x, by_w] = value_and_grad<0, 1>(net{})(x, w);
  const auto [other_value, other_by_x, other_by_w] = value_and_grad<0, 1>(wave)(x, w);
  CHECK(value() == doctest::Approx(other_value()));
  check_near(by_x, other_by_x);
  check_near(by_w, other_by_w);
  const auto [again, change] = jvp<0>(net{})(x, w, v);
  CHECK(change() == doctest::Approx(sum(by_x * v)));
}
