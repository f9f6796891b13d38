// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/known_indices.hpp>

#include <vector>

namespace tenon::ir {

// The dependences of an element of a value: for every value before it, the elements that it needs of that value, as
// a set of maps without duplicates, found by composing the maps of the ops between. Works on a region whose calls have
// been replaced by bodies (`simplify`), in constant evaluation and at run time.
//
//   computed_from softmax(g, result);
//   softmax.maps(argument)   // (d0, d1) -> (d0, d1) and (d0, d1)[s0] -> (d0, s0)
class computed_from {
 public:
  using map = indexing::indexing_map;
  using located = indexing::located_map<map>;
  // Ways beyond that many make a value's maps unknown.
  static constexpr std::size_t most_ways = 64;

  // `within`: only ops at or after this node are looked through; what stands before is where it ends.
  constexpr computed_from(const graph& g, int value, int within = 0) : maps_(std::size_t(g.values.size)) {
    add(value, {indexing::identity_map(g.type_of_value(value).shape), {}});
    const int region = g.values.data[value].region;
    for (int node = g.nodes.size - 1; node >= within; --node)
      if (g.nodes.data[node].region == region) look_through(g, node);
  }

  // Empty if the value has no part in it; one unknown map if nobody can say which elements have.
  // @post the value of an element depends on no other elements of this value
  constexpr const std::vector<located>& maps(int value) const { return maps_[std::size_t(value)]; }

 private:
  std::vector<std::vector<located>> maps_;

  constexpr void add(int value, const located& one) {
    std::vector<located>& set = maps_[std::size_t(value)];
    if (set.size() == 1 && set[0].value.is_unknown()) return;
    if (one.value.is_unknown() || set.size() == most_ways) {
      set.clear();
      set.push_back({indexing::unknown_map(), {}});
    } else if (!one.value.is_known_empty()) {
      add_unique(set, one);
    }
  }

  constexpr void look_through(const graph& g, int number) {
    const graph_node& node = g.nodes.data[number];
    bool reached = false;
    for (int r = 0; r < node.result_count; ++r) reached = reached || !maps(node.results + r).empty();
    if (!reached) return;
    const operand_types operands(g, g.operands_of(node));
    std::vector<tensor_type> result_types;
    for (int r = 0; r < node.result_count; ++r) result_types.push_back(g.type_of_value(node.results + r));
    const list<tensor_type> results{result_types.data(), node.result_count};
    for (int r = 0; r < node.result_count; ++r) {
      if (maps(node.results + r).empty()) continue;
      for (int k = 0; k < node.operand_count; ++k) {
        const int operand = g.operands_of(node)[k];
        const located producer = k < operands.all.size ? known_reads_of(g, node, k, operands.all, r, results)
                                                       : located{indexing::unknown_map(), {}};
        const std::vector<located> consumers = maps(node.results + r);
        for (const located& consumer : consumers) {
          located composed = compose(consumer, producer);
          simplify_and_prune(composed);
          add(operand, composed);
        }
      }
    }
  }
};

}  // namespace tenon::ir
