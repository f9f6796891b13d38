// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/operators.hpp>
#include <tenon/run/evaluate.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace tenon;
using namespace tenon::ir;

namespace {

using f32_2x3 = tensor<f32, 2, 3>;

// Operands by reference, the expression returned where it is made.
template <class X>
auto squared(X&& x) {
  return x * x;
}

template <class Expression>
constexpr graph graph_of() {
  return detail::recorded<detail::expression_body<Expression>>::graph();
}

}  // namespace

TEST_CASE("an expression computes when it is assigned") {
  const f32_2x3 x{{1, 2, 3}, {4, 5, 6}}, y{{6, 5, 4}, {3, 2, 1}};
  const f32_2x3 z = x * y + x;
  CHECK(equal(z, f32_2x3{{7, 12, 15}, {16, 15, 12}}));
  f32_2x3 w;
  w = transpose<ints{1, 0}>(transpose<ints{1, 0}>(z)) - x;
  CHECK(equal(w, evaluate(x * y)));
  CHECK(equal(evaluate(x + x), f32_2x3{{2, 4, 6}, {8, 10, 12}}));
}

TEST_CASE("types come from the rules") {
  const f32_2x3 x;
  const auto turned = transpose<ints{1, 0}>(x);
  static_assert(decltype(turned)::type == type_of(dtype::f32, {3, 2}));
  static_assert(decltype(x < x)::type == type_of(dtype::i1, {2, 3}));
  static_assert(decltype(x + x * x)::leaf_count == 3);
}

TEST_CASE("expressions are neither copied nor moved") {
  const f32_2x3 x;
  using sum = decltype(x + x);
  static_assert(!std::is_copy_constructible_v<sum> && !std::is_move_constructible_v<sum>);
  static_assert(!std::is_copy_assignable_v<sum> && !std::is_move_assignable_v<sum>);
}

TEST_CASE("temporaries live as long as the expression, named tensors are referred to") {
  f32_2x3 x{{1, 2, 3}, {4, 5, 6}};
  const auto sum = x + f32_2x3{{1, 1, 1}, {1, 1, 1}};
  const auto twice = sum * 2 + sum;
  x(0, 0) = 10;
  const f32_2x3 z = twice;
  CHECK(z(0, 0) == 33);
  CHECK(z(1, 2) == 21);
  const f32_2x3 w = squared(squared(x - 9));
  CHECK(w(0, 0) == 1);
  CHECK(w(0, 1) == 7 * 7 * 7 * 7);
}

TEST_CASE("the target may be an operand") {
  f32_2x3 x{{1, 2, 3}, {4, 5, 6}};
  x = x + x;
  CHECK(x(1, 2) == 12);
  tensor<f32, 3, 3> y{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  y = transpose<ints{1, 0}>(y);
  CHECK(equal(y, tensor<f32, 3, 3>{{1, 4, 7}, {2, 5, 8}, {3, 6, 9}}));
  f32 memory[] = {1, 2, 3, 4};
  const tensor_view<f32, 3> first(memory), last(memory + 1);
  last = first + 10;
  CHECK(memory[1] == 11);
  CHECK(memory[2] == 12);
  CHECK(memory[3] == 13);
}

TEST_CASE("numbers take the element type of the tensor beside them") {
  const tensor<bf16, 2> x{1, 2};
  const tensor<bf16, 2> y = x * 3 - 0.5;
  CHECK(f32(y(1)) == 5.5f);
  const tensor<i8, 2> a{1, -1};
  const tensor<i8, 2> wrapped = a + 100 + 100;
  CHECK(wrapped(0) == i8(-55));
  CHECK_THROWS_AS((tensor<i8, 2>(a + 200)), error);
  const tensor<f32, 3> chosen = select(tensor<bool, 3>{true, false, true}, 1.5, tensor<f32, 3>{1, 2, 3});
  CHECK(equal(chosen, tensor<f32, 3>{1.5, 2, 1.5}));
  const tensor<f32, 3> other = select(tensor<bool, 3>{true, false, true}, tensor<f32, 3>{1, 2, 3}, 0);
  CHECK(equal(other, tensor<f32, 3>{1, 0, 3}));
  const tensor<f32, 3> of_numbers = select(tensor<bool, 3>{true, false, true}, 1.5f, -0.5f);
  CHECK(equal(of_numbers, tensor<f32, 3>{1.5f, -0.5f, 1.5f}));
  static_assert(decltype(select(tensor<bool, 3>{}, 1, 2))::type == type_of(dtype::i32, {3}));
  constexpr auto steps = trace([](auto z) { return select(z > 0, 1.0f, 0.0f); });
  CHECK(equal(steps(tensor<f32, 3>{-1, 0, 2}), tensor<f32, 3>{0, 0, 1}));
}

TEST_CASE("views are operands and targets") {
  const f32 numbers[] = {1, 2, 3, 4};
  f32 doubled[4]{};
  const tensor_view<f32, 2, 2> target(doubled);
  target = 2 * tensor_view<const f32, 2, 2>(numbers);
  CHECK(doubled[3] == 8);
}

TEST_CASE("reductions with an op or a function as their body") {
  const f32_2x3 x{{1, 2, 3}, {4, 5, 6}};
  const tensor<f32, 3> columns = reduce<ints{0}>(x, 0.0f, ops::add{});
  CHECK(equal(columns, tensor<f32, 3>{5, 7, 9}));
  const tensor<f32, 2> rows = reduce<ints{1}>(x * 2, 1.0f, [](auto a, auto b) { return a * b; });
  CHECK(equal(rows, tensor<f32, 2>{48, 960}));
}

TEST_CASE("an op with several results computes at once") {
  const f32_2x3 x{{1, 7, 3}, {4, 5, 6}}, y{{6, 5, 4}, {3, 2, 1}};
  const auto [sum, largest] =
      reduce<ints{1}>(x, y, 0.0f, 0.0f, [](auto a, auto b, auto c, auto d) { return results(a + c, maximum(b, d)); });
  static_assert(std::is_same_v<decltype(sum), const tensor<f32, 2>>);
  CHECK(equal(sum, tensor<f32, 2>{11, 15}));
  CHECK(equal(largest, tensor<f32, 2>{6, 3}));
}

TEST_CASE("a function of traced values is used like an op, and shares what it names twice") {
  const f32_2x3 x{{1, 2, 3}, {4, 5, 6}};
  const auto fourth_power = [](auto value) {
    const auto square = value * value;
    return square * square;
  };
  const f32_2x3 z = apply_function(fourth_power, x + 1);
  CHECK(z(0, 0) == 16);
  using once = decltype(apply_function(fourth_power, x));
  static_assert(graph_of<once>().nodes.size == 2);
}

TEST_CASE("an op without operands") {
  const tensor<i32, 2, 3> x = iota<i32, ints{2, 3}, 1>();
  CHECK(equal(x, tensor<i32, 2, 3>{{0, 1, 2}, {0, 1, 2}}));
}

TEST_CASE("a tensor without elements") {
  const tensor<f32, 0, 3> x;
  const tensor<f32, 3> sum = reduce<ints{0}>(x + x, 0.0f, ops::add{});
  CHECK(equal(sum, tensor<f32, 3>{}));
}
