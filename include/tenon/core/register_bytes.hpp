// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenon::core {

// The bytes of the widest vectors that fit in one register of the target. GCC moves wider ones through memory.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

}  // namespace tenon::core
