// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/send.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::send;
constexpr op to_host{1, channel_types::DEVICE_TO_HOST, true};

constexpr op between(const id_table& pairs) { return {.source_target_pairs = pairs}; }

static_assert(result_type(op{}, {f32_2x3, i32_scalar, token}, {token}) == token);
static_assert(result_type(to_host, {token}) == token);
static_assert(broken_by(between({{0, 1}, {1, 2}}), {f32_2x3, token}).empty());

static_assert(broken_by(op{}, {token, token}) == "send_i1");
static_assert(broken_by(op{}, {f32_2x3}) == "send_i2");
static_assert(broken_by(op{}, {}) == "send_i2");
static_assert(broken_by(between({{0, 1, 2}}), {f32_2x3, token}) == "send_c1");
static_assert(broken_by(between({{0, 1}, {0, 2}}), {f32_2x3, token}) == "send_c2");
static_assert(broken_by(between({{0, 1}, {2, 1}}), {f32_2x3, token}) == "send_c3");
static_assert(broken_by(between({{0, -1}}), {f32_2x3, token}) == "send_c4");
static_assert(broken_on({2, 1}, between({{0, 1}}), {f32_2x3, token}).empty());
static_assert(broken_on({2, 1}, between({{0, 2}}), {f32_2x3, token}) == "send_c4");
static_assert(broken_by(op{1, channel_types::DEVICE_TO_HOST}, {token}) == "send_c5");
static_assert(broken_by(op{1, channel_types::DEVICE_TO_DEVICE, true}, {token}) == "send_c5");
static_assert(broken_by(op{1, channel_types::HOST_TO_DEVICE, true}, {token}) == "send_c5");
static_assert(broken_by(op{}, {token}, {f32_2x3}) == "send_o1");

TEST_CASE("nobody receives from a program that runs by itself") {
  CHECK_THROWS_AS(evaluate<ui8>(op{}, {blank(token)}, {token}), error);
}

}  // namespace
}  // namespace tenon::test
