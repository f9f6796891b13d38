// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything but what brings threads along (run/thread_pool.hpp, distributed/simulated.hpp), and
// run/loaded_program.hpp, which reads programs when it runs and so brings along the kernels of all ops.

#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0
#define TENON_VERSION (TENON_VERSION_MAJOR * 10000 + TENON_VERSION_MINOR * 100 + TENON_VERSION_PATCH)

#include <tenon/core/bounded_tensor.hpp>
#include <tenon/core/complex.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/format/literals.hpp>
#include <tenon/core/format/print.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/distributed/transport.hpp>
#include <tenon/graph/dump.hpp>
#include <tenon/graph/explain.hpp>
#include <tenon/indexing.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/ops/spelled.hpp>
#include <tenon/run/evaluate.hpp>
#include <tenon/run/program.hpp>
#include <tenon/run/tensor_npy.hpp>
#include <tenon/run/trace.hpp>
#include <tenon/xla/xla_builder.hpp>
