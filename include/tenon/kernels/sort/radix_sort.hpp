// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/ops/elementwise/order.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// Sorting rows: by the bytes of an integer key, the lowest one first, without comparisons, or by merging. Equal keys
// keep their order.
namespace tenon::kernels {

// An unsigned integer in the order of the numbers. Zeros of both signs have the same one; NaN is beyond.
template <class T>
constexpr auto order_key(T x) {
  if constexpr (binary_float<T>) {
    using key = ieee::bits_of<T>;
    return key(key(ops::total_order_key(x == T(0) ? T(0) : x)) ^ ieee::sign_bit<T>);
  } else {
    using key = std::make_unsigned_t<T>;
    return key(key(x) ^ key(std::numeric_limits<T>::min()));
  }
}

// The same in the order of totalOrder of IEEE-754: -0 before +0, NaN at the ends by its sign.
template <class T>
constexpr auto total_order_digits(T x) {
  if constexpr (binary_float<T>) {
    using key = ieee::bits_of<T>;
    return key(key(ops::total_order_key(x)) ^ ieee::sign_bit<T>);
  } else {
    return order_key(x);
  }
}

// How often each value of each byte occurs.
struct digit_counts {
  static constexpr int values = 256, most_digits = 8;
  std::uint32_t at[most_digits][values];
};

// Sorts `count` < 2^32 items by key_of(item), an unsigned integer. `other` is memory for as many; gives where they are
// in the end, there or in `items`.
template <class Item, class KeyOf>
Item* sort_by_digits(Item* items, Item* other, index_t count, digit_counts& counts, KeyOf key_of) {
  using key = decltype(key_of(*items));
  static_assert(std::unsigned_integral<key>);
  constexpr int digits = int(sizeof(key));
  if (count < 2) return items;
  const auto digit = [](key from, int place) { return std::size_t(from >> (8 * place) & 0xFF); };
  std::memset(counts.at, 0, sizeof counts.at[0] * digits);
  for (index_t i = 0; i < count; ++i) {
    const key k = key_of(items[i]);
    for (int d = 0; d < digits; ++d) ++counts.at[d][digit(k, d)];
  }
  for (int d = 0; d < digits; ++d) {
    std::uint32_t* const places = counts.at[d];
    if (index_t(places[digit(key_of(items[0]), d)]) == count) continue;
    std::uint32_t first = 0;
    for (int v = 0; v < digit_counts::values; ++v) {
      const std::uint32_t many = places[v];
      places[v] = first;
      first += many;
    }
    for (index_t i = 0; i < count; ++i) {
      const Item item = items[i];
      other[places[digit(key_of(item), d)]++] = item;
    }
    Item* const sorted = other;
    other = items;
    items = sorted;
  }
  return items;
}

template <class Item, class Less>
void merge_items(const Item* from, index_t low, index_t middle, index_t high, Item* to, Less is_less) {
  index_t left = low, right = middle, at = low;
  // Without branches that nobody can predict.
  while (left < middle && right < high) {
    const Item a = from[left], b = from[right];
    const bool takes_right = is_less(b, a);
    to[at++] = takes_right ? b : a;
    right += takes_right;
    left += !takes_right;
  }
  while (left < middle) to[at++] = from[left++];
  while (right < high) to[at++] = from[right++];
}

// Sorts `count` items, equal ones in their order, by their keys if there are enough of them, else by merging.
// `ordered`: the keys say the same as is_less, which is not so for numbers that have no order. Otherwise like
// sort_by_digits.
template <class Item, class Less, class KeyOf>
Item* sort_row(Item* items, Item* other, index_t count, bool ordered, digit_counts& counts, Less is_less,
               KeyOf key_of) {
  if (ordered && count >= tuning::least_sorted_by_digits(sizeof(key_of(*items))))
    return sort_by_digits(items, other, count, counts, key_of);
  constexpr index_t run = 8;
  for (index_t low = 0; low < count; low += run) {
    const index_t high = low + run < count ? low + run : count;
    for (index_t i = low + 1; i < high; ++i) {
      const Item inserted = items[i];
      index_t at = i;
      for (; at > low && is_less(inserted, items[at - 1]); --at) items[at] = items[at - 1];
      items[at] = inserted;
    }
  }
  for (index_t width = run; width < count; width *= 2) {
    for (index_t low = 0; low < count; low += 2 * width) {
      const index_t middle = low + width < count ? low + width : count;
      merge_items(items, low, middle, middle + width < count ? middle + width : count, other, is_less);
    }
    std::swap(items, other);
  }
  return items;
}

}  // namespace tenon::kernels
