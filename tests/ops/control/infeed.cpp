// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/infeed.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::infeed;

static_assert(result_type(op{}, {token}, {f32_2x3, token}) == f32_2x3);
static_assert(result_type(op{}, {token}, {token}) == token);
static_assert(broken_by(op{.layout = {{0, 1}, {0}}}, {token}, {f32_2x3, i1_scalar, token}).empty());

static_assert(broken_by(op{}, {f32_2x3}, {f32_2x3, token}) == "infeed_i1");
static_assert(broken_by(op{}, {}, {f32_2x3, token}) == "infeed_i1");
static_assert(broken_by(op{}, {token}) == "infeed_c1");
static_assert(broken_by(op{}, {token}, {token, token}) == "infeed_c2");
static_assert(broken_by(op{}, {token}, {tuple_type, token}) == "infeed_c2");
static_assert(broken_by(op{}, {token}, {f32_2x3, f32_2x3}) == "infeed_c3");
static_assert(broken_by(op{.layout = {{0, 1}}}, {token}, {f32_2x3, i1_scalar, token}) == "infeed_layout");
static_assert(broken_by(op{.layout = {{0}}}, {token}, {f32_2x3, token}) == "infeed_layout");

TEST_CASE("nobody feeds a program that runs by itself") {
  CHECK_THROWS_AS(evaluate<ui8>(op{}, {blank(token)}, {f32_2x3, token}), error);
}

}  // namespace
}  // namespace tenon::test
