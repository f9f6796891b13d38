// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/lookup/dynamic_gather.hpp>
#include <tenon/ops/lookup/dynamic_pad.hpp>
#include <tenon/ops/lookup/dynamic_slice.hpp>
#include <tenon/ops/lookup/dynamic_update_slice.hpp>
#include <tenon/ops/lookup/gather.hpp>
#include <tenon/ops/lookup/real_dynamic_slice.hpp>
#include <tenon/ops/lookup/scatter.hpp>
#include <tenon/ops/lookup/torch_index_select.hpp>
