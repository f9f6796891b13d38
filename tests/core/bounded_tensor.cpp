// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/bounded_tensor.hpp>

#include "core/failure_of.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace tenon;

TEST_CASE("as large as the bounds, or smaller") {
  bounded_tensor<f32, 4, 3> x;
  CHECK(x.shape() == ints{4, 3});
  CHECK(x.size() == 12);
  const bounded_tensor<f32, 4, 3> y(ints{2, 3});
  CHECK(y.shape() == ints{2, 3});
  CHECK(y.size(0) == 2);
  CHECK(y(1, 2) == 0);
}

TEST_CASE("elements lie where those of a tensor of the bounds do") {
  bounded_tensor<i32, 2, 4> x = tensor<i32, 2, 3>{{1, 2, 3}, {4, 5, 6}};
  CHECK(x.shape() == ints{2, 3});
  CHECK(x(1, 0) == 4);
  CHECK(x.data()[4] == 4);
  CHECK(x.data()[6] == 6);
  CHECK(equal(x.as<2, 3>(), tensor<i32, 2, 3>{{1, 2, 3}, {4, 5, 6}}));
  x.resize({2, 2});
  CHECK(equal(x.as<2, 2>(), tensor<i32, 2, 2>{{1, 2}, {4, 5}}));
  i32 dense[4];
  x.store(dense);
  CHECK(dense[2] == 4);
  dense[2] = 7;
  x.load(dense);
  CHECK(x(1, 0) == 7);
}

TEST_CASE("nothing is copied where there are no elements, and all at once where all dimensions are full") {
  int pieces = 0;
  index_t elements = 0;
  const auto count = [&](index_t, index_t, index_t run) { ++pieces, elements += run; };
  detail::for_each_run({0, 3}, {4, 3}, count);
  CHECK(pieces == 0);
  detail::for_each_run({2, 3}, {4, 3}, count);
  CHECK((pieces == 1 && elements == 6));
  detail::for_each_run({2, 2, 3}, {4, 5, 3}, count);
  CHECK((pieces == 3 && elements == 18));
  detail::for_each_run({}, {}, count);
  CHECK((pieces == 4 && elements == 19));
}

TEST_CASE("what does not fit is reported") {
  bounded_tensor<f32, 4, 3> x(ints{2, 3});
  CHECK(failure_of([&] { x.resize({5, 3}); }) == "dimension 0 has size 5, it may have 0 to 4");
  CHECK(failure_of([&] { x.resize({2, -1}); }) == "dimension 1 has size -1, it may have 0 to 3");
  CHECK(failure_of([&] { x.resize({2}); }) == "a tensor of 2 dimensions was given 1 sizes");
  CHECK(failure_of([&] { x(2, 0) = 1; }) == "index 2 of dimension 0 is not within its size 2");
  CHECK(failure_of([&] { x.as<4, 3>(); }) == "the tensor has another shape than it is asked for");
}

TEST_CASE("types with bounds and without") {
  static_assert(std::is_same_v<any_tensor_of<type_of(dtype::f32, {4, 3})>, tensor<f32, 4, 3>>);
  static_assert(std::is_same_v<any_tensor_of<tensor_type{dtype::f32, 1, 0, 0, {4, 3}}>, bounded_tensor<f32, 4, 3>>);
  // Only full tensors are operands of expressions, which know nothing of sizes.
  static_assert(!std::is_convertible_v<bounded_tensor<f32, 4>, tensor<f32, 4>>);
}
