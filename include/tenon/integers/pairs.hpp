// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>

#if defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>
#endif

#include <concepts>
#include <cstdint>
#include <cstring>

// Integers of 8 bits as pairs of 16 bits, which Cortex-M4, M7, M33 and M55 multiply and add two at a time.
namespace tenon::core {

template <class T>
concept paired_integer = std::integral<T> && sizeof(T) == 1;

template <paired_integer T>
struct integer_pairs {
  using word = std::uint32_t;  // four elements
  using pair = std::int32_t;

#if defined(__ARM_FEATURE_SIMD32)
  static HWY_INLINE pair even(word four) {
    if constexpr (std::is_signed_v<T>)
      return __sxtb16(std::int32_t(four));
    else
      return pair(__uxtb16(four));
  }
  // Compilers would rotate by an instruction of its own.
  static HWY_INLINE pair odd(word four) {
    pair result;
    if constexpr (std::is_signed_v<T>)
      __asm__("sxtb16 %0, %1, ror #8" : "=r"(result) : "r"(four));
    else
      __asm__("uxtb16 %0, %1, ror #8" : "=r"(result) : "r"(four));
    return result;
  }
  // Of two pairs, both first or both second numbers.
  static HWY_INLINE pair firsts(pair a, pair b) {
    __asm__("pkhbt %0, %0, %1, lsl #16" : "+r"(a) : "r"(b));
    return a;
  }
  static HWY_INLINE pair seconds(pair a, pair b) {
    __asm__("pkhtb %0, %0, %1, asr #16" : "+r"(b) : "r"(a));
    return b;
  }
  static HWY_INLINE std::int32_t add_products(pair a, pair b, std::int32_t sum) { return __smlad(a, b, sum); }
  static HWY_INLINE std::int32_t add_firsts(pair a, pair b, std::int32_t sum) { return __smlabb(a, b, sum); }
  static HWY_INLINE std::int32_t add_seconds(pair a, pair b, std::int32_t sum) { return __smlatt(a, b, sum); }
#else
  static HWY_INLINE pair even(word four) { return pair(word(T(four)) & 0xffff) | pair(word(T(four >> 16)) << 16); }
  static HWY_INLINE pair odd(word four) { return even(four >> 8); }
  static HWY_INLINE pair firsts(pair a, pair b) { return pair((word(a) & 0xffff) | word(b) << 16); }
  static HWY_INLINE pair seconds(pair a, pair b) { return pair(word(a) >> 16 | (word(b) & 0xffff0000)); }
  static HWY_INLINE std::int32_t add_products(pair a, pair b, std::int32_t sum) {
    return add_seconds(a, b, add_firsts(a, b, sum));
  }
  static HWY_INLINE std::int32_t add_firsts(pair a, pair b, std::int32_t sum) {
    return std::int32_t(word(sum) + word(std::int16_t(a) * std::int16_t(b)));
  }
  static HWY_INLINE std::int32_t add_seconds(pair a, pair b, std::int32_t sum) {
    return std::int32_t(word(sum) + word((a >> 16) * (b >> 16)));
  }
#endif
};

// Elements 0 to 3 in the bytes of a word, from the lowest on.
template <paired_integer T>
HWY_INLINE std::uint32_t load_four(const T* from) {
  std::uint32_t four;
  std::memcpy(&four, from, sizeof four);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  four = four >> 24 | (four >> 8 & 0xff00) | (four << 8 & 0xff0000) | four << 24;
#endif
  return four;
}

}  // namespace tenon::core
