// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/attributes.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

enum class color { red, green };

struct inner {
  ints axes;
  bool flag = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("axes", self.axes) && visit("flag", self.flag);
  }

  friend constexpr bool operator==(const inner&, const inner&) = default;
};

struct everything {
  ints axes;
  ints_table rows;
  short_list<inner, 2> pieces;
  short_list<name_id> names;
  bool flag = false;
  double factor = 0;
  color hue = color::red;
  inner part;
  literal_id literal;
  opaque_attribute rest;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("axes", self.axes) && visit("rows", self.rows) && visit("pieces", self.pieces) &&
           visit("names", self.names) && visit("flag", self.flag) && visit("factor", self.factor) &&
           visit("hue", self.hue) && visit("part", self.part) && visit("literal", self.literal) &&
           visit("rest", self.rest);
  }

  friend constexpr bool operator==(const everything&, const everything&) = default;
};

}  // namespace tenon::test

namespace tenon::test {
namespace {

constexpr short_list<int, 3> three{1, 2, 3}, too_many{1, 2, 3, 4};
static_assert(three.size == 3 && three.dropped == 0 && three[2] == 3);
static_assert(too_many.size == 3 && too_many.dropped == 1);
static_assert(three[-1] == 0 && three[3] == 0);
static_assert(!(three == too_many));

constexpr ints_table pairs{{0, 1}, {2, 3}}, ragged{{0, 1}, {2}};
static_assert(pairs.rows == 2 && pairs.columns == 2 && pairs(1, 0) == 2 && pairs(2, 0) == 0);
static_assert(pairs.column(1) == ints{1, 3});
static_assert(ragged.rows == 1 && ragged.dropped == 1);

constexpr bool survives(const everything& value) {
  index_t memory[128]{};
  table<index_t> words{memory, 0, 128};
  write_attributes(words, value);
  return read_attributes<everything>(memory) == value;
}
static_assert(survives({}));
static_assert(survives({{4, -5, 6},
                        {{1, 2}, {3, 4}, {5, 6}},
                        {{{7}, true}, {{}, false}},
                        {{8}, {-1}},
                        true,
                        -0.5,
                        color::green,
                        {{9, 10}, true},
                        {11},
                        {12}}));

TEST_CASE("attributes are visited by name, in order") {
  everything value;
  std::string_view first, last;
  for_each_attribute(value, [&](std::string_view name, auto&) {
    if (first.empty()) first = name;
    last = name;
  });
  CHECK(first == "axes");
  CHECK(last == "rest");
}

}  // namespace
}  // namespace tenon::test
