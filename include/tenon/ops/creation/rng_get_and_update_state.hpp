// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/ops/op.hpp>

#include <atomic>

namespace tenon::ops {

// An op of HLO: the number of 128 bits that the program keeps between runs, before it grows by delta. All processes and
// all threads share it: no two get the same number.
// https://openxla.org/xla/operation_semantics#rnggetandupdatestate
struct rng_get_and_update_state {
  static constexpr std::string_view name = "rng_get_and_update_state";
  static constexpr std::string_view no_maps = "its result comes from the run before";
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true;
  index_t delta = 1;

  static constexpr bool attributes(auto& self, auto visit) { return visit("delta", self.delta); }

  static constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) {
    rule("operands", "the number of operands is the one that the op takes", operands.empty());
    results.push(
        rule.result("rng_get_and_update_state_c1", "type(result) = tensor<2xui64>", type_of(dtype::ui64, {2})));
  }

  template <class>
  void evaluate(const evaluation& e) const {
    static std::atomic_flag busy;
    static ui64 low = 0x7012395, high = 0;
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
    e.result<ui64>()[0] = low, e.result<ui64>()[1] = high;
    low += ui64(delta);
    high += (low < ui64(delta) ? 1 : 0) - (delta < 0 ? 1 : 0);
    busy.clear(std::memory_order_release);
  }
};

}  // namespace tenon::ops
