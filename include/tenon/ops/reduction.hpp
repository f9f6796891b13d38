// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/reduction/batch_norm_grad.hpp>
#include <tenon/ops/reduction/batch_norm_inference.hpp>
#include <tenon/ops/reduction/batch_norm_training.hpp>
#include <tenon/ops/reduction/reduce.hpp>
#include <tenon/ops/reduction/reduce_window.hpp>
#include <tenon/ops/reduction/select_and_scatter.hpp>
#include <tenon/ops/reduction/sort.hpp>
