// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/tensor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <utility>

using namespace tenon;

namespace {

template <class Tensor>
bool is_aligned(const Tensor& x) {
  return reinterpret_cast<std::uintptr_t>(x.data()) % 64 == 0;
}

using large = tensor<f32, 100, 100>;
static_assert(sizeof(large) < 128, "kept on the heap");
static_assert(sizeof(tensor<f32, 8, 8>) >= 256, "kept inside");

}  // namespace

TEST_CASE("lists give elements in row-major order") {
  constexpr tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  static_assert(x(0, 0) == 1 && x(0, 2) == 3 && x(1, 0) == 4 && x(1, 2) == 6);
  static_assert(x[{1, 1}] == 5);
  static_assert(x.size == 6 && x.rank == 2 && x.shape == ints{2, 3} && x.type == type_of(dtype::f32, {2, 3}));

  constexpr tensor<i32, 3> vector{7, 8, 9};
  static_assert(vector(2) == 9);
  constexpr tensor<f64> scalar = 2.5;
  static_assert(scalar() == 2.5);
  constexpr tensor<i64, 2, 1, 2> rank_3{{{1, 2}}, {{3, 4}}};
  static_assert(rank_3(1, 0, 1) == 4);
  constexpr tensor<ui8, 1, 2, 2, 1> rank_4{{{{1}, {2}}, {{3}, {4}}}};
  static_assert(rank_4(0, 1, 0, 0) == 3);
  constexpr tensor<i16, 1, 1, 1, 2, 2> rank_5{{{{{1, 2}, {3, 4}}}}};
  static_assert(rank_5(0, 0, 0, 1, 0) == 3);
  constexpr tensor<f32, 1> single{3};
  static_assert(single(0) == 3);
  constexpr tensor<f32, 0, 3> empty;
  static_assert(empty.begin() == empty.end());
}

TEST_CASE("lists of one type say shape and elements") {
  tensor vector{1.5f, 2.0f};
  tensor matrix{{1, 2, 3}, {4, 5, 6}};
  static_assert(std::is_same_v<decltype(vector), tensor<f32, 2>> &&
                std::is_same_v<decltype(matrix), tensor<i32, 2, 3>>);
  tensor copy = tensor_view<const i32, 2, 3>(matrix);
  CHECK(equal(copy, matrix));
}

TEST_CASE("any number stands for an element of any type") {
  constexpr tensor<f16, 2> halves{1.5, 2};
  static_assert(f32(halves(0)) == 1.5f && f32(halves(1)) == 2);
  constexpr tensor<i4, 1, 2> small{{7, -8}};
  static_assert(i32(small(0, 1)) == -8);
  constexpr tensor<complex<f32>, 2> numbers{complex<f32>{1, 2}, 3};
  static_assert(numbers(0).imag == 2 && numbers(1).real == 3);
  constexpr tensor<bool, 2> truths{true, false};
  static_assert(truths(0) && !truths(1));
}

TEST_CASE("a list of a rank without array syntax is checked when it runs") {
  using rank_5 = tensor<f32, 1, 1, 1, 1, 2>;
  CHECK_THROWS_AS((rank_5{{{{{1, 2, 3}}}}}), error);
}

TEST_CASE("elements start as zero and are aligned") {
  const tensor<f32, 3> small;
  const large big;
  for (f32 element : small) CHECK(element == 0);
  for (f32 element : big) CHECK(element == 0);
  CHECK(is_aligned(small));
  CHECK(is_aligned(big));
  const auto filled = large::filled(2);
  for (f32 element : filled) CHECK(element == 2);
}

TEST_CASE("100 MB do not overflow the stack, and move without being copied") {
  using huge = tensor<f32, 25, 1024, 1024>;
  static_assert(std::is_nothrow_move_constructible_v<huge> && std::is_nothrow_move_assignable_v<huge>);
  huge x(uninitialized);
  x(24, 1023, 1023) = 5;
  const f32* const elements = x.data();
  huge y = std::move(x);
  CHECK(y.data() == elements);
  huge z(uninitialized);
  z = std::move(y);
  CHECK(z.data() == elements);
  CHECK(z(24, 1023, 1023) == 5);
}

TEST_CASE("a tensor that was moved from has elements again as soon as it may be written") {
  large x = large::filled(1);
  const large y = std::move(x);
  const char* const message = "a tensor is read whose elements were moved to another";
  CHECK_THROWS_WITH(std::as_const(x)(0, 0), message);
  CHECK_THROWS_WITH(large(std::as_const(x)), message);
  CHECK(x(0, 0) == 0);
  x(3, 4) = 2;
  CHECK(x(3, 4) == 2);
  CHECK(y(3, 4) == 1);
}

TEST_CASE("copies are independent") {
  large x = large::filled(1), y = x;
  x(0, 0) = 9;
  CHECK(y(0, 0) == 1);
  const f32* const before = y.data();
  y = x;
  CHECK(y.data() == before);
  CHECK(y(0, 0) == 9);
}

TEST_CASE("an index out of range is reported") {
  tensor<f32, 2, 3> x;
  CHECK_THROWS_WITH(x(2, 0), "index 2 of dimension 0 is not within its size 2");
  CHECK_THROWS_WITH(x(0, -1), "index -1 of dimension 1 is not within its size 3");
  CHECK_THROWS_WITH((tensor_view<f32, 2, 3>(x)(0, 3)), "index 3 of dimension 1 is not within its size 3");
}

TEST_CASE("views read and write memory of the caller") {
  f32 memory[] = {1, 2, 3, 4, 5, 6};
  const tensor_view<f32, 2, 3> view(memory);
  CHECK(view(1, 0) == 4);
  view(1, 0) = 40;
  CHECK(memory[3] == 40);
  const tensor_view<const f32, 2, 3> reading(memory);
  static_assert(std::is_same_v<decltype(reading(0, 0)), const f32&>);
  const tensor<f32, 2, 3> copy = reading;
  memory[0] = 7;
  CHECK(copy(0, 0) == 1);

  view = copy;
  CHECK(memory[0] == 1);
  f32 other_memory[6]{};
  const tensor_view<f32, 2, 3> other(other_memory);
  other = view;
  CHECK(other_memory[5] == 6);
  other = reading;
  CHECK(equal(other, reading));
}

TEST_CASE("assigning overlapping views moves the elements") {
  f32 up[] = {1, 2, 3, 4, 5}, down[] = {1, 2, 3, 4, 5};
  const tensor_view<f32, 4> later(up + 1), earlier(down);
  later = tensor_view<const f32, 4>(up);
  earlier = tensor_view<const f32, 4>(down + 1);
  for (int i = 0; i < 4; ++i) {
    CHECK(up[i + 1] == f32(i + 1));
    CHECK(down[i] == f32(i + 2));
  }
}

TEST_CASE("equal compares type and elements") {
  constexpr tensor<f32, 2> x{1, 2}, y{1, 2}, z{1, 3};
  static_assert(equal(x, y) && !equal(x, z));
  static_assert(!equal(x, tensor<f64, 2>{1, 2}) && !equal(x, tensor<f32, 1, 2>{{1, 2}}));
  constexpr tensor<f32, 1> nan{element_traits<f32>::nan()};
  static_assert(!equal(nan, nan));
  static_assert(equal(tensor<f32, 1>{0.0f}, tensor<f32, 1>{-0.0f}));
}

TEST_CASE("types as values name tensors") {
  static_assert(std::is_same_v<tensor_of<type_of(dtype::bf16, {2, 3})>, tensor<bf16, 2, 3>>);
  static_assert(std::is_same_v<tensor_of<type_of(dtype::i64, {})>, tensor<i64>>);
}
