// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/random_bits.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

constexpr bool gives(const ops::threefry_block& block, std::uint32_t a, std::uint32_t b) {
  return block.words[0] == a && block.words[1] == b;
}
constexpr bool gives(const ops::philox_block& block, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                     std::uint32_t d) {
  return block.words[0] == a && block.words[1] == b && block.words[2] == c && block.words[3] == d;
}
constexpr std::uint64_t ones = ~std::uint64_t{0};

// The answers that the authors publish with their generators.
static_assert(gives(ops::threefry(0, 0), 0x6b200159, 0x99ba4efe));
static_assert(gives(ops::threefry(ones, ones), 0x1cb996fc, 0xbb002be7));
static_assert(gives(ops::philox(0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
static_assert(gives(ops::philox(ones, ones, ones), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));

}  // namespace

TEST_CASE("random_bits: the same at run time") {
  volatile std::uint64_t zero = 0;
  CHECK(gives(ops::threefry(zero, zero), 0x6b200159, 0x99ba4efe));
  CHECK(gives(ops::philox(zero, zero, zero), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
}
