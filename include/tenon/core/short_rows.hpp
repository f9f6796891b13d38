// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace tenon::inline HWY_NAMESPACE {

namespace lanes_detail {

// Lanes of a vector that are picked out of memory: a target's way for elements of so many bytes.
template <int Bytes>
struct lane_picker {
  static constexpr bool serves = false;
};
#if HWY_TARGET <= HWY_AVX3
struct whole_vectors {
  static __m512i load_all(const void* from) { return _mm512_loadu_si512(from); }
};
template <>
struct lane_picker<4> : whole_vectors {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi32(__mmask16(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi32(others, __mmask16(lanes), index, loaded);
  }
  static __m512i pick_any(__m512i low, __m512i index, __m512i high) {
    return _mm512_permutex2var_epi32(low, index, high);
  }
};
template <>
struct lane_picker<8> : whole_vectors {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi64(__mmask8(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi64(others, __mmask8(lanes), index, loaded);
  }
  static __m512i pick_any(__m512i low, __m512i index, __m512i high) {
    return _mm512_permutex2var_epi64(low, index, high);
  }
};
template <>
struct lane_picker<2> : whole_vectors {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi16(__mmask32(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi16(others, __mmask32(lanes), index, loaded);
  }
  static __m512i pick_any(__m512i low, __m512i index, __m512i high) {
    return _mm512_permutex2var_epi16(low, index, high);
  }
};
#ifdef __AVX512VBMI__
template <>
struct lane_picker<1> : whole_vectors {
  static constexpr bool serves = true;
  static __m512i load(std::uint64_t read, const void* from) { return _mm512_maskz_loadu_epi8(__mmask64(read), from); }
  static __m512i pick(__m512i others, std::uint64_t lanes, __m512i index, __m512i loaded) {
    return _mm512_mask_permutexvar_epi8(others, __mmask64(lanes), index, loaded);
  }
  static __m512i pick_any(__m512i low, __m512i index, __m512i high) {
    return _mm512_permutex2var_epi8(low, index, high);
  }
};
#endif
#endif

// The numbers 0, 2, 4, ...
template <class Bytes>
struct even_numbers {
  alignas(64) Bytes at[64 / sizeof(Bytes)];
  constexpr even_numbers() : at{} {
    for (std::size_t i = 0; i < 64 / sizeof(Bytes); ++i) at[i] = Bytes(2 * i);
  }
};

}  // namespace lanes_detail

// to[r * row + i] = from[r * row_stride + 2 * i] for `rows` rows, where vectors can be put together.
template <class Bytes>
void copy_every_other([[maybe_unused]] Bytes* to, [[maybe_unused]] const Bytes* from,
                      [[maybe_unused]] index_t row_stride, [[maybe_unused]] index_t rows,
                      [[maybe_unused]] index_t row) {
  using picker = lanes_detail::lane_picker<int(sizeof(Bytes))>;
  if constexpr (picker::serves) {
    constexpr index_t lanes = 64 / index_t(sizeof(Bytes));
    static constexpr lanes_detail::even_numbers<Bytes> numbers;
    const hn::ScalableTag<Bytes> d;
    const auto index = picker::load_all(numbers.at);
    // What the last vector of a row is picked from ends where the row does.
    const index_t whole = (row - 1) / lanes, left = row - whole * lanes, reach = 2 * left - 1;
    const auto first = [](index_t count) {
      return count <= 0 ? 0 : ~std::uint64_t(0) >> (64 - (count < lanes ? count : lanes));
    };
    const std::uint64_t low = first(reach), high = first(reach - lanes);
    for (index_t r = 0; r < rows; ++r, from += row_stride, to += row) {
      const auto pick = [&](index_t i) __attribute__((always_inline)) {
        const Bytes* const start = from + 2 * i * lanes;
        const auto chunk = picker::pick_any(picker::load_all(start), index, picker::load_all(start + lanes));
        __builtin_memcpy(to + i * lanes, &chunk, sizeof chunk);
      };
      index_t i = 0;
      // Without a short loop, as where rows are copied: see copy_scattered_row.
      for (; i + 8 <= whole; i += 8) {
        pick(i), pick(i + 1), pick(i + 2), pick(i + 3);
        pick(i + 4), pick(i + 5), pick(i + 6), pick(i + 7);
      }
      if (i + 4 <= whole) {
        pick(i), pick(i + 1), pick(i + 2), pick(i + 3);
        i += 4;
      }
      for (; i < whole; ++i) pick(i);
      const Bytes* const start = from + 2 * whole * lanes;
      const auto chunk = picker::pick_any(picker::load(low, start), index, picker::load(high, start + lanes));
      store_first(hn::Vec<decltype(d)>{chunk}, d, to + whole * lanes, std::size_t(left));
    }
  }
}

// A walk through memory whose neighbours lie close together in a pattern that comes again and again: short rows, or
// every other element; or rows that are put together of short ones from several places. Whole vectors of the result are
// put together from a few vectors each, in a way that is found out once.
template <class Bytes>
class short_rows {
  using picker = lanes_detail::lane_picker<int(sizeof(Bytes))>;

 public:
  static constexpr bool serve = picker::serves;
  // Rows are put together of so many parts at most.
  static constexpr int most_parts = 16;

  // Whether `count` elements of a walk over `sizes` with such strides are worth it, and near enough to each other.
  bool prepare(const ints& sizes, const ints& strides, index_t count) {
    if constexpr (serve) {
      constexpr index_t least = 1024, widest = 4, longest = 4 * lanes;
      dimension_ = sizes.size - 1;
      if (count < least || dimension_ < 0 || sizes.product() < count) return false;
      pattern_ = block_ = sizes.at[dimension_];
      const index_t stride = strides.at[dimension_];
      const bool in_line = block_ >= longest;
      if (in_line) {
        // Wider elements are picked as fast by a loop.
        if (sizeof(Bytes) > 2 || stride < 3 || stride > widest) return false;
        pattern_ = lanes, step_ = lanes * stride;
      } else {
        // Rows in order that fill vectors are copied as they are.
        if (dimension_ == 0 || (stride == 1 && block_ >= lanes)) return false;
        choose_dimension(sizes);
        step_ = strides.at[dimension_];
      }
      if (!choose_period() || period_ > block_ || count < 16 * period_) return false;
      periods_in_block_ = block_ / period_;
      steps_[0] = rows_ * step_;
      constexpr index_t farthest = INT32_MAX / 2;
      std::int32_t keys[most_keys];
      if (in_line) {
        for (index_t i = 0; i < lanes; ++i) keys[i] = std::int32_t(i * stride);
      } else {
        ints index = ints::filled(sizes.size, 0);
        index_t lowest = 0, highest = 0;
        for (index_t i = 0, position = 0; i < pattern_; ++i) {
          keys[i] = std::int32_t(position);
          lowest = position < lowest ? position : lowest, highest = position > highest ? position : highest;
          if (lowest < -farthest || highest > farthest) return false;
          for (int d = sizes.size - 1; d > dimension_; --d) {
            position += strides.at[d];
            if (++index.at[d] < sizes.at[d]) break;
            position -= sizes.at[d] * strides.at[d];
            index.at[d] = 0;
          }
        }
        if (step_ > farthest || step_ < -farthest) return false;
        const index_t last = (rows_ - 1) * step_;
        if (lowest + (last < 0 ? last : 0) < -farthest || highest + (last > 0 ? last : 0) > farthest) return false;
        // Twice as many each time.
        for (index_t rows = 1; rows < rows_; rows *= 2)
          for (index_t i = 0, some = rows * pattern_; i < some; ++i)
            keys[some + i] = keys[i] + std::int32_t(rows * step_);
      }
      return find_all(keys, 2 * farthest);
    } else {
      return false;
    }
  }

  // The same for rows that consist of counts[i] neighbours from the i-th of so many places each.
  bool prepare_joined(const index_t* counts, int parts, index_t rows) {
    if constexpr (serve) {
      if (parts > most_parts) return false;
      pattern_ = 0;
      for (int i = 0; i < parts; ++i) pattern_ += counts[i];
      if (pattern_ == 0 || pattern_ > 4 * lanes) return false;
      if (!choose_period() || rows < 4 * rows_) return false;
      for (int i = 0; i < parts; ++i) steps_[i] = rows_ * counts[i];
      constexpr std::int32_t between_parts = 1 << 24;
      std::int32_t keys[most_keys];
      for (index_t r = 0, i = 0; r < rows_; ++r)
        for (int part = 0; part < parts; ++part)
          for (index_t j = r * counts[part]; j < (r + 1) * counts[part]; ++j)
            keys[i++] = std::int32_t(j) + part * between_parts;
      return find_all(keys, between_parts);
    } else {
      return false;
    }
  }

  // Copies elements first to first + count of the walk over `from`. Calls rest(to, first, count) for parts between.
  template <class Rest>
  void copy(Bytes* to, const Bytes* from, const ints& sizes, const ints& strides, index_t first, index_t count,
            Rest rest) const {
    ints index = ints::filled(dimension_, 0);
    index_t in_block = first % block_, outer = first / block_;
    for (int d = dimension_ - 1; d >= 0; --d) {
      index.at[d] = outer % sizes.at[d];
      outer /= sizes.at[d];
      from += index.at[d] * strides.at[d];
    }
    const auto leave = [&](index_t some) {
      rest(to, first, some);
      to += some, first += some, count -= some, in_block += some;
    };
    while (count > 0) {
      if (in_block > 0)
        if (const index_t off = in_block % pattern_; off != 0) leave(pattern_ - off < count ? pattern_ - off : count);
      const index_t left = block_ - in_block < count ? block_ - in_block : count;
      const index_t periods = left == block_ ? periods_in_block_ : left / period_, some = periods * period_;
      if (periods > 0) {
        const Bytes* const start = from + (in_block == 0 ? 0 : in_block / pattern_ * step_);
        run(to, &start, periods);
        to += some, first += some, count -= some;
      }
      if (some < left) leave(left - some);
      in_block = 0;
      for (int d = dimension_ - 1; d >= 0; --d) {
        from += strides.at[d];
        if (++index.at[d] < sizes.at[d]) break;
        from -= sizes.at[d] * strides.at[d];
        index.at[d] = 0;
      }
    }
  }

  // Puts rows together of what lies at `from`, a place for each part. Gives how many have been done: what is left is
  // less than a few vectors.
  index_t join(Bytes* to, const Bytes* const* from, index_t rows) const {
    run(to, from, rows / rows_);
    return rows / rows_ * rows_;
  }

 private:
  static constexpr index_t lanes = 64 / index_t(sizeof(Bytes));
  static constexpr int most_chunks = 16, most_windows = 6;

  // The lanes `write` of a vector of the result are lanes `index` of what is read at `from` of a part.
  struct window {
    alignas(64) Bytes index[lanes];
    std::uint64_t read, write;
    index_t from;
    int part;
  };

  int dimension_ = -1, windows_ = 1;
  index_t pattern_ = 1, block_ = 1, step_ = 0;  // elements of a pattern; of all its repetitions; from one to the next
  index_t rows_ = 1, chunks_ = 1;               // patterns that fill whole vectors, a period, and how many vectors
  index_t period_ = 1, periods_in_block_ = 1;
  index_t steps_[most_parts];  // from one period to the next
  // Whole vectors may be read in all periods but so many first and last ones.
  index_t first_ = 0, last_ = 0;
  bool is_chain_ = false;
  window all_[most_chunks][most_windows];
  // Lanes of two windows one behind the other.
  struct pair {
    alignas(64) Bytes index[lanes];
  };
  pair pairs_[most_chunks];

  // A power of two, as the lanes are.
  index_t rows_to_fill_vectors() const {
    const index_t divisor = pattern_ & -pattern_;
    return divisor < lanes ? lanes / divisor : 1;
  }
  bool choose_period() {
    rows_ = rows_to_fill_vectors();
    period_ = rows_ * pattern_;
    chunks_ = period_ / lanes;
    return chunks_ <= most_chunks;
  }

  // The pattern spans the last dimensions, as few as let it be repeated often enough.
  void choose_dimension(const ints& sizes) {
    --dimension_;
    const auto is_short = [&] {
      return sizes.at[dimension_] * pattern_ < 16 * lanes || sizes.at[dimension_] < 4 * rows_to_fill_vectors();
    };
    for (; dimension_ > 0 && is_short(); --dimension_) pattern_ *= sizes.at[dimension_];
    block_ = pattern_ * sizes.at[dimension_];
  }

  static constexpr index_t most_keys = most_chunks * lanes;

  // `keys` says where the elements of a period lie: positions in the first part, in the second, and so on.
  bool find_all(const std::int32_t* keys, index_t between_parts) {
    index_t highest[most_parts] = {};
    windows_ = 1;
    for (index_t c = 0; c < chunks_; ++c)
      if (!find_windows(c, keys + c * lanes, between_parts, highest)) return false;
    is_chain_ = find_chain(keys, highest[0]);
    if (is_chain_) return true;
    first_ = last_ = 0;
    if (windows_ > 2) return true;
    if (windows_ == 1) read_together();
    for (index_t c = 0; c < chunks_; ++c) {
      for (int w = 0; w < 2; ++w) {
        const window& each = all_[c][w];
        if (each.write == 0) continue;
        const index_t beyond = each.from + lanes - 1 - highest[each.part], step = steps_[each.part];
        if (beyond <= 0) continue;
        if (step == 0) {
          first_ = INT64_MAX;
        } else {
          index_t& ends = step > 0 ? last_ : first_;
          const index_t periods = (beyond - 1) / (step > 0 ? step : -step) + 1;
          if (periods > ends) ends = periods;
        }
      }
      const window &low = all_[c][0], &high = all_[c][1];
      for (index_t i = 0; i < lanes; ++i) {
        const Bytes behind = (high.write >> i & 1) != 0 ? Bytes(lanes) : Bytes(0);
        pairs_[c].index[i] = Bytes(low.index[i] | high.index[i] | behind);
      }
    }
    return true;
  }

  // Where each vector of the result is picked from two neighbours out of a row of vectors, one further on each time: as
  // rows are that leave out an element of each. Then every vector is read once.
  bool find_chain(const std::int32_t* keys, index_t highest) {
    const index_t step = steps_[0];
    if (windows_ != 2 || !is_unrolled() || chunks_ == 1 || step <= 0) return false;
    const index_t start = all_[0][0].from;
    for (index_t c = 0; c < chunks_; ++c) {
      std::uint32_t all = 0;
      for (index_t i = 0; i < lanes; ++i) {
        const std::uint32_t lane = std::uint32_t(keys[c * lanes + i]) - std::uint32_t(start + c * lanes);
        all |= lane;
        pairs_[c].index[i] = Bytes(lane);
      }
      if (all >= std::uint32_t(2 * lanes)) return false;
    }
    const index_t beyond = start + (chunks_ + 1) * lanes - 1 - highest;
    first_ = 0, last_ = beyond > 0 ? (beyond - 1) / step + 1 : 0;
    return true;
  }
  // What one vector holds is read from where it begins for all that is put together from it.
  void read_together() {
    index_t lowest = all_[0][0].from, highest = lowest;
    for (index_t c = 0; c < chunks_; ++c) {
      const window& each = all_[c][0];
      if (each.part != all_[0][0].part) return;
      const index_t last = each.from + 63 - std::countl_zero(each.read);
      lowest = each.from < lowest ? each.from : lowest, highest = last > highest ? last : highest;
    }
    if (highest - lowest >= lanes) return;
    for (index_t c = 0; c < chunks_; ++c) {
      window& each = all_[c][0];
      const index_t distance = each.from - lowest;
      for (Bytes& lane : each.index) lane = Bytes(lane + distance);
      each.from = lowest, each.read <<= distance;
    }
  }
  // Whether a period's vectors are known while compiling.
  bool is_unrolled() const { return chunks_ <= 7 && chunks_ % 2 == 1; }

  // In registers: what is written in pieces would have to reach memory before it could be read as a whole.
  bool find_windows(index_t chunk, const std::int32_t* keys, index_t between_parts, index_t* highest_of_parts) {
    constexpr std::int32_t none = INT32_MAX;
    constexpr index_t at_once = lanes < 16 ? lanes : 16, vectors = lanes / at_once;
    const hn::CappedTag<std::int32_t, std::size_t(at_once)> d;
    const hn::CappedTag<std::uint32_t, std::size_t(at_once)> numbers;
    hn::Vec<decltype(d)> open[vectors];
    const auto all_taken = hn::Set(d, none);
    for (index_t v = 0; v < vectors; ++v) open[v] = hn::LoadU(d, keys + v * at_once);
    const auto lowest_of_open = [&] {
      auto lowest = open[0];
      for (index_t v = 1; v < vectors; ++v) lowest = hn::Min(lowest, open[v]);
      return hn::GetLane(hn::MinOfLanes(d, lowest));
    };
    std::int32_t lowest = lowest_of_open();
    for (int w = 0; w < most_windows; ++w) {
      window& each = all_[chunk][w];
      each = {};
      if (lowest == none) continue;
      if (w >= windows_) windows_ = w + 1;
      each.part = int((lowest + between_parts / 2) / between_parts);
      each.from = lowest - each.part * between_parts;
      auto farthest = hn::Zero(numbers);
      for (index_t v = 0; v < vectors; ++v) {
        const auto lane = hn::BitCast(numbers, hn::Sub(open[v], hn::Set(d, lowest)));
        const auto is_near = hn::Lt(lane, hn::Set(numbers, std::uint32_t(lanes)));
        const auto taken = hn::IfThenElseZero(is_near, lane);
        open[v] = hn::IfThenElse(hn::RebindMask(d, is_near), all_taken, open[v]);
        farthest = hn::Max(farthest, taken);
        each.write |= std::uint64_t(is_near.raw) << (v * at_once);
        alignas(64) std::uint32_t index[at_once];
        hn::Store(taken, numbers, index);
        for (index_t i = 0; i < at_once; ++i) each.index[v * at_once + i] = Bytes(index[i]);
      }
      const index_t highest = hn::GetLane(hn::MaxOfLanes(numbers, farthest));
      lowest = lowest_of_open();
      each.read = ~std::uint64_t(0) >> (63 - highest);
      index_t& last = highest_of_parts[each.part];
      if (each.from + highest > last) last = each.from + highest;
    }
    return lowest == none;
  }

  void run(Bytes* to, const Bytes* const* from, index_t periods) const {
    index_t first = 0, last = 0;
    if (windows_ <= 2 && first_ < periods && last_ < periods - first_) {
      first = first_, last = periods - last_;
      run_whole(to, from, first, last);
    }
    if (0 < first) run_windows<4>(to, from, 0, first);
    if (last == periods) return;
    if (windows_ <= 4)
      run_windows<4>(to, from, last, periods);
    else
      run_windows<most_windows>(to, from, last, periods);
  }

  // Periods in which whole vectors may be read.
  void run_whole(Bytes* to, const Bytes* const* from, index_t first, index_t last) const {
    const auto run_chunks = [&]<int... C>(std::integer_sequence<int, C...> chunks) {
      if constexpr (sizeof...(C) > 1)
        if (is_chain_) return run_chain(to, from[0] + all_[0][0].from, first, last, chunks);
      if (windows_ == 1)
        run_vectors<1>(to, from, first, last, chunks);
      else
        run_vectors<2>(to, from, first, last, chunks);
    };
    switch (chunks_) {
      case 1:
        return run_chunks(std::make_integer_sequence<int, 1>());
      case 3:
        return run_chunks(std::make_integer_sequence<int, 3>());
      case 5:
        return run_chunks(std::make_integer_sequence<int, 5>());
      case 7:
        return run_chunks(std::make_integer_sequence<int, 7>());
      default:
        return run_chunks(std::make_integer_sequence<int, 0>());
    }
  }
  template <int... C>
  void run_chain([[maybe_unused]] Bytes* to, [[maybe_unused]] const Bytes* from, [[maybe_unused]] index_t first,
                 [[maybe_unused]] index_t last, std::integer_sequence<int, C...>) const {
    if constexpr (serve) {
      const decltype(picker::load_all(nullptr)) index[] = {picker::load_all(pairs_[C].index)...};
      const index_t step = steps_[0];
      for (index_t p = first; p < last; ++p) {
        const Bytes* const start = from + p * step;
        Bytes* const next = to + p * index_t(sizeof...(C)) * lanes;
        auto low = picker::load_all(start);
        const auto put = [&](int c) __attribute__((always_inline)) {
          const auto high = picker::load_all(start + (c + 1) * lanes);
          const auto chunk = picker::pick_any(low, index[c], high);
          __builtin_memcpy(next + c * lanes, &chunk, sizeof chunk);
          low = high;
        };
        (put(C), ...);
      }
    }
  }
  template <int Windows, int... C>
  void run_vectors([[maybe_unused]] Bytes* to, [[maybe_unused]] const Bytes* const* from,
                   [[maybe_unused]] index_t first, [[maybe_unused]] index_t last,
                   std::integer_sequence<int, C...>) const {
    if constexpr (serve) {
      constexpr int known = int(sizeof...(C));
      struct {
        const Bytes* from;
        index_t step;
      } reads[known > 0 ? known : most_chunks][Windows];
      const int chunks = known > 0 ? known : int(chunks_);
      for (int c = 0; c < chunks; ++c)
        for (int w = 0; w < Windows; ++w) {
          const window& each = all_[c][all_[c][w].write != 0 ? w : 0];
          reads[c][w] = {from[each.part] + each.from, steps_[each.part]};
        }
      const auto put = [&](Bytes* next, index_t p, int c, auto index) __attribute__((always_inline)) {
        const auto& read = reads[c];
        auto chunk = picker::load_all(read[0].from + p * read[0].step);
        chunk = picker::pick_any(
            chunk, index, Windows == 1 ? chunk : picker::load_all(read[Windows - 1].from + p * read[Windows - 1].step));
        __builtin_memcpy(next + c * lanes, &chunk, sizeof chunk);
      };
      Bytes* next = to + first * period_;
      if constexpr (known > 0) {
        const decltype(picker::load_all(nullptr)) index[] = {picker::load_all(pairs_[C].index)...};
        for (index_t p = first; p < last; ++p, next += known * lanes) (put(next, p, C, index[C]), ...);
      } else {
        for (index_t p = first; p < last; ++p, next += chunks * lanes)
          for (int c = 0; c < chunks; ++c) put(next, p, c, picker::load_all(pairs_[c].index));
      }
    }
  }

  template <int Windows>
  void run_windows([[maybe_unused]] Bytes* to, [[maybe_unused]] const Bytes* const* from,
                   [[maybe_unused]] index_t first, [[maybe_unused]] index_t last) const {
    if constexpr (serve) {
      // One vector of a few periods after the other, for what says how it is put together to stay in registers.
      constexpr index_t at_once = 16;
      for (index_t done = first; done < last; done += at_once) {
        const index_t some = last - done < at_once ? last - done : at_once;
        for (index_t c = 0; c < chunks_; ++c)
          [&]<int... W>(std::integer_sequence<int, W...>) {
            const auto& windows = all_[c];
            const decltype(picker::load_all(nullptr)) index[] = {picker::load_all(windows[W].index)...};
            const std::uint64_t read[] = {windows[W].read...}, write[] = {windows[W].write...};
            const index_t steps[] = {steps_[windows[W].part]...};
            const Bytes* const start[] = {from[windows[W].part] + done * steps[W] + windows[W].from...};
            Bytes* next = to + done * period_ + c * lanes;
            for (index_t p = 0; p < some; ++p, next += period_) {
              auto chunk = index[0];
              ((chunk = picker::pick(chunk, write[W], index[W], picker::load(read[W], start[W] + p * steps[W]))), ...);
              __builtin_memcpy(next, &chunk, sizeof chunk);
            }
          }(std::make_integer_sequence<int, Windows>());
      }
    }
  }
};

}  // namespace tenon::inline HWY_NAMESPACE
