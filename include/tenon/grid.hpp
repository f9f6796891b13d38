// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs of several processes: `process_grid`, the concept `transport`, `alone` for one process, `simulated_grid`,
// which runs each process as a thread, and `predicted_grid`, which counts what a process has to do with others. Needs
// -pthread. <tenon/distributed/mpi.hpp>, which has to be asked for by name and needs an MPI library, has `mpi_grid`:
// one process of those that mpirun has started.
//
// Costs 0.6 s to include (g++ 12 -O2).

#include <tenon/core/lanes_note.hpp>
#include <tenon/distributed/failures.hpp>
#include <tenon/distributed/predicted.hpp>
#include <tenon/distributed/process_grid.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/distributed/timeline.hpp>
#include <tenon/distributed/transport.hpp>
#include <tenon/ops/process_context.hpp>
#include <tenon/ops/process_groups.hpp>
