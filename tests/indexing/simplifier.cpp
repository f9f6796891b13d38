// SPDX-License-Identifier: Apache-2.0
#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <tenon/indexing/simplifier.hpp>

using namespace tenon::indexing;
using random_map = random_maps::map;

namespace {

// Value of a sum at a point, by writing it into the map.
std::int64_t value_at(detail::simplifier<random_map>& work, random_map to, const detail::sum& value,
                      const random_maps::tuple& d, const random_maps::tuple& s) {
  const std::int16_t id = work.emit(to, value);
  REQUIRE(id >= 0);
  return evaluate_nodes(to, d, s).at[id];
}

}  // namespace

TEST_CASE("canonical and shortened sums have the value of the expression, within their range") {
  random_maps::source random{61};
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    random_map given = random_maps::draw_map(random, 2, 1, 3);
    given.constraint_count = 0;
    if (!given.is_defined()) continue;
    detail::simplifier<random_map> work(given, {});
    const detail::sum canonical = work.canonical(given.results[0]);
    const detail::sum shortened = work.shortened(canonical);
    const interval range = work.range(canonical);
    REQUIRE_FALSE(work.failed());
    CHECK(work.cost(shortened) <= work.cost(canonical));
    bool same = true;
    random_maps::for_each_point(given, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
      if (same && compared++ % 7 != 0) return;
      const std::int64_t wanted = random_maps::results_of(given, d, s)[0];
      same = same && value_at(work, given, shortened, d, s) == wanted && range.contains(wanted);
    });
    CHECK(same);
  }
  CHECK(compared > 10000);
}

TEST_CASE("division of a sum rounds down, and combine adds multiples") {
  random_maps::source random{67};
  for (int i = 0; i < 400; ++i) {
    random_map given = random_maps::draw_map(random, 2, 2, 2);
    given.constraint_count = 0;
    if (!given.is_defined()) continue;
    detail::simplifier<random_map> work(given, {});
    const detail::sum a = work.canonical(given.results[0]);
    const detail::sum b = work.canonical(given.results[1]);
    const std::int64_t divisor = random.draw(1, 12);
    const std::int64_t factor = random.draw(-5, 5);
    const detail::sum quotient = work.shortened(work.divide(a, divisor));
    const detail::sum combined = work.shortened(work.combine(a, b, factor));
    REQUIRE_FALSE(work.failed());
    bool same = true;
    int skipped = 0;
    random_maps::for_each_point(given, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
      if (skipped++ % 5 != 0) return;
      const random_maps::tuple values = random_maps::results_of(given, d, s);
      same = same && value_at(work, given, quotient, d, s) == floor_divide(values[0], divisor) &&
             value_at(work, given, combined, d, s) == values[0] + factor * values[1];
    });
    CHECK(same);
  }
}

TEST_CASE("numbers that do not fit stop the simplifier, and nothing is changed") {
  const std::int64_t most = all_integers.upper;
  for (const std::int64_t number : {most, -most, all_integers.lower, most / 2 + 1}) {
    random_map given;
    const auto d = given.add_dimension(all_integers);
    const auto s = given.add_range({number, number});
    given.add_result(floordiv(d * number, -1) + mod(s * number, 3) - d * saturating_negate(number));
    given.add_result(mod(floordiv(d, number) * -1, number));
    given.add_constraint(mod(d * number, number), {all_integers.lower, 5});
    const random_map before = given;
    simplify(given);
    CHECK(verify(given));
    CHECK(given.result_count == before.result_count);
    CHECK(expression_range(given, given.result(0)).contains(evaluate(given, tenon::ints{0}, tenon::ints{number})[0]));
  }
}
