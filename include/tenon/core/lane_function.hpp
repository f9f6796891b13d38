// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/compiled_region.hpp>
#include <tenon/core/ints.hpp>

namespace tenon::kernels {
struct lane_program;
}

namespace tenon::core {

// A region of elementwise ops as a function of many elements: those of an argument or a result are contiguous.
struct lane_function {
  // The elements of an argument that callers collect for a call, if they do.
  static constexpr index_t most_at_once = 1024;

  const kernels::lane_program* program = nullptr;  // the ops; null: the region has others
  const index_t* words = nullptr;                  // that its ops refer to
  index_t elements = 1;                            // of each argument of the region
  int forwarded = -1;  // the argument that is all that the region gives; -1: there is more to it
  // Runs `program`, or a part of it.
  void (*interpret)(const void* context, const kernels::lane_program& program, const void* const* arguments,
                    void* const* results, index_t count) = nullptr;
  const void* context = nullptr;
  core::compiled_region compiled;  // the region's own loops

  explicit operator bool() const { return program != nullptr; }

  // results[i][k] = what the region gives for arguments[...][k], for 0 <= k < count. Results may lie where the
  // arguments of the same number do, and nowhere else among the arguments.
  void operator()(const void* const* arguments, void* const* results, index_t count) const {
    if (compiled.apply != nullptr) return compiled.apply(arguments, results, count);
    interpret(context, *program, arguments, results, count);
  }
};

}  // namespace tenon::core
