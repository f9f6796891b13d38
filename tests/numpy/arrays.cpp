// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <tenon/tensors.hpp>

#include <span>
#include <vector>

using namespace tenon;

namespace {

template <class Expected>
bool is(const auto& expression, const Expected& expected) {
  return equal(Expected(expression), expected);
}

const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
const tensor<f32, 3, 2> y{{1, 0}, {0, 1}, {1, 1}};

TEST_CASE("einsum") {
  CHECK(is(einsum<"ij,jk->ik">(x, y), tensor<f32, 2, 2>{{4, 5}, {10, 11}}));
  CHECK(is(einsum<"ij,jk->ki">(x, y), tensor<f32, 2, 2>{{4, 10}, {5, 11}}));
  CHECK(is(einsum<"ij,ij->i">(x, x), tensor<f32, 2>{14, 77}));
  CHECK(is(einsum<"ij,kl->ki">(x, y), tensor<f32, 3, 2>{{6, 15}, {6, 15}, {12, 30}}));
  CHECK(is(einsum<"i,j->ij">(tensor<f32, 2>{1, 2}, tensor<f32, 2>{3, 4}), tensor<f32, 2, 2>{{3, 4}, {6, 8}}));
  static_assert(!einsum_subscripts("ii,i->i").are_well_formed() && !einsum_subscripts("ij->i").are_well_formed() &&
                !einsum_subscripts("i,j->k").are_well_formed());
}

TEST_CASE("conv2d agrees with a plain loop") {
  tensor<f32, 1, 5, 4, 2> images;
  tensor<f32, 3, 2, 2, 3> kernel;
  for (index_t i = 0; i < images.size; ++i) images.data()[i] = f32(i * 7 % 11 - 5);
  for (index_t i = 0; i < kernel.size; ++i) kernel.data()[i] = f32(i * 5 % 7 - 3);
  const auto expected = [&]<index_t Rows, index_t Columns>(index_t stride, index_t top, index_t left) {
    tensor<f32, 1, Rows, Columns, 3> result;
    for_each_index(result.shape, [&](const ints& at) {
      for_each_index(kernel.shape, [&](const ints& k) {
        const index_t row = at[1] * stride + k[0] - top, column = at[2] * stride + k[1] - left;
        if (k[3] == at[3] && 0 <= row && row < 5 && 0 <= column && column < 4)
          result[at] += images(0, row, column, k[2]) * kernel[k];
      });
    });
    return result;
  };
  CHECK(is(conv2d(images, kernel), expected.operator()<3, 3>(1, 0, 0)));
  CHECK(is(conv2d<conv2d_options{.padding = same}>(images, kernel), expected.operator()<5, 4>(1, 1, 0)));
  CHECK(is(conv2d<conv2d_options{.stride = 2, .padding = same}>(images, kernel), expected.operator()<3, 2>(2, 1, 0)));
}

TEST_CASE("a list of one axis or size is a number") {
  CHECK(is(sum<0>(x), tensor<f32, 3>{5, 7, 9}));
  CHECK(is(mean<-1, keepdims>(x), tensor<f32, 2, 1>{{2}, {5}}));
  CHECK(is(reshape<6>(x), tensor<f32, 6>{1, 2, 3, 4, 5, 6}));
  CHECK(is(zeros<f32, 2>(), tensor<f32, 2>{}));
  CHECK(is(linspace<f32, 1>(3, 4), tensor<f32, 1>{3}));
}

TEST_CASE("parts") {
  const auto [first, second] = split<2>(x);
  CHECK(is(first + second, tensor<f32, 1, 3>{{5, 7, 9}}));
  CHECK(is(roll<1>(x), tensor<f32, 2, 3>{{3, 1, 2}, {6, 4, 5}}));
  CHECK(is(roll<-1, 0>(x), tensor<f32, 2, 3>{{4, 5, 6}, {1, 2, 3}}));
  CHECK(is(roll<3>(x), x));
  CHECK(is(take<1>(x, tensor<i32, 2>{2, 0}), tensor<f32, 2, 2>{{3, 1}, {6, 4}}));
  CHECK(is(take(x, tensor<i64, 2, 1>{{1}, {9}}), tensor<f32, 2, 1, 3>{{{4, 5, 6}}, {{4, 5, 6}}}));
  CHECK(is(take(x, tensor<i32>(1)), tensor<f32, 3>{4, 5, 6}));
  CHECK(is(broadcast_like(tensor<f32, 3>{1, 2, 3}, x + x), tensor<f32, 2, 3>{{1, 2, 3}, {1, 2, 3}}));
}

TEST_CASE("numbers in order") {
  CHECK(is(cumsum(x), tensor<f32, 2, 3>{{1, 3, 6}, {4, 9, 15}}));
  CHECK(is(cumsum<0>(x), tensor<f32, 2, 3>{{1, 2, 3}, {5, 7, 9}}));
  CHECK(is(linspace<f32, 5>(1, 3), tensor<f32, 5>{1, 1.5, 2, 2.5, 3}));
}

TEST_CASE("within traced functions") {
  constexpr auto f = trace([](auto a, auto b) {
    const auto [top, bottom] = split<2>(einsum<"ij,jk->ik">(a, b));
    return cumsum<0>(roll<1>(a)) + broadcast_like(sum(top - bottom), a);
  });
  CHECK(equal(f(x, y), tensor<f32, 2, 3>{{-9, -11, -10}, {-3, -7, -5}}));
}

TEST_CASE("elements, single results and changes in place") {
  const f32 total = sum(x);
  CHECK(total == 21);
  static_assert((x + x).shape == ints{2, 3} && decltype(dot(x, y))::size == 4);
  tensor<f32, 2, 3> z = x;
  z += x, z *= 2.0f, z -= 1, z /= x;
  CHECK(is(z, tensor<f32, 2, 3>{{3, 3.5f, 11.0f / 3}, {3.75f, 19.0f / 5, 23.0f / 6}}));
}

constexpr tensor<f32, 3> row{1, 2, 3};
constexpr tensor<f32, 3> tripled = row + 2 * row;
constexpr tensor<i1, 3> is_less = maximum(row, 2) - 1 < tripled / row;
static_assert(equal(tripled, tensor<f32, 3>{3, 6, 9}) && is_less(0) && is_less(1));

TEST_CASE("constants are what is computed when the program runs") {
  const tensor<f32, 3> sevenths{1.0f / 7, 3.0f / 7, 1e30f};
  static constexpr tensor<f32, 3> same{1.0f / 7, 3.0f / 7, 1e30f};
  constexpr tensor<f32, 3> known = same * same / 3 - same + minimum(-same, 0.1f);
  CHECK(is(sevenths * sevenths / 3 - sevenths + minimum(-sevenths, 0.1f), known));
}

TEST_CASE("views of memory that knows its size") {
  std::vector<f32> elements{1, 2, 3, 4, 5, 6};
  const tensor_view<f32, 2, 3> view(elements);
  view(1, 2) = 7;
  CHECK(elements[5] == 7);
  CHECK(is(tensor_view<const f32, 3>(std::span<const f32>(elements).first(3)) + 1, tensor<f32, 3>{2, 3, 4}));
  static_assert(!std::is_constructible_v<tensor_view<f32, 6>, std::vector<double>&>);
}

}  // namespace
