// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/process_context.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#replica_id
struct replica_id {
  static constexpr std::string_view name = "replica_id";
  static constexpr std::string_view no_maps = "it has no operands";
  static constexpr bool moves_bytes = true;

  static constexpr tensor_type infer(rules& rule) {
    return rule.result("replica_id_o1", "result: 0-dimensional tensor of type ui32", type_of(dtype::ui32));
  }

  template <class>
  void evaluate(const evaluation& e) const {
    *e.result<std::uint32_t>() = std::uint32_t(process_of(e).replica);
  }
};

}  // namespace tenon::ops

namespace tenon {

// The row of this process in the grid: a tensor<ui32> without dimensions.
template <ops::replica_id Op = ops::replica_id{}>
constexpr auto replica_id() {
  return apply<Op>();
}

}  // namespace tenon
