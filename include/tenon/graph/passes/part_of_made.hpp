// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// real(complex(x, y)) = x, imag(complex(x, y)) = y, get_tuple_element(tuple(..., x, ...)) = x.
struct part_of_made : rewrite_pattern {
  static constexpr std::string_view name = "part_of_made";
  using rewrite_pattern::rewrite_pattern;

  static constexpr bool begins_at(int kind) { return is_one_of<ops::real, ops::imag, ops::get_tuple_element>(kind); }
  constexpr bool matches() const { return part() >= 0; }
  constexpr int rewrite() const { return part(); }

 private:
  constexpr int part() const {
    const bool of_tuple = is_one_of<ops::get_tuple_element>(at.node.kind);
    const std::optional<graph_node> whole = of_tuple ? at.producer<ops::tuple>(0) : at.producer<ops::complex>(0);
    if (!whole) return -1;
    const int index = of_tuple ? at.attributes<ops::get_tuple_element>().index : is_one_of<ops::imag>(at.node.kind);
    const list<int> parts = at.to.operands_of(*whole);
    return 0 <= index && index < parts.size ? parts[index] : -1;
  }
};

}  // namespace tenon::passes
