// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenon::core {

// The leading dimensions of all results of an op that it works along index by index: `count` of them, which the
// operands in `shared` have too (bit i: operand i). The others are read as a whole at every index. No attribute of the
// op depends on the sizes of these dimensions.
struct batch_dimensions {
  int count = 0;
  unsigned shared = ~0u;
};

}  // namespace tenon::core
