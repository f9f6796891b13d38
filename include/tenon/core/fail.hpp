// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <string_view>

namespace tenon {

// What `fail` throws where exceptions exist.
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

namespace detail {

struct failure_text {
  char at[error::capacity]{};
  int size = 0;

  constexpr void push(char c) {
    if (size < error::capacity - 1) at[size++] = c;
  }
  constexpr void append(std::string_view part) {
    for (char c : part) push(c);
  }
  template <std::integral Integer>
  constexpr void append(Integer number) {
    if (number < 0) push('-');
    const std::uint64_t magnitude = number < 0 ? 0 - std::uint64_t(number) : std::uint64_t(number);
    std::uint64_t unit = 1;
    while (magnitude / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) push(char('0' + magnitude / unit % 10));
  }
};

}  // namespace detail

// Ends what cannot go on while a program runs. The message is put together from texts and integers, without a heap.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  detail::failure_text text;
  (text.append(parts), ...);
  if (on_failure != nullptr) on_failure(text.at);
#if defined(__cpp_exceptions)
  throw error(text.at);
#else
  __builtin_trap();
#endif
}

}  // namespace tenon
