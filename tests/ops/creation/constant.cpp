// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/constant.hpp>

#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

namespace {

static_assert(result_type(ops::constant{}, {}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::constant{}, {}, {axis0_2x3}, {}, &quantized_details) == axis0_2x3);

static_assert(broken_by(ops::constant{}, {}) == "constant_c1");
static_assert(broken_by(ops::constant{}, {}, {token}) == "constant_o1");

TEST_CASE("the attribute survives as words") {
  index_t memory[4];
  table<index_t> words{memory, 0, 4};
  write_attributes(words, ops::constant{{7}});
  CHECK(read_attributes<ops::constant>(memory).value.id == 7);
}

}  // namespace
}  // namespace tenon::test
