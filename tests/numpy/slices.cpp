// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tenon/tensors.hpp>

using namespace tenon;

namespace {

template <class Expected>
bool is(const auto& expression, const Expected& expected) {
  return equal(Expected(expression), expected);
}

const tensor<f32, 3, 4> x{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};

template <class X, class... Parts>
concept has_part = requires(const X& value, Parts... parts) { value(parts...); };

TEST_CASE("parts of tensors, views, temporaries and expressions") {
  CHECK(is(x(at<1>, all), tensor<f32, 4>{4, 5, 6, 7}));
  CHECK(is(x(all, at<-1>), tensor<f32, 3>{3, 7, 11}));
  CHECK(is(x(at<-1>), tensor<f32, 4>{8, 9, 10, 11}));
  CHECK(is(x(at<2>, at<1>), tensor<f32>(9)));
  CHECK(is(x[range<0, 3, 2>], tensor<f32, 2, 4>{{0, 1, 2, 3}, {8, 9, 10, 11}}));
  CHECK(is(x(all, range<1, -1>), tensor<f32, 3, 2>{{1, 2}, {5, 6}, {9, 10}}));
  CHECK(is(x[range<-1>] + x[range<0, 1>], tensor<f32, 1, 4>{{8, 10, 12, 14}}));
  CHECK(is(x[range<2, 2>], tensor<f32, 0, 4>{}));
  CHECK(is(tensor_view<const f32, 3, 4>(x)(at<0>, range<2>), tensor<f32, 2>{2, 3}));
  CHECK(is((x + x)(at<0>), tensor<f32, 4>{0, 2, 4, 6}));
  CHECK(is(evaluate(x + 1)(all, at<0>), tensor<f32, 3>{1, 5, 9}));
}

TEST_CASE("what is not there does not compile, nor does an index beside parts") {
  using tensor_3x4 = tensor<f32, 3, 4>;
  static_assert(has_part<tensor_3x4, decltype(at<2>), whole_axis> && has_part<tensor_3x4, decltype(at<-3>)>);
  static_assert(!has_part<tensor_3x4, decltype(at<3>)> && !has_part<tensor_3x4, decltype(at<-4>)>);
  static_assert(!has_part<tensor_3x4, decltype(range<0, 5>)> && !has_part<tensor_3x4, decltype(range<2, 1>)>);
  static_assert(!has_part<tensor_3x4, whole_axis, whole_axis, whole_axis>);
  static_assert(!has_part<tensor_3x4, decltype(range<0, 3, -1>)> && !has_part<tensor_3x4, int, whole_axis>);
}

TEST_CASE("rows are views") {
  tensor<f32, 2, 3> y;
  y.row(1) = x(at<1>, range<0, 3>);
  y.row(0).row(2)() = 7;
  CHECK(equal(y, tensor<f32, 2, 3>{{0, 0, 7}, {4, 5, 6}}));
  CHECK(is(x.row(2) - x.row(0), tensor<f32, 4>{8, 8, 8, 8}));
  CHECK_THROWS_WITH(x.row(3), "index 3 of dimension 0 is not within its size 3");
}

TEST_CASE("an index alone is an element of a vector and a row of all others") {
  tensor<f32, 2, 3> m{{1, 2, 3}, {4, 5, 6}};
  tensor<f32, 3> v{7, 8, 9};
  CHECK(m[1][2] == 6);
  CHECK(equal(m[0], tensor<f32, 3>{1, 2, 3}));
  v[0] = 1, m[1] = v, m[0] += v, m.row(1) *= 2;
  CHECK(equal(m, tensor<f32, 2, 3>{{2, 10, 12}, {2, 16, 18}}));
  CHECK(tensor_view<const f32, 2, 3>(m)[1][0] == 2);
  static_assert(!std::is_invocable_v<tensor<f32, 2, 3>, double, int>);
}

TEST_CASE("within traced functions") {
  constexpr auto f = trace([](auto a, auto i) {
    static_assert(decltype(a(at<0>))::shape == ints{4} && decltype(a.row(1))::shape == ints{4});
    const auto odd = a(all, range<1, 4, 2>);
    return results(a.row(i) * a.row(0) - a(at<1>), sum<ints{0}>(odd)[range<1>]);
  });
  const auto [row, last] = f(x, tensor<i32>(2));
  CHECK(equal(row, tensor<f32, 4>{-4, 4, 14, 26}));
  CHECK(equal(last, tensor<f32, 1>{21}));
}

TEST_CASE("reduced axes that stay") {
  CHECK(is(sum<ints{1}, keepdims>(x), tensor<f32, 3, 1>{{6}, {22}, {38}}));
  CHECK(is(max<ints{0}, keepdims>(x), tensor<f32, 1, 4>{{8, 9, 10, 11}}));
  CHECK(is(argmax<-1, keepdims>(x), tensor<i32, 3, 1>{{3}, {3}, {3}}));
  CHECK(is(var<ints{-1}, keepdims>(x), tensor<f32, 3, 1>{{1.25}, {1.25}, {1.25}}));
  CHECK(is(broadcast_like(mean<ints{-1}, keepdims>(x), x)(all, at<2>), tensor<f32, 3>{1.5, 5.5, 9.5}));
}

}  // namespace
