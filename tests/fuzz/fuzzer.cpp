// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer over StableHLO text: fuzzer CORPUS SEEDS... -max_total_time=60

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fuzz/exercise.hpp>
#include <fuzz/mutate.hpp>

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t capacity);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that reading beyond its end is noticed.
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::exercise(text);
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed) {
  fuzz::dice random(seed);
  if (random.throw_one(8) == 0) return LLVMFuzzerMutate(data, size, capacity);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string result = fuzz::mutated(text, text, random);
  const std::size_t kept = result.size() < capacity ? result.size() : capacity;
  std::memcpy(data, result.data(), kept);
  return kept;
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second,
                                      std::size_t second_size, std::uint8_t* out, std::size_t capacity, unsigned seed) {
  fuzz::dice random(seed);
  const std::string result = fuzz::mutated({reinterpret_cast<const char*>(first), first_size},
                                           {reinterpret_cast<const char*>(second), second_size}, random);
  const std::size_t kept = result.size() < capacity ? result.size() : capacity;
  std::memcpy(out, result.data(), kept);
  return kept;
}
}
