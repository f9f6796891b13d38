// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/ragged_dot_dimension_numbers.hpp>

using namespace tenon;

namespace {

// lhs of 5 dimensions: 0 and 1 batch, 3 is contracted; rhs of as many: 0 and 1 batch, 2 is contracted, 3 has groups.
constexpr ragged_dot_dimension_numbers with_ragged(index_t dimension) {
  return {.lhs_batching_dimensions = {0, 1},
          .rhs_batching_dimensions = {0, 1},
          .lhs_contracting_dimensions = {3},
          .rhs_contracting_dimensions = {2},
          .lhs_ragged_dimensions = {dimension},
          .rhs_group_dimensions = {3}};
}

}  // namespace

static_assert(with_ragged(1).ragged() == 1 && with_ragged(1).is_ragged_batch());
static_assert(with_ragged(3).is_ragged_contracting() && !with_ragged(3).is_ragged_batch());
static_assert(!with_ragged(4).is_ragged_batch() && !with_ragged(4).is_ragged_contracting());

// Dimensions of groups are in no result.
static_assert(with_ragged(4).lhs_result_dimensions(5) == ints{2, 4});
static_assert(with_ragged(4).rhs_result_dimensions(5) == ints{4});

// Sizes of groups differ along what batches, and along dimensions of the ragged one's kind in front of it.
static_assert(with_ragged(0).sized_dimensions(5) == ints{});
static_assert(with_ragged(1).sized_dimensions(5) == ints{0});
static_assert(with_ragged(2).sized_dimensions(5) == ints{0, 1});
static_assert(with_ragged(3).sized_dimensions(5) == ints{0, 1});
static_assert(with_ragged(4).sized_dimensions(5) == ints{0, 1, 2});
