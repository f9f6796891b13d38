// SPDX-License-Identifier: Apache-2.0
#pragma once

// XLA's builder: `xla::Add(x, y)` and its like over the same graph, in namespace `tenon::xla`.
//
// Costs 1.7 s to include (g++ 12 -O2).

#include <tenon/core/format/literals.hpp>
#include <tenon/core/format/print.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/xla/xla_builder.hpp>
