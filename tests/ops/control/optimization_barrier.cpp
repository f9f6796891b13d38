// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/optimization_barrier.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::optimization_barrier self;

static_assert(result_type(self, {f32_2x3, token}, {f32_2x3, token}) == f32_2x3);
static_assert(broken_by(self, {}).empty());

static_assert(broken_by(self, {tuple_type}) == "optimization_barrier_i1");
static_assert(broken_by_quantized(self, {axis0_2x3}) == "optimization_barrier_i1");
static_assert(broken_by(self, {f32_2x3, token}, {f32_3x2, token}) == "optimization_barrier_c1");
static_assert(broken_by(self, {f32_2x3, token}, {f32_2x3}) == "optimization_barrier_c1");

TEST_CASE("the values pass") {
  const value a = counting<f32>({2, 3}), b = counting<i8>({5});
  const auto results = evaluate<ui32>(self, {a, blank(token), b}, {a.type, token, b.type});
  CHECK(results[0].bytes == a.bytes);
  CHECK(results[2].bytes == b.bytes);
}

}  // namespace
}  // namespace tenon::test
