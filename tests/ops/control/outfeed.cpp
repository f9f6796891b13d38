// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/outfeed.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::outfeed self;

static_assert(result_type(self, {f32_2x3, i32_scalar, token}, {token}) == token);
static_assert(result_type(self, {token}) == token);
static_assert(result_type(self, {axis0_2x3, token}, {}, {}, &quantized_details) == token);

static_assert(broken_by(self, {tuple_type, token}) == "outfeed_i1");
static_assert(broken_by(self, {token, token}) == "outfeed_i1");
static_assert(broken_by(self, {f32_2x3}) == "outfeed_i2");
static_assert(broken_by(self, {}) == "outfeed_i2");
static_assert(broken_by(self, {token}, {f32_2x3}) == "outfeed_o1");

TEST_CASE("nobody takes what a program that runs by itself hands out") {
  CHECK_THROWS_AS(evaluate<ui8>(self, {blank(token)}, {token}), error);
}

}  // namespace
}  // namespace tenon::test
