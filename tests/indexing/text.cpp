// SPDX-License-Identifier: Apache-2.0
#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <tenon/indexing/text.hpp>

#include <string>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr bool prints_as(std::string_view given, std::string_view wanted) {
  const auto parsed = parse(given);
  const auto text = print(parsed.map, parsed.names);
  if (!parsed.error.empty() || !text.complete || text.view().size() != wanted.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (text.data[i] != wanted[i]) return false;
  return true;
}

static_assert(
    prints_as("(d0,d1)[ range ]{rt0} -> (d1*8 + range - 2, (d0 + rt0) mod 4*3) d0 in [0, 9] d1 in [0, 9] "
              "range in [-3, 3] rt0 in [0, 1] d0+range in [0, 12]",
              "(d0, d1)[range]{rt0} -> (d1 * 8 + range - 2, ((d0 + rt0) mod 4) * 3)\n"
              "d0 in [0, 9]\nd1 in [0, 9]\nrange in [-3, 3]\nrt0 in [0, 1]\nd0 + range in [0, 12]"));
static_assert(prints_as("() -> ()", "() -> ()"));
static_assert(
    prints_as("(d0) -> (-d0 + 16, d0 * -3, 4 - d0 * 2, -(d0 mod 5), min(d0, 3) + max(-d0, -4)), domain: d0 in [0, 16]",
              "(d0) -> (-d0 + 16, d0 * -3, d0 * -2 + 4, -(d0 mod 5), min(d0, 3) + max(-d0, -4))\n"
              "d0 in [0, 16]"));
static_assert(prints_as("KNOWN EMPTY", "KNOWN EMPTY") && prints_as("UNKNOWN", "UNKNOWN"));
static_assert(prints_as(" UNDEFINED ", "UNDEFINED"));
static_assert(prints_as("(d0) -> (d0) d0 in [-9223372036854775808, 9223372036854775807]",
                        "(d0) -> (d0)\nd0 in [-9223372036854775808, 9223372036854775807]"));

// `* floordiv mod` bind from left to right, `+ -` below them, a sign above.
constexpr std::int64_t value_of(std::string_view text) {
  indexing_map map = map_over({});
  const auto value = parse_expression(map, {}, text);
  return value.id < 0 ? 1000000 : evaluate_nodes(map, {}, {}).at[value.id];
}
static_assert(value_of("7 floordiv 2 * 2") == 6 && value_of("2 + 3 * 4 mod 5") == 4 && value_of("-7 mod 4") == 1);
static_assert(value_of("2 - 3 - 4") == -5 && value_of("-(2 - 3) * 2") == 2 && value_of("max(2, min(9, 5))") == 5);

constexpr bool refused(std::string_view text) { return !parse(text).error.empty(); }
static_assert(refused("") && refused("(d0)") && refused("(d0) -> (d1)") && refused("(d0, d0) -> (d0)"));
static_assert(refused("(d0) -> (d0") && refused("(d0) -> (d0) d0 in [0]") && refused("(d0) -> (d0 +)"));
static_assert(refused("(d0) -> (d0) d0 in [0, 1] 5") && refused("(0) -> (0)") && refused("UNKNOWN 3"));
static_assert(parse("(d0) -> (d0 + ?)").position == 14);
static_assert(refused("(a,b,c,d,e,f,g,h,i) -> ()"));

constexpr bool reads_expression() {
  const auto parsed = parse("(d0)[s0] -> (d0) d0 in [0, 3] s0 in [0, 4]");
  indexing_map map = parsed.map;
  const auto value = parse_expression(map, parsed.names, "d0 * 8 + s0");
  return evaluate_nodes(map, ints{2}, ints{3}).at[value.id] == 19 &&
         parse_expression(map, parsed.names, "d0 d0").id < 0 && print(value).view().size() == 11;
}
static_assert(reads_expression());

static_assert(!print<8>(identity_map({3, 4})).complete && print<8>(identity_map({3, 4})).size == 8);

}  // namespace

TEST_CASE("what is printed reads back as the same map") {
  random_maps::source random{53};
  for (int i = 0; i < 2000; ++i) {
    const random_maps::map map = random_maps::draw_map(random, static_cast<int>(random.draw(0, 3)), 2, 4);
    const auto text = print(map);
    REQUIRE(text.complete);
    const auto again = parse<random_maps::map>(text.view());
    CHECK(again.error.empty());
    CHECK(again.map.state == map.state);
    bool same = again.map == map || !map.is_defined();
    if (!same && map.is_defined() && again.map.is_defined())
      // Reading folds constants anew; then the values must agree.
      random_maps::for_each_point(map, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
        REQUIRE(in_domain(map, d, s) == in_domain(again.map, d, s));
        REQUIRE(random_maps::results_of(map, d, s) == random_maps::results_of(again.map, d, s));
        same = true;
      });
    CHECK(same);
  }
}

TEST_CASE("every cut of a text is read or refused, never read past its end") {
  const std::string text =
      "(d0, x.1)[s0]{rt0} -> (-(d0 * 8) mod 3, max(x.1, s0) - 2), domain: d0 in [0, 9], d0 + s0 in [-1, 2]";
  int refusals = 0;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string cut = text.substr(0, length);
    refusals += parse(cut).error.empty() ? 0 : 1;
  }
  CHECK(refusals > 70);
  std::string deep = "(d0) -> (";
  for (int i = 0; i < 5000; ++i) deep += "(";
  CHECK_FALSE(parse(deep).error.empty());
}

TEST_CASE("an expression that is printed is read as the same") {
  random_maps::source random{91};
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    random_maps::map map = random_maps::draw_map(random, 2, 1, 3);
    if (!map.is_defined()) continue;
    variable_names<random_maps::map> names;
    constexpr std::string_view letters[] = {"a", "b", "c", "d", "e", "f"};
    int next = 0;
    for (const operation op : {operation::dimension, operation::range, operation::runtime})
      for (int v = 0; v < map.count(op); ++v) names.at(op, v) = letters[next++];
    random_maps::map other = map;
    const auto named = parse_expression(other, names, print(map.result(0), names).view());
    if (named.id < 0) continue;
    random_maps::for_each_point(map, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
      REQUIRE(evaluate_nodes(other, d, s).at[named.id] == random_maps::results_of(map, d, s)[0]);
    });
    ++compared;
  }
  CHECK(compared > 200);
}
