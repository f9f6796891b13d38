// SPDX-License-Identifier: Apache-2.0
#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <tenon/indexing/compose.hpp>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr indexing_map read(std::string_view text) { return parse(text).map; }

static_assert(compose(identity_map({2, 3, 4}), identity_map({2, 3, 4})) == identity_map({2, 3, 4}));
static_assert(compose(identity_map({2}), indexing_map{}).is_undefined());
static_assert(compose(unknown_map(), identity_map({2})).is_unknown());
static_assert(compose(identity_map({2}), identity_map({2, 3})).is_unknown());

// Range and runtime variables of the producer come first; a bound that the consumer does not grant becomes a
// constraint.
static_assert(compose(read("(d0)[s0]{rt0} -> (d0 + s0, rt0) d0 in [0, 9] s0 in [0, 3] rt0 in [0, 5]"),
                      read("(d0, d1)[s0]{rt0} -> (d1 * 2, d0 + s0 + rt0) "
                           "d0 in [0, 9] d1 in [0, 4] s0 in [0, 7] rt0 in [0, 1] d0 + s0 in [2, 8]")) ==
              read("(d0)[s0, s1]{rt0, rt1} -> (rt1 * 2, d0 + s1 + s0 + rt0) "
                   "d0 in [0, 9] s0 in [0, 7] s1 in [0, 3] rt0 in [0, 1] rt1 in [0, 4] "
                   "d0 + s1 in [0, 9] d0 + s1 + s0 in [2, 8]"));

static_assert(compose(identity_map({5}), read("(d0) -> (d0) d0 in [0, -1]")).is_known_empty());
static_assert(compose(identity_map({0}), identity_map({0})).result_count == 1);
static_assert(compose(identity_map({5}), read("(d0) -> (d0) d0 in [7, 9]")).is_known_empty());

// A map that does not fit is unknown.
using tiny_map = basic_indexing_map<6, 2, 1, 1>;
constexpr tiny_map tiny(std::string_view text) { return parse<tiny_map>(text).map; }
static_assert(compose(tiny("(d0)[s0] -> (d0 + s0) d0 in [0, 1] s0 in [0, 1]"),
                      tiny("(d0)[s0] -> (d0 + s0) d0 in [0, 2] s0 in [0, 1]"))
                  .is_unknown());
static_assert(compose(tiny("(d0) -> (d0 floordiv 3 + d0 * 2) d0 in [0, 1]"),
                      tiny("(d0) -> (d0 mod 7 + d0 * 5) d0 in [0, 9]"))
                  .is_unknown());

}  // namespace

TEST_CASE("composition is the producer on the results of the consumer") {
  using random_maps::tuple;
  random_maps::source random{5};
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const int between = static_cast<int>(random.draw(1, 2));
    const random_maps::map consumer = random_maps::draw_map(random, 2, between, 2);
    const random_maps::map producer = random_maps::draw_map(random, between, 2, 2);
    const random_maps::map composed = compose(consumer, producer);
    if (!consumer.is_defined() || !producer.is_defined() || composed.is_unknown()) continue;
    if (composed.is_defined()) {
      CHECK(composed.range_count == consumer.range_count + producer.range_count);
      CHECK(composed.runtime_count == consumer.runtime_count + producer.runtime_count);
      REQUIRE(verify(composed));
    }
    bool right = true;
    // All points of the consumer with the points of the producer that share its results.
    random_maps::for_each_point(consumer, [&](const tuple& d, const tuple& consumer_symbols) {
      const tuple index = random_maps::results_of(consumer, d, consumer_symbols);
      const bool inside = in_domain(consumer, d, consumer_symbols);
      random_maps::map fixed = producer;
      for (int k = 0; k < between; ++k) fixed.dimension_bounds[k] = indexing::point(index[static_cast<std::size_t>(k)]);
      random_maps::for_each_point(fixed, [&](const tuple&, const tuple& producer_symbols) {
        tuple symbols(producer_symbols.begin(), producer_symbols.begin() + producer.range_count);
        symbols.insert(symbols.end(), consumer_symbols.begin(), consumer_symbols.begin() + consumer.range_count);
        symbols.insert(symbols.end(), producer_symbols.begin() + producer.range_count, producer_symbols.end());
        symbols.insert(symbols.end(), consumer_symbols.begin() + consumer.range_count, consumer_symbols.end());
        const bool wanted = inside && in_domain(producer, index, producer_symbols);
        right = right && wanted == (composed.is_defined() && in_domain(composed, d, symbols));
        if (wanted && right)
          right = random_maps::results_of(composed, d, symbols) ==
                  random_maps::results_of(producer, index, producer_symbols);
        ++compared;
      });
    });
    CHECK(right);
  }
  CHECK(compared > 100000);
}
