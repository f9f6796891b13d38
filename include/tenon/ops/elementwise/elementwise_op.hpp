// SPDX-License-Identifier: Apache-2.0
#pragma once

// The includes of the file of an elementwise op.
#include <tenon/core/apply.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/ops/elementwise/baseline_rules.hpp>
#include <tenon/ops/elementwise/result_accuracy.hpp>
#include <tenon/ops/op.hpp>

#include <concepts>

namespace tenon::ops::inline HWY_NAMESPACE {

// A tag of vectors of f32 or f64.
template <class D>
concept float_lanes = std::floating_point<hn::TFromD<D>>;

}  // namespace tenon::ops::inline HWY_NAMESPACE
