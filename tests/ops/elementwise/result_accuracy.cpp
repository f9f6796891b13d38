// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/result_accuracy.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace tenon;
using namespace tenon::core;
using mode = result_accuracy_mode;

static_assert(result_accuracy{}.valid() && result_accuracy{0, 0, 0, mode::HIGHEST}.valid());
static_assert(result_accuracy{1e-5, 1e-3, 2, mode::TOLERANCE}.valid());
static_assert(!result_accuracy{1e-5, 0, 0, mode::DEFAULT}.valid() && !result_accuracy{0, 0, 1, mode::HIGHEST}.valid());
static_assert(!result_accuracy{-1, 0, 0, mode::TOLERANCE}.valid() &&
              !result_accuracy{0, -1, 0, mode::TOLERANCE}.valid() &&
              !result_accuracy{0, 0, -1, mode::TOLERANCE}.valid());

}  // namespace

TEST_CASE("a bad accuracy breaks the rule of the op that asks") {
  rules rule;
  check_accuracy(rule, "tanh_i2", {});
  CHECK_FALSE(rule.broken());
  check_accuracy(rule, "tanh_i2", {std::numeric_limits<double>::quiet_NaN(), 0, 0, mode::TOLERANCE});
  REQUIRE(rule.broken());
  CHECK(std::string_view(rule.label) == "tanh_i2");
}
