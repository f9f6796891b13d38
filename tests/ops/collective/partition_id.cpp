// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/collective/partition_id.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::partition_id self;
constexpr tensor_type ui32_scalar = type_of(dtype::ui32);

static_assert(result_type(self, {}, {ui32_scalar}) == ui32_scalar);

static_assert(broken_by(self, {}, {i32_scalar}) == "partition_id_o1");
static_assert(broken_by(self, {ui32_scalar}) == "operands");

TEST_CASE("a process by itself is the first") { CHECK(move(self, {}, ui32_scalar).as<ui32>() == std::vector<ui32>{0}); }

}  // namespace
}  // namespace tenon::test
