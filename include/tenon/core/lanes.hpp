// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only header that includes Highway. Code that depends on its target stands in `inline namespace HWY_NAMESPACE`.

// tenon dispatches statically. Left alone, Highway 1.0 refuses -march=native on AVX-512 machines.
#if !defined(HWY_TARGETS) && !defined(HWY_COMPILE_ONLY_STATIC) && !defined(HWY_COMPILE_ONLY_SCALAR) && \
    !defined(HWY_COMPILE_ONLY_EMU128)
#define HWY_COMPILE_ONLY_STATIC
#endif

// -msse4.2 and -march=x86-64-v3 lack AES and PCLMUL, which Highway demands for SSE4 and AVX2 and tenon never uses.
#if !defined(HWY_TARGETS) && defined(__SSE4_2__) && !(defined(__AES__) && defined(__PCLMUL__)) && \
    !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif

// Otherwise Highway's functions for aarch64 want AES in their callers, for a dispatch at run time.
#if !defined(HWY_TARGETS) && defined(__aarch64__) && !defined(TOOLCHAIN_MISS_SYS_AUXV_H)
#define TOOLCHAIN_MISS_SYS_AUXV_H
#endif

#if defined(__arm__) && defined(__ARM_FP) && !defined(__ARM_FP16_FORMAT_IEEE) && !defined(__clang__)
#if __ARM_FP & 2
#error "tenon: Highway needs the type __fp16 on this processor: add -mfp16-format=ieee"
#endif
#endif

#include <tenon/core/lanes_note.hpp>
#include <tenon/core/rooms.hpp>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__) && !defined(HWY_COMPILE_ONLY_SCALAR) && !defined(HWY_COMPILE_ONLY_EMU128) && \
    (HWY_STATIC_TARGET == HWY_SSSE3 || HWY_STATIC_TARGET == HWY_SSE4)
#pragma GCC warning \
    "tenon: AVX2 is on, but Highway uses 128-bit vectors: add -mfma -mbmi -mbmi2 -mf16c, and if hwy/highway.h is included before tenon, -maes -mpclmul"
#endif

#if defined(__FAST_MATH__)
#pragma GCC warning "tenon: -ffast-math breaks NaN, infinities, signed zeros and the promised accuracy"
#endif

namespace hwy {

// Highway's debug checks call this; the library defines it, header-only use does not.
__attribute__((weak)) void Abort(const char*, int, const char*, ...) { __builtin_trap(); }

}  // namespace hwy

namespace tenon::inline HWY_NAMESPACE {
namespace math {
using namespace core;
}
namespace ieee {
using namespace core;
}
namespace one_lane {
using namespace core;
}
}  // namespace tenon::inline HWY_NAMESPACE

namespace tenon::core::inline HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

[[gnu::used]] inline void define_lanes() { TENON_DEFINE(tenon_sources_have_different_lanes); }

// Whether Highway's vectors on this target are loops or single elements.
inline constexpr bool has_emulated_lanes = HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128;

namespace lanes_detail {

// Whether masked loads and stores leave the memory of the other lanes alone.
template <class T>
inline constexpr bool has_masked_access =
    HWY_TARGET != HWY_SCALAR && (HWY_MEM_OPS_MIGHT_FAULT == 0 || (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4));

}  // namespace lanes_detail

// Element types that fill the lanes of a vector; all others are computed one by one.
template <class T>
inline constexpr bool has_lanes =
    std::is_same_v<T, double> ? HWY_HAVE_FLOAT64 != 0
                              : std::is_same_v<T, float> || (std::is_integral_v<T> && !std::is_same_v<T, bool>);

// The value itself, but never merged with what follows. GCC contracts a product and a sum to a fused multiply-add
// even across intrinsics, so that the result would depend on the surroundings.
template <class V>
HWY_INLINE constexpr V rounded(V value) {
#if HWY_COMPILER_GCC_ACTUAL
  if constexpr (std::is_floating_point_v<V>) {
    return __builtin_assoc_barrier(value);
  } else if constexpr (requires { value.raw = value.raw; }) {
#if HWY_ARCH_X86
    // GCC 12 takes the barrier on more than 128 bits apart, lane by lane.
    if constexpr (sizeof(V) >= 32)
      asm("" : "+v"(value.raw));
    else
#endif
      value.raw = __builtin_assoc_barrier(value.raw);
  } else if constexpr (requires { value.raw[0]; }) {
    for (auto& lane : value.raw) lane = __builtin_assoc_barrier(lane);
  }
#if HWY_HAVE_SCALABLE && HWY_ARCH_ARM
  else {
    asm("" : "+w"(value));
  }
#endif
#endif
  return value;
}

// The value itself, in a register: of what is used several times, GCC makes as many loads, each of which waits for the
// second cache.
template <class V>
HWY_INLINE V loaded_once(V value) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
  if constexpr (sizeof(V) >= 16 && requires { value.raw = value.raw; }) asm("" : "+v"(value.raw));
#endif
  return value;
}

// A pointer or an integer as a register of its own, rather than what it was computed from.
HWY_INLINE auto in_register(auto value) {
#if HWY_TARGET == HWY_SCALAR && defined(__arm__)
  asm("" : "+r"(value));
#endif
  return value;
}

// The first `count` lanes from unaligned memory, the others zero; reads nothing beyond. @pre count <= Lanes(d)
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, const T* from, std::size_t count) {
  if constexpr (lanes_detail::has_masked_access<T>) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
  } else {
    constexpr std::size_t most = hn::MaxLanes(d);
    HWY_ALIGN T lanes[most] = {};
    if (count > 0) std::memcpy(lanes, from, (count < most ? count : most) * sizeof(T));
    return hn::Load(d, lanes);
  }
}

// Writes the first `count` lanes, nothing beyond.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_first(hn::Vec<D> value, D d, T* to, std::size_t count) {
  if constexpr (lanes_detail::has_masked_access<T>) {
    hn::BlendedStore(value, hn::FirstN(d, count), d, to);
  } else {
    constexpr std::size_t most = hn::MaxLanes(d);
    HWY_ALIGN T lanes[most];
    hn::Store(value, d, lanes);
    if (count > 0) std::memcpy(to, lanes, (count < most ? count : most) * sizeof(T));
  }
}

}  // namespace tenon::core::inline HWY_NAMESPACE
