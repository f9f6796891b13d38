// SPDX-License-Identifier: Apache-2.0
#include <tenon/numpy/elementwise.hpp>

#include <tenon/core/format/print.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;

namespace {

using f32_2x3 = tensor<f32, 2, 3>;
const f32_2x3 x{{1, 2, 3}, {4, 9, 6}};
const tensor<f32, 3> vector{1, 2, 3};

// Compares the value of an expression with a tensor, and types as well.
template <class Expression, class Tensor>
bool is(const Expression& expression, const Tensor& expected) {
  return equal(evaluate(expression), expected);
}

constexpr f32 no_number = element_traits<f32>::nan();

}  // namespace

TEST_CASE("sums, products and means over all axes or some") {
  CHECK(is(sum(x), tensor<f32>(25)));
  CHECK(is(sum<ints{0}>(x), tensor<f32, 3>{5, 11, 9}));
  CHECK(is(sum<ints{-1}>(x), tensor<f32, 2>{6, 19}));
  CHECK(is(sum<ints{0, 1}>(x), tensor<f32>(25)));
  CHECK(is(sum<ints{}>(x), x));
  CHECK(is(product<ints{1}>(x), tensor<f32, 2>{6, 216}));
  CHECK(is(mean<ints{0}>(x), tensor<f32, 3>{2.5, 5.5, 4.5}));
  CHECK(is(mean(tensor<f64, 4>{1, 2, 3, 4}), tensor<f64>(2.5)));
  CHECK(is(sum(tensor<i8, 2>{100, 100}), tensor<i8>(i8(-56))));
  CHECK(is(sum(tensor<f32, 0>{}), tensor<f32>(0)));
}

TEST_CASE("greatest and least elements of every kind of type") {
  CHECK(is(max<ints{1}>(x), tensor<f32, 2>{3, 9}));
  CHECK(is(min(x), tensor<f32>(1)));
  CHECK(is(max(tensor<i8, 2>{-100, -3}), tensor<i8>(-3)));
  CHECK(is(min(tensor<ui8, 2>{200, 255}), tensor<ui8>(200)));
  CHECK(is(max(tensor<bool, 2>{false, true}), tensor<bool>(true)));
  CHECK(is(max(tensor<bool, 2>{false, false}), tensor<bool>(false)));
  CHECK(is(min(tensor<bool, 2>{true, true}), tensor<bool>(true)));
  CHECK(is(max(tensor<f8E4M3FN, 2>{-448, -2}), tensor<f8E4M3FN>(-2)));
  CHECK(is(max(tensor<f32, 2>{-INFINITY, -INFINITY}), tensor<f32>(-INFINITY)));
  CHECK(std::isnan(evaluate(max(tensor<f32, 3>{1, no_number, 2}))()));
}

TEST_CASE("positions of the greatest and least, the first of several") {
  CHECK(is(argmax(x), tensor<i32, 2>{2, 1}));
  CHECK(is(argmax<0>(x), tensor<i32, 3>{1, 1, 1}));
  CHECK(is(argmin<1>(x), tensor<i32, 2>{0, 0}));
  CHECK(is(argmax(tensor<i32, 4>{1, 7, 7, 2}), tensor<i32>(1)));
  CHECK(is(argmax(tensor<f32, 4>{1, no_number, 7, no_number}), tensor<i32>(1)));
  CHECK(is(argmin(tensor<f32, 3>{1, 0, no_number}), tensor<i32>(2)));
}

TEST_CASE("softmax sums to one and survives large numbers") {
  const tensor<f32, 2, 3> y = softmax(tensor<f32, 2, 3>{{1000, 1000, 1000}, {0, 0, -1000}});
  CHECK(std::fabs(y(0, 0) - 1.0f / 3) < 1e-6f);
  CHECK(y(1, 0) == 0.5f);
  CHECK(y(1, 2) == 0);
  const tensor<f32, 2, 3> columns = softmax<0>(x);
  for (int i = 0; i < 3; ++i) CHECK(std::fabs(columns(0, i) + columns(1, i) - 1) < 1e-6f);
}

TEST_CASE("matmul of vectors, matrices and stacks of them") {
  const tensor<f32, 3, 2> w{{1, 0}, {0, 1}, {1, 1}};
  CHECK(is(matmul(x, w), tensor<f32, 2, 2>{{4, 5}, {10, 15}}));
  CHECK(is(matmul(x, vector), tensor<f32, 2>{14, 40}));
  CHECK(is(matmul(vector, w), tensor<f32, 2>{4, 5}));
  CHECK(is(matmul(vector, vector), tensor<f32>(14)));
  const tensor<f32, 2, 2, 3> stacked = stack(x, x * 2);
  CHECK(is(matmul(stacked, w), tensor<f32, 2, 2, 2>{{{4, 5}, {10, 15}}, {{8, 10}, {20, 30}}}));
  CHECK(is(matmul(w, stacked),
           tensor<f32, 2, 3, 3>{{{1, 2, 3}, {4, 9, 6}, {5, 11, 9}}, {{2, 4, 6}, {8, 18, 12}, {10, 22, 18}}}));
  CHECK(is(matmul(stacked, vector), tensor<f32, 2, 2>{{14, 40}, {28, 80}}));
  CHECK(is(matmul(stacked, stack(w, w)), evaluate(matmul(stacked, w))));
}

TEST_CASE("shapes: broadcast, transpose, expand, stack") {
  CHECK(is(broadcast<ints{2, 3}>(vector), f32_2x3{{1, 2, 3}, {1, 2, 3}}));
  CHECK(is(broadcast<ints{2, 3}>(tensor<f32, 2, 1>{{5}, {6}}), f32_2x3{{5, 5, 5}, {6, 6, 6}}));
  CHECK(is(broadcast<ints{2, 3}>(tensor<f32>(7)), f32_2x3::filled(7)));
  CHECK(is(broadcast<ints{2, 3}>(x), x));
  CHECK(is(transpose(x), tensor<f32, 3, 2>{{1, 4}, {2, 9}, {3, 6}}));
  CHECK(is(transpose(vector), vector));
  CHECK(is(expand_dims<0>(vector), tensor<f32, 1, 3>{{1, 2, 3}}));
  CHECK(is(expand_dims<-1>(vector), tensor<f32, 3, 1>{{1}, {2}, {3}}));
  CHECK(is(stack(vector, vector * 2), f32_2x3{{1, 2, 3}, {2, 4, 6}}));
  CHECK(is(stack<-1>(vector, vector), tensor<f32, 3, 2>{{1, 1}, {2, 2}, {3, 3}}));
}

TEST_CASE("choices, and tensors made of numbers") {
  CHECK(is(where(x > 2, x, 0), f32_2x3{{0, 0, 3}, {4, 9, 6}}));
  CHECK(is(where(x > 2, 1.5, x), f32_2x3{{1, 2, 1.5}, {1.5, 1.5, 1.5}}));
  CHECK(is(relu(x - 3), f32_2x3{{0, 0, 0}, {1, 6, 3}}));
  CHECK(is(zeros<f32, ints{2}>(), tensor<f32, 2>{0, 0}));
  CHECK(is(ones<i32, ints{2, 1}>(), tensor<i32, 2, 1>{{1}, {1}}));
  CHECK(is(full<f16, ints{2}>(1.5), tensor<f16, 2>{1.5, 1.5}));
  CHECK(is(arange<i64, 4>(), tensor<i64, 4>{0, 1, 2, 3}));
}

TEST_CASE("the same within traced functions") {
  constexpr auto together = trace([](auto a) {
    return results(sum<ints{0}>(a) + arange<f32, 3>(), argmax(a), where(a > 2, full<f32, ints{2, 3}>(1), a));
  });
  const auto [sums, positions, chosen] = together(x);
  CHECK(equal(sums, tensor<f32, 3>{5, 12, 11}));
  CHECK(equal(positions, tensor<i32, 2>{2, 1}));
  CHECK(equal(chosen, f32_2x3{{1, 2, 1}, {1, 1, 1}}));
}
