// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads that share the work of a program: `thread_pool pool(4); net{}.by(pool)(x)`, or
// `c = by(pool, matmul(a, b))`. Needs -pthread, and Eigen where the compiler looks for headers.
//
// Costs 1.0 s to include (g++ 12 -O2).

#include <tenon/core/lanes_note.hpp>
#include <tenon/core/workers.hpp>
#include <tenon/run/thread_pool.hpp>
