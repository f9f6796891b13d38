// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The counter-based generators of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", with the numbers of
// rounds that XLA uses. https://www.thesalmons.org/john/random123/papers/random123sc11.pdf
namespace tenon::ops {

// 32-bit words, the least significant one first.
struct threefry_block {
  std::uint32_t words[2];
};
struct philox_block {
  std::uint32_t words[4];
};

constexpr std::uint32_t low_word(std::uint64_t value) { return std::uint32_t(value); }
constexpr std::uint32_t high_word(std::uint64_t value) { return std::uint32_t(value >> 32); }
constexpr std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t(high) << 32; }

inline constexpr std::uint32_t threefry_rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
inline constexpr std::uint32_t threefry_parity = 0x1BD11BDAu;

// Threefry2x32 with 20 rounds.
constexpr threefry_block threefry(std::uint64_t key, std::uint64_t counter) {
  const std::uint32_t keys[3] = {low_word(key), high_word(key), low_word(key) ^ high_word(key) ^ threefry_parity};
  std::uint32_t x = low_word(counter) + keys[0], y = high_word(counter) + keys[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (std::uint32_t distance : threefry_rotations[group % 2]) {
      x += y;
      y = (y << distance | y >> (32 - distance)) ^ x;
    }
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  }
  return {{x, y}};
}

// Philox4x32 with 10 rounds.
constexpr philox_block philox(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high) {
  std::uint32_t a = low_word(counter_low), b = high_word(counter_low);
  std::uint32_t c = low_word(counter_high), d = high_word(counter_high);
  std::uint32_t key_low = low_word(key), key_high = high_word(key);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53u} * a, second = std::uint64_t{0xCD9E8D57u} * c;
    a = high_word(second) ^ b ^ key_low;
    b = low_word(second);
    c = high_word(first) ^ d ^ key_high;
    d = low_word(first);
    key_low += 0x9E3779B9u;
    key_high += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

}  // namespace tenon::ops
