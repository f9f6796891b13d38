// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>

#include <cstdint>
#include <numeric>
#include <utility>

namespace tenon::inline HWY_NAMESPACE {

namespace lanes_detail {

// Lanes of a vector that are picked out of memory: a target's way for elements of so many bytes.
template <int Bytes>
struct lane_picker {
  static constexpr bool serves = false;
};
#if HWY_TARGET <= HWY_AVX3
template <>
struct lane_picker<4> {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi32(__mmask16(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi32(others, __mmask16(lanes), index, loaded);
  }
};
template <>
struct lane_picker<8> {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi64(__mmask8(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi64(others, __mmask8(lanes), index, loaded);
  }
};
template <>
struct lane_picker<2> {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi16(__mmask32(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi16(others, __mmask32(lanes), index, loaded);
  }
};
#ifdef __AVX512VBMI__
template <>
struct lane_picker<1> {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi8(__mmask64(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi8(others, __mmask64(lanes), index, loaded);
  }
};
#endif
#endif

}  // namespace lanes_detail

// A walk through memory whose neighbours lie close together in a pattern that comes again and again: short rows, or
// every other element. Whole vectors of what it reads are put together from a few vectors each, in a way that is found
// out once.
template <class Bytes>
class short_rows {
  using picker = lanes_detail::lane_picker<int(sizeof(Bytes))>;

 public:
  static constexpr bool serve = picker::serves;

  // Whether `count` elements of a walk over `sizes` with such strides are worth it, and near enough to each other.
  bool prepare(const ints& sizes, const ints& strides, index_t count) {
    if constexpr (serve) {
      constexpr index_t least = 1024, widest = 4, longest = 4 * lanes;
      dimension_ = sizes.size - 1;
      if (count < least || dimension_ < 0 || sizes.product() < count) return false;
      pattern_ = block_ = sizes.at[dimension_];
      const index_t stride = strides.at[dimension_];
      if (block_ >= longest) {
        // Wider elements are picked as fast by a loop.
        if (sizeof(Bytes) > 2 || stride < 3 || stride > widest) return false;
        pattern_ = lanes, step_ = lanes * stride;
      } else {
        // Rows in order that fill vectors are copied as they are.
        if (dimension_ == 0 || (stride == 1 && block_ >= lanes)) return false;
        choose_dimension(sizes);
        step_ = strides.at[dimension_];
      }
      rows_ = lanes / std::gcd(pattern_, lanes);
      chunks_ = rows_ * pattern_ / lanes;
      if (chunks_ > most_chunks || rows_ * pattern_ > block_ || count < 16 * chunks_ * lanes) return false;
      windows_ = 1;
      for (index_t c = 0; c < chunks_; ++c)
        if (!find_windows(sizes, strides, c)) return false;
      return true;
    } else {
      return false;
    }
  }

  // Copies elements first to first + count of the walk over `from`. Calls rest(to, first, count) for parts between.
  template <class Rest>
  void copy(Bytes* to, const Bytes* from, const ints& sizes, const ints& strides, index_t first, index_t count,
            Rest rest) const {
    for (index_t at = first, end = first + count; at < end;) {
      const index_t in_block = at % block_, row = in_block / pattern_, off = in_block % pattern_;
      const index_t left = block_ - in_block < end - at ? block_ - in_block : end - at;
      const index_t periods = left / (rows_ * pattern_);
      index_t done = left;
      if (off != 0) {
        done = pattern_ - off < left ? pattern_ - off : left;
        rest(to, at, done);
      } else if (periods > 0) {
        index_t position = row * step_, outer = at / block_;
        for (int d = dimension_ - 1; d >= 0; --d) {
          position += outer % sizes.at[d] * strides.at[d];
          outer /= sizes.at[d];
        }
        run(to, from + position, periods);
        done = periods * rows_ * pattern_;
      } else {
        rest(to, at, done);
      }
      to += done;
      at += done;
    }
  }

 private:
  static constexpr index_t lanes = 64 / index_t(sizeof(Bytes));
  static constexpr int most_chunks = 16, most_windows = 6;

  // The lanes `write` of a vector of the result are lanes `index` of what is read at `from`.
  struct window {
    alignas(64) Bytes index[lanes];
    std::uint64_t read, write;
    index_t from;
  };

  int dimension_ = -1, windows_ = 1;
  index_t pattern_ = 1, block_ = 1, step_ = 0;  // elements of a pattern; of all its repetitions; from one to the next
  index_t rows_ = 1, chunks_ = 1;               // patterns that fill whole vectors, and how many vectors
  window all_[most_chunks][most_windows];

  // The pattern spans the last dimensions, as few as let it be repeated often enough.
  void choose_dimension(const ints& sizes) {
    --dimension_;
    const auto is_short = [&] {
      return sizes.at[dimension_] * pattern_ < 16 * lanes ||
             sizes.at[dimension_] < 4 * (lanes / std::gcd(pattern_, lanes));
    };
    for (; dimension_ > 0 && is_short(); --dimension_) pattern_ *= sizes.at[dimension_];
    block_ = pattern_ * sizes.at[dimension_];
  }

  index_t position(const ints& sizes, const ints& strides, index_t element) const {
    index_t result = element / pattern_ * step_, rest = element % pattern_;
    if (pattern_ == lanes && dimension_ == sizes.size - 1) return result + rest * strides.at[dimension_];
    for (int d = sizes.size - 1; d > dimension_; --d) {
      result += rest % sizes.at[d] * strides.at[d];
      rest /= sizes.at[d];
    }
    return result;
  }

  bool find_windows(const ints& sizes, const ints& strides, index_t chunk) {
    index_t positions[lanes];
    for (index_t i = 0; i < lanes; ++i) positions[i] = position(sizes, strides, chunk * lanes + i);
    std::uint64_t open = ~std::uint64_t(0) >> (64 - lanes);
    for (int w = 0; w < most_windows; ++w) {
      window& next = all_[chunk][w];
      next = {};
      if (open != 0 && w >= windows_) windows_ = w + 1;
      index_t lowest = INT64_MAX, highest = 0;
      for (index_t i = 0; i < lanes; ++i)
        if ((open >> i & 1) != 0 && positions[i] < lowest) lowest = positions[i];
      next.from = open != 0 ? lowest : 0;
      for (index_t i = 0; i < lanes; ++i) {
        if ((open >> i & 1) == 0 || positions[i] - lowest >= lanes) continue;
        next.index[i] = Bytes(positions[i] - lowest);
        next.write |= std::uint64_t(1) << i;
        if (positions[i] - lowest > highest) highest = positions[i] - lowest;
      }
      if (next.write != 0) next.read = ~std::uint64_t(0) >> (63 - highest);
      open &= ~next.write;
    }
    return open == 0;
  }

  void run(Bytes* to, const Bytes* from, index_t periods) const {
    if (windows_ == 1) return run_windows<1>(to, from, periods);
    if (windows_ == 2) return run_windows<2>(to, from, periods);
    if (windows_ <= 4) return run_windows<4>(to, from, periods);
    run_windows<most_windows>(to, from, periods);
  }
  template <int Windows>
  void run_windows([[maybe_unused]] Bytes* to, [[maybe_unused]] const Bytes* from,
                   [[maybe_unused]] index_t periods) const {
    if constexpr (serve) {
      // One vector of a few periods after the other, for what says how it is put together to stay in registers.
      constexpr index_t at_once = 16;
      const index_t row = chunks_ * lanes, step = rows_ * step_;
      for (index_t done = 0; done < periods; done += at_once) {
        const index_t some = periods - done < at_once ? periods - done : at_once;
        for (index_t c = 0; c < chunks_; ++c)
          [&]<int... W>(std::integer_sequence<int, W...>) {
            const auto& windows = all_[c];
            const decltype(picker::load(0, from)) index[] = {picker::load(~std::uint64_t(0), windows[W].index)...};
            const std::uint64_t read[] = {windows[W].read...}, write[] = {windows[W].write...};
            const Bytes* const start[] = {from + done * step + windows[W].from...};
            Bytes* next = to + done * row + c * lanes;
            for (index_t p = 0; p < some; ++p, next += row) {
              auto chunk = picker::load(0, from);
              ((chunk = picker::pick(chunk, write[W], index[W], picker::load(read[W], start[W] + p * step))), ...);
              __builtin_memcpy(next, &chunk, sizeof chunk);
            }
          }(std::make_integer_sequence<int, Windows>());
      }
    }
  }
};

}  // namespace tenon::inline HWY_NAMESPACE
