// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/rng_get_and_update_state.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::rng_get_and_update_state;
constexpr tensor_type state = type_of(dtype::ui64, {2});

static_assert(result_type(op{}, {}) == state);
static_assert(broken_by(op{}, {}, {f32_2x3}) == "rng_get_and_update_state_c1");

TEST_CASE("the state before it grows, with a carry") {
  const auto next = [](index_t delta) { return move(op{delta}, {}, state).as<ui64>(); };
  const auto first = next(7), second = next(-1), third = next(-7);
  CHECK(second == std::vector<ui64>{first[0] + 7, first[1]});
  CHECK(third == std::vector<ui64>{first[0] + 6, first[1]});
  const auto below = next(INT64_MAX), above = next(INT64_MAX);
  CHECK(above == std::vector<ui64>{below[0] + INT64_MAX, below[1]});
  CHECK(next(0) == std::vector<ui64>{below[0] + 2 * ui64(INT64_MAX), below[1] + 1});
}

}  // namespace
}  // namespace tenon::test
