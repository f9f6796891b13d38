// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/cancel_involution.hpp>
#include <tenon/graph/passes/compose_movements.hpp>
#include <tenon/graph/passes/contiguous_movement.hpp>
#include <tenon/graph/passes/drop_exact_conversion.hpp>
#include <tenon/graph/passes/drop_neutral_operand.hpp>
#include <tenon/graph/passes/elementwise_products.hpp>
#include <tenon/graph/passes/folded_float.hpp>
#include <tenon/graph/passes/known_numbers.hpp>
#include <tenon/graph/passes/only_nonempty_operand.hpp>
#include <tenon/graph/passes/part_of_made.hpp>
#include <tenon/graph/passes/permuted_product.hpp>
#include <tenon/graph/passes/repeated_elements.hpp>
#include <tenon/graph/passes/select_known_branch.hpp>
#include <tenon/graph/passes/slice_of_joined.hpp>
#include <tenon/graph/passes/split_folds.hpp>
#include <tenon/graph/passes/window_updates.hpp>

namespace tenon::passes {

// Rewrites in the order in which they are tried; the first that matches replaces the node.
template <class... Rewrites>
struct rewrite_list {
  static constexpr int size = int(sizeof...(Rewrites));
  static constexpr std::string_view names[size] = {Rewrites::name...};

  // The number of a rewrite; -1: there is none of that name.
  static constexpr int find(std::string_view name) {
    for (int i = 0; i < size; ++i)
      if (detail::same_text(names[i], name)) return i;
    return -1;
  }
  // The value that replaces the result of the node, by the rewrite of that number; -1: none matches.
  static constexpr int apply(const rewrite_site& site, unsigned switched_off, int& number) {
    const unsigned candidates = candidates_of.at[site.node.kind] & ~switched_off;
    int value = -1;
    number = -1;
    if (candidates != 0) (void)((++number, (candidates >> number & 1) != 0 && apply<Rewrites>(site, value)) || ...);
    return value;
  }

 private:
  struct candidate_table {
    unsigned at[ops::all::size]{};
    constexpr candidate_table() {
      for (int kind = 0; kind < ops::all::size; ++kind) {
        int number = 0;
        ((at[kind] |= unsigned(Rewrites::begins_at(kind)) << number++), ...);
      }
    }
  };
  static constexpr candidate_table candidates_of{};

  template <class Rewrite>
  static constexpr bool apply(const rewrite_site& site, int& value) {
    const Rewrite pattern(site);
    if (pattern.matches()) value = pattern.rewrite();
    return value >= 0;
  }
};

using all_rewrites = rewrite_list<part_of_made, only_nonempty_operand, select_known_branch, drop_neutral_operand,
                                  cancel_involution, drop_exact_conversion, compose_movements, slice_of_joined,
                                  elementwise_product, window_update, permuted_product, contiguous_movement,
                                  repeated_creation, repeated_elements, known_number, folded_float, split_fold>;

}  // namespace tenon::passes
