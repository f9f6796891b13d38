// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

namespace tenon::planning {

// Hands out ranges of one growing block of memory, and takes them back. Best fit over a bounded list of holes, so that
// planning takes time proportional to the number of values.
class arena_allocator {
 public:
  static constexpr index_t alignment = 64;
  static constexpr int most_holes = 48;

  static constexpr index_t rounded(index_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  // @post the range [result, result + bytes) overlaps no other that is in use
  constexpr index_t take(index_t bytes) {
    bytes = rounded(bytes);
    if (bytes == 0) return 0;
    int best = -1;
    for (int i = 0; i < count_; ++i)
      if (holes_[i].size >= bytes && (best < 0 || holes_[i].size < holes_[best].size)) best = i;
    if (best < 0) {
      const index_t start = end_;
      end_ += bytes;
      if (end_ > peak_) peak_ = end_;
      return start;
    }
    const index_t start = holes_[best].start;
    holes_[best].start += bytes;
    holes_[best].size -= bytes;
    if (holes_[best].size == 0) holes_[best] = holes_[--count_];
    return start;
  }

  constexpr void give_back(index_t start, index_t bytes) {
    bytes = rounded(bytes);
    if (bytes == 0) return;
    for (int i = 0; i < count_;) {
      if (holes_[i].start + holes_[i].size == start) {
        start = holes_[i].start;
      } else if (start + bytes != holes_[i].start) {
        ++i;
        continue;
      }
      bytes += holes_[i].size;
      holes_[i] = holes_[--count_];
      i = 0;
    }
    if (start + bytes == end_) {
      end_ = start;
    } else if (count_ < most_holes) {
      holes_[count_++] = {start, bytes};
    }
  }

  // The most that was in use at a time, holes included.
  constexpr index_t peak() const { return peak_; }
  constexpr int hole_count() const { return count_; }

 private:
  struct hole {
    index_t start = 0, size = 0;
  };
  hole holes_[most_holes]{};
  int count_ = 0;
  index_t end_ = 0, peak_ = 0;
};

}  // namespace tenon::planning
