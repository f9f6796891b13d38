// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/facts.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::ir;

template <class Op>
constexpr op_facts facts = facts_of(kind_of_op<Op>);

static_assert(facts<ops::add>.known && facts<ops::add>.elementwise && facts<ops::add>.associative &&
              !facts<ops::add>.moves && !facts<ops::add>.effects);
static_assert(!facts<ops::subtract>.associative);
static_assert(facts<ops::transpose>.moves && facts<ops::transpose>.moves_bytes && !facts<ops::transpose>.elementwise);
static_assert(facts<ops::reshape>.is_view && !facts<ops::transpose>.is_view);
static_assert(facts<ops::reduce>.folds && !facts<ops::sort>.folds);
static_assert(facts<ops::outfeed>.effects && !facts<ops::rng>.effects && facts<ops::rng>.impure &&
              !facts<ops::rng_bit_generator>.impure);
static_assert(facts<ops::dot_general>.dequantizes && !facts<ops::dot_general>.elementwise);
static_assert(facts<ops::select>.typed_by == 1 && facts<ops::iota>.typed_by == -1 && facts<ops::add>.typed_by == 0);

// What the library does not know may do anything.
static_assert(facts_of(-2).effects && facts_of(-2).impure && !facts_of(-2).known);
static_assert(facts_of(ops::all::size).effects);
static_assert(name_of_kind(kind_of_op<ops::add>) == "add" && name_of_kind(-1) == "foreign" &&
              name_of_kind(ops::all::size) == "foreign");

}  // namespace

TEST_CASE("every op of the list is complete") {
  for (int kind = 0; kind < ops::all::size; ++kind) {
    CAPTURE(name_of_kind(kind));
    const op_facts each = facts_of(kind);
    CHECK(each.known);
    CHECK_FALSE(name_of_kind(kind).empty());
    // An op cannot be both computed element by element and moved.
    const bool both = each.elementwise && each.moves;
    CHECK_FALSE(both);
  }
}
