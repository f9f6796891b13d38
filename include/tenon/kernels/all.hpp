// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon {

// The kernel for this key, whatever the op and the element types; null if there is none. For programs that are read at
// run time. Not defined in a header, since it holds the code of all ops for all their types: link the library that
// CMake's tenon_add_kernels makes, or define it in a source file of yours with find_kernel of kernels/registry.hpp.
core::kernel find_any_kernel(const planning::kernel_key& key);

}  // namespace tenon
