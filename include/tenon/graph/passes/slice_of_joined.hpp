// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/rewrite.hpp>

namespace tenon::passes {

// slice(concatenate(..., x, ...)) = slice(x), or x, where all elements of the slice are elements of x.
struct slice_of_joined : rewrite_pattern {
  static constexpr std::string_view name = "slice_of_joined";

  static constexpr bool begins_at(int kind) { return is_one_of<ops::slice>(kind); }
  constexpr explicit slice_of_joined(const rewrite_site& site) : rewrite_pattern(site) {
    const std::optional<graph_node> joined = at.producer<ops::concatenate>(0);
    if (!joined || !is_dense_tensor(at.result()) || at.result().size() == 0) return;
    const auto dimension = int(read_attributes<ops::concatenate>(at.to.words.data + joined->words).dimension);
    slice_ = at.attributes<ops::slice>();
    const index_t stride = slice_.strides.empty() ? 1 : slice_.strides.at[dimension];
    const index_t first = slice_.start_indices.at[dimension],
                  last = first + (at.result().shape.at[dimension] - 1) * stride;
    index_t begin = 0;
    for (int value : at.to.operands_of(*joined)) {
      const index_t end = begin + at.to.type_of_value(value).shape.at[dimension];
      if (begin <= first && last < end) {
        slice_.start_indices.at[dimension] -= begin;
        slice_.limit_indices.at[dimension] = last + 1 - begin;
        part_ = value;
        return;
      }
      begin = end;
    }
  }
  constexpr bool matches() const { return part_ >= 0; }
  constexpr int rewrite() const {
    if (at.to.type_of_value(part_) == at.result()) return part_;
    return at.writer().append_unary(slice_, part_, at.result());
  }

 private:
  ops::slice slice_;
  int part_ = -1;
};

}  // namespace tenon::passes
