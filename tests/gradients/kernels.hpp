// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon {

// The kernels that gradients of f64, f32 and complex_f64 need: all would take minutes to compile.
core::kernel find_wide_kernel(const planning::kernel_key& key);

}  // namespace tenon
