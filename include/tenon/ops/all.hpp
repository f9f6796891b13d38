// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise.hpp>
#include <tenon/ops/movement.hpp>
#include <tenon/ops/reduction/reduce.hpp>
#include <tenon/ops/reduction/reduce_window.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/contraction/convolution.hpp>
