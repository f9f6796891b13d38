// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs from text: `TENON_PROGRAM(R"(...)")` and `program<Text>` for StableHLO and HLO that is known while
// compiling, the tensors that they take and give, and .npy files to fill these from. Public are the names in namespace
// `tenon` of the headers below, but for those in namespaces `detail`.
//
// Costs 1.7 s to include (g++ 12 -O2).

#include <tenon/core/bounded_tensor.hpp>
#include <tenon/core/complex.hpp>
#include <tenon/core/dtype.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/format/literals.hpp>
#include <tenon/core/format/print.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes_note.hpp>
#include <tenon/core/results.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/files/tensor_npy.hpp>
#include <tenon/planned/program.hpp>
#include <tenon/run/arena.hpp>
#include <tenon/run/program.hpp>
