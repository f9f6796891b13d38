// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/movement/bitcast_convert.hpp>
#include <tenon/ops/movement/broadcast.hpp>
#include <tenon/ops/movement/broadcast_in_dim.hpp>
#include <tenon/ops/movement/concatenate.hpp>
#include <tenon/ops/movement/dynamic_broadcast_in_dim.hpp>
#include <tenon/ops/movement/dynamic_reshape.hpp>
#include <tenon/ops/movement/pad.hpp>
#include <tenon/ops/movement/reshape.hpp>
#include <tenon/ops/movement/reverse.hpp>
#include <tenon/ops/movement/set_dimension_size.hpp>
#include <tenon/ops/movement/slice.hpp>
#include <tenon/ops/movement/transpose.hpp>
