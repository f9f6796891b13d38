// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/graph/plan/plan.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tenon::kernels::inline HWY_NAMESPACE {

// to[i] = from[2 * i] for 0 <= i < count
template <class Bytes>
HWY_INLINE void copy_every_other(Bytes* to, const Bytes* from, index_t count) {
  index_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_integral_v<Bytes>) {
    const hn::ScalableTag<Bytes> d;
    // The last element that a vector holds is one behind the last that it gives.
    const index_t lanes = index_t(hn::Lanes(d));
    for (; i + lanes < count; i += lanes) {
      const Bytes* const start = from + 2 * i;
      hn::StoreU(hn::ConcatEven(d, hn::LoadU(d, start + lanes), hn::LoadU(d, start)), d, to + i);
    }
    if (i > 0) {
      const Bytes* const start = from + 2 * (count - lanes) - 1;
      hn::StoreU(hn::ConcatOdd(d, hn::LoadU(d, start + lanes), hn::LoadU(d, start)), d, to + count - lanes);
      return;
    }
  }
#endif
  for (; i < count; ++i) to[i] = from[2 * i];
}

// Where element `number` of an access lies.
inline index_t position_at(const strided_access& access, index_t number) {
  index_t position = access.base;
  for (int d = access.sizes.size - 1; d >= 0; number /= access.sizes.at[d--])
    position += number % access.sizes.at[d] * access.strides.at[d];
  return position;
}

// Short rows of an access through memory: how far their elements lie from where the first one does, for as many rows as
// fill whole vectors. A vector whose elements lie within two others is picked out of these.
template <class Bytes>
class row_pattern {
 public:
  // @return whether the innermost rows of the access are so short, and near enough to each other.
  bool prepare(const strided_access& access, index_t count) {
    const ints &sizes = access.sizes, &strides = access.strides;
    constexpr index_t longest_row = 16, farthest = INT32_MAX / 4;
    dimension_ = sizes.size - 2;
    if (dimension_ < 0 || count < 1024) return false;
    row_ = sizes.at[dimension_ + 1];
    // Short dimensions are one row together: a batch of small matrices.
    while (dimension_ > 0 && row_ * sizes.at[dimension_] <= longest_row) row_ *= sizes.at[dimension_--];
    index_t rows = lanes();
    while (rows > 1 && rows / 2 * row_ % lanes() == 0) rows /= 2;
    elements_ = rows * row_;
    for (int d = dimension_; d < sizes.size; ++d)
      if (strides.at[d] > farthest / most || strides.at[d] < -farthest / most) return false;
    if (row_ > longest_row || elements_ > most || sizes.at[dimension_] < 4 * rows) return false;
    for (index_t i = 0; i < elements_; ++i) offsets_[i] = std::int32_t(position_at(access, i) - access.base);
    step_ = rows * strides.at[dimension_];
    find_windows();
    return true;
  }

  // The dimension that rows are counted along, and how many elements each has.
  int dimension() const { return dimension_; }
  index_t row() const { return row_; }

  // to[i] = from[where element i lies] for the first `count` elements of the access that begins at `from`.
  void load(Bytes* to, const Bytes* from, index_t count) const {
    const index_t periods = count / elements_;
    index_t p = 0;
    const auto load_some = [&](index_t end) {
      for (; p < end; ++p) load_one_by_one(to + p * elements_, from + p * step_, elements_);
    };
    if (first_ < periods && last_ < periods - first_) {
      load_some(first_);
      for (; p < periods - last_; ++p) load_vectors(to + p * elements_, from + p * step_);
    }
    load_some(periods);
    load_one_by_one(to + p * elements_, from + p * step_, count - p * elements_);
  }

 private:
  static constexpr index_t most = 512;
  // Highway looks up elements of four and eight bytes everywhere.
  static constexpr bool has_vectors =
      (std::is_same_v<Bytes, std::uint32_t> || std::is_same_v<Bytes, std::uint64_t>) && !has_emulated_lanes;

  int dimension_ = 0;
  index_t elements_ = 1, row_ = 1, step_ = 0;
  // Two vectors may be read for each in all periods but this number of first and of last ones.
  index_t first_ = 0, last_ = 0;
  std::int32_t offsets_[most];
  std::int32_t starts_[most];  // of the two vectors, by vector
  Bytes picked_[most];         // which elements of theirs

  static index_t lanes() {
    if constexpr (has_vectors)
      return index_t(hn::Lanes(hn::ScalableTag<Bytes>()));
    else
      return 16;
  }

  void find_windows() {
    const index_t width = lanes();
    first_ = has_vectors ? 0 : INT64_MAX;
    last_ = 0;
    if (!has_vectors) return;
    index_t beyond = 0, highest = 0;
    for (index_t i = 0; i < elements_; ++i) highest = offsets_[i] > highest ? offsets_[i] : highest;
    for (index_t v = 0; v * width < elements_; ++v) {
      const std::int32_t* const offsets = offsets_ + v * width;
      std::int32_t lowest = offsets[0];
      for (index_t i = 1; i < width; ++i) lowest = offsets[i] < lowest ? offsets[i] : lowest;
      for (index_t i = 0; i < width; ++i) {
        if (offsets[i] - lowest >= 2 * width) first_ = INT64_MAX;
        if constexpr (has_vectors) picked_[v * width + i] = Bytes(offsets[i] - lowest);
      }
      starts_[v] = lowest;
      if (const index_t end = lowest + 2 * width - 1; end - highest > beyond) beyond = end - highest;
    }
    if (beyond == 0 || first_ != 0) return;
    if (step_ == 0)
      first_ = INT64_MAX;
    else
      (step_ > 0 ? last_ : first_) = (beyond - 1) / (step_ > 0 ? step_ : -step_) + 1;
  }
  void load_vectors([[maybe_unused]] Bytes* to, [[maybe_unused]] const Bytes* from) const {
    if constexpr (has_vectors) {
      const hn::ScalableTag<Bytes> d;
      const index_t width = lanes();
      for (index_t v = 0; v * width < elements_; ++v) {
        const Bytes* const start = from + starts_[v];
        const auto picked = hn::LoadU(d, picked_ + v * width), last = hn::Set(d, Bytes(width - 1));
        const auto lane = hn::IndicesFromVec(d, hn::And(picked, last));
        const auto low = hn::TableLookupLanes(hn::LoadU(d, start), lane);
        const auto high = hn::TableLookupLanes(hn::LoadU(d, start + width), lane);
        hn::StoreU(hn::IfThenElse(hn::Gt(picked, last), high, low), d, to + v * width);
      }
    }
  }
  void load_one_by_one(Bytes* to, const Bytes* from, index_t count) const {
    for (index_t i = 0; i < count; ++i) to[i] = from[offsets_[i]];
  }
};

}  // namespace tenon::kernels::inline HWY_NAMESPACE

namespace tenon::kernels {

// `rows` rows of `row` elements, one after the other.
template <class Bytes>
void copy_rows(Bytes* to, const Bytes* from, index_t row_stride, index_t stride, index_t rows, index_t row) {
  if (stride == 1) {
    const index_t bytes = row * index_t(sizeof(Bytes));
    if (are_even_rows(bytes))
      copy_spaced_rows(to, bytes, from, row_stride * index_t(sizeof(Bytes)), rows, bytes);
    else if (row_stride == 0)
      for (index_t r = 0; r < rows; ++r) copy_row(to + r * row, from, bytes);
    else
      for (index_t r = 0; r < rows; ++r) copy_scattered_row(to + r * row, from + r * row_stride, bytes);
  } else if (stride == 0) {
    for (index_t r = 0; r < rows; ++r) fill_row(to + r * row, from[r * row_stride], row);
  } else if (stride == 2) {
    for (index_t r = 0; r < rows; ++r) copy_every_other(to + r * row, from + r * row_stride, row);
  } else {
    for (index_t r = 0; r < rows; ++r) copy_run(to + r * row, from + r * row_stride, stride, row);
  }
}

template <class Bytes>
void copy_row_by_row(Bytes* to, const Bytes* from, const strided_access& access, index_t first, index_t count) {
  from += access.base;
  const int inner = access.sizes.size - 1;
  if (inner <= 0) {
    const index_t stride = inner < 0 ? 0 : access.strides.at[0];
    copy_run(to, from + first * stride, stride, count);
    return;
  }
  ints index = ints::filled(inner + 1, 0);
  index_t rest = first, position = 0;
  for (int d = inner; d >= 0; --d) {
    index.at[d] = rest % access.sizes.at[d];
    rest /= access.sizes.at[d];
    position += index.at[d] * access.strides.at[d];
  }
  const index_t row = access.sizes.at[inner], stride = access.strides.at[inner];
  const index_t rows = access.sizes.at[inner - 1], row_stride = access.strides.at[inner - 1];
  // The remainder of a row, or all whole rows of one outer dimension.
  while (true) {
    index_t done = 1;
    if (index.at[inner] == 0 && count >= row) {
      const index_t whole = count / row, left = rows - index.at[inner - 1];
      done = left < whole ? left : whole;
      copy_rows(to, from + position, row_stride, stride, done, row);
      to += done * row;
      count -= done * row;
    } else {
      const index_t left = row - index.at[inner], run = left < count ? left : count;
      copy_run(to, from + position, stride, run);
      position -= index.at[inner] * stride;
      index.at[inner] = 0;
      to += run;
      count -= run;
    }
    if (count == 0) return;
    position += done * row_stride;
    index.at[inner - 1] += done;
    for (int d = inner - 1; d >= 0 && index.at[d] == access.sizes.at[d]; --d) {
      position -= access.sizes.at[d] * access.strides.at[d];
      index.at[d] = 0;
      if (d > 0) position += access.strides.at[d - 1], ++index.at[d - 1];
    }
  }
}

// Whole rows of a pattern as far as they go within the dimension that it runs along; parts of rows one by one.
template <class Bytes>
void copy_by_pattern(Bytes* to, const Bytes* from, const strided_access& access, const row_pattern<Bytes>& pattern,
                     index_t first, index_t count) {
  const index_t row = pattern.row(), block = row * access.sizes.at[pattern.dimension()];
  while (count > 0) {
    const index_t left = block - first % block < count ? block - first % block : count, rest = row - first % row;
    const index_t done = rest < row || left < row ? (rest < left ? rest : left) : left / row * row;
    if (done < row)
      copy_row_by_row(to, from, access, first, done);
    else
      pattern.load(to, from + position_at(access, first), done);
    to += done, first += done, count -= done;
  }
}

// Elements first, first + 1, ... of an access over `from`, in order. `count` is not 0 and stays within the access.
template <class Bytes>
void copy_strided(Bytes* to, const Bytes* from, const strided_access& access, index_t first, index_t count) {
  if (row_pattern<Bytes> pattern; pattern.prepare(access, count))
    return copy_by_pattern(to, from, access, pattern, first, count);
  copy_row_by_row(to, from, access, first, count);
}

// A vector that takes elements of one vector and of another alternately, from one half of them or the other.
template <bool High, class Vector, int... L>
HWY_INLINE Vector interleave(const Vector& even, const Vector& odd, std::integer_sequence<int, L...>) {
  constexpr int length = int(sizeof...(L)), start = High ? length / 2 : 0;
  return __builtin_shufflevector(even, odd, (start + L / 2 + L % 2 * length)...);
}

// to[r * to_row + c] = block[c][r] for a block of as many vectors as they have elements: what is interleaved with what
// lies half a block further on, again and again, ends up turned.
template <int Left, class Bytes, class Vector, int... K>
HWY_INLINE void turn_vectors(Bytes* to, index_t to_row, const Vector* block, std::integer_sequence<int, K...> all) {
  if constexpr (Left > 1) {
    constexpr int half = int(sizeof...(K)) / 2;
    const Vector next[]{interleave<(K % 2 == 1)>(block[K / 2], block[K / 2 + half], all)...};
    turn_vectors<Left / 2>(to, to_row, next, all);
  } else {
    (std::memcpy(to + K * to_row, &block[K], sizeof(Vector)), ...);
  }
}

// to[r * to_row + c] = from[r + c * from_column] for a square of elements, each side as long as a vector.
template <int VectorBytes, class Bytes, int... K>
void turn_square(Bytes* to, index_t to_row, const Bytes* from, index_t from_column,
                 std::integer_sequence<int, K...> all) {
  if constexpr (std::is_integral_v<Bytes>) {
    using vector [[gnu::vector_size(VectorBytes)]] = Bytes;
    vector block[sizeof...(K)];
    (std::memcpy(&block[K], from + K * from_column, sizeof(vector)), ...);
    turn_vectors<int(sizeof...(K))>(to, to_row, block, all);
  } else {
    for (index_t r = 0; r < index_t(sizeof...(K)); ++r) ((to[r * to_row + K] = from[r + K * from_column]), ...);
  }
}

template <class Bytes>
inline constexpr int widest_turned = sizeof(Bytes) >= (HWY_TARGET <= HWY_AVX3 ? 4 : 16) ? 64 : 16;

// Tiled transpose of `rows` rows of `row` elements; edge tiles use narrower vectors.
// Down the columns first, which is how they lie in memory.
template <int VectorBytes, class Bytes>
void turn_box(Bytes* to, index_t to_row, const Bytes* from, index_t from_column, index_t rows, index_t row) {
  constexpr index_t side = VectorBytes / int(sizeof(Bytes));
  if constexpr (side <= 1) {
    for (index_t c = 0; c < row; ++c)
      for (index_t r = 0; r < rows; ++r) to[r * to_row + c] = from[r + c * from_column];
  } else {
    const index_t whole_rows = rows / side * side, whole_row = row / side * side;
    for (index_t c = 0; c < whole_row; c += side)
      for (index_t r = 0; r < whole_rows; r += side)
        turn_square<VectorBytes>(to + r * to_row + c, to_row, from + r + c * from_column, from_column,
                                 std::make_integer_sequence<int, int(side)>());
    constexpr int smaller = VectorBytes > 16 && sizeof(Bytes) < 16 ? 16 : 0;
    if (whole_rows < rows)
      turn_box<smaller>(to + whole_rows * to_row, to_row, from + whole_rows, from_column, rows - whole_rows, whole_row);
    if (whole_row < row)
      turn_box<smaller>(to + whole_row, to_row, from + whole_row * from_column, from_column, rows, row - whole_row);
  }
}

// to[r * to_row + c] = from[r * from_row + c * from_column] for `rows` rows of `row` elements.
template <class Bytes>
void copy_box(Bytes* to, index_t to_row, const Bytes* from, index_t from_row, index_t from_column, index_t rows,
              index_t row) {
  if (from_row == 1 && from_column != 0 && from_column != 1)
    return turn_box<widest_turned<Bytes>>(to, to_row, from, from_column, rows, row);
  for (index_t r = 0; r < rows; ++r) copy_run(to + r * to_row, from + r * from_row, from_column, row);
}

// to[r * row + i] = from[r] for `rows` rows.
template <class Bytes>
void repeat_along_rows(Bytes* to, const Bytes* from, index_t rows, index_t row) {
  for (index_t r = 0; r < rows; ++r, to += row) copy_run(to, from + r, 0, row);
}

}  // namespace tenon::kernels
