// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs of several processes: `process_grid`, the concept `transport`, `alone` for one process, and
// `simulated_grid`, which runs each process as a thread. Needs -pthread.
//
// Costs 0.6 s to include (g++ 12 -O2).

#include <tenon/distributed/process_grid.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/distributed/transport.hpp>
