// SPDX-License-Identifier: Apache-2.0

// A translation unit that holds one generated program, ready to run.

#include <tenon/run/program.hpp>

struct generated {
  static constexpr std::string_view text =
#include "generated.mlir.inc"
      ;
};

void run(const void* const* arguments, void* const* results) {
  tenon::program<generated>::code::run(arguments, results);
}
