// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/map.hpp>

#include <ops/bodies.hpp>
#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace kernels;
using namespace core;

using namespace execution;

namespace {

constexpr ops::map self{{0, 1}};
constexpr signature mixed = signature_of<type_array<f32_scalar, i32_scalar>, type_array<f64_scalar>>,
                    wide = signature_of<type_array<f32_scalar, i32_scalar>, type_array<f32_2x3>>;

static_assert(result_type(self, {f32_2x3, i32_2x3}, {f64_2x3}, {mixed}) == f64_2x3);
static_assert(result_type(self, {f32_2x3, i32_2x3}, {}, {mixed}) == f64_2x3);

static_assert(broken_by(self, {token, i32_2x3}, {}, {mixed}) == "map_i1");
static_assert(broken_by(self, {axis0_2x3}, {}, {mixed}, &quantized_details) == "map_i1");
static_assert(broken_by(self, {f32_2x3, i32_scalar}, {}, {mixed}) == "map_c1");
static_assert(broken_by(self, {f32_2x3, i32_2x3}, {type_of(dtype::f64, {3, 2})}, {mixed}) == "map_c1");
static_assert(broken_by(ops::map{}, {}, {}, {mixed}) == "map_c2");
static_assert(broken_by(ops::map{{0}}, {f32_2x3, i32_2x3}, {}, {mixed}) == "map_c3");
static_assert(broken_by(ops::map{{1, 0}}, {f32_2x3, i32_2x3}, {}, {mixed}) == "map_c3");
static_assert(broken_by(self, {f32_2x3}, {}, {mixed}) == "map_c4");
static_assert(broken_by(self, {i32_2x3, f32_2x3}, {}, {mixed}) == "map_c4");
static_assert(broken_by(self, {f32_2x3, i32_2x3}, {}, {wide}) == "map_c4");
static_assert(broken_by(self, {f32_2x3, i32_2x3}, {f32_2x3}, {mixed}) == "map_c4");
static_assert(broken_by(self, {f32_2x3, i32_2x3}) == "map_c4");

TEST_CASE("the specification's example") {
  const value left = tensor_of<i64>({2, 2}, {0, 1, 2, 3}), right = tensor_of<i64>({2, 2}, {4, 5, 6, 7});
  const auto multiply = combined_by<i64>([](i64 a, i64 b) { return a * b; });
  const value result = evaluate<ui64>(self, {left, right}, {left.type}, multiply)[0];
  CHECK(result.as<i64>() == std::vector<i64>{0, 5, 12, 21});
}

TEST_CASE("inputs and results of different sizes") {
  const region_code add = [](int, const void* const* arguments, void* const* results) {
    *static_cast<f64*>(results[0]) = *static_cast<const f32*>(arguments[0]) + *static_cast<const i8*>(arguments[1]);
  };
  const auto results =
      evaluate<ui32>(ops::map{{0}}, {tensor_of<f32>({3}, {0.5f, 1.5f, 2.5f}), tensor_of<i8>({3}, {1, -2, 3})},
                     {type_of(dtype::f64, {3})}, {add, {}});
  CHECK(results[0].as<f64>() == std::vector<f64>{1.5, -0.5, 5.5});
}

}  // namespace
}  // namespace tenon::test
