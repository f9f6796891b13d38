// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/tensor_op.hpp>

namespace tenon::ops {

// after_all of nothing. No longer in the specification.
struct create_token {
  static constexpr std::string_view name = "create_token";
  static constexpr std::string_view no_maps = "it has no operands";
  static constexpr bool moves_bytes = true;

  static constexpr tensor_type infer(rules& rule) {
    return rule.result("create_token_o1", "result: token", token_type());
  }

  template <class>
  void evaluate(const evaluation&) const {}
};

}  // namespace tenon::ops

namespace tenon {

// A token, for the first of some ops that follow one another; as after_all of none.
template <ops::create_token Op = ops::create_token{}>
constexpr auto create_token() {
  return apply<Op>();
}

}  // namespace tenon
