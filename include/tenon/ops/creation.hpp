// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/creation/constant.hpp>
#include <tenon/ops/creation/dynamic_iota.hpp>
#include <tenon/ops/creation/get_dimension_size.hpp>
#include <tenon/ops/creation/iota.hpp>
#include <tenon/ops/creation/rng.hpp>
#include <tenon/ops/creation/rng_bit_generator.hpp>
#include <tenon/ops/creation/rng_get_and_update_state.hpp>
