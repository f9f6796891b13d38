// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "board.hpp"

// A line of text, put together without a heap or the C library.
class line {
 public:
  line& operator<<(const char* part) {
    while (*part != '\0') push(*part++);
    return *this;
  }
  line& operator<<(std::uint32_t number) {
    char digits[10];
    int count = 0;
    do digits[count++] = char('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0) push(digits[--count]);
    return *this;
  }
  // With four digits behind the point.
  line& operator<<(float number) {
    if (number < 0) push('-'), number = -number;
    const std::uint32_t scaled = std::uint32_t(number * 1e4f + 0.5f);
    *this << scaled / 10000;
    push('.');
    for (unsigned unit = 1000; unit > 0; unit /= 10) push(char('0' + scaled / unit % 10));
    return *this;
  }
  ~line() {
    push('\n');
    at_[size_] = '\0';
    board::write(at_);
  }

 private:
  char at_[120];
  unsigned size_ = 0;

  void push(char c) {
    if (size_ < sizeof at_ - 1) at_[size_++] = c;
  }
};

// How far results are from those that are known.
class largest_difference {
 public:
  void add(float got, float wanted) {
    const float difference = got < wanted ? wanted - got : got - wanted;
    if (!(difference <= largest_)) largest_ = difference;
  }
  bool is_at_most(float bound) const { return largest_ <= bound; }
  std::uint32_t billionths() const { return std::uint32_t(largest_ * 1e9f + 0.5f); }

 private:
  float largest_ = 0;
};

// The last lines of each program, for tests/everywhere.sh to read; ends it.
[[noreturn]] inline void finish(bool is_right, const largest_difference& difference, unsigned arena_bytes,
                                std::uint32_t time, const char* reference = "JAX") {
  line() << "difference " << difference.billionths() << "e-9";
  line() << "time " << time << board::unit_of_now;
  line() << "arena " << std::uint32_t(arena_bytes) << " bytes";
  line() << "stack " << std::uint32_t(board::stack_bytes()) << " bytes";
  line() << (is_right ? "as " : "NOT as ") << reference << " computes it";
  board::stop(is_right ? 0 : 1);
}
