// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/integers/products.hpp>

#include <algorithm>
#include <cstring>

namespace tenon::core {

// A product of matrices for an epilogue, which takes some rows at a time, or some columns of a single row.
template <paired_integer T>
void multiply_for_epilogue(index_t rows, index_t columns, const integer_factors<T>& factors, std::int32_t* sums,
                           const epilogue& after) {
  const index_t width = rows == 1 ? std::min(after.most, columns) : columns, most = after.most / width * width;
  for (index_t first = 0; first < rows * columns; first += most) {
    integer_factors<T> part = factors;
    const index_t count = std::min(most, rows * columns - first);
    (rows == 1 ? part.columns : part.rows) += rows == 1 ? first * part.column : first / columns * part.row;
    multiply_integers<T>(rows == 1 ? 1 : count / columns, rows == 1 ? count : columns, part, sums, columns, false);
    after.run(after.context, first, first + count);
  }
}

// A convolution of integers of 8 bits with sums of 32 that copies nothing but a few windows at a time. Sums for an
// epilogue are those of a few pixels. `Layout` says where images, weights and results lie, and divides the work.
template <paired_integer T, class Layout, index_t Windows = 2, auto Multiply = &multiply_integers<T>>
class integer_convolution : Layout {
 public:
  integer_convolution(const Layout& layout, const evaluation& e)
      : Layout(layout),
        lhs_(static_cast<const T*>(e.operands.data[0])),
        rhs_(static_cast<const T*>(e.operands.data[1])),
        result_(static_cast<std::int32_t*>(e.results.data[0])),
        epilogue_(e.epilogue) {
    const int last = spatial_ - 1;
    const bool has_runs = spatial_ > 0 && lhs_feature_ == 1 && lhs_spatial_.at[last] == features_ &&
                          axes_[last].base_dilation == 1 && axes_[last].window_dilation == 1 &&
                          -most_padding < axes_[last].low && axes_[last].low < most_padding;
    outer_ = has_runs ? last : spatial_;
    for (int d = 0; d < spatial_; ++d) {
      first_place_.push(0), last_place_.push(window_.at[d] - 1);
      has_holes_ = has_holes_ || axes_[d].base_dilation != 1;
      are_inside_ = are_inside_ && !has_holes_ && axes_[d].position(0, 0) >= 0 &&
                    axes_[d].position(pixels_.at[d] - 1, window_.at[d] - 1) >= 0;
      if (d < outer_) places_.push(window_.at[d]), steps_.push(axes_[d].window_dilation * lhs_spatial_.at[d]);
    }
  }

  // False, and nothing is done, where features of the result are not neighbours.
  bool run() const {
    if (is_empty_ || sums_are_empty_ || result_feature_ != 1) return is_empty_;
    const bool by_channels = features_ == 1 && outputs_ == 1 && groups_ > 1 && lhs_group_ == 1 && lhs_feature_ == 1 &&
                             rhs_output_ == 1 && window_.product() <= most_places;
    const index_t width = groups_ * outputs_;
    divide(batch_ * pixel_count(), [&](index_t begin, index_t end, void* scratch) {
      const index_t most = epilogue_.run != nullptr ? epilogue_.most / width : end - begin;
      pixels at{begin, begin, 0, begin / pixel_count(), pixel(begin % pixel_count())};
      window_place listed[most_places];
      index_t places = 0;
      for (; at.begin < end; at.begin = at.end) {
        at.end = std::min(at.begin + most, end);
        by_channels ? sum_channels(at, listed, places) : sum_windows(at, static_cast<T*>(scratch));
        if (epilogue_.run != nullptr) epilogue_.run(epilogue_.context, at.begin * width, at.end * width);
      }
    });
    return true;
  }

 private:
  using Layout::nothing, Layout::divide, Layout::is_product, Layout::rows_of, Layout::pixel, Layout::pixel_count,
      Layout::pixel_offset, Layout::spatial_, Layout::axes_, Layout::reversed_, Layout::window_, Layout::pixels_,
      Layout::lhs_spatial_, Layout::rhs_spatial_, Layout::result_spatial_, Layout::lhs_batch_, Layout::lhs_feature_,
      Layout::rhs_input_, Layout::rhs_output_, Layout::result_batch_, Layout::result_feature_, Layout::batch_,
      Layout::features_, Layout::outputs_, Layout::groups_, Layout::lhs_group_, Layout::depth_, Layout::is_empty_,
      Layout::sums_are_empty_, Layout::weight_offset;
  static constexpr index_t most_places = 64;
  static constexpr index_t most_padding = index_t{1} << 40;

  // Pixel `now` of those from `begin` to `end`.
  struct pixels {
    index_t now, begin, end, image;
    ints index;
  };
  void step(pixels& at) const {
    if (++at.now; !advance(pixels_, at.index)) at.index = ints::filled(spatial_, 0), ++at.image;
  }
  // Where its sums go: an epilogue finds those of all one behind the other.
  std::int32_t* sums_of(const pixels& at) const {
    if (epilogue_.run != nullptr) return result_ + (at.now - at.begin) * groups_ * outputs_;
    std::int32_t* to = result_ + at.image * result_batch_;
    for (int d = 0; d < spatial_; ++d) to += at.index.at[d] * result_spatial_.at[d];
    return to;
  }
  // Of a window that is inside of the image in these dimensions, as its first and last places are.
  index_t corner_of(const ints& index, int dimensions) const {
    if (!are_inside_ && (has_holes_ || pixel_offset(index, last_place_, dimensions) == nothing)) return nothing;
    if (!are_inside_) return pixel_offset(index, first_place_, dimensions);
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < dimensions; ++d)
      offset += (std::ptrdiff_t(index.at[d]) * std::ptrdiff_t(axes_[d].stride) - std::ptrdiff_t(axes_[d].low)) *
                std::ptrdiff_t(lhs_spatial_.at[d]);
    return offset;
  }

  // One feature in, one out. Places of windows inside of the image are alike from their corners on, and listed once.
  void sum_channels(pixels& at, window_place* listed, index_t& places) const {
    for (; at.now < at.end; step(at)) {
      const index_t inside = corner_of(at.index, spatial_), corner = inside == nothing ? 0 : inside;
      index_t count = inside == nothing ? 0 : places;
      if (count == 0) {
        ints place = first_place_;
        do {
          if (const index_t offset = pixel_offset(at.index, place, spatial_); offset != nothing)
            listed[count++] = {std::ptrdiff_t(weight_offset(place, spatial_)), std::ptrdiff_t(offset - corner)};
        } while (advance(window_, place));
      }
      places = inside == nothing ? 0 : count;
      multiply_channels<T>(lhs_ + at.image * lhs_batch_ + corner, rhs_, listed, std::ptrdiff_t(count),
                           std::ptrdiff_t(groups_), sums_of(at));
    }
  }
  // All as they lie or two windows at a time, by weights that are evenly apart, or by those of each place in turn.
  void sum_windows(pixels& at, T* copied) const {
    const index_t evenly = step_of_weights(), depth = evenly == nothing ? features_ : depth_;
    const pixels first = at;
    for (index_t group = 0; group < groups_; ++group)
      for (at = first; at.now < at.end;) {
        const T *const image = lhs_ + group * lhs_group_, *const weights = rhs_ + group * outputs_ * rhs_output_;
        const T *const windows = are_rows_ ? image + at.now * row_ : copied, *rows = windows;
        std::int32_t* const to = sums_of(at) + group * outputs_;
        index_t count = are_rows_ ? at.end - at.now : 0, to_row = result_row_;
        if (are_rows_) at.now = at.end;
        for (; at.now < at.end && count < Windows; ++count, step(at)) {
          copy_window(image + at.image * lhs_batch_, at.index, copied + count * depth_);
          if (count == 1) to_row = sums_of(at) + group * outputs_ - to;
        }
        ints place = first_place_;
        do {
          const index_t of_place = evenly == nothing ? weight_offset(place, spatial_) : 0;
          Multiply(
              count, outputs_,
              {rows, weights + of_place, row_, row_step_, rhs_output_, evenly == nothing ? rhs_input_ : evenly, depth},
              to, to_row, rows != windows, copied + Windows * depth_);
          rows += depth;
        } while (evenly == nothing && advance(window_, place));
      }
  }
  // How far apart the weights of a sum are, by places in the window and then by features; `nothing` if unevenly.
  index_t step_of_weights() const {
    index_t step = nothing, below = 1;
    for (int d = spatial_; d >= 0; --d) {
      const index_t size = d == spatial_ ? features_ : window_.at[d];
      if (size == 1) continue;
      const index_t stride = d == spatial_ ? rhs_input_ : rhs_spatial_.at[d];
      if (step == nothing) step = stride;
      if (stride != step * below || (d < spatial_ && reversed_[d])) return nothing;
      below *= size;
    }
    return step == nothing ? 1 : step;
  }
  // Elements under the window of a pixel; zeros outside the image.
  void copy_window(const T* image, const ints& index, T* to) const {
    // Places of the last dimension that lie over the image.
    index_t first = 0, end = 1, run = features_, before = 0;
    if (const int last = spatial_ - 1; outer_ == last) {
      const index_t start = index.at[last] * axes_[last].stride - axes_[last].low;
      end = window_.at[last];
      if (!are_inside_) first = std::min(std::max(-start, index_t{0}), end);
      if (!are_inside_) end = std::max(first, std::min(end, axes_[last].size - start));
      run = window_.at[last] * features_, before = (start + first) * features_;
    }
    const bool is_whole = lhs_feature_ == 1 && (end - first) * features_ == run;
    if (const index_t corner = is_whole ? corner_of(index, outer_) : nothing; corner != nothing) {
      const T* const from = image + corner + before;
      const auto copy = [&](index_t offset) { std::memcpy(to, from + offset, std::size_t(run)), to += run; };
      return for_each_offset(places_, copy, steps_);
    }
    ints place = first_place_;
    do {
      const index_t offset = pixel_offset(index, place, outer_);
      if (offset == nothing || !is_whole) std::memset(to, 0, std::size_t(run));
      if (offset != nothing && lhs_feature_ == 1 && first < end)
        std::memcpy(to + first * features_, image + offset + before, std::size_t((end - first) * features_));
      else if (offset != nothing && lhs_feature_ != 1)
        for (index_t i = 0; i < features_; ++i) to[i] = image[offset + i * lhs_feature_];
      to += run;
    } while (advance(places_, place));
  }

  const T* lhs_;
  const T* rhs_;
  std::int32_t* result_;
  epilogue epilogue_;
  // Windows as runs of neighbours at these places, at these steps of an image without holes.
  int outer_ = 0;
  bool has_holes_ = false, are_inside_ = true;
  ints first_place_, last_place_, places_, steps_;
  // Windows that are rows as they lie, or are copied to be rows.
  bool are_rows_ = is_product();
  index_t row_ = are_rows_ ? rows_of(lhs_spatial_, lhs_batch_, true) : depth_, row_step_ = are_rows_ ? lhs_feature_ : 1;
  index_t result_row_ = epilogue_.run != nullptr ? groups_ * outputs_ : rows_of(result_spatial_, result_batch_, false);
};

}  // namespace tenon::core
