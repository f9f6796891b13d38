// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/pad.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr index_t huge = INT64_MAX;
constexpr ops::pad none{{0, 0}, {0, 0}, {0, 0}};

static_assert(result_type(ops::pad{{0, 1}, {2, 1}, {1, 2}}, {f32_2x3, f32_scalar}) == type_of(dtype::f32, {5, 9}));
static_assert(result_type(ops::pad{{-1, -3}, {0, -1}, {0, 1}}, {f32_2x3, f32_scalar}) == type_of(dtype::f32, {1, 1}));
static_assert(result_type(ops::pad{{0}, {0}, {huge}}, {type_of(dtype::f32, {1}), f32_scalar}) ==
              type_of(dtype::f32, {1}));
static_assert(result_type(ops::pad{{2}, {0}, {5}}, {type_of(dtype::f32, {0}), f32_scalar}) == type_of(dtype::f32, {2}));
static_assert(result_type(ops::pad{}, {f32_scalar, f32_scalar}) == f32_scalar);

static_assert(broken_by(none, {token, f32_scalar}) == "pad_i1");
static_assert(broken_by_quantized(none, {axis0_2x3, axis0_2x3.with_shape({})}) == "pad_i1");
static_assert(broken_by(none, {f32_2x3, f32_2x3}) == "pad_i2");
static_assert(broken_by(none, {f32_2x3, f64_scalar}) == "pad_c1");
static_assert(broken_by(none, {f32_2x3, f32_scalar}, {f64_2x3}) == "pad_c1");
static_assert(broken_by(ops::pad{{0}, {0, 0}, {0, 0}}, {f32_2x3, f32_scalar}) == "pad_c2");
static_assert(broken_by(ops::pad{{0, 0}, {0}, {0, 0}}, {f32_2x3, f32_scalar}) == "pad_c2");
static_assert(broken_by(ops::pad{{0, 0}, {0, 0}, {0}}, {f32_2x3, f32_scalar}) == "pad_c2");
static_assert(broken_by(ops::pad{{0, 0}, {0, 0}, {0, -1}}, {f32_2x3, f32_scalar}) == "pad_c3");
static_assert(broken_by(ops::pad{{0, -4}, {0, 0}, {0, 0}}, {f32_2x3, f32_scalar}) == "pad_c4");
static_assert(broken_by(none, {f32_2x3, f32_scalar}, {f32_3x2}) == "pad_c4");

TEST_CASE("the specification's example") {
  const value operand = tensor_of<i32>({2, 3}, {1, 2, 3, 4, 5, 6}), zero = scalar_of<i32>(0);
  const value result = move(ops::pad{{0, 1}, {2, 1}, {1, 2}}, {operand, zero}, type_of(dtype::i32, {5, 9}));
  CHECK(result.as<i32>() == std::vector<i32>{0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5,
                                             0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("every element comes from where the map says") {
  for (index_t low = -7; low <= 3; ++low) {
    for (index_t high = -7; high <= 2; ++high) {
      for (index_t interior = 0; interior <= 3; ++interior) {
        const index_t size = padded_size(5, low, high, interior);
        if (size < 0) continue;
        const ops::pad self{{low, 1}, {high, -1}, {interior, 1}};
        CHECK(map_agrees(self, {counting<ui16>({5, 3}), scalar_of<ui16>(99)}, type_of(dtype::ui16, {size, 5})));
      }
    }
  }
}

TEST_CASE("elements of any size, and enormous padding that cancels out") {
  const ops::pad self{{1}, {1}, {1}};
  CHECK(map_agrees(self, {counting<ui8>({4}), scalar_of<ui8>(9)}, type_of(dtype::ui8, {9})));
  CHECK(map_agrees(self, {counting<f64>({4}), scalar_of<f64>(9)}, type_of(dtype::f64, {9})));
  CHECK(map_agrees(self, {counting<complex<f64>>({4}), scalar_of<complex<f64>>({9, 9})},
                   type_of(dtype::complex_f64, {9})));
  const value far =
      move(ops::pad{{-huge}, {huge}, {huge}}, {counting<i32>({1}), scalar_of<i32>(9)}, type_of(dtype::i32, {1}));
  CHECK(far.as<i32>() == std::vector<i32>{9});
  const value wide =
      move(ops::pad{{1}, {1}, {huge}}, {counting<i32>({1}), scalar_of<i32>(9)}, type_of(dtype::i32, {3}));
  CHECK(wide.as<i32>() == std::vector<i32>{9, 1, 9});
}

}  // namespace
}  // namespace tenon::test
