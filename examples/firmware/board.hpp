// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the programs of this folder need of the machine that they run on. cortex_m/board.cpp has it without an operating
// system, hosted.cpp with one.

#include <cstdint>

namespace board {

// Writes text to whoever looks on.
void write(const char* text);
// Reads a file of the folder of data: bytes [offset, offset + size). Gives whether they were all there.
bool read(const char* file, unsigned offset, void* to, unsigned size);
// Counts up, past the highest number from 0 again: instructions where they can be counted, nanoseconds elsewhere.
std::uint32_t now();
extern const char* const unit_of_now;
// The most memory that the stack has taken so far; 0 if nobody knows.
unsigned stack_bytes();
[[noreturn]] void stop(int code);

}  // namespace board
