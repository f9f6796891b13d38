// SPDX-License-Identifier: Apache-2.0
//
// What the programs need of a machine that has an operating system.

#include "board.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

void board::write(const char* text) { std::fputs(text, stdout); }

bool board::read(const char* name, unsigned offset, void* to, unsigned size) {
  std::FILE* const file = std::fopen(name, "rb");
  if (file == nullptr) return false;
  const bool is_read = std::fseek(file, long(offset), SEEK_SET) == 0 && std::fread(to, 1, size, file) == size;
  std::fclose(file);
  return is_read;
}

const char* const board::unit_of_now = " ns";
std::uint32_t board::now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::uint32_t(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

unsigned board::stack_bytes() { return 0; }

void board::stop(int code) { std::exit(code); }
