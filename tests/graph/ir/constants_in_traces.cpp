// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

// A function made of ops takes constants beside traced values, in any position: the traced call gives what the call on
// tensors gives.
using namespace tenon;

namespace {

#define LINE (tensor<f32, 4>{4, 1, 3, 2})
#define MATRIX (tensor<f32, 2, 2>{{2, 1}, {1, 3}})
#define POSITIONS (tensor<i32, 2>{3, 0})

template <class Trace, class Function, class... Arguments>
bool gives_the_same(const Trace& traced, Function function, const Arguments&... arguments) {
  const auto computed = traced(arguments...);
  return equal(computed, evaluate(function(arguments...)));
}

}  // namespace

// The function of one argument, traced, and called on a tensor.
#define CHECK_TRACED(argument, ...)                                      \
  do {                                                                   \
    constexpr auto function = [](const auto& x) { return __VA_ARGS__; }; \
    constexpr auto traced = trace([](auto x) { return __VA_ARGS__; });   \
    CHECK(gives_the_same(traced, function, argument));                   \
  } while (false)

TEST_CASE("constants beside traced values") {
  const tensor<f32, 4> line{1, 2, 3, 5};
  const tensor<f32, 2, 2> matrix{{4, 1}, {1, 5}};
  const tensor<f32, 2> pair{1, 2};
  const tensor<i32, 2> positions{2, 1};
  CHECK_TRACED(pair, solve(MATRIX, x));
  CHECK_TRACED(matrix, solve(x, tensor<f32, 2>{1, 2}));
  CHECK_TRACED(pair, einsum<"ij,j->i">(MATRIX, x));
  CHECK_TRACED(matrix, einsum<"ij,j->i">(x, tensor<f32, 2>{1, 2}));
  CHECK_TRACED(matrix, einsum<"ij,kl->jk">(MATRIX, x));
  CHECK_TRACED(pair, matmul(MATRIX, x));
  CHECK_TRACED(matrix, matmul(x, MATRIX));
  CHECK_TRACED(line, stack(LINE, x));
  CHECK_TRACED(line, stack<1>(x, LINE, x));
  CHECK_TRACED(line, concatenate<0>(LINE, x));
  CHECK_TRACED(positions, take<0>(LINE, x));
  CHECK_TRACED(line, take<0>(x, POSITIONS));
  CHECK_TRACED(line, clip(x, LINE, LINE + 1));
  CHECK_TRACED(line, clip(LINE, x, x + 1));
  CHECK_TRACED(line, clip(LINE, 2, x));
  CHECK_TRACED(line, where(LINE > 2, x, 0));
  CHECK_TRACED(line, where(x > 2, LINE, x));
  CHECK_TRACED(line, where(x > 2, 0, LINE));
  CHECK_TRACED(line, pow(LINE, x) + pow(x, LINE) + arctan2(LINE, x));
  CHECK_TRACED(line, x + roll<1>(LINE) + cumsum(LINE));
  CHECK_TRACED(line, x * broadcast_like(tensor<f32>(2.0f), x));
  CHECK_TRACED(line, x + broadcast_like(sum(LINE), x));
  CHECK_TRACED(pair, x + var<ints{0}>(MATRIX) + mean<ints{1}>(MATRIX));
  CHECK_TRACED(line, x + softmax(LINE));
  CHECK_TRACED(line, pad<1>(x, tensor<f32>(2.0f)));
  CHECK_TRACED(pair, pad<1>(LINE, sum(x)));
  CHECK_TRACED(line, conv2d(reshape<ints{1, 2, 2, 1}>(x), ones<f32, ints{1, 1, 1, 1}>()));
  CHECK_TRACED(line, x + random::normal<f32, ints{4}>(random::key(3)));
  CHECK_TRACED(line, random::uniform<f32, ints{4}>(random::key(3), tensor<f32>(0.0f), sum(x)));
  CHECK_TRACED(matrix, inv(MATRIX) + x);
  CHECK_TRACED(matrix, transpose(MATRIX) + MATRIX[range<0, 2>] + x);
  CHECK_TRACED(line, x + var<ints{0}>(MATRIX)(at<0>) * x - MATRIX(at<1>, at<0>));
  CHECK_TRACED(line, stack(sum(x), 1.0f, mean(LINE)));
  CHECK_TRACED(line, stack<1>(x, zeros_like(x), ones_like(LINE)));
  CHECK_TRACED(line, x * norm(LINE) - standard_deviation(LINE) * norm(x));
  CHECK_TRACED(line, take(x, argsort(LINE)) + take(LINE, argsort(x)));
  CHECK_TRACED(matrix, matmul(eye<f32, 2>(), x));
  CHECK_TRACED(line, where(any_of(LINE > 3), x, LINE));
}

TEST_CASE("traced numbers stand for tensors") {
  const tensor<f32, 4> line{1, 2, 3, 5};
  CHECK_TRACED(line, x * sum(x) - mean(x));
  CHECK_TRACED(line, sum(x) / (x + max(x)));
  CHECK_TRACED(line, where(x > mean(x), x, max(x)) + where(x > 2, sum(x), 1.0f));
  CHECK_TRACED(line, clip(x, min(x), mean(x)) + pow(x, min(x)));
  constexpr auto scaled = trace([](auto x, auto factor) { return factor * tanh(x * factor); });
  CHECK(equal(scaled(line, tensor<f32>(0.5f)), evaluate(0.5f * tanh(line * 0.5f))));
  CHECK(equal(scaled(line, 0.5f), evaluate(0.5f * tanh(line * 0.5f))));
}

template <class X>
concept summed_with_fraction = requires(X x) { reduce<ints{0}>(x, 0.0f, ops::add{}); };
static_assert(summed_with_fraction<tensor<f32, 3>> && !summed_with_fraction<tensor<i32, 3>>);
