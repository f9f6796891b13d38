// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/ops/op.hpp>

namespace tenon {

// The relation of a size to another one: equal, at most the bound (or that size), or the bound itself.
enum class size_relation { AGREE, AT_MOST, EXACT };
template <>
inline constexpr std::string_view core::enumerators<size_relation>[] = {"AGREE", "AT_MOST", "EXACT"};

}  // namespace tenon

namespace tenon::ops {

// Hands a size through if it is what it has to be, and ends the program otherwise. No op of StableHLO:
// graph/passes/bounded.hpp writes it, and no text can.
struct bounded_size {
  static constexpr std::string_view name = "bounded_size";
  static constexpr std::string_view no_maps = "it checks a number";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_internal = true, checks_size = true;
  name_id of{};  // the op, or the argument, that has the dimension
  index_t dimension = 0;
  size_relation relation{};
  index_t bound = 0;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("of", self.of) && visit("dimension", self.dimension) && visit("relation", self.relation) &&
           visit("bound", self.bound);
  }

  // Operands: the size, and the one that it is compared with, if that is not the bound.
  static constexpr void infer(rules& rule, list<tensor_type> sizes, table<tensor_type>& results) {
    rule("bounded_size_i1", "sizes: one or two 0-dimensional tensors of type si64",
         (sizes.size == 1 || sizes.size == 2) && sizes[0] == type_of(dtype::i64) &&
             sizes[sizes.size - 1] == type_of(dtype::i64));
    results.push(type_of(dtype::i64));
  }

  template <class>
  void evaluate(const evaluation& e) const {
    const index_t size = *e.operand<index_t>(0), other = e.operands.size > 1 ? *e.operand<index_t>(1) : bound;
    const std::string_view what = e.details != nullptr ? e.details->name_of(of.id) : std::string_view{};
    if (relation == size_relation::AGREE && size != other)
      fail(what, ": the sizes ", size, " and ", other, " of dimension ", dimension, " differ");
    if (relation == size_relation::AT_MOST && (size < 0 || size > other))
      fail(what, ": dimension ", dimension, " has size ", size, ", it may have 0 to ", other);
    if (relation == size_relation::EXACT && size != other)
      fail(what, ": dimension ", dimension, " has size ", size, " where ", other, " is needed");
    *e.result<index_t>() = size;
  }
};

}  // namespace tenon::ops
