// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>

#include <cstdint>
#include <type_traits>

// An expression refers to tensors that have a name. C++ cannot refuse that a function returns one that refers to its
// own variables, so builds with assertions (without NDEBUG) remember which tensors were destroyed last, and an
// expression fails when it is evaluated if one of its tensors was destroyed after the expression was made.
namespace tenon::core {

#if __STDC_HOSTED__ && !defined(NDEBUG)

[[gnu::used]] inline void define_assertions() { TENON_DEFINE(tenon_sources_differ_in_NDEBUG); }

struct destroyed_tensors {
  static constexpr std::uint64_t remembered = 64;

  const void* at[remembered]{};
  std::uint64_t count = 0;

  void add(const void* address) noexcept { at[count++ % remembered] = address; }
  // Whether a tensor at this address was destroyed since there were `first`, as far as that is remembered.
  bool has(const void* address, std::uint64_t first) const {
    if (count > remembered && first < count - remembered) first = count - remembered;
    for (; first < count; ++first)
      if (at[first % remembered] == address) return true;
    return false;
  }
};
inline thread_local destroyed_tensors destroyed;

// A member of a tensor, at its address.
class lifetime {
 public:
  constexpr lifetime() noexcept = default;
  constexpr lifetime(const lifetime&) noexcept = default;
  constexpr lifetime& operator=(const lifetime&) noexcept = default;
  constexpr ~lifetime() {
    if (!std::is_constant_evaluated()) destroyed.add(this);
  }
};

// A member of an expression: when it was made.
class time_of_birth {
 public:
  constexpr time_of_birth() noexcept {
    if (!std::is_constant_evaluated()) destroyed_before_ = destroyed.count;
  }
  void check_alive(const void* tensor) const {
    if (destroyed.has(tensor, destroyed_before_))
      fail(
          "an expression refers to a tensor that is gone: a function returns tensors (evaluate(x + y)), or takes its "
          "operands by reference");
  }

 private:
  std::uint64_t destroyed_before_ = 0;
};

#else

[[gnu::used]] inline void define_no_assertions() { TENON_DEFINE(tenon_sources_differ_in_NDEBUG); }

struct lifetime {};
struct time_of_birth {
  void check_alive(const void*) const {}
};

#endif

}  // namespace tenon::core
