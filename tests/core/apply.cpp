// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/apply.hpp>

#include <tenon/core/tensor.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

// Here nothing is included that computes.
struct some_call;
template <class Operand>
concept is_refused = requires { typename rule_broken_by<some_call, Operand>; };
template <class Operand>
concept is_kept = requires { typename rules_kept_by<some_call, Operand>; };

}  // namespace

TEST_CASE("without the header that computes, calls on tensors are refused with its name") {
  static_assert(is_refused<tensor<f32, 3>> && !is_kept<tensor<f32, 3>>);
  static_assert(!is_refused<int> && !is_kept<int>);
  CHECK(detail::complaint_about_headers.message.view() ==
        "header: what computes is missing: include <tenon/tensors.hpp>");
}
