// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

// Whatever is handed out of a temporary outlives it: elements and rows are values, parts and other expressions own the
// tensor that they read, and what would only refer to its memory does not compile.
using namespace tenon;

namespace {

using small = tensor<f32, 2, 3>;
using large = tensor<f32, 2, 8192>;  // on the heap
using line = tensor<f32, 4>;
using bounded = bounded_tensor<f32, 2, 3>;

small make_small() { return {{1, 2, 3}, {4, 5, 6}}; }
const small make_constant() { return make_small(); }
large make_large() {
  large x = large::filled(3);
  x(1, 1) = 5;
  return x;
}
line make_line() { return {1, 2, 3, 4}; }
bounded make_bounded() { return make_small(); }
tensor<complex<f32>, 2> make_complex() { return {complex<f32>{1, 2}, complex<f32>{3, 4}}; }

// Other objects come to lie where temporaries were.
[[gnu::noinline]] void reuse_memory() {
  volatile f32 stack[4096];
  for (volatile f32& element : stack) element = 77;
  std::vector<f32> heap(16384, 55.0f);
  (void)*const_cast<volatile f32*>(heap.data());
}

// What each way to hand something out gives, for a tensor of this value category; nothing where it does not compile.
#define WAY(name, expression)                    \
  template <class X>                             \
  concept has_##name = requires { expression; }; \
  template <class X>                             \
  using given_by_##name = decltype(expression);
WAY(data, std::declval<X>().data())
WAY(begin, std::declval<X>().begin())
WAY(end, std::declval<X>().end())
WAY(element, std::declval<X>()(1, 2))
WAY(element_of_list, (std::declval<X>()[{1, 2}]))
WAY(row, std::declval<X>().row(1))
WAY(subscript, std::declval<X>()[1])
WAY(view, (tensor_view<const f32, 2, 3>(std::declval<X>())))
#undef WAY

template <class X>
inline constexpr bool gives_values =
    std::is_same_v<given_by_element<X>, f32> && std::is_same_v<given_by_element_of_list<X>, f32> &&
    std::is_same_v<given_by_row<X>, tensor<f32, 3>> && std::is_same_v<given_by_subscript<X>, tensor<f32, 3>> &&
    !has_data<X> && !has_begin<X> && !has_end<X> && !has_view<X>;

template <class Expression>
inline constexpr bool owns_operands = requires { requires Expression::leaf_count == 1; };

}  // namespace

TEST_CASE("a tensor with a name hands out references and views, a temporary values") {
  static_assert(gives_values<small> && gives_values<const small> && gives_values<small&&>);
  static_assert(has_data<small&> && has_begin<const small&> && has_end<small&> && has_view<const small&>);
  static_assert(std::is_same_v<given_by_element<small&>, f32&> &&
                std::is_same_v<given_by_element_of_list<const small&>, const f32&> &&
                std::is_same_v<given_by_row<small&>, tensor_view<f32, 3>> &&
                std::is_same_v<given_by_subscript<const small&>, tensor_view<const f32, 3>>);
  static_assert(std::is_same_v<decltype(make_line()[1]), f32> && std::is_same_v<decltype(make_line()(1)), f32>);
  static_assert(std::is_same_v<decltype(std::declval<line&>()[1]), f32&>);

  static_assert(std::is_same_v<decltype(std::declval<bounded>()(0, 0)), f32> && !has_data<bounded>);
  static_assert(std::is_same_v<decltype(std::declval<bounded&>()(0, 0)), f32&> && has_data<bounded&>);
  static_assert(std::is_same_v<decltype(std::declval<bounded>().shape()), ints>);

  // A view does not own what it refers to.
  using view = tensor_view<f32, 2, 3>;
  static_assert(has_data<view> && std::is_same_v<given_by_row<view>, tensor_view<f32, 3>> &&
                std::is_same_v<given_by_element<view>, f32&>);
}

TEST_CASE("positions of any integer type find rows of temporaries") {
  const std::size_t position = 1;
  const short narrow = 1;
  enum { one = 1 };
  CHECK(make_small()[position](0) == 4);
  CHECK(make_small()[narrow](0) == 4);
  CHECK(make_small()[one](0) == 4);
  CHECK(make_small()[0](0) == 1);
  CHECK(make_line()[index_t(2)] == 3);
  CHECK(make_constant()[position](2) == 6);
}

TEST_CASE("what comes from a temporary has its elements when that is gone") {
  const auto row = make_large().row(1);
  const auto subscript = make_small()[1];
  const f32& element = make_large()(1, 1);
  const f32& listed = make_small()[{1, 1}];
  const f32& of_bounded = make_bounded()(1, 2);
  const ints& shape = make_bounded().shape();
  const auto part = make_large()[range<1>];
  const auto constant_part = make_constant()(at<1>, all);
  const auto constant_range = make_constant()[range<1>];
  const auto part_of_part = make_small()[range<1>](all, range<1>);
  const auto turned = transpose(make_small());
  const auto reshaped = reshape<ints{6}>(make_small());
  const auto spread = broadcast<ints{2, 4}>(make_line());
  const auto sorted = make_line() * 2 + make_line();
  const auto moved = reverse<ints{0}>(make_line());
  const auto real_part = real(make_complex());
  const auto imaginary_part = imag(make_complex());
  const auto joined = concatenate<0>(make_line(), make_line());
  const auto chosen = where(make_line() > 2, make_line(), 0);
  const auto padded = pad<1>(make_line());
  const auto taken = take<0>(make_line(), tensor<i32, 2>{3, 0});
  const auto [first, second] = split<2>(make_line());
  auto&& [top, bottom] = split<2>(make_small());
  reuse_memory();

  CHECK(row(0) == 3);
  CHECK(row(1) == 5);
  CHECK(equal(subscript, tensor<f32, 3>{4, 5, 6}));
  CHECK(element == 5);
  CHECK(listed == 5);
  CHECK(of_bounded == 6);
  CHECK(shape == ints{2, 3});
  CHECK(evaluate(part)(0, 1) == 5);
  CHECK(equal(evaluate(constant_part), tensor<f32, 3>{4, 5, 6}));
  CHECK(equal(evaluate(constant_range), tensor<f32, 1, 3>{{4, 5, 6}}));
  CHECK(equal(evaluate(part_of_part), tensor<f32, 1, 2>{{5, 6}}));
  CHECK(equal(evaluate(turned), tensor<f32, 3, 2>{{1, 4}, {2, 5}, {3, 6}}));
  CHECK(equal(evaluate(reshaped), tensor<f32, 6>{1, 2, 3, 4, 5, 6}));
  CHECK(equal(evaluate(spread), tensor<f32, 2, 4>{{1, 2, 3, 4}, {1, 2, 3, 4}}));
  CHECK(equal(evaluate(sorted), tensor<f32, 4>{3, 6, 9, 12}));
  CHECK(equal(evaluate(moved), tensor<f32, 4>{4, 3, 2, 1}));
  CHECK(equal(evaluate(real_part), tensor<f32, 2>{1, 3}));
  CHECK(equal(evaluate(imaginary_part), tensor<f32, 2>{2, 4}));
  CHECK(equal(evaluate(joined), tensor<f32, 8>{1, 2, 3, 4, 1, 2, 3, 4}));
  CHECK(equal(evaluate(chosen), tensor<f32, 4>{0, 0, 3, 4}));
  CHECK(equal(evaluate(padded), tensor<f32, 6>{0, 1, 2, 3, 4, 0}));
  CHECK(equal(evaluate(taken), tensor<f32, 2>{4, 1}));
  CHECK(equal(first, tensor<f32, 2>{1, 2}));
  CHECK(equal(second, tensor<f32, 2>{3, 4}));
  CHECK(equal(top, tensor<f32, 1, 3>{{1, 2, 3}}));
  CHECK(equal(bottom, tensor<f32, 1, 3>{{4, 5, 6}}));
}

TEST_CASE("an expression keeps a view, not the variable that holds it") {
  std::vector<f32> memory{1, 2, 3, 4};
  const auto doubled = [&]() -> decltype(auto) {
    const tensor_view<const f32, 4> view(memory);
    return view * 2;
  };
  const auto expression = doubled();
  reuse_memory();
  CHECK(equal(evaluate(expression), tensor<f32, 4>{2, 4, 6, 8}));
}

TEST_CASE("temporaries are gone through element by element") {
  f32 sum_of_elements = 0;
  for (f32 element : make_small()) sum_of_elements += element;
  CHECK(sum_of_elements == 21);
}
