// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tenon::bytecode {

using bytes = std::span<const std::byte>;

// Reads the primitives of MLIR's bytecode. Behind the end everything is 0, and `failed` says so.
// https://mlir.llvm.org/docs/BytecodeFormat
class stream {
 public:
  stream() = default;
  explicit stream(bytes of) : rest_(of) {}

  bool failed() const { return failed_; }
  bool is_done() const { return rest_.empty() || failed_; }
  std::size_t position() const { return at_; }

  bytes take(std::uint64_t count) {
    if (count > rest_.size()) failed_ = true, count = 0;
    const bytes taken = rest_.first(std::size_t(count));
    rest_ = rest_.subspan(std::size_t(count));
    at_ += std::size_t(count);
    return taken;
  }
  void fail() { failed_ = true; }
  unsigned byte() {
    const bytes one = take(1);
    return one.empty() ? 0 : unsigned(one[0]);
  }
  // The zeros at the end of the first byte count the bytes that follow it.
  std::uint64_t number() {
    const unsigned first = byte();
    const int more = first == 0 ? 8 : std::countr_zero(first);
    std::uint64_t value = 0;
    int shift = 0;
    for (const std::byte each : take(std::uint64_t(more))) {
      value |= std::uint64_t(each) << shift;
      shift += 8;
    }
    return more == 8 ? value : value << (7 - more) | first >> (more + 1);
  }
  // Behind a number of elements, of which each takes a byte or more.
  std::uint64_t count() {
    const std::uint64_t value = number();
    if (value > rest_.size()) failed_ = true;
    return failed_ ? 0 : value;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    return std::int64_t(value >> 1 ^ (0 - (value & 1)));
  }
  std::string_view text() {
    for (std::size_t i = 0; i < rest_.size(); ++i)
      if (rest_[i] == std::byte(0)) return characters(take(i + 1).first(i));
    failed_ = true;
    return {};
  }
  static std::string_view characters(bytes of) { return {reinterpret_cast<const char*>(of.data()), of.size()}; }

 private:
  bytes rest_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace tenon::bytecode
