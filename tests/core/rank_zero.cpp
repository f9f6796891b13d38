// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace tenon;

namespace {

constexpr auto sums = trace([](auto x) { return results(sum(x), sum(x * 2)); });

template <class Tensor, class Index>
concept has_row = requires(const Tensor& x, const Index& i) { x[i]; };

}  // namespace

TEST_CASE("a tensor without dimensions is a number, and takes one") {
  tensor<f32> t = 3;
  f32 a = t;
  f64 wide = t;
  a += t;
  wide *= t;
  CHECK(a == 6);
  CHECK(wide == 9);
  t = a;
  t += 1;
  t = t * 2 + 1;
  CHECK(f32(t) == 15);
  t /= 5;
  t -= f32(1);
  CHECK(t() == 2);
  if (t > 1 && t == t) t *= 3;
  CHECK(f64(t) == 6);
  constexpr i32 four = tensor<i32>(4);
  static_assert(four == 4);

  const tensor<bf16> narrow = 2;
  const bf16 same = narrow;
  CHECK(f32(same) == 2);
  const tensor<complex<f32>> z = complex<f32>{1, 2};
  const complex<f32> number = z;
  CHECK(number.imag == 2);
  static_assert(!std::is_convertible_v<tensor<f32, 1>, f32> && !std::is_convertible_v<tensor<f32, 1, 1>, f32>);
}

TEST_CASE("a view without dimensions is a number, and takes one") {
  f32 memory = 1;
  const tensor_view<f32> view(&memory);
  view = 4;
  CHECK(memory == 4);
  view += 1;
  const tensor_view<const f32> constant(&memory);
  f64 number = constant;
  number += view;
  CHECK(number == 10);
  static_assert(!std::is_assignable_v<const tensor_view<const f32>&, int>);
}

TEST_CASE("an expression without dimensions is a number") {
  const tensor<f32, 3> x{1, 2, 3};
  f32 total = sum(x);
  total += sum(x);
  CHECK(total == 12);
  const f64 wide = max(x);
  CHECK(wide == 3);
  i32 count = sum(tensor<i32, 2>{1, 2});
  count += sum(tensor<i32, 2>{3, 4});
  CHECK(count == 10);
  tensor<f32> kept = sum(x);
  kept = sum(x) + 1;
  kept += sum(x) * 2;
  CHECK(f32(kept) == 19);
  const f32 of_temporary = sum(tensor<f32, 2>{1, 2}) / 2;
  CHECK(of_temporary == 1.5f);
}

TEST_CASE("results of traces are numbers, positions are integers") {
  const tensor<f32, 3> x{1, 5, 3};
  auto [one, two] = sums(x);
  f32 number = one;
  number = two;
  CHECK(number == 18);
  CHECK(x[argmax(x)] == 5);
  CHECK(x(argmin(x)) == 1);
  CHECK(x[tensor<i64>(2)] == 3);
  static_assert(has_row<tensor<f32, 3>, tensor<i32>> && !has_row<tensor<f32, 3>, tensor<f32>>);
  const results<tensor<f32>> single(tensor<f32>(2.0f));
  const f32 only = single;
  CHECK(only == 2);
}
