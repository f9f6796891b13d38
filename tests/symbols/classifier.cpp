// SPDX-License-Identifier: Apache-2.0
//
// The digits network as firmware would hold it: compiled without exceptions and RTTI, called on memory of the caller.
#include <tenon/run/program.hpp>

struct classifier {
  static constexpr std::string_view text =
#include "model.mlir.inc"
      ;
};
using net = tenon::program<classifier>;

alignas(64) static unsigned char arena[net::arena_bytes];

extern "C" void classify(const unsigned char* image, float* scores) {
  const void* const arguments[] = {image};
  void* const results[] = {scores};
  net::code::run(arguments, results, arena);
}
