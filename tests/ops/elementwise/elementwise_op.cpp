// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/elementwise_op.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;
namespace {

TEST_CASE("lanes of floats are those of f32 and f64") {
  CHECK(ops::float_lanes<hn::ScalableTag<float>>);
  CHECK(ops::float_lanes<hn::CappedTag<double, 2>>);
  CHECK_FALSE(ops::float_lanes<hn::ScalableTag<std::int32_t>>);
  CHECK_FALSE(ops::float_lanes<hn::ScalableTag<std::uint16_t>>);
}

}  // namespace
}  // namespace tenon::test
