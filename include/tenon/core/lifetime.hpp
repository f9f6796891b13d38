// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>

#include <type_traits>

// An expression refers to tensors that have a name. C++ cannot refuse that a function returns one that refers to its
// own variables, so builds with assertions (without NDEBUG) remember which tensors were destroyed last, and an
// expression that is evaluated fails where it refers to one of them.
namespace tenon::detail {

#if __STDC_HOSTED__ && !defined(NDEBUG)

struct destroyed_tensors {
  static constexpr int remembered = 64;
  const void* at[remembered]{};
  int next = 0;

  void add(const void* address) noexcept {
    at[next] = address;
    next = (next + 1) % remembered;
  }
  void remove(const void* address) noexcept {
    for (const void*& each : at)
      if (each == address) each = nullptr;
  }
  bool has(const void* address) const {
    for (const void* each : at)
      if (each == address) return true;
    return false;
  }
};
inline thread_local destroyed_tensors destroyed;

// A member of a tensor, at its address.
class lifetime {
 public:
  constexpr lifetime() noexcept { begin(); }
  constexpr lifetime(const lifetime&) noexcept { begin(); }
  constexpr lifetime& operator=(const lifetime&) noexcept { return *this; }
  constexpr ~lifetime() {
    if (!std::is_constant_evaluated()) destroyed.add(this);
  }

 private:
  constexpr void begin() const noexcept {
    if (!std::is_constant_evaluated()) destroyed.remove(this);
  }
};

inline void check_alive(const void* tensor) {
  if (destroyed.has(tensor))
    fail(
        "an expression refers to a tensor that is gone: a function returns tensors (evaluate(x + y)), or takes its "
        "operands by reference");
}

#else

struct lifetime {};
inline void check_alive(const void*) {}

#endif

}  // namespace tenon::detail
