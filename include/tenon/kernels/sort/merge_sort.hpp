// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace tenon::kernels {

template <class Less>
void insert_all(index_t* order, index_t low, index_t high, const Less& is_less) {
  for (index_t i = low + 1; i < high; ++i) {
    const index_t inserted = order[i];
    index_t to = i;
    for (; to > low && is_less(inserted, order[to - 1]); --to) order[to] = order[to - 1];
    order[to] = inserted;
  }
}
// Merges two parts of one length from both ends at once, so that what is compared at one end needs not wait for the
// other one. False if comparisons contradict each other; then nothing is known of what has been merged.
template <class Less>
bool merge_from_both_ends(const index_t* order, index_t* merged, index_t low, index_t middle, index_t high,
                          const Less& is_less) {
  index_t left = low, right = middle, to = low;
  index_t left_end = middle - 1, right_end = high - 1, to_end = high - 1;
  for (index_t i = low; i < middle; ++i) {
    const bool from_right = is_less(order[right], order[left]);
    const bool from_left = is_less(order[right_end], order[left_end]);
    merged[to++] = order[from_right ? right : left];
    merged[to_end--] = order[from_left ? left_end : right_end];
    right += from_right;
    left += !from_right;
    left_end -= from_left;
    right_end -= !from_left;
  }
  return left == left_end + 1 && right == right_end + 1;
}

template <class Less>
void merge(const index_t* order, index_t* merged, index_t low, index_t middle, index_t high, const Less& is_less) {
  if (middle == high || !is_less(order[middle], order[middle - 1])) {
    std::memcpy(merged + low, order + low, std::size_t(high - low) * sizeof(index_t));
    return;
  }
  if (middle - low == high - middle && merge_from_both_ends(order, merged, low, middle, high, is_less)) return;
  index_t left = low, right = middle, to = low;
  while (left < middle && right < high) {
    const bool from_right = is_less(order[right], order[left]);
    merged[to++] = order[from_right ? right : left];
    right += from_right;
    left += !from_right;
  }
  std::memcpy(merged + to, order + left, std::size_t(middle - left) * sizeof(index_t));
  std::memcpy(merged + to + (middle - left), order + right, std::size_t(high - right) * sizeof(index_t));
}

// Sorts, stably, by is_less(a, b). The result lies in `order`, or in `other`, which is as long; gives where.
template <class Less>
index_t* merge_sort(index_t* order, index_t* other, index_t count, const Less& is_less) {
  constexpr index_t run = 8;
  for (index_t low = 0; low < count; low += run) insert_all(order, low, low + run < count ? low + run : count, is_less);
  for (index_t width = run; width < count; width *= 2) {
    for (index_t low = 0; low < count; low += 2 * width) {
      const index_t middle = low + width < count ? low + width : count;
      merge(order, other, low, middle, middle + width < count ? middle + width : count, is_less);
    }
    std::swap(order, other);
  }
  return order;
}

}  // namespace tenon::kernels
