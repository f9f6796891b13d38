// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/after_all.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::after_all self;

static_assert(result_type(self, {}) == token);
static_assert(result_type(self, {token, token}, {token}) == token);

static_assert(broken_by(self, {token, f32_scalar}) == "after_all_i1");
static_assert(broken_by(self, {token}, {f32_scalar}) == "after_all_o1");

TEST_CASE("a token has no bytes") { CHECK(evaluate<ui8>(self, {blank(token)}, {token})[0].bytes.empty()); }

}  // namespace
}  // namespace tenon::test
