// SPDX-License-Identifier: Apache-2.0
#include <gradients/differentiated.hpp>
#include <shared/read_program.hpp>

#include <doctest/doctest.h>

#include <string>

namespace tenon::gradients {

ir::growing_graph derivative_of_text(std::string_view text, core::list<int> by, derivative which, refusal& why) {
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(text), ": ", program.error().sentence);
  return differentiated(program.program(), *ir::entry_of(program.program()), by, which, why);
}

}  // namespace tenon::gradients
