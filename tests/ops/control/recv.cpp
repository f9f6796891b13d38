// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/recv.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::recv;

constexpr op between(const id_table& pairs) { return {.source_target_pairs = pairs}; }
constexpr op from_host(channel_types type) { return {1, type, true}; }

static_assert(result_type(op{}, {token}, {f32_2x3, token}) == f32_2x3);
static_assert(result_type(op{}, {token}, {token}) == token);
static_assert(broken_by(from_host(channel_types::HOST_TO_DEVICE), {token}, {f32_2x3, token}).empty());
static_assert(broken_by(from_host(channel_types::DEVICE_TO_HOST), {token}, {f32_2x3, token}).empty());

static_assert(broken_by(op{}, {f32_2x3}, {token}) == "recv_i1");
static_assert(broken_by(between({{0, 1, 2}}), {token}, {token}) == "recv_c1");
static_assert(broken_by(between({{0, 1}, {0, 2}}), {token}, {token}) == "recv_c2");
static_assert(broken_by(between({{0, 1}, {2, 1}}), {token}, {token}) == "recv_c3");
static_assert(broken_by(between({{-1, 1}}), {token}, {token}) == "recv_c4");
static_assert(broken_on({2, 1}, between({{2, 1}}), {token}, {token}) == "recv_c4");
static_assert(broken_by(op{1, channel_types::HOST_TO_DEVICE}, {token}, {token}) == "recv_c5");
static_assert(broken_by(from_host(channel_types::DEVICE_TO_DEVICE), {token}, {token}) == "recv_c5");
static_assert(broken_by(op{}, {token}, {token, token}) == "recv_o1");
static_assert(broken_by(op{}, {token}, {f32_2x3}) == "recv_o1");
static_assert(broken_by(op{}, {token}) == "recv_o1");

TEST_CASE("nobody sends to a program that runs by itself") {
  CHECK_THROWS_AS(evaluate<ui8>(op{}, {blank(token)}, {f32_2x3, token}), error);
}

}  // namespace
}  // namespace tenon::test
