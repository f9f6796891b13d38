// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/rule_labels.hpp>

#include <string_view>

using namespace tenon;

namespace {

struct short_name {
  static constexpr std::string_view name = "op";
};
struct other {
  static constexpr std::string_view name = "dynamic_reduce_and_more";
};
constexpr ops::rule_labels labels = ops::rule_labels::of<short_name>(), longer = ops::rule_labels::of<other>();

static_assert(std::string_view(labels.constraint(1)) == "op_c1");
static_assert(std::string_view(labels.constraint(10)) == "op_c10");
static_assert(std::string_view(labels.input(39)) == "op_i39");
static_assert(std::string_view(longer.input(7)) == "dynamic_reduce_and_more_i7");
static_assert(std::string_view(longer.constraint(20)) == "dynamic_reduce_and_more_c20");

}  // namespace
