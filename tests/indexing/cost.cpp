// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tenon/indexing/cost.hpp>
#include <tenon/indexing/text.hpp>

using namespace tenon::indexing;

namespace {

constexpr std::int64_t cost_of_text(std::string_view text) {
  indexing_map map = tenon::indexing::map_over({10, 10});
  variable_names<indexing_map> names;
  names.dimensions[0] = "x";
  names.dimensions[1] = "y";
  return detail::cost_of(map, parse_expression(map, names, text).id);
}
constexpr bool shorter(std::string_view a, std::string_view b) { return cost_of_text(a) < cost_of_text(b); }

static_assert(shorter("x", "x + y") && shorter("5", "x") && shorter("x - y", "-x - y") && shorter("x + 3", "x + 12"));
static_assert(shorter("x - 42", "x mod 42") && shorter("x * 2", "x + x") && shorter("-x", "x * -2"));
static_assert(shorter("(x mod 2) * 2 + y", "(x * 2 + y) mod 4") &&
              shorter("x floordiv 6", "(x floordiv 2) floordiv 3"));
static_assert(cost_of_text("x + y - 3") == cost_of_text("y - 3 + x") &&
              cost_of_text("y - x") == cost_of_text("-x + y"));

}  // namespace
