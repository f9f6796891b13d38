// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/value.hpp>

// Gradients of the ops that steer programs.
namespace tenon::gradients {

constexpr void pullback(const ops::optimization_barrier&, const auto& at) {
  for (int i = 0; i < at.operand_count(); ++i) at.give(i, at.ct(i));
}
constexpr void pushforward(const ops::optimization_barrier&, const auto& at) {
  for (int i = 0; i < at.operand_count(); ++i) at.set(i, at.dx(i));
}

}  // namespace tenon::gradients
