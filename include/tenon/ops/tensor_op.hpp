// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the file of an op is written with that is not elementwise.
#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/op.hpp>
