// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>

#include <cstdint>
#include <type_traits>

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

// Short rows of a walk through memory: how far their elements lie from where the first one does, for as many rows as
// fill whole vectors. A vector whose elements lie within two others is picked out of these.
template <class Bytes>
class row_pattern {
 public:
  // @return whether the innermost rows of the walk are so short, and near enough to each other.
  bool prepare(const ints& sizes, const ints& strides, index_t count) {
    constexpr index_t longest_row = 16, farthest = INT32_MAX / 4;
    dimension_ = sizes.size - 2;
    if (dimension_ < 0 || count < 1024) return false;
    row_ = sizes.at[dimension_ + 1];
    index_t rows = lanes();
    while (rows > 1 && rows / 2 * row_ % lanes() == 0) rows /= 2;
    elements_ = rows * row_;
    const index_t stride = strides.at[dimension_ + 1], row_stride = strides.at[dimension_];
    for (const index_t each : {stride, row_stride})
      if (each > farthest / most || each < -farthest / most) return false;
    if (row_ > longest_row || elements_ > most || sizes.at[dimension_] < 4 * rows) return false;
    for (index_t r = 0, i = 0; r < rows; ++r)
      for (index_t k = 0; k < row_; ++k) offsets_[i++] = std::int32_t(r * row_stride + k * stride);
    step_ = rows * row_stride;
    find_windows();
    return true;
  }

  // The dimension that rows are counted along, and how many elements each has.
  int dimension() const { return dimension_; }
  index_t row() const { return row_; }

  // to[i] = from[where element i lies] for the first `count` elements of the walk that begins at `from`.
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
  // Two vectors may be read for each in all periods but so many first and last ones.
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
