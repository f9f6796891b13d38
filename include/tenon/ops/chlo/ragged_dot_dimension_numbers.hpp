// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/ints.hpp>

namespace tenon {

struct ragged_dot_dimension_numbers {
  ints lhs_batching_dimensions{}, rhs_batching_dimensions{}, lhs_contracting_dimensions{}, rhs_contracting_dimensions{},
      lhs_ragged_dimensions{}, rhs_group_dimensions{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("lhs_batching_dimensions", self.lhs_batching_dimensions) &&
           visit("rhs_batching_dimensions", self.rhs_batching_dimensions) &&
           visit("lhs_contracting_dimensions", self.lhs_contracting_dimensions) &&
           visit("rhs_contracting_dimensions", self.rhs_contracting_dimensions) &&
           visit("lhs_ragged_dimensions", self.lhs_ragged_dimensions) &&
           visit("rhs_group_dimensions", self.rhs_group_dimensions);
  }

  constexpr index_t ragged() const { return lhs_ragged_dimensions[0]; }
  constexpr bool is_ragged_batch() const { return lhs_batching_dimensions.contains(ragged()); }
  constexpr bool is_ragged_contracting() const { return lhs_contracting_dimensions.contains(ragged()); }

  constexpr ints lhs_result_dimensions(int rank) const {
    return ints::range(rank).without(lhs_batching_dimensions + lhs_contracting_dimensions);
  }
  constexpr ints rhs_result_dimensions(int rank) const {
    return ints::range(rank).without(rhs_batching_dimensions + rhs_contracting_dimensions + rhs_group_dimensions);
  }
  // The dimensions of lhs for whose indices group_sizes has sizes of their own, if it has more than one dimension:
  // those that batch, and those of the ragged one's kind that stand before it.
  constexpr ints sized_dimensions(int rank) const {
    const ints kind = is_ragged_batch()         ? ints{}
                      : is_ragged_contracting() ? lhs_contracting_dimensions
                                                : lhs_result_dimensions(rank);
    ints result;
    for (index_t d : lhs_batching_dimensions) {
      if (d == ragged()) return result;
      result.push(d);
    }
    for (index_t d : kind) {
      if (d == ragged()) break;
      result.push(d);
    }
    return result;
  }
};

}  // namespace tenon
