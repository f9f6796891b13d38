// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/tanh.hpp>
