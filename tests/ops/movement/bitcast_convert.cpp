// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/movement/bitcast_convert.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <bit>

namespace {

using namespace tenon;
using namespace tenon::test;

// types
static_assert(result_type(ops::bitcast_convert{}, {f32_2x3}, {ui32_2x3}) == ui32_2x3);
static_assert(result_type(ops::bitcast_convert{}, {f32_2x3}, {type_of(dtype::ui8, {2, 3, 4})}) ==
              type_of(dtype::ui8, {2, 3, 4}));
static_assert(result_type(ops::bitcast_convert{}, {type_of(dtype::i1, {2, 64})}, {type_of(dtype::i64, {2})}) ==
              type_of(dtype::i64, {2}));
static_assert(result_type(ops::bitcast_convert{}, {f64_scalar}, {type_of(dtype::f16, {4})}) ==
              type_of(dtype::f16, {4}));
static_assert(result_type(ops::bitcast_convert{}, {f64_2x3}, {with_open_shape(dtype::f16)}) ==
              type_of(dtype::f16, {2, 3, 4}));
static_assert(result_type(ops::bitcast_convert{}, {type_of(dtype::complex_f64, {})},
                          {type_of(dtype::complex_f32, {2})}) == type_of(dtype::complex_f32, {2}));
static_assert(result_type(ops::bitcast_convert{}, {q8_2x3}, {type_of(dtype::i8, {2, 3})}, {}, &quantized_details) ==
              type_of(dtype::i8, {2, 3}));

// broken rules
static_assert(broken_by(ops::bitcast_convert{}, {token}, {f32_2x3}) == "bitcast_convert_i1");
static_assert(broken_by(ops::bitcast_convert{}, {f32_2x3}) == "bitcast_convert_o1");
static_assert(broken_by(ops::bitcast_convert{}, {f32_2x3}, {token}) == "bitcast_convert_o1");
static_assert(broken_by(ops::bitcast_convert{}, {f32_2x3}, {f32_3x2}) == "bitcast_convert_c1");
static_assert(broken_by(ops::bitcast_convert{}, {f64_scalar}, {f32_scalar}) == "bitcast_convert_c1");
static_assert(broken_by(ops::bitcast_convert{}, {f32_scalar}, {f64_scalar}) == "bitcast_convert_c1");
static_assert(broken_by(ops::bitcast_convert{}, {type_of(dtype::f32, {2, 4})}, {type_of(dtype::f64, {2, 2})}) ==
              "bitcast_convert_c1");
static_assert(broken_by(ops::bitcast_convert{}, {type_of(dtype::complex_f32, {INT64_MAX})},
                        {type_of(dtype::complex_f64)}) == "bitcast_convert_c1");
static_assert(broken_by(ops::bitcast_convert{}, {c64_2x3}, {f64_2x3}) == "bitcast_convert_c2");

// values
TEST_CASE("bitcast_convert keeps the bytes") {
  const ops::bitcast_convert op;
  const value bits = tensor_of<ui64>({}, {0x0123456789ABCDEF});
  CHECK(move(op, {bits}, type_of(dtype::ui16, {4})).as<ui16>() == std::vector<ui16>{0xCDEF, 0x89AB, 0x4567, 0x0123});
  CHECK(move(op, {tensor_of<f32>({2}, {1.0f, -2.0f})}, type_of(dtype::ui32, {2})).as<ui32>() ==
        std::vector<ui32>{0x3F800000, 0xC0000000});
  CHECK(move(op, {tensor_of<ui8>({1, 4}, {0, 0, 0x80, 0x3F})}, type_of(dtype::f32, {1})).as<f32>() ==
        std::vector<f32>{1.0f});
}

TEST_CASE("bitcast_convert packs elements of less than a byte") {
  const ops::bitcast_convert op;
  const value nibbles = tensor_of<i4>({2, 2}, {i4(-1), i4(7), i4(1), i4(-8)});
  CHECK(move(op, {nibbles}, type_of(dtype::ui8, {2})).as<ui8>() == std::vector<ui8>{0x7F, 0x81});
  CHECK(move(op, {nibbles}, type_of(dtype::ui4, {2, 2})).as<ui4>() ==
        std::vector<ui4>{ui4(15), ui4(7), ui4(1), ui4(8)});
  CHECK(move(op, {tensor_of<i8>({1}, {-2})}, type_of(dtype::i4, {1, 2})).as<i4>() == std::vector<i4>{i4(-2), i4(-1)});
  CHECK(move(op, {tensor_of<ui4>({1}, {ui4(9)})}, type_of(dtype::i2, {1, 2})).as<i2>() ==
        std::vector<i2>{i2(1), i2(-2)});
}

TEST_CASE("bitcast_convert packs booleans") {
  const ops::bitcast_convert op;
  const value word = tensor_of<i64>({1}, {i64(0x8000000000000005u)});
  const value bits = move(op, {word}, type_of(dtype::i1, {1, 64}));
  for (std::size_t i = 0; i < 64; ++i) CHECK(bits.bytes[i] == (i == 0 || i == 2 || i == 63 ? 1 : 0));
  CHECK(move(op, {bits}, type_of(dtype::i64, {1})).as<i64>() == word.as<i64>());
}

TEST_CASE("bitcast_convert of nothing") {
  CHECK(move(ops::bitcast_convert{}, {tensor_of<f32>({0}, std::vector<f32>{})}, type_of(dtype::i8, {0, 4}))
            .bytes.empty());
}

}  // namespace
