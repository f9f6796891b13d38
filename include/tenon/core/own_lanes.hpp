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

template <class T>
inline constexpr bool has_own_lanes =
#if defined(__ARM_FEATURE_MVE)
    has_emulated_lanes && std::is_same_v<T, float> && (__ARM_FEATURE_MVE & 2);
#elif HWY_ARCH_X86 || defined(__riscv_vector)
    has_emulated_lanes && has_lanes<T>;
#else
    false;
#endif

template <class T>
struct own_lanes {
  typedef T raw_vector __attribute__((vector_size(16)));
  struct V {
    raw_vector raw;
  };
  static constexpr index_t most_lanes = 16 / index_t(sizeof(T));
  static constexpr index_t count() { return most_lanes; }
  static HWY_INLINE V zero() { return V{}; }
  static HWY_INLINE V load(const T* from) {
    V value;
    std::memcpy(&value.raw, from, sizeof value.raw);
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
  static HWY_INLINE V add(V a, V b) { return V{a.raw + b.raw}; }
  // to[i] = the sum of the lanes of vector i, added up in the same order in all of them.
  static HWY_INLINE void totals(V a, V b, V c, V e, T* to) {
    const V all[] = {a, b, c, e};
    for (index_t i = 0; i < 4; ++i) {
      to[i] = all[i].raw[0];
      for (index_t lane = 1; lane < count(); ++lane) to[i] += all[i].raw[lane];
    }
  }
#if defined(__ARM_FEATURE_MVE)
  // The first lanes of a vector are what predicates are for, and a factor that is the same in all lanes is a register
  // of the processor's own. Products of f32 are fused with their sums, as those of single elements are.
  static constexpr bool reads_parts_cheaply = true;
  static constexpr int registers = 8;
  struct repeated {
    T value;
    HWY_INLINE operator V() const { return V{value - raw_vector{}}; }
  };
  static HWY_INLINE repeated broadcast(T value) { return {value}; }
  static HWY_INLINE V load_first(const T* from, index_t size) {
    return V{__arm_vldrwq_z_f32(from, __arm_vctp32q(std::uint32_t(size)))};
  }
  static HWY_INLINE void store_first(V value, T* to, index_t size) {
    __arm_vstrwq_p_f32(to, value.raw, __arm_vctp32q(std::uint32_t(size)));
  }
  static HWY_INLINE V multiply_add(V a, V b, V sum) { return V{__arm_vfmaq_f32(sum.raw, a.raw, b.raw)}; }
  static HWY_INLINE V multiply_add(repeated a, V b, V sum) { return V{__arm_vfmaq_n_f32(sum.raw, b.raw, a.value)}; }
#else
  static constexpr bool reads_parts_cheaply = false;
  static constexpr int registers = HWY_ARCH_X86 ? 16 : 32;
  static HWY_INLINE V broadcast(T value) { return V{raw_vector{} + value}; }
  static HWY_INLINE V load_first(const T* from, index_t size) { return load_widened(from, size); }
  static HWY_INLINE void store_first(V value, T* to, index_t size) {
    for (index_t i = 0; i < count(); ++i)
      if (i < size) to[i] = value.raw[i];
  }
  static HWY_INLINE V multiply_add(V a, V b, V sum) { return V{a.raw * b.raw + sum.raw}; }
#endif
};

#if defined(__ARM_FEATURE_MVE)
// to[i] (+)= the product of a row and column i of four that lie `step` apart; nothing behind `depth` entries is read.
HWY_INLINE void multiply_row(const std::int8_t* row, const std::int8_t* column, std::ptrdiff_t step,
                             std::ptrdiff_t depth, std::int32_t* to, bool accumulate) {
  std::int32_t a = 0, b = 0, c = 0, e = 0;
  if (accumulate) a = to[0], b = to[1], c = to[2], e = to[3];
  const std::int8_t *column_b, *column_c;
  asm volatile(
      R"(add %7, %6, %9
      add %8, %7, %9
      add %9, %8, %9
      wlstp.8 lr, %10, 2f
      1: vldrb.8 q0, [%5], #16
      vldrb.8 q1, [%6], #16
      vmladava.s8 %0, q0, q1
      vldrb.8 q1, [%7], #16
      vmladava.s8 %1, q0, q1
      vldrb.8 q1, [%8], #16
      vmladava.s8 %2, q0, q1
      vldrb.8 q1, [%9], #16
      vmladava.s8 %3, q0, q1
      letp lr, 1b
      2: strd %0, %1, [%4]
      strd %2, %3, [%4, #8])"
      : "+Te"(a), "+Te"(b), "+Te"(c), "+Te"(e), "+r"(to), "+r"(row), "+r"(column), "=&r"(column_b), "=&r"(column_c),
        "+r"(step)
      : "r"(depth)
      : "q0", "q1", "lr", "memory");
}

// All rows and columns of factors whose entries are neighbours.
template <class Factors>
void multiply_neighbours(std::ptrdiff_t rows, std::ptrdiff_t columns, Factors f, std::int32_t* to,
                         std::ptrdiff_t to_row, bool accumulate) {
  for (; rows > 0; --rows, f.rows += f.row, to += to_row) {
    const std::int8_t* column = f.columns;
    std::ptrdiff_t j = 0;
    for (; j + 4 <= columns; j += 4, column += 4 * f.column)
      multiply_row(f.rows, column, f.column, f.depth, to + j, accumulate);
    for (; j < columns; ++j, column += f.column) {
      std::int32_t sums[4]{accumulate ? to[j] : 0};
      multiply_row(f.rows, column, 0, f.depth, sums, accumulate);
      to[j] = sums[0];
    }
  }
}

// Sums of products of eight neighbours with eight others, of integers of 8 bits.
struct sums_of_eight {
  int32x4_t even{}, odd{};

  template <class T>
  HWY_INLINE void add_products(const T* a, const T* b) {
    const int16x8_t wide_a = load(a), wide_b = load(b);
    even = __arm_vaddq_s32(even, __arm_vmullbq_int_s16(wide_a, wide_b));
    odd = __arm_vaddq_s32(odd, __arm_vmulltq_int_s16(wide_a, wide_b));
  }
  HWY_INLINE void store(std::int32_t* to) const { __arm_vst2q_s32(to, {even, odd}); }

 private:
  static HWY_INLINE int16x8_t load(const std::int8_t* from) { return __arm_vldrbq_s16(from); }
  static HWY_INLINE int16x8_t load(const std::uint8_t* from) { return int16x8_t(__arm_vldrbq_u16(from)); }
};
#endif

}  // namespace tenon::core::inline HWY_NAMESPACE
