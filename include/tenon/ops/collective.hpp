// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/collective/all_gather.hpp>
#include <tenon/ops/collective/all_reduce.hpp>
#include <tenon/ops/collective/all_to_all.hpp>
#include <tenon/ops/collective/collective_broadcast.hpp>
#include <tenon/ops/collective/collective_permute.hpp>
#include <tenon/ops/collective/collective_reduce.hpp>
#include <tenon/ops/collective/cross_replica_sum.hpp>
#include <tenon/ops/collective/partition_id.hpp>
#include <tenon/ops/collective/ragged_all_to_all.hpp>
#include <tenon/ops/collective/reduce_scatter.hpp>
#include <tenon/ops/collective/replica_id.hpp>
