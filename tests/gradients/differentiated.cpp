// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/programs.hpp>

#include <gradients/differentiated.hpp>
#include <shared/read_program.hpp>

#include <doctest/doctest.h>

#include <string>

namespace tenon::gradients {

namespace {

template <class Op>
constexpr bool says_gradient = has_gradient<Op, differentiator<every_kind>::view> || has_no_gradient<Op> ||
                               is_refused_by_name<Op> || ir::facts_of<Op>().is_call;
template <class>
constexpr bool all_say = false;
template <class... Ops>
constexpr bool all_say<op_list<Ops...>> = (says_gradient<Ops> && ...);
static_assert(all_say<ops::all>, "an op without a rule says no_gradient or refused");

}  // namespace

ir::growing_graph derivative_of_text(std::string_view text, core::list<int> by, derivative which, refusal& why) {
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(text), ": ", program.error().sentence);
  return differentiated(program.program(), *ir::entry_of(program.program()), by, which, why);
}

}  // namespace tenon::gradients
