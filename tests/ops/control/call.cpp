// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/call.hpp>

#include <ops/bodies.hpp>
#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

using namespace execution;

namespace {

constexpr signature function = signature_of<type_array<f32_2x3, token>, type_array<i32_scalar>>;

static_assert(result_type(ops::call{}, {f32_2x3, token}, {i32_scalar}, {function}) == i32_scalar);
static_assert(result_type(ops::call{}, {f32_2x3, token}, {}, {function}) == i32_scalar);

static_assert(broken_by(ops::call{}, {f32_2x3, token}, {i32_scalar}) == "call_c1");
static_assert(broken_by(ops::call{}, {f32_2x3}, {i32_scalar}, {function}) == "call_c2");
static_assert(broken_by(ops::call{}, {f32_3x2, token}, {i32_scalar}, {function}) == "call_c2");
static_assert(broken_by(ops::call{}, {f32_2x3, token}, {f32_scalar}, {function}) == "call_c3");
static_assert(broken_by(ops::call{}, {f32_2x3, token}, {i32_scalar, i32_scalar}, {function}) == "call_c3");

TEST_CASE("the function gets the operands and gives the results") {
  const auto subtract = combined_by<i32>([](i32 a, i32 b) { return a - b; });
  const auto results = evaluate<ui32>(ops::call{}, {scalar_of<i32>(9), scalar_of<i32>(4)}, {i32_scalar}, subtract);
  CHECK(results[0].as<i32>() == std::vector<i32>{5});
}

}  // namespace
}  // namespace tenon::test
