// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

namespace tenon::kernels {

// Where a group reads and writes: the pointers of its executor, and the element at which the range begins that is there
// of values of which one range is kept.
struct group_memory {
  void* const* pointers = nullptr;
  index_t kept_from = 0;
};

// The code of a fused group that is known while compiling, over the pointers of the executor and the scratch memory of
// the step. There is `count` to do, which can be divided at multiples of `unit`.
struct group_loop {
  void (*run)(group_memory memory, index_t first, index_t last, char* scratch) = nullptr;
  index_t count = 0, unit = 0;
  // Sanitizers allow no comparison of `run` with null in constant evaluation.
  constexpr explicit operator bool() const { return unit > 0; }
};

}  // namespace tenon::kernels
