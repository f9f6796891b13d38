// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/contraction/convolution_layout.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>

#include <utility>

namespace tenon::kernels::inline HWY_NAMESPACE {

// A convolution in which every feature of the result is made of one input feature, and features are neighbours.
template <class T>
class depthwise_convolution : convolution_layout {
 public:
  depthwise_convolution(const convolution_layout& layout, const evaluation& e)
      : convolution_layout(layout), lhs_(e.operand<T>(0)), rhs_(e.operand<T>(1)), result_(e.result<T>()) {}

  // @pre way() is product_branch::depthwise
  void run() const {
    divide(batch_ * pixel_count(), [&](index_t first, index_t last, void*) { multiply_channels(first, last); });
  }

 private:
  struct place_offsets {
    index_t weight, pixel;
  };

  // One feature in, one out, for the pixels of all images from `begin` to `end`: every lane is a channel. Neighbours on
  // a line whose windows are inside of it are under the same places, and are summed up together.
  void multiply_channels(index_t begin, index_t end) const {
    const int inner = spatial_ - 1;
    index_t first_inside = 0, last_inside = 0, line = 1, step = 0, result_step = 0;
    if (spatial_ > 0 && axes_[inner].base_dilation == 1) {
      const ops::window_axis& axis = axes_[inner];
      line = pixels_.at[inner];
      first_inside = axis.first_not_below(0, 0, 0, line);
      last_inside = axis.first_not_below(axis.size, axis.window - 1, first_inside, line);
      step = axis.stride * lhs_spatial_.at[inner];
      result_step = result_spatial_.at[inner];
    }
    ints index = pixel(begin % pixel_count());
    for (index_t i = begin, count = 1; i < end; i += count) {
      const index_t image = i / pixel_count(), x = line > 1 ? index.at[inner] : 0;
      count = 1;
      if (first_inside <= x && x < last_inside) count = last_inside - x < end - i ? last_inside - x : end - i;
      T* to = result_ + image * result_batch_;
      for (int d = 0; d < spatial_; ++d) to += index.at[d] * result_spatial_.at[d];
      place_offsets listed[most_places];
      ints place = ints::filled(spatial_, 0);
      bool is_first = true, more = true;
      while (more) {
        index_t places = 0;
        for (; more && places < most_places; more = advance(window_, place))
          if (const index_t offset = pixel_offset(index, place, spatial_); offset != nothing)
            listed[places++] = {weight_offset(place, spatial_), offset};
        const neighbours of_line{listed, places, lhs_ + image * lhs_batch_, to, step, result_step, !is_first};
        index_t j = 0;
        for (; j + 4 <= count; j += 4) sum_neighbours<4>(of_line, j);
        for (; j < count; ++j) sum_neighbours<1>(of_line, j);
        is_first = false;
      }
      if (spatial_ == 0) continue;
      index.at[inner] += count - 1;
      advance(pixels_, index);
    }
  }
  // Pixels on a line under the same places, which are given for the first of them.
  struct neighbours {
    const place_offsets* places;
    index_t count;
    const T* from;
    T* to;
    index_t step, result_step;
    bool accumulate;
  };
  template <int Pixels>
  void sum_neighbours(neighbours line, index_t first) const {
    const index_t lanes = tiling::product_lanes<T>::count();
    line.from += first * line.step;
    line.to += first * line.result_step;
    index_t c = 0;
    for (; c + 2 * lanes <= groups_; c += 2 * lanes) sum_channels<Pixels, 2>(line, c, lanes);
    for (; c < groups_; c += lanes) sum_channels<Pixels, 1>(line, c, groups_ - c < lanes ? groups_ - c : lanes);
  }
  // `Vectors` of channels from c on, `size` of the last of them.
  template <int Pixels, int Vectors>
  HWY_INLINE void sum_channels(const neighbours& line, index_t c, index_t size) const {
    using vec = tiling::product_lanes<T>;
    const auto zeros = [&]<int... I>(std::integer_sequence<int, I...> indices)
                           HWY_ATTR { with_sums<Pixels, Vectors>(indices, line, c, size, ((void)I, vec::zero())...); };
    zeros(std::make_integer_sequence<int, Pixels * Vectors>());
  }
  // Sum I is that of pixel I / Vectors and vector I % Vectors. Vectors of unknown length cannot stand in an array.
  template <int Pixels, int Vectors, int... I, class... Sums>
  HWY_INLINE void with_sums(std::integer_sequence<int, I...>, const neighbours& line, index_t c, index_t size,
                            Sums... sums) const {
    using vec = tiling::product_lanes<T>;
    const index_t lanes = vec::count();
    const auto load = [&](const T* from) HWY_ATTR {
      return Vectors > 1 || size == lanes ? vec::load(from) : vec::load_first(from, size);
    };
    T* const to = line.to + c;
    if (line.accumulate) ((sums = load(to + I / Vectors * line.result_step + I % Vectors * lanes)), ...);
    for (index_t p = 0; p < line.count; ++p) {
      const T* const from = line.from + line.places[p].pixel + c;
      const T* const weights = rhs_ + line.places[p].weight + c;
      ((sums = vec::multiply_add(load(from + I / Vectors * line.step + I % Vectors * lanes),
                                 load(weights + I % Vectors * lanes), sums)),
       ...);
    }
    const auto store = [&](auto sum, T* at) HWY_ATTR {
      if (Vectors > 1 || size == lanes)
        vec::store(sum, at);
      else
        vec::store_first(sum, at, size);
    };
    (store(sums, to + I / Vectors * line.result_step + I % Vectors * lanes), ...);
  }

  const T* lhs_;
  const T* rhs_;
  T* result_;
};

}  // namespace tenon::kernels::inline HWY_NAMESPACE
