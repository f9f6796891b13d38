// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/contraction/convolution_layout.hpp>
#include <tenon/kernels/matrix_product.hpp>

namespace tenon::inline HWY_NAMESPACE {

// A convolution of f32 or f64 of which every feature of the result is made of one input feature, without a product of
// matrices.
template <class T>
class depthwise_convolution : convolution_layout {
 public:
  depthwise_convolution(const convolution_layout& layout, const evaluation& e)
      : convolution_layout(layout), lhs_(e.operand<T>(0)), rhs_(e.operand<T>(1)), result_(e.result<T>()) {}

  // False for one that has neither neighbouring features nor rows of pixels that can be read as they lie; nothing is
  // done then.
  bool run() const {
    const bool by_channels =
        groups_ > 1 && lhs_group_ == 1 && lhs_feature_ == 1 && rhs_output_ == 1 && result_feature_ == 1;
    const index_t pixels = pixel_count();
    if (by_channels) {
      divide(batch_ * pixels, [&](index_t first, index_t last, void*) { multiply_channels(first, last); });
    } else if (has_neighbouring_pixels() && has_planes()) {
      const index_t lines = batch_ * groups_ * (pixels / pixels_.at[spatial_ - 1]);
      divide(lines, [&](index_t first, index_t last, void*) { multiply_planes(first, last); });
    } else {
      return false;
    }
    return true;
  }

 private:
  static constexpr index_t most_places = 64;
  struct place_offsets {
    index_t weight, pixel;
  };

  // Whether rows of pixels can be read as they lie.
  bool has_planes() const {
    if (spatial_ == 0 || window_.product() > most_places) return false;
    return lhs_spatial_.at[spatial_ - 1] == 1 && axes_[spatial_ - 1].base_dilation == 1;
  }
  // Line by line of the result, those from `first` to `last`: every lane is a pixel.
  void multiply_planes(index_t first, index_t last) const {
    const int inner = spatial_ - 1;
    const window_axis& axis = axes_[inner];
    const index_t line = pixels_.at[inner], lines = pixel_count() / line, begin = axis.first_not_below(0, 0, 0, line);
    const index_t end = axis.first_not_below(axis.size, axis.window - 1, begin, line);
    ints lines_of_plane = pixels_;
    --lines_of_plane.size;
    ints index = pixel(first % lines * line);
    --index.size;
    for (index_t i = first; i < last; ++i, advance(lines_of_plane, index)) {
      const index_t group = i / lines % groups_, image = i / lines / groups_;
      const T* const plane = lhs_ + group * lhs_group_ + image * lhs_batch_;
      T* const to = result_ + image * result_batch_ + group * result_feature_ + i % lines * line;
      plane_row under{{}, {}, {}, 0};
      ints place = ints::filled(spatial_, 0);
      do {
        const index_t offset = pixel_offset(index, place, inner);
        if (offset == nothing) continue;
        under.rows[under.count] = plane + offset;
        under.columns[under.count] = place.at[inner];
        under.weights[under.count++] = rhs_[group * rhs_output_ + weight_offset(place, spatial_)];
      } while (advance(window_, place));
      for (index_t j = 0; j < begin; ++j) to[j] = sum_at_edge(under, j);
      for (index_t j = end; j < line; ++j) to[j] = sum_at_edge(under, j);
      sum_inside(under, to, begin, end);
    }
  }
  // The rows of a plane under the places of a window, in which column of the window, and with what weights.
  struct plane_row {
    const T* rows[most_places];
    index_t columns[most_places];
    T weights[most_places];
    index_t count;
  };
  T sum_at_edge(const plane_row& under, index_t j) const {
    T sum = 0;
    for (index_t p = 0; p < under.count; ++p)
      if (const index_t at = axes_[spatial_ - 1].position(j, under.columns[p]); at >= 0)
        sum += under.weights[p] * under.rows[p][at];
    return sum;
  }
  // Moves the rows on to what lies under the first of these windows.
  void sum_inside(plane_row& under, T* to, index_t begin, index_t end) const {
    using vec = tiling::product_lanes<T>;
    const window_axis& axis = axes_[spatial_ - 1];
    const index_t lanes = vec::count(), stride = axis.stride;
    if (begin >= end) return;
    const index_t first = begin * stride - axis.low;
    for (index_t p = 0; p < under.count; ++p) under.rows[p] += first + under.columns[p] * axis.window_dilation;
    to += begin;
    const index_t count = end - begin;
    index_t j = 0;
    if (stride == 1) {
      for (; j + 2 * lanes <= count; j += 2 * lanes) {
        auto a = vec::zero(), b = vec::zero();
        for (index_t p = 0; p < under.count; ++p) {
          const auto weight = vec::broadcast(under.weights[p]);
          a = vec::multiply_add(weight, vec::load(under.rows[p] + j), a);
          b = vec::multiply_add(weight, vec::load(under.rows[p] + j + lanes), b);
        }
        vec::store(a, to + j);
        vec::store(b, to + j + lanes);
      }
      for (; j < count; j += lanes) {
        const index_t some = count - j < lanes ? count - j : lanes;
        auto a = vec::zero();
        for (index_t p = 0; p < under.count; ++p)
          a = vec::multiply_add(vec::broadcast(under.weights[p]), vec::load_first(under.rows[p] + j, some), a);
        vec::store_first(a, to + j, some);
      }
      return;
    }
    // Behind the last window there may be no element.
    for (; stride == 2 && j + lanes < count; j += lanes) {
      auto a = vec::zero();
      for (index_t p = 0; p < under.count; ++p)
        a = vec::multiply_add(vec::broadcast(under.weights[p]), vec::load_every_other(under.rows[p] + 2 * j), a);
      vec::store(a, to + j);
    }
    for (; j < count; ++j) {
      T sum = 0;
      for (index_t p = 0; p < under.count; ++p) sum += under.weights[p] * under.rows[p][j * stride];
      to[j] = sum;
    }
  }

  // One feature in, one out, for the pixels of all images from `begin` to `end`: every lane is a channel.
  void multiply_channels(index_t begin, index_t end) const {
    place_offsets offsets[most_places];
    index_t places = 0;
    ints place = ints::filled(spatial_, 0);
    bool all_listed = true;
    do {
      all_listed = places < most_places;
      if (!all_listed) break;
      place_offsets& listed = offsets[places++];
      listed = {weight_offset(place, spatial_), 0};
      for (int d = 0; d < spatial_; ++d) listed.pixel += place.at[d] * axes_[d].window_dilation * lhs_spatial_.at[d];
    } while (advance(window_, place));

    ints index = pixel(begin % pixel_count());
    for (index_t i = begin; i < end; ++i, advance(pixels_, index)) {
      const index_t image = i / pixel_count();
      T* to = result_ + image * result_batch_;
      bool is_inside = all_listed;
      index_t first = image * lhs_batch_;
      for (int d = 0; d < spatial_; ++d) {
        to += index.at[d] * result_spatial_.at[d];
        const index_t at = axes_[d].position(index.at[d], 0);
        is_inside = is_inside && at >= 0 && axes_[d].base_dilation == 1 &&
                    axes_[d].position(index.at[d], window_.at[d] - 1) >= 0;
        first += at * lhs_spatial_.at[d];
      }
      if (is_inside) {
        multiply_channels(to, [&](auto add) {
          for (index_t p = 0; p < places; ++p) add(lhs_ + first + offsets[p].pixel, rhs_ + offsets[p].weight);
        });
      } else {
        multiply_channels(to, [&](auto add) {
          place = ints::filled(spatial_, 0);
          do {
            const index_t offset = pixel_offset(index, place, spatial_);
            if (offset != nothing) add(lhs_ + image * lhs_batch_ + offset, rhs_ + weight_offset(place, spatial_));
          } while (advance(window_, place));
        });
      }
    }
  }
  // `each_place` calls what it is given with the first channel of the pixel and of the weight under each place.
  template <class EachPlace>
  void multiply_channels(T* to, EachPlace each_place) const {
    using vec = tiling::product_lanes<T>;
    const index_t lanes = vec::count();
    index_t c = 0;
    for (; c + 2 * lanes <= groups_; c += 2 * lanes) {
      auto sum_0 = vec::zero(), sum_1 = vec::zero();
      each_place([&](const T* from, const T* weights) {
        sum_0 = vec::multiply_add(vec::load(from + c), vec::load(weights + c), sum_0);
        sum_1 = vec::multiply_add(vec::load(from + c + lanes), vec::load(weights + c + lanes), sum_1);
      });
      vec::store(sum_0, to + c);
      vec::store(sum_1, to + c + lanes);
    }
    for (; c < groups_; c += lanes) {
      const index_t count = groups_ - c < lanes ? groups_ - c : lanes;
      auto sum = vec::zero();
      each_place([&](const T* from, const T* weights) {
        sum = vec::multiply_add(vec::load_first(from + c, count), vec::load_first(weights + c, count), sum);
      });
      vec::store_first(sum, to + c, count);
    }
  }

  const T* lhs_;
  const T* rhs_;
  T* result_;
};

}  // namespace tenon::inline HWY_NAMESPACE
