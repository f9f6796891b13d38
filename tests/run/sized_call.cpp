// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/sized_call.hpp>

#include "core/failure_of.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::execution;

namespace {

// The second dimension, or both, are as large as their bounds or smaller.
constexpr tensor_type one_bounded = [] {
  tensor_type type = type_of(dtype::f32, {2, 5});
  type.bounded = 2;
  return type;
}();
constexpr tensor_type both_bounded = [] {
  tensor_type type = type_of(dtype::f32, {3, 4});
  type.bounded = 3;
  return type;
}();
constexpr tensor_type fixed = type_of(dtype::f32, {7});
static_assert(one_bounded.is_bounded(1) && !one_bounded.is_bounded(0));

constexpr tensor_type arguments[] = {both_bounded, fixed, one_bounded}, results[] = {fixed, one_bounded, both_bounded};
constexpr sized_call whole({arguments, 3}, {results, 3}), without({arguments + 1, 1}, {results, 1});
static_assert(whole.is_sized() && whole.size_count() == 6);
static_assert(whole.argument_count() == 6 && whole.result_count() == 6);
static_assert(!without.is_sized() && without.size_count() == 0);
static_assert(without.argument_count() == 1 && without.result_count() == 1);
// Sizes that are only given, or only taken.
static_assert(sized_call({arguments + 1, 1}, {results + 1, 1}).is_sized());
static_assert(sized_call({arguments + 2, 1}, {results, 1}).is_sized());

struct call {
  float a = 0, b = 0, c = 0, x = 0, y = 0, z = 0;
  const void* from[3] = {&a, &b, &c};
  void* to[3] = {&x, &y, &z};
  const void* inputs[6]{};
  void* outputs[6]{};
  index_t sizes[6]{};

  explicit call(const index_t* argument_sizes) { whole.prepare(from, argument_sizes, to, inputs, outputs, sizes); }
};

}  // namespace

TEST_CASE("sizes follow the arguments and the results") {
  const index_t given[] = {1, 0, 4};
  call one(given);
  for (int i = 0; i < 3; ++i) {
    CHECK(one.inputs[i] == one.from[i]);
    CHECK(one.outputs[i] == one.to[i]);
    CHECK(*static_cast<const index_t*>(one.inputs[3 + i]) == given[i]);
    CHECK(one.outputs[3 + i] == one.sizes + 3 + i);
  }
  for (int i = 0; i < 3; ++i) *static_cast<index_t*>(one.outputs[3 + i]) = 10 + i;
  index_t back[4] = {-1, -1, -1, -1};
  whole.finish(one.sizes, back);
  CHECK(back[0] == 10);
  CHECK(back[1] == 11);
  CHECK(back[2] == 12);
  CHECK(back[3] == -1);
}

TEST_CASE("arguments without sizes are as large as their bounds") {
  const call one(nullptr);
  CHECK(one.sizes[0] == 3);
  CHECK(one.sizes[1] == 4);
  CHECK(one.sizes[2] == 5);
}

TEST_CASE("who does not ask for sizes gets whole results, or an error") {
  index_t sizes[] = {0, 0, 0, 5, 3, 4};
  CHECK(failure_of([&] { whole.finish(sizes, nullptr); }) == "");
  sizes[4] = 2;
  CHECK(failure_of([&] { whole.finish(sizes, nullptr); }) ==
        "result 2: dimension 0 has size 2 below its bound 3, and nobody asked for it");
}
