// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenon::core {

// std::bit_cast, which libc++ 13, and with it Debian's Emscripten, does not have.
template <class To, class From>
  requires(sizeof(To) == sizeof(From))
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace tenon::core
