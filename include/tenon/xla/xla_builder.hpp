// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/xla.hpp>.
#pragma once

#include <tenon/xla/builder.hpp>
#include <tenon/xla/collective.hpp>
#include <tenon/xla/contraction.hpp>
#include <tenon/xla/control.hpp>
#include <tenon/xla/creation.hpp>
#include <tenon/xla/elementwise.hpp>
#include <tenon/xla/lookup.hpp>
#include <tenon/xla/movement.hpp>
#include <tenon/xla/reduction.hpp>

// XLA's vocabulary over the same graph: functions, arguments and defaults are named as in XLA's xla_builder.h, what
// they record are StableHLO ops, and broken rules are reported as anywhere else. Spans are `ints`, shapes are
// `tensor_type`, computations are function objects without captures. https://openxla.org/xla/operation_semantics
