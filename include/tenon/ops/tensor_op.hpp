// SPDX-License-Identifier: Apache-2.0
#pragma once

// The includes of the file of an op that is not elementwise.
#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/op.hpp>
