// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon {

// The kernels of networks in f32 and in integers of 8 bits: all would take minutes to compile.
core::kernel find_network_kernel(const planning::kernel_key& key);

}  // namespace tenon
