// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/create_token.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::create_token self;

static_assert(result_type(self, {}, {token}) == token);

static_assert(broken_by(self, {}, {f32_scalar}) == "create_token_o1");
static_assert(broken_by(self, {token}) == "operands");

TEST_CASE("a token has no bytes") { CHECK(evaluate<ui8>(self, {}, {token})[0].bytes.empty()); }

}  // namespace
}  // namespace tenon::test
