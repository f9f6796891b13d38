// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/math/lanes/logarithm.hpp>
#include <tenon/math/lanes/trigonometric.hpp>
#include <tenon/ops/creation/random_bits.hpp>
#include <tenon/ops/creation/rng.hpp>

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
// Several vectors interleaved, as each step of a block waits for the one before.
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

namespace tenon::kernels {

// An op that fills its second result with the words of blocks of Philox, if it says `is_philox`.
template <class Op>
concept generates_bits = Op::generates_bits;

// The words of the next blocks, in pairs.
inline void take_blocks(ui64 (&state)[3], ui64* pairs, index_t count) {
  index_t i = 0;
  if constexpr (has_random_lanes)
    if (state[1] < ~ui64(count)) {  // the low half of the counter does not begin again
      const auto store = [&](auto first, auto second, index_t at) HWY_ATTR {
        hn::StoreInterleaved2(first, second, hn::DFromV<decltype(first)>(), pairs + 2 * at);
      };
      i = for_each_philox(state[0], state[1], state[2], count, store);
      state[1] += ui64(i);
    }
  for (; i < count; ++i) {
    const ops::philox_block block = ops::philox(state[0], state[1], state[2]);
    if (++state[1] == 0) ++state[2];
    pairs[2 * i] = ops::joined(block.words[0], block.words[1]);
    pairs[2 * i + 1] = ops::joined(block.words[2], block.words[3]);
  }
}

template <class T>
void fill_with_bits(ui64 (&state)[3], T* output, index_t count) {
  constexpr index_t per_pair = num_bits(dtype_of<T>) == 64 ? 1 : 2, most_blocks = 64;
  constexpr index_t most = 2 * most_blocks * per_pair;
  ui64 pairs[2 * most_blocks];
  for (index_t first = 0; first < count; first += most) {
    const index_t some = count - first < most ? count - first : most;
    take_blocks(state, pairs, (some + 2 * per_pair - 1) / (2 * per_pair));
    for (index_t i = 0; i < some; ++i) {
      const ui64 pair = pairs[i / per_pair];
      output[first + i] = from_bits<T>(per_pair == 1 ? pair : i % 2 == 0 ? ops::low_word(pair) : ops::high_word(pair));
    }
  }
}

template <class Op>
void random_bits_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  if (!op.is_philox()) return op.template evaluate<ui64>(e);
  ui64 state[3];
  op.read_state(e, state);
  visit(e.result_types.data[1].element, [&]<class T>() {
    if constexpr (dtype_of<T> != dtype::i1 && !is_complex(dtype_of<T>))
      fill_with_bits(state, e.result<T>(1), e.result_types.data[1].size());
  });
  op.write_state(e, state);
}

// An op that fills its result with the numbers of a draw.
template <class Op>
concept draws_numbers = Op::draws_numbers;

// Fills elements with numbers of one draw, in vectors as far as they go.
class number_fill {
 public:
  static constexpr index_t most_together = 4 * ops::rng::group;

  number_fill(const ops::rng& op, const ops::rng::draw_of_numbers& draw) : op_(op), draw_(draw) {}

  // Elements first, first + 1, ..., of which the first one begins a group and `count` are at most `most_together`.
  template <class T>
  void fill(T* to, T a, T b, index_t first, index_t count) const {
    index_t i = 0;
    if constexpr (fills_in_lanes<T>) {
      i = fill_in_lanes(to, a, b, first, count);
    } else if constexpr (is_float(dtype_of<T>) && dtype_of<T> != dtype::f64) {
      f64 numbers[most_together];
      fill(numbers, convert_to<f64>(a), convert_to<f64>(b), first, count);
      for (; i < count; ++i)
        to[i] = is_normal() ? convert_to<T>(numbers[i]) : op_.below(convert_to<T>(numbers[i]), a, b);
    } else if constexpr (has_random_lanes && !is_float(dtype_of<T>)) {
      ui64 bits[most_together];
      const index_t some =
          for_each_group(first, count, [&](auto each, index_t at) HWY_ATTR __attribute__((always_inline)) {
            hn::StoreU(each, hn::ScalableTag<ui64>(), bits + at);
          });
      for (; i < some; ++i) to[i] = op_.uniform_integer(a, b, bits[i]);
    }
    for (; i < count; ++i) to[i] = op_.number(a, b, draw_, first + i);
  }

 private:
  const ops::rng& op_;
  const ops::rng::draw_of_numbers& draw_;

  bool is_normal() const { return op_.rng_distribution == rng_distribution::NORMAL; }

  // Gives how many elements that is.
  template <class T>
  index_t fill_in_lanes(T* to, T a, T b, index_t first, index_t count) const {
    const hn::ScalableTag<f64> numbers;
    if (is_normal())
      return for_each_philox(draw_.seed, ui64(first), draw_.number, count,
                             [&](auto words, auto more, index_t at) HWY_ATTR __attribute__((always_inline)) {
                               store_numbers(numbers, normal_lanes(numbers, f64(a), f64(b), words, more), to + at);
                             });
    return for_each_group(first, count, [&](auto bits, index_t at) HWY_ATTR __attribute__((always_inline)) {
      store_below(numbers, uniform_lanes(numbers, f64(a), f64(b), bits), a, b, to + at);
    });
  }
  // Calls store(bits, i) with vectors of those of the elements from first + i on, for whole groups; gives how many
  // elements these have.
  template <class Store>
  HWY_INLINE index_t for_each_group(index_t first, index_t count, Store store) const {
    constexpr index_t half = ops::rng::half_group, group = ops::rng::group;
    const index_t together = 4 * index_t(hn::Lanes(hn::ScalableTag<ui64>()));
    if (half % together != 0) return 0;
    return 2 * for_each_philox(draw_.seed, ui64(first / 2), draw_.number, count / group * half,
                               [&](auto words, auto more, index_t block) HWY_ATTR __attribute__((always_inline)) {
                                 const index_t at = block / half * group + block % half;
                                 store(words, at), store(more, at + half);
                               });
  }
};

template <class Op, class T>
void random_numbers_kernel(const evaluation& e) {
  if constexpr (!is_complex(dtype_of<T>)) {
    const Op op = read_attributes<Op>(e.words);
    const auto draw = op.next_draw(e);
    const number_fill numbers(op, draw);
    const index_t count = e.result_types.data[0].size(), most = numbers.most_together;
    for (index_t first = 0; first < count; first += most)
      numbers.fill(e.result<T>() + first, e.operand<T>(0)[0], e.operand<T>(1)[0], first,
                   count - first < most ? count - first : most);
  }
}

}  // namespace tenon::kernels
