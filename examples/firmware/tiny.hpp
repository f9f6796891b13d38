// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.hpp"

#include <tenon/programs.hpp>

inline void report_failure(const char* message) {
  line() << message;
  board::stop(3);
}

// Runs a network of 8-bit integers on ten inputs, and compares its results with those of TensorFlow Lite, which they
// are bit for bit.
template <class Net, class Input, class Output, unsigned Inputs, unsigned Outputs>
[[noreturn]] void compare_all(tenon::arena<Net::arena_bytes>& memory, const char* inputs, const char* outputs) {
  constexpr unsigned header = 128;  // of an .npy file
  tenon::on_failure = report_failure;
  tenon::i8 input[Inputs], got[Outputs], wanted[Outputs];
  largest_difference difference;
  std::uint32_t time = 0;
  for (unsigned i = 0; i < 10; ++i) {
    if (!board::read(inputs, header + i * sizeof input, input, sizeof input) ||
        !board::read(outputs, header + i * sizeof wanted, wanted, sizeof wanted))
      report_failure("a file is missing");
    const std::uint32_t start = board::now();
    Net{}.on(memory).into(Output(got))(Input(input));
    if (const std::uint32_t taken = board::now() - start; i == 0 || taken < time) time = taken;
    for (unsigned k = 0; k < Outputs; ++k) difference.add(got[k], wanted[k]);
  }
  finish(difference.is_at_most(0), difference, Net::arena_bytes, time);
}
