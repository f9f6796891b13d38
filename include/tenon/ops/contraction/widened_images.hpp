// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/tensor_type.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>
#include <tenon/ops/window.hpp>

namespace tenon::ops {

// Rows of an operand under the windows from `first` to `last`, one at least, and the padding in front of them.
struct rows_under_windows {
  index_t begin, count, low;

  constexpr rows_under_windows(const window_axis& axis, index_t first, index_t last) {
    const index_t upper = wrap::subtract(first * axis.stride, axis.low);
    const index_t lower = wrap::subtract((last - 1) * axis.stride + (axis.window - 1) * axis.window_dilation, axis.low);
    begin = upper > 0 ? (upper - 1) / axis.base_dilation + 1 : 0;
    begin = begin < axis.size ? begin : axis.size - 1;
    const index_t end = lower >= 0 ? lower / axis.base_dilation + 1 : 0;
    count = (end < axis.size ? end : axis.size) - begin;
    if (count < 1) count = 1;
    low = wrap::subtract(begin * axis.base_dilation, upper);
  }
  static constexpr index_t most(const window_axis& axis, index_t windows) {
    const index_t span = (windows - 1) * axis.stride + (axis.window - 1) * axis.window_dilation;
    const index_t rows = span / axis.base_dilation + 1;
    return rows < axis.size ? rows : axis.size;
  }
};

// Copies of narrow elements in lanes: the weights, and at a time some images, or rows of pixels, with their sums.
struct widened_images {
  static constexpr index_t lane_bytes = 4;
  // Of images and sums: what stays in the second cache. Weights are packed each time, for so many pixels at least.
  static constexpr index_t most_bytes = 512 * 1024, least_pixels = 1024;

  index_t together, rows, rows_of_image;  // images, rows of the result, of how many
  index_t lhs = 0, rhs = 0, result = 0;   // elements

  // `lies_apart`: images are outermost in lhs and in the result; `row_count`: of pixels, under windows along `axis`.
  constexpr widened_images(const tensor_type& of_lhs, const tensor_type& of_rhs, const tensor_type& of_result,
                           index_t images, index_t outputs, bool lies_apart, index_t row_count, const window_axis& axis)
      : together(images), rows(row_count), rows_of_image(row_count) {
    if (of_result.size() == 0 || of_lhs.size() == 0) return;
    const index_t of_image = (of_lhs.size() + of_result.size()) / images * lane_bytes;
    const index_t pixels = of_result.size() / images / outputs;
    if (lies_apart) together = fitting(images, of_image, pixels);
    if (together == 1) rows = fitting(row_count, of_image / row_count, pixels / row_count);
    const auto share = [&](index_t size) { return size / images * together; };
    if (!product_dimensions::fills_lanes(of_lhs.element)) {
      lhs = share(of_lhs.size()), rhs = of_rhs.size();
      if (rows < row_count) lhs = lhs / axis.size * rows_under_windows::most(axis, rows);
    }
    if (!product_dimensions::fills_lanes(of_result.element)) result = share(of_result.size()) / row_count * rows;
  }
  constexpr index_t bytes() const { return (lhs + rhs + result) * lane_bytes; }

 private:
  // How many of `count` pieces of so many bytes and pixels.
  static constexpr index_t fitting(index_t count, index_t bytes, index_t pixels) {
    const index_t most = bytes > 0 ? most_bytes / bytes : count, least = (least_pixels + pixels - 1) / pixels;
    const index_t wanted = most > least ? most : least;
    return wanted < count ? wanted : count;
  }
};

}  // namespace tenon::ops
