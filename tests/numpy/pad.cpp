// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tenon/tensors.hpp>

using namespace tenon;

namespace {

template <class Expected>
bool is(const auto& expression, const Expected& expected) {
  return equal(Expected(expression), expected);
}

const tensor<i32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
const tensor<f32, 4> row{1, 2, 3, 4};

TEST_CASE("one number around a tensor") {
  CHECK(is(pad<1>(x), tensor<i32, 4, 5>{{0, 0, 0, 0, 0}, {0, 1, 2, 3, 0}, {0, 4, 5, 6, 0}, {0, 0, 0, 0, 0}}));
  CHECK(is(pad<ints{1, 0}, ints{0, 2}>(x, 7), tensor<i32, 3, 5>{{7, 7, 7, 7, 7}, {1, 2, 3, 7, 7}, {4, 5, 6, 7, 7}}));
  CHECK(is(pad<2>(row + 1, -0.5), tensor<f32, 8>{-0.5, -0.5, 2, 3, 4, 5, -0.5, -0.5}));
  CHECK(is(pad<ints{0}, ints{1}>(row, sum(row)), tensor<f32, 5>{1, 2, 3, 4, 10}));
}

TEST_CASE("elements of the tensor around it") {
  CHECK(is(pad<2, pad_mode::edge>(row), tensor<f32, 8>{1, 1, 1, 2, 3, 4, 4, 4}));
  CHECK(is(pad<2, pad_mode::reflect>(row), tensor<f32, 8>{3, 2, 1, 2, 3, 4, 3, 2}));
  CHECK(is(pad<ints{3}, ints{1}, pad_mode::wrap>(row), tensor<f32, 8>{2, 3, 4, 1, 2, 3, 4, 1}));
  CHECK(is(pad<ints{0, 1}, ints{1, 0}, pad_mode::reflect>(x),
           tensor<i32, 3, 4>{{2, 1, 2, 3}, {5, 4, 5, 6}, {2, 1, 2, 3}}));
}

template <auto Width, class X>
concept can_reflect = requires(const X& value) { pad<Width, pad_mode::reflect>(value); };
static_assert(can_reflect<3, tensor<f32, 4>> && !can_reflect<4, tensor<f32, 4>> && !can_reflect<-1, tensor<f32, 4>>);

TEST_CASE("within traced functions") {
  constexpr auto f = trace([](auto a) {
    const auto padded = pad<1, pad_mode::wrap>(a);
    static_assert(decltype(padded)::shape == ints{6});
    return padded[range<0, -2>] - pad<ints{0}, ints{0}>(a, 2);
  });
  CHECK(is(f(row), tensor<f32, 4>{3, -1, -1, -1}));
}

}  // namespace
