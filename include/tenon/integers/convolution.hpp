// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/integers/products.hpp>

#include <algorithm>
#include <cstring>

namespace tenon::core {

// A convolution of integers of 8 bits with sums of 32 that copies nothing but two windows at a time.
// `Layout` says where images, weights and results lie, and divides the work.
template <paired_integer T, class Layout>
class integer_convolution : Layout {
 public:
  integer_convolution(const Layout& layout, const evaluation& e)
      : Layout(layout),
        lhs_(static_cast<const T*>(e.operands.data[0])),
        rhs_(static_cast<const T*>(e.operands.data[1])),
        result_(static_cast<std::int32_t*>(e.results.data[0])) {}

  // False, and nothing is done, where features of the result or the entries of weights are not evenly apart.
  bool run() const {
    if (is_empty_ || sums_are_empty_) return is_empty_;
    if (features_ == 1 && outputs_ == 1 && groups_ > 1 && lhs_group_ == 1 && lhs_feature_ == 1 && rhs_output_ == 1 &&
        result_feature_ == 1 && window_.product() <= most_places) {
      divide(batch_ * pixel_count(), [&](index_t begin, index_t end, void*) { sum_channels(begin, end); });
      return true;
    }
    const index_t step = step_of_weights();
    if (result_feature_ != 1 || step == nothing) return false;
    const index_t pixels = batch_ * pixel_count();
    const auto multiply = [&](const T* rows, index_t row, index_t row_step, index_t group, index_t count,
                              std::int32_t* to, index_t to_row) {
      multiply_integers<T>(count, outputs_,
                           {rows, rhs_ + group * outputs_ * rhs_output_, row, row_step, rhs_output_, step, depth_},
                           to + group * outputs_, to_row, false);
    };
    if (is_product()) {
      const index_t row = rows_of(lhs_spatial_, lhs_batch_, true), to = rows_of(result_spatial_, result_batch_, false);
      divide(groups_ * pixels, [&](index_t begin, index_t end, void*) {
        for (index_t i = begin, count = 0; i < end; i += count) {
          const index_t group = i / pixels, first = i % pixels;
          count = std::min(end - i, pixels - first);
          multiply(lhs_ + group * lhs_group_ + first * row, row, lhs_feature_, group, count, result_ + first * to, to);
        }
      });
      return true;
    }
    divide(groups_ * pixels, [&](index_t begin, index_t end, void* scratch) {
      T* const copied = static_cast<T*>(scratch);
      ints index = pixel(begin % pixel_count());
      index_t image = begin / pixel_count() % batch_, group = begin / pixels;
      for (index_t i = begin, count = 0; i < end; i += count) {
        std::int32_t* to[2]{};
        const index_t of_group = group;
        for (count = 0; count < 2 && i + count < end && group == of_group; ++count) {
          copy_window(lhs_ + group * lhs_group_ + image * lhs_batch_, index, copied + count * depth_);
          to[count] = result_ + image * result_batch_;
          for (int d = 0; d < spatial_; ++d) to[count] += index.at[d] * result_spatial_.at[d];
          if (advance(pixels_, index)) continue;
          index = ints::filled(spatial_, 0);
          if (++image == batch_) image = 0, ++group;
        }
        multiply(copied, depth_, 1, of_group, count, to[0], count > 1 ? to[1] - to[0] : 0);
      }
    });
    return true;
  }

 private:
  using Layout::nothing, Layout::divide, Layout::pixel, Layout::pixel_count, Layout::pixel_offset, Layout::rows_of,
      Layout::is_product, Layout::spatial_, Layout::axes_, Layout::reversed_, Layout::window_, Layout::pixels_,
      Layout::lhs_spatial_, Layout::rhs_spatial_, Layout::result_spatial_, Layout::lhs_batch_, Layout::lhs_feature_,
      Layout::rhs_input_, Layout::rhs_output_, Layout::result_batch_, Layout::result_feature_, Layout::batch_,
      Layout::features_, Layout::outputs_, Layout::groups_, Layout::lhs_group_, Layout::depth_, Layout::is_empty_,
      Layout::sums_are_empty_, Layout::weight_offset;
  static constexpr index_t most_places = 64;
  static constexpr index_t most_padding = index_t{1} << 40;

  // One feature in, one out, for the pixels from `begin` to `end`. Neighbours on a line whose windows are inside of it
  // are under the same places.
  void sum_channels(index_t begin, index_t end) const {
    const int last = spatial_ - 1;
    index_t first_inside = 0, last_inside = 0, step = 0, result_step = 0;
    if (spatial_ > 0 && axes_[last].base_dilation == 1) {
      first_inside = axes_[last].first_not_below(0, 0, 0, pixels_.at[last]);
      last_inside =
          axes_[last].first_not_below(axes_[last].size, axes_[last].window - 1, first_inside, pixels_.at[last]);
      step = axes_[last].stride * lhs_spatial_.at[last], result_step = result_spatial_.at[last];
    }
    ints index = pixel(begin % pixel_count());
    index_t image = begin / pixel_count();
    for (index_t i = begin, count = 1; i < end; i += count) {
      const index_t x = spatial_ > 0 ? index.at[last] : 0;
      count = first_inside <= x && x < last_inside ? std::min(last_inside - x, end - i) : 1;
      std::int32_t* to = result_ + image * result_batch_;
      for (int d = 0; d < spatial_; ++d) to += index.at[d] * result_spatial_.at[d];
      window_place listed[most_places];
      index_t places = 0;
      ints place = ints::filled(spatial_, 0);
      do {
        if (const index_t offset = pixel_offset(index, place, spatial_); offset != nothing)
          listed[places++] = {std::ptrdiff_t(weight_offset(place, spatial_)), std::ptrdiff_t(offset)};
      } while (advance(window_, place));
      const T* from = lhs_ + image * lhs_batch_;
      for (index_t j = 0; j < count; ++j, to += result_step, from += step)
        multiply_channels<T>(from, rhs_, listed, std::ptrdiff_t(places), std::ptrdiff_t(groups_), to);
      if (spatial_ > 0) index.at[last] += count - 1;
      if (!advance(pixels_, index)) index = ints::filled(spatial_, 0), ++image;
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
  // What lies under the window of a pixel; zeros where nothing does.
  void copy_window(const T* image, const ints& index, T* to) const {
    const int last = spatial_ - 1;
    const bool has_runs = spatial_ > 0 && lhs_feature_ == 1 && lhs_spatial_.at[last] == features_ &&
                          axes_[last].base_dilation == 1 && axes_[last].window_dilation == 1 &&
                          -most_padding < axes_[last].low && axes_[last].low < most_padding;
    const int outer = has_runs ? last : spatial_;
    ints places = window_, place = ints::filled(outer, 0);
    places.size = outer;
    // Places of the last dimension that lie over the image.
    index_t first = 0, end = 1, run = features_, before = 0;
    if (has_runs) {
      const index_t start = index.at[last] * axes_[last].stride - axes_[last].low;
      first = std::min(std::max(-start, index_t{0}), window_.at[last]);
      end = std::max(first, std::min(window_.at[last], axes_[last].size - start));
      run = window_.at[last] * features_, before = (start + first) * features_;
    }
    do {
      const index_t offset = pixel_offset(index, place, outer);
      if (offset == nothing || lhs_feature_ != 1 || end - first < run / features_) std::memset(to, 0, std::size_t(run));
      if (offset != nothing && lhs_feature_ == 1 && first < end)
        std::memcpy(to + first * features_, image + offset + before, std::size_t((end - first) * features_));
      else if (offset != nothing && lhs_feature_ != 1)
        for (index_t i = 0; i < features_; ++i) to[i] = image[offset + i * lhs_feature_];
      to += run;
    } while (advance(places, place));
  }

  const T* lhs_;
  const T* rhs_;
  std::int32_t* result_;
};

}  // namespace tenon::core
