// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/concatenate.hpp>

#include <ops/evaluate.hpp>
#include <ops/movement/map_agrees.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr tensor_type f32_2x5 = type_of(dtype::f32, {2, 5});

static_assert(result_type(ops::concatenate{1}, {f32_2x3, f32_2x5, f32_2x3}) == type_of(dtype::f32, {2, 11}));
static_assert(result_type(ops::concatenate{0}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::concatenate{0}, {q8_2x3, q8_2x3}, {}, {}, &quantized_details) ==
              quantized(dtype::i8, 1, {4, 3}));

static_assert(broken_by(ops::concatenate{}, {token}) == "concatenate_c4");
static_assert(broken_by_quantized(ops::concatenate{}, {axis0_2x3, axis0_2x3}) == "concatenate_i1");
static_assert(broken_by(ops::concatenate{}, {f32_2x3, f64_2x3}) == "concatenate_c1");
static_assert(broken_by(ops::concatenate{}, {f32_2x3, f32_2x5}) == "concatenate_c2");
static_assert(broken_by(ops::concatenate{}, {f32_2x3, type_of(dtype::f32, {2, 3, 1})}) == "concatenate_c2");
static_assert(broken_by(ops::concatenate{}, {}) == "concatenate_c3");
static_assert(broken_by(ops::concatenate{2}, {f32_2x3}) == "concatenate_c4");
static_assert(broken_by(ops::concatenate{-1}, {f32_2x3}) == "concatenate_c4");
static_assert(broken_by(ops::concatenate{}, {f32_scalar}) == "concatenate_c4");
static_assert(broken_by(ops::concatenate{}, {f32_2x3}, {f64_2x3}) == "concatenate_c5");
static_assert(broken_by(ops::concatenate{}, {f32_2x3, f32_2x3}, {f32_2x3}) == "concatenate_c6");

TEST_CASE("the specification's example") {
  const value first = tensor_of<i64>({3, 2}, {1, 2, 3, 4, 5, 6}), second = tensor_of<i64>({1, 2}, {7, 8});
  const value result = move(ops::concatenate{0}, {first, second}, type_of(dtype::i64, {4, 2}));
  CHECK(result.as<i64>() == std::vector<i64>{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("every element comes from where the map says") {
  CHECK(map_agrees(ops::concatenate{1}, {counting<ui8>({3, 2, 5}), counting<ui8>({3, 0, 5}), counting<ui8>({3, 7, 5})},
                   type_of(dtype::ui8, {3, 9, 5})));
  CHECK(map_agrees(ops::concatenate{2}, {counting<f32>({3, 2, 5}), counting<f32>({3, 2, 1})},
                   type_of(dtype::f32, {3, 2, 6})));
  CHECK(map_agrees(ops::concatenate{0}, {counting<complex<f64>>({1}), counting<complex<f64>>({4})},
                   type_of(dtype::complex_f64, {5})));
  // Long pieces, more pieces than are walked together, and a last dimension of short ones.
  CHECK(map_agrees(ops::concatenate{1}, {counting<f32>({5, 129}), counting<f32>({5, 1}), counting<f32>({5, 70})},
                   type_of(dtype::f32, {5, 200})));
  CHECK(map_agrees(ops::concatenate{1}, std::vector<value>(20, counting<i16>({3, 40})), type_of(dtype::i16, {3, 800})));
  CHECK(map_agrees(ops::concatenate{2}, {counting<f64>({4, 30, 1}), counting<f64>({4, 30, 1})},
                   type_of(dtype::f64, {4, 30, 2})));
  // Many rows that are shorter than vectors.
  CHECK(map_agrees(ops::concatenate{1}, {counting<f32>({301, 3}), counting<f32>({301, 1})},
                   type_of(dtype::f32, {301, 4})));
  CHECK(map_agrees(ops::concatenate{1}, std::vector<value>(5, counting<i8>({1000, 1})), type_of(dtype::i8, {1000, 5})));
  CHECK(map_agrees(ops::concatenate{1}, {counting<complex<f32>>({90, 2, 3}), counting<complex<f32>>({90, 1, 3})},
                   type_of(dtype::complex_f32, {90, 3, 3})));
  CHECK(map_agrees(ops::concatenate{1}, {counting<complex<f64>>({301, 3}), counting<complex<f64>>({301, 1})},
                   type_of(dtype::complex_f64, {301, 4})));
}

}  // namespace
}  // namespace tenon::test
