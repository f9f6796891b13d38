// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs that are read when they run: `loaded_program program(text, &find_any_kernel)`. The code of all ops for all
// element types is in a library that CMake's tenon_add_kernels makes.
//
// Costs 3.1 s to include (g++ 12 -O2).

#include <tenon/bytecode/print.hpp>
#include <tenon/core/lanes_note.hpp>
#include <tenon/files/argument_names.hpp>
#include <tenon/files/npy.hpp>
#include <tenon/files/program_weights.hpp>
#include <tenon/files/weights_file.hpp>
#include <tenon/kernels/all.hpp>
#include <tenon/run/loaded_program.hpp>
#include <tenon/run/run_options.hpp>
#include <tenon/text/error.hpp>
#include <tenon/text/parse.hpp>
#include <tenon/text/parse_options.hpp>
