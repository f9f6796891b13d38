// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything for programs that are known while compiling: <tenon/tensors.hpp>, <tenon/programs.hpp>,
// <tenon/indexing.hpp>, and of <tenon/explain.hpp> what prints. Not <tenon/threads.hpp> and <tenon/grid.hpp>, which
// bring threads along, nor <tenon/loaded_programs.hpp>, which asks for the kernels of all ops, nor <tenon/xla.hpp>,
// which has XLA's words for what is here.
//
// Costs 2.3 s to include (g++ 12 -O2).

#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0
#define TENON_VERSION (TENON_VERSION_MAJOR * 10000 + TENON_VERSION_MINOR * 100 + TENON_VERSION_PATCH)

// Compilers print the way to what a message is about, which is short for broken_rule.hpp and tracer.hpp.
#include <tenon/core/broken_rule.hpp>
#include <tenon/core/lanes_note.hpp>
#include <tenon/distributed/transport.hpp>
#include <tenon/graph/ir/tracer.hpp>
#include <tenon/indexing.hpp>
#include <tenon/pictures/dump.hpp>
#include <tenon/pictures/explain.hpp>
#include <tenon/programs.hpp>
#include <tenon/tensors.hpp>
