// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/kernels/window_rows.hpp>

namespace tenon {

namespace detail {

// even[t] = from[2 * t], odd[t] = from[2 * t + 1]
template <class T>
HWY_INLINE void part_pairs_of_row(const T* from, index_t count, T* even, T* odd) {
  index_t t = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (has_lanes<T>) {
    const auto part = [&](auto d) HWY_ATTR {
      const index_t w = index_t(hn::Lanes(d));
      for (; t + w <= count; t += w) {
        hn::Vec<decltype(d)> first, second;
        hn::LoadInterleaved2(d, from + 2 * t, first, second);
        hn::StoreU(first, d, even + t);
        hn::StoreU(second, d, odd + t);
      }
    };
    part(hn::ScalableTag<T>());
    part(hn::CappedTag<T, 16 / sizeof(T)>());
  }
#endif
  for (; t < count; ++t) even[t] = from[2 * t], odd[t] = from[2 * t + 1];
}
// The same for rows that are so far apart.
template <class T>
[[gnu::noinline]] void part_pairs(const T* from, index_t distance, index_t rows, index_t count, T* even, T* odd,
                                  index_t to_distance) {
  for (index_t r = 0; r < rows; ++r, from += distance, even += to_distance, odd += to_distance)
    part_pairs_of_row(from, count, even, odd);
}

}  // namespace detail

// What lies under some windows, laid out anew: along the last two dimensions, elements that stand at the same place in
// the stride of the windows come together, with initial values where there is padding or a hole. What lies under one
// place of neighbouring windows, row after row, is then one piece of memory, with few elements in between.
class window_phases : public window_rows {
 public:
  // For as many rows of results, and as many results of each, as need no more than `most` elements to be laid out and
  // `most_together` results with what is in between.
  window_phases(const window_attributes& window, const ints& shape, const ints& result_shape, index_t most,
                index_t most_together)
      : window_rows(window, shape, result_shape) {
    while (outer_ > 1 && is_plain(axes_[outer_ - 2]) && is_tiled(axes_[outer_ - 1])) merge_rows();
    has_rows_ = outer_ > 0;
    further_ = has_rows_ ? outer_ - 1 : 0;
    planes_ = 1;
    for (int i = 0; i < further_; ++i) planes_ = wrap::multiply(planes_, axes_[i].window);
    along_ = phases_of(axes_[outer_]);
    if (has_rows_) across_ = phases_of(axes_[outer_ - 1]);
    const index_t parts = planes_ * along_.count * across_.count, high = 1 + across_.behind;
    if (!along_.fits || !across_.fits || planes_ > most_planes || parts * high > most) return;
    const index_t widest = most / (parts * high) - along_.behind;
    columns_ = row_ < widest ? row_ : widest;
    if (columns_ > most_together) columns_ = most_together;
    if (columns_ < 1) return;
    length_ = columns_ + along_.behind;
    rows_ = most / (parts * length_) - across_.behind;
    if (rows_ > most_together / length_) rows_ = most_together / length_;
    const index_t all = has_rows_ ? axes_[outer_ - 1].count() : 1;
    if (rows_ > all) rows_ = all;
    if (rows_ < 1) rows_ = 1;
    height_ = rows_ + across_.behind;
    // Short pieces of rows are not worth it.
    fits_ = columns_ == row_ || columns_ >= 64;
  }
  bool fits() const { return fits_; }

  // Rows and columns of the results, which are worked on together.
  struct part {
    ints index;  // of the dimensions in front
    index_t row, column, rows, columns;
  };
  // Calls f(part, number of its first result) for all of them.
  template <class Function>
  void for_each_part(Function f) const {
    const index_t all = has_rows_ ? axes_[outer_ - 1].count() : 1;
    ints front = outer_results_;
    if (has_rows_) --front.size;
    ints index = ints::filled(further_, 0);
    index_t result = 0;
    do {
      for (index_t row = 0; row < all; row += rows_)
        for (index_t column = 0; column < row_; column += columns_) {
          const part each{index, row, column, all - row < rows_ ? all - row : rows_,
                          row_ - column < columns_ ? row_ - column : columns_};
          f(each, result + row * row_ + column);
        }
      result += all * row_;
    } while (advance(front, index));
  }
  // Results of a part with what is in between, and how far its rows are apart.
  index_t together(const part& of) const { return (of.rows - 1) * length_ + of.columns; }
  index_t length() const { return length_; }

  // Lays out what lies under the windows of a part.
  template <class T>
  void lay_out(const part& of, const T* operand, const T& initial, T* to) const {
    ints windows = outer_window_;
    if (has_rows_) --windows.size;
    ints place = ints::filled(further_, 0);
    const window_axis none{.size = 1};
    const window_axis& next = has_rows_ ? axes_[outer_ - 1] : none;
    do {
      index_t plane = 0;
      for (int i = 0; i < further_ && plane >= 0; ++i) {
        const index_t position = axes_[i].position(of.index.at[i], place.at[i]);
        plane = position < 0 ? -1 : plane + position * strides_.at[i];
      }
      const T* const from = plane < 0 ? nullptr : operand + plane;
      for (index_t a = 0; a < next.stride; ++a)
        if (across_.number[a] >= 0) {
          lay_out_rows(of, next, a, from, initial, to);
          to += along_.count * height_ * length_;
        }
    } while (advance(windows, place));
  }

  // Calls f(offset) for every place in a window, in ascending row-major order: what lies there, under the windows of a
  // part, begins so many elements behind the start.
  template <class Function>
  void for_each_place(Function f) const {
    const index_t parts = across_.count * along_.count, plane = height_ * length_;
    const window_axis &last = axes_[outer_], &next = axes_[has_rows_ ? outer_ - 1 : outer_];
    for (index_t p = 0; p < planes_; ++p)
      for (index_t k = 0; k < (has_rows_ ? next.window : 1); ++k)
        for (index_t l = 0; l < last.window; ++l) {
          const index_t down = has_rows_ ? k * next.window_dilation : 0, right = l * last.window_dilation;
          const index_t stride = has_rows_ ? next.stride : 1;
          const index_t phase = across_.number[down % stride] * along_.count + along_.number[right % last.stride];
          f((p * parts + phase) * plane + down / stride * length_ + right / last.stride);
        }
  }

 private:
  static constexpr index_t most_stride = 8, most_planes = 64;

  // Which places in the stride windows look at, and how far their last element is behind the first one there.
  struct phases {
    index_t number[most_stride]{};
    index_t count = 1, behind = 0;
    bool fits = true;
  };
  static phases phases_of(const window_axis& axis) {
    phases found;
    // What is far larger than memory is not laid out.
    constexpr index_t far = index_t(1) << 30;
    found.fits = axis.stride <= most_stride && axis.window < far && axis.window_dilation < far && axis.size < far &&
                 axis.base_dilation < far && -far < axis.low && axis.low < far && axis.count() < far;
    if (!found.fits) return found;
    found.behind = (axis.window - 1) * axis.window_dilation / axis.stride;
    found.fits = found.behind < far;
    if (!found.fits) return found;
    for (index_t& each : found.number) each = -1;
    found.count = 0;
    for (index_t k = 0; k < axis.window && k < axis.stride; ++k)
      found.number[k * axis.window_dilation % axis.stride] = 0;
    for (index_t& each : found.number)
      if (each == 0) each = found.count++;
    return found;
  }

  // Whether windows take whole pieces of a dimension, which then goes on in the next piece of the one in front of it.
  static bool is_tiled(const window_axis& axis) {
    return axis.low == 0 && axis.high == 0 && axis.base_dilation == 1 && axis.size % axis.stride == 0 &&
           (axis.window - 1) < axis.stride && (axis.window - 1) * axis.window_dilation < axis.stride;
  }
  void merge_rows() {
    const index_t front = axes_[outer_ - 2].size;
    axes_[outer_ - 2] = axes_[outer_ - 1];
    axes_[outer_ - 2].size *= front;
    strides_.at[outer_ - 2] = strides_.at[outer_ - 1];
    axes_[outer_ - 1] = axes_[outer_];
    strides_.at[outer_ - 1] = strides_.at[outer_];
    outer_results_.at[outer_ - 2] *= outer_results_.at[outer_ - 1];
    outer_window_.at[outer_ - 2] = outer_window_.at[outer_ - 1];
    --outer_results_.size, --outer_window_.size, --outer_;
  }

  // Of the rows of a plane those that stand at place `a` in their stride, in all phases along them.
  template <class T>
  void lay_out_rows(const part& of, const window_axis& next, index_t a, const T* plane, const T& initial, T* to) const {
    const window_axis& last = axes_[outer_];
    const index_t row_stride = has_rows_ ? strides_.at[outer_ - 1] : 0, phase = height_ * length_;
    const index_t shift = of.column * last.stride - last.low, length = of.columns + along_.behind;
    const bool in_pairs = last.stride == 2 && along_.count == 2 && last.base_dilation == 1 && step() == 1;
    // Pairs of elements that are both there.
    const index_t begin = first_from(0, shift, length), pairs_end = first_from(last.size - 1, shift, length);
    const index_t end = begin < pairs_end ? pairs_end : begin;
    const index_t rows = of.rows + across_.behind, top = of.row * next.stride + a - next.low;
    if (in_pairs && plane != nullptr && next.base_dilation == 1) {
      const index_t first = top < 0 ? (-top + next.stride - 1) / next.stride : 0;
      const index_t behind = next.size <= top ? 0 : (next.size - top + next.stride - 1) / next.stride;
      const index_t stop = behind < rows ? behind : rows;
      for (index_t q = 0; q < rows; ++q)
        if (q < first || q >= stop) {
          fill_row(to + q * length_, initial, length);
          fill_row(to + phase + q * length_, initial, length);
        }
      if (first >= stop) return;
      const T* const row = plane + (top + first * next.stride) * row_stride;
      const index_t distance = next.stride * row_stride;
      T *const even = to + first * length_, *const odd = even + phase;
      detail::part_pairs(row + 2 * begin + shift, distance, stop - first, end - begin, even + begin, odd + begin,
                         length_);
      for (index_t q = 0; q < stop - first && (begin > 0 || end < length); ++q) {
        lay_out_ends(row + q * distance, shift, 0, begin, initial, even + q * length_, odd + q * length_);
        lay_out_ends(row + q * distance, shift, end, length, initial, even + q * length_, odd + q * length_);
      }
      return;
    }
    for (index_t q = 0; q < rows; ++q, to += length_) {
      index_t down = top + q * next.stride;
      if (next.base_dilation != 1) down = down < 0 || down % next.base_dilation != 0 ? -1 : down / next.base_dilation;
      const bool is_there = plane != nullptr && 0 <= down && down < next.size;
      const T* const row = is_there ? plane + down * row_stride : nullptr;
      T* target = to;
      for (index_t b = 0; b < last.stride; ++b)
        if (along_.number[b] >= 0) {
          if (is_there)
            lay_out_row(row, shift + b, length, initial, target);
          else
            fill_row(target, initial, length);
          target += phase;
        }
    }
  }
  // Elements of a row from the one at `shift` on.
  template <class T>
  void lay_out_row(const T* row, index_t shift, index_t length, const T& initial, T* to) const {
    const window_axis& last = axes_[outer_];
    if (last.base_dilation != 1) {
      for (index_t t = 0; t < length; ++t) {
        const index_t at = t * last.stride + shift;
        const bool is_there = at >= 0 && at % last.base_dilation == 0 && at / last.base_dilation < last.size;
        to[t] = is_there ? row[at / last.base_dilation * step()] : initial;
      }
      return;
    }
    const index_t begin = first_from(0, shift, length), end = first_from(last.size, shift, length);
    if (begin > 0) fill_row(to, initial, begin);
    if (begin < end)
      copy_run(to + begin, row + (begin * last.stride + shift) * step(), last.stride * step(), end - begin);
    if (end < length) fill_row(to + end, initial, length - end);
  }
  template <class T>
  HWY_INLINE void lay_out_ends(const T* row, index_t shift, index_t begin, index_t end, const T& initial, T* even,
                               T* odd) const {
    const index_t size = axes_[outer_].size;
    for (index_t t = begin; t < end; ++t) {
      const index_t at = 2 * t + shift;
      even[t] = 0 <= at && at < size ? row[at] : initial;
      odd[t] = 0 <= at + 1 && at + 1 < size ? row[at + 1] : initial;
    }
  }
  // The first of `length` elements that lies at index `wanted` or behind it; `length` if there is none.
  index_t first_from(index_t wanted, index_t shift, index_t length) const {
    const index_t stride = axes_[outer_].stride, first = wanted <= shift ? 0 : (wanted - shift + stride - 1) / stride;
    return first < length ? first : length;
  }

  bool has_rows_ = false, fits_ = false;
  int further_ = 0;
  index_t planes_ = 1, columns_ = 0, rows_ = 1, length_ = 0, height_ = 1;
  phases along_, across_{{0}, 1, 0, true};
};

}  // namespace tenon
