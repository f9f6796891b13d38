// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/translation_unit.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

namespace tenon {

namespace core {

// Writes a number in decimal form, a character at a time.
template <std::integral Integer, class Push>
constexpr void write_integer(Integer number, Push push) {
  if (number < 0) push('-');
  const std::uint64_t magnitude = number < 0 ? 0 - std::uint64_t(number) : std::uint64_t(number);
  std::uint64_t unit = 1;
  while (magnitude / unit >= 10) unit *= 10;
  for (; unit > 0; unit /= 10) push(char('0' + magnitude / unit % 10));
}

// A text put together while compiling, or without a heap. What does not fit is left out.
template <int Capacity>
struct message_text {
  char at[Capacity + 1]{};
  int length = 0;

  constexpr void push(char c) {
    if (length < Capacity) at[length++] = c;
  }
  constexpr message_text& operator<<(std::string_view part) {
    for (char c : part) push(c);
    return *this;
  }
  template <std::integral Integer>
  constexpr message_text& operator<<(Integer number) {
    write_integer(number, [&](char c) { push(c); });
    return *this;
  }

  constexpr const char* data() const { return at; }
  constexpr std::size_t size() const { return std::size_t(length); }
  constexpr std::string_view view() const { return {at, size()}; }
};

}  // namespace core

// The exception that `fail` throws where there are exceptions.
class error : public std::exception {
 public:
  explicit error(const char* message) {
    for (int i = 0; i < capacity - 1 && message[i] != '\0'; ++i) text_[i] = message[i];
  }
  const char* what() const noexcept override { return text_; }

  // Longer messages are cut.
  static constexpr int capacity = 256;

 private:
  char text_[capacity]{};
};

// Called with the message before anything else happens, if set. It may leave by an exception or a jump, or not at all;
// if it returns, the failure takes its usual course: an `error` is thrown, or, without exceptions, the program traps.
using failure_handler = void (*)(const char* message);
inline failure_handler on_failure = nullptr;

// Ends what cannot go on while a program runs. The message is put together from texts and integers, without a heap.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  core::message_text<error::capacity - 1> text;
  ((text << parts), ...);
  if (on_failure != nullptr) on_failure(text.at);
#if defined(__cpp_exceptions)
  throw error(text.at);
#else
  __builtin_trap();
#endif
}

}  // namespace tenon
