// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/trigonometric.hpp>
#include <tenon/ops/creation/random_bits.hpp>

#include <concepts>
#include <cstdint>

namespace tenon::kernels::inline HWY_NAMESPACE {

// Whether blocks of Philox are made in vectors, and numbers of them.
inline constexpr bool has_random_lanes = has_lanes<std::uint64_t> && has_lanes<double> && HWY_TARGET != HWY_SCALAR;

// Element types that such numbers are rounded to in vectors. Highway's emulated targets round what is too large for f32
// to the largest number instead of infinity.
template <class T>
inline constexpr bool fills_in_lanes =
    has_random_lanes && (std::same_as<T, double> || (std::same_as<T, float> && HWY_TARGET != HWY_EMU128));

// Philox4x32 of (key, counter, counter_high) for the counters in each `first`: the words of each block in pairs.
// Several vectors in turns, as each step of a block waits for the one before.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void philox_lanes(D d, std::uint64_t key, std::uint64_t counter_high, V& first_0, V& second_0, V& first_1,
                             V& second_1, V& first_2, V& second_2, V& first_3, V& second_3) {
  const hn::Repartition<std::uint32_t, D> words;
  const auto multiplier = hn::Set(words, 0xD2511F53u), other = hn::Set(words, 0xCD9E8D57u);
  // Only the low halves count.
  const V c = hn::Set(d, ops::low_word(counter_high)), e = hn::Set(d, ops::high_word(counter_high));
  V b_0 = hn::ShiftRight<32>(first_0), b_1 = hn::ShiftRight<32>(first_1);
  V b_2 = hn::ShiftRight<32>(first_2), b_3 = hn::ShiftRight<32>(first_3);
  V e_0 = e, e_1 = e, e_2 = e, e_3 = e;
  second_0 = second_1 = second_2 = second_3 = c;
  std::uint32_t key_low = ops::low_word(key), key_high = ops::high_word(key);
  for (int round = 0; round < 10; ++round) {
    const V low = hn::Set(d, key_low), high = hn::Set(d, key_high);
    const auto step = [&](V& a, V& b, V& second, V& last) HWY_ATTR __attribute__((always_inline)) {
      const V product = hn::MulEven(hn::BitCast(words, a), multiplier);
      const V another = hn::MulEven(hn::BitCast(words, second), other);
      a = hn::Xor(hn::Xor(hn::ShiftRight<32>(another), b), low);
      b = another;
      second = hn::Xor(hn::Xor(hn::ShiftRight<32>(product), last), high);
      last = product;
    };
    step(first_0, b_0, second_0, e_0);
    step(first_1, b_1, second_1, e_1);
    step(first_2, b_2, second_2, e_2);
    step(first_3, b_3, second_3, e_3);
    key_low += 0x9E3779B9u;
    key_high += 0xBB67AE85u;
  }
  const V low = hn::Set(d, 0xFFFFFFFFu);
  const auto join = [&](V& to, V upper) HWY_ATTR { to = hn::Or(hn::And(to, low), hn::ShiftLeft<32>(upper)); };
  join(first_0, b_0), join(second_0, e_0);
  join(first_1, b_1), join(second_1, e_1);
  join(first_2, b_2), join(second_2, e_2);
  join(first_3, b_3), join(second_3, e_3);
}

// Calls store(first, second, i) for the blocks of the counters from `counter` on, until fewer than four vectors of them
// are left: vectors of their words in pairs, from block i on. Gives how many blocks that were. Counters must not begin
// again.
template <class Store>
HWY_INLINE std::int64_t for_each_philox(std::uint64_t key, std::uint64_t counter, std::uint64_t counter_high,
                                        std::int64_t count, Store store) {
  const hn::ScalableTag<std::uint64_t> d;
  const std::int64_t lanes = std::int64_t(hn::Lanes(d));
  // Once: where a target builds it in memory, a loop would wait for that.
  const auto numbers_of_lanes = hn::Iota(d, 0);
  const auto counter_at = [&](std::int64_t i)
                              HWY_ATTR { return hn::Add(numbers_of_lanes, hn::Set(d, counter + std::uint64_t(i))); };
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    auto first_0 = counter_at(i), first_1 = counter_at(i + lanes);
    auto first_2 = counter_at(i + 2 * lanes), first_3 = counter_at(i + 3 * lanes);
    auto second_0 = first_0, second_1 = first_1, second_2 = first_2, second_3 = first_3;
    philox_lanes(d, key, counter_high, first_0, second_0, first_1, second_1, first_2, second_2, first_3, second_3);
    store(first_0, second_0, i);
    store(first_1, second_1, i + lanes);
    store(first_2, second_2, i + 2 * lanes);
    store(first_3, second_3, i + 3 * lanes);
  }
  return i;
}

// The upper 53 bits as a number from 0 on, below 1.
template <class D, class V>
HWY_INLINE hn::Vec<D> fraction_lanes(D d, V bits) {
  const hn::RebindToUnsigned<D> unsigned_d;
  const V whole = hn::ShiftRight<11>(bits);
  // As fractions of 2^52 and 2^84, whose last digits then are what their lowest bits say.
  const auto low = hn::BitCast(
      d, hn::Or(hn::And(whole, hn::Set(unsigned_d, 0xFFFFFFFFu)), hn::Set(unsigned_d, std::uint64_t{0x433} << 52)));
  const auto high = hn::BitCast(d, hn::Or(hn::ShiftRight<32>(whole), hn::Set(unsigned_d, std::uint64_t{0x453} << 52)));
  const auto sum = hn::Add(hn::Sub(high, hn::Set(d, 0x1p+84)), hn::Sub(low, hn::Set(d, 0x1p+52)));
  return rounded(hn::Mul(sum, hn::Set(d, 0x1p-53)));
}

// a (1 - u) + b u for fractions u.
template <class D, class V>
HWY_INLINE hn::Vec<D> uniform_lanes(D d, double a, double b, V bits) {
  const auto u = fraction_lanes(d, bits);
  return hn::Add(rounded(hn::Mul(hn::Set(d, a), hn::Sub(hn::Set(d, 1.0), u))), rounded(hn::Mul(hn::Set(d, b), u)));
}

// Numbers as elements of T.
template <class T, class D>
HWY_INLINE void store_numbers(D d, hn::Vec<D> value, T* to) {
  if constexpr (std::same_as<T, double>)
    hn::StoreU(value, d, to);
  else
    hn::StoreU(hn::DemoteTo(hn::Rebind<T, D>(), value), hn::Rebind<T, D>(), to);
}
// The same, but `a` where rounding has not left them below b.
template <class T, class D>
HWY_INLINE void store_below(D, hn::Vec<D> value, T a, T b, T* to) {
  const auto choose = [&](auto tag, auto rounded_value) HWY_ATTR {
    return hn::IfThenElse(hn::Lt(rounded_value, hn::Set(tag, b)), rounded_value, hn::Set(tag, a));
  };
  const hn::Rebind<T, D> tag;
  if constexpr (std::same_as<T, double>)
    hn::StoreU(choose(tag, value), tag, to);
  else
    hn::StoreU(choose(tag, hn::DemoteTo(tag, value)), tag, to);
}

// The method of Box and Muller.
template <class D, class V>
HWY_INLINE hn::Vec<D> normal_lanes(D d, double mean, double deviation, V first, V second) {
  const auto rest = hn::Sub(hn::Set(d, 1.0), fraction_lanes(d, first));
  const auto radius = hn::Sqrt(rounded(hn::Mul(hn::Set(d, -2.0), math::lanes::log(d, rest))));
  const auto angle = rounded(hn::Mul(hn::Set(d, 6.283185307179586), fraction_lanes(d, second)));
  const auto z = rounded(hn::Mul(radius, math::lanes::cosine(d, angle)));
  return hn::Add(hn::Set(d, mean), rounded(hn::Mul(hn::Set(d, deviation), z)));
}

}  // namespace tenon::kernels::inline HWY_NAMESPACE
