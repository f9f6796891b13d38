// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs of f32 in integers of 8 bits, with ranges from samples: quantize<i8>(program, samples).

#include <tenon/calibration/grid.hpp>
#include <tenon/calibration/quantize.hpp>
#include <tenon/calibration/watched_program.hpp>
