// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>
#include <tenon/gradients/refusal.hpp>
#include <tenon/graph/growing.hpp>

namespace tenon::gradients {

// gradients::differentiated, compiled once for all tests, in differentiated.cpp: that takes long.
ir::growing_graph derivative_of_text(std::string_view text, core::list<int> by, derivative which, refusal& why);

}  // namespace tenon::gradients
