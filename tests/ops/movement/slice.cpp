// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/slice.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr index_t huge = INT64_MAX;

static_assert(result_type(ops::slice{{0, 1}, {2, 3}, {1, 2}}, {f32_2x3}) == type_of(dtype::f32, {2, 1}));
static_assert(result_type(ops::slice{{1, 0}, {1, 3}, {}}, {f32_2x3}) == type_of(dtype::f32, {0, 3}));
static_assert(result_type(ops::slice{{0, 0}, {2, 3}, {huge, huge}}, {f32_2x3}) == type_of(dtype::f32, {1, 1}));
static_assert(result_type(ops::slice{}, {f32_scalar}) == f32_scalar);

static_assert(broken_by(ops::slice{}, {token}) == "slice_i1");
static_assert(broken_by_quantized(ops::slice{{0, 0}, {1, 1}, {}}, {axis0_2x3}) == "slice_i1");
static_assert(broken_by(ops::slice{{0, 0}, {1, 1}, {}}, {f32_2x3}, {type_of(dtype::f64, {1, 1})}) == "slice_c1");
static_assert(broken_by(ops::slice{{0}, {1, 1}, {1, 1}}, {f32_2x3}) == "slice_c2");
static_assert(broken_by(ops::slice{{0, 0}, {1}, {1, 1}}, {f32_2x3}) == "slice_c2");
static_assert(broken_by(ops::slice{{0, 0}, {1, 1}, {1}}, {f32_2x3}) == "slice_c2");
static_assert(broken_by(ops::slice{{-1, 0}, {1, 1}, {}}, {f32_2x3}) == "slice_c3");
static_assert(broken_by(ops::slice{{2, 0}, {1, 1}, {}}, {f32_2x3}) == "slice_c3");
static_assert(broken_by(ops::slice{{0, 0}, {1, 4}, {}}, {f32_2x3}) == "slice_c3");
static_assert(broken_by(ops::slice{{INT64_MIN, 0}, {huge, 1}, {}}, {f32_2x3}) == "slice_c3");
static_assert(broken_by(ops::slice{{0, 0}, {1, 1}, {1, 0}}, {f32_2x3}) == "slice_c4");
static_assert(broken_by(ops::slice{{0, 0}, {1, 1}, {}}, {f32_2x3}, {f32_2x3}) == "slice_c5");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i32>({3, 4}, {0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4});
  const value result = move(ops::slice{{1, 2}, {3, 4}, {1, 1}}, {operand}, type_of(dtype::i32, {2, 2}));
  CHECK(result.as<i32>() == std::vector<i32>{1, 2, 3, 4});
}

TEST_CASE("every element comes from where the map says") {
  CHECK(map_agrees(ops::slice{{1, 2}, {7, 11}, {2, 3}}, {counting<ui8>({7, 11})}, type_of(dtype::ui8, {3, 3})));
  CHECK(map_agrees(ops::slice{{0, 3, 1}, {5, 4, 8}, {4, huge, 1}}, {counting<f32>({5, 4, 9})},
                   type_of(dtype::f32, {2, 1, 7})));
  CHECK(map_agrees(ops::slice{{2}, {5}, {}}, {counting<complex<f64>>({6})}, type_of(dtype::complex_f64, {3})));
  CHECK(move(ops::slice{{2}, {2}, {}}, {counting<f64>({6})}, type_of(dtype::f64, {0})).bytes.empty());
}

}  // namespace
}  // namespace tenon::test
