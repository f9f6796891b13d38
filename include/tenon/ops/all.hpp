// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/ops/chlo.hpp>
#include <tenon/ops/collective.hpp>
#include <tenon/ops/contraction.hpp>
#include <tenon/ops/control.hpp>
#include <tenon/ops/creation.hpp>
#include <tenon/ops/elementwise.hpp>
#include <tenon/ops/lookup.hpp>
#include <tenon/ops/movement.hpp>
#include <tenon/ops/reduction.hpp>
