// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fuzz {

// A small generator of random numbers, the same on every machine.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed * 2 + 1) {}

  // 0 ... sides - 1
  std::size_t throw_one(std::size_t sides) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return sides == 0 ? 0 : std::size_t((state_ * 0x2545F4914F6CDD1Du) >> 33) % sides;
  }

 private:
  std::uint64_t state_;
};

// A program that is nearly this one: tokens, lines, types and bracketed parts are exchanged, repeated or left out,
// numbers are made extreme. `other` is a program to borrow from.
std::string mutated(std::string_view text, std::string_view other, dice& random);

}  // namespace fuzz
