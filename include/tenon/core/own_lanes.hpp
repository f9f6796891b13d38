// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

// Vectors of 16 bytes for processors of which Highway has only emulated ones: x86 without flags, which has SSE2,
// Cortex-M55, which has MVE, and RISC-V where its functions have other names. They do what products need.
namespace tenon::core::inline HWY_NAMESPACE {

// An element as a lane of T, which is wider: floats by value, integers with their sign.
template <class T, class E>
HWY_INLINE T widened(const E& element) {
  if constexpr (std::is_integral_v<E>)
    return T(element);
  else
    return convert_to<T>(element);
}

#if defined(__ARM_FEATURE_MVE)
template <class T>
inline constexpr bool has_own_lanes = has_emulated_lanes && sizeof(T) == 4 &&
                                      (std::is_integral_v<T> || (std::is_same_v<T, float> && (__ARM_FEATURE_MVE & 2)));

// The first lanes of a vector are what predicates are for, and a factor that is the same in all lanes is a register of
// the processor's own. Products of f32 are fused with their sums, as those of single elements are.
template <class T>
struct own_lanes {
  typedef T raw_vector __attribute__((vector_size(16)));
  struct V {
    raw_vector raw;
  };
  struct repeated {
    T value;
    HWY_INLINE operator V() const { return V{value - raw_vector{}}; }
  };
  static constexpr bool reads_parts_cheaply = true;
  static constexpr int registers = 8;

  static constexpr index_t most_lanes = 4;
  static constexpr index_t count() { return most_lanes; }
  static HWY_INLINE V zero() { return V{}; }
  static HWY_INLINE repeated broadcast(T value) { return {value}; }
  static HWY_INLINE V load(const T* from) {
    V value;
    std::memcpy(&value.raw, from, sizeof value.raw);
    return value;
  }
  static HWY_INLINE V load_first(const T* from, index_t size) {
    return V{raw_vector(__arm_vldrwq_z_u32(reinterpret_cast<const word*>(from), first(size)))};
  }
  template <class E>
  static HWY_INLINE V load_widened(const E* from, index_t size) {
    if constexpr (widens<E>)
      if (size == count()) return load_four(reinterpret_cast<const same_width<E>*>(from));
    T wide[most_lanes]{};
    for (int i = 0; i < int(size); ++i) wide[i] = core::widened<T>(from[i]);
    return load(wide);
  }
  static HWY_INLINE void store(V value, T* to) { std::memcpy(to, &value.raw, sizeof value.raw); }
  static HWY_INLINE void store_first(V value, T* to, index_t size) {
    __arm_vstrwq_p_u32(reinterpret_cast<word*>(to), uint32x4_t(value.raw), first(size));
  }
  static HWY_INLINE V add(V a, V b) { return V{a.raw + b.raw}; }
  static HWY_INLINE V multiply_add(V a, V b, V sum) {
    if constexpr (std::is_integral_v<T>)
      return V{a.raw * b.raw + sum.raw};
    else
      return V{__arm_vfmaq_f32(sum.raw, a.raw, b.raw)};
  }
  static HWY_INLINE V multiply_add(repeated a, V b, V sum) {
    if constexpr (std::is_integral_v<T>)
      return V{raw_vector(__arm_vmlaq_n_u32(uint32x4_t(sum.raw), uint32x4_t(b.raw), a.value))};
    else
      return V{__arm_vfmaq_n_f32(sum.raw, b.raw, a.value)};
  }
  // to[i] = the sum of the lanes of vector i, added up in the same order in all of them.
  static HWY_INLINE void totals(V a, V b, V c, V e, T* to) {
    const V all[] = {a, b, c, e};
    for (int i = 0; i < 4; ++i) to[i] = all[i].raw[0] + all[i].raw[1] + all[i].raw[2] + all[i].raw[3];
  }

  // Whether elements of E become lanes as they are loaded.
  template <class E>
  static constexpr bool widens = std::is_integral_v<T> && std::is_integral_v<E> && sizeof(E) < 4;

 private:
  template <class E>
  using same_width =
      std::conditional_t<sizeof(E) == 1, std::conditional_t<std::is_signed_v<E>, std::int8_t, std::uint8_t>,
                         std::conditional_t<std::is_signed_v<E>, std::int16_t, std::uint16_t>>;
  static HWY_INLINE V load_four(const std::int8_t* from) { return V{raw_vector(__arm_vldrbq_s32(from))}; }
  static HWY_INLINE V load_four(const std::uint8_t* from) { return V{raw_vector(__arm_vldrbq_u32(from))}; }
  static HWY_INLINE V load_four(const std::int16_t* from) { return V{raw_vector(__arm_vldrhq_s32(from))}; }
  static HWY_INLINE V load_four(const std::uint16_t* from) { return V{raw_vector(__arm_vldrhq_u32(from))}; }

  typedef std::uint32_t word __attribute__((may_alias));
  static HWY_INLINE mve_pred16_t first(index_t size) { return __arm_vctp32q(std::uint32_t(size)); }
};

// sum + a[0] * b[0] + ... + a[15] * b[15]
HWY_INLINE std::int32_t add_products_of_16(const std::int8_t* a, const std::int8_t* b, std::int32_t sum) {
  return __arm_vmladavaq_s8(sum, __arm_vldrbq_s8(a), __arm_vldrbq_s8(b));
}
HWY_INLINE std::int32_t add_products_of_16(const std::uint8_t* a, const std::uint8_t* b, std::int32_t sum) {
  return std::int32_t(__arm_vmladavaq_u8(std::uint32_t(sum), __arm_vldrbq_u8(a), __arm_vldrbq_u8(b)));
}
#elif HWY_ARCH_X86 || defined(__riscv_vector)
template <class T>
inline constexpr bool has_own_lanes = has_emulated_lanes && has_lanes<T>;

template <class T>
struct own_lanes {
  typedef T raw_vector __attribute__((vector_size(16)));
  struct V {
    raw_vector raw;
  };
  static constexpr bool reads_parts_cheaply = false;
  static constexpr int registers = HWY_ARCH_X86 ? 16 : 32;

  static constexpr index_t most_lanes = 16 / index_t(sizeof(T));
  static constexpr index_t count() { return most_lanes; }
  static HWY_INLINE V zero() { return broadcast(0); }
  static HWY_INLINE V broadcast(T value) { return V{raw_vector{} + value}; }
  static HWY_INLINE V load(const T* from) {
    V value;
    std::memcpy(&value.raw, from, sizeof value.raw);
    return value;
  }
  static HWY_INLINE V load_first(const T* from, index_t size) {
    V value = zero();
    for (index_t i = 0; i < count(); ++i)
      if (i < size) value.raw[i] = from[i];
    return value;
  }
  template <class E>
  static HWY_INLINE V load_widened(const E* from, index_t size) {
    V value = zero();
    for (index_t i = 0; i < count(); ++i)
      if (i < size) value.raw[i] = widened<T>(from[i]);
    return value;
  }
  static HWY_INLINE void store(V value, T* to) { std::memcpy(to, &value.raw, sizeof value.raw); }
  static HWY_INLINE void store_first(V value, T* to, index_t size) {
    for (index_t i = 0; i < count(); ++i)
      if (i < size) to[i] = value.raw[i];
  }
  static HWY_INLINE V add(V a, V b) { return V{a.raw + b.raw}; }
  static HWY_INLINE V multiply_add(V a, V b, V sum) { return V{a.raw * b.raw + sum.raw}; }
  // to[i] = the sum of the lanes of vector i, added up in the same order in all of them.
  static HWY_INLINE void totals(V a, V b, V c, V e, T* to) {
    const V all[] = {a, b, c, e};
    for (index_t i = 0; i < 4; ++i) {
      to[i] = all[i].raw[0];
      for (index_t lane = 1; lane < count(); ++lane) to[i] += all[i].raw[lane];
    }
  }
};
#else
template <class T>
inline constexpr bool has_own_lanes = false;
template <class T>
struct own_lanes;
#endif

// Whether a few sums of T, of integers of E times the same factor, are vectors.
template <class T, class E>
inline constexpr bool has_own_sums = [] {
  if constexpr (has_own_lanes<T>)
    return requires { requires own_lanes<T>::template widens<E>; };
  else
    return false;
}();

}  // namespace tenon::core::inline HWY_NAMESPACE
