// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/kernels/needs.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/ops/contraction/convolution.hpp>

#include <numeric>

namespace tenon::kernels {

// Where images, weights and results of a convolution lie, and who divides the work.
struct convolution_layout {
  [[gnu::cold]] constexpr convolution_layout(const ops::convolution& op, const evaluation& e)
      : own_scratch_(e.scratch) {
    if (e.helpers != nullptr) helpers_ = *e.helpers;
    const convolution_dimension_numbers& numbers = op.dimension_numbers;
    const ints &lhs = e.operand_types.data[0].shape, &rhs = e.operand_types.data[1].shape;
    const ints& result = e.result_types.data[0].shape;
    const ints lhs_strides = e.strides_of_operand(0), rhs_strides = e.strides_of_operand(1);
    const ints result_strides = strides_of(result);
    spatial_ = numbers.input_spatial_dimensions.size;
    for (int d = 0; d < spatial_; ++d) {
      axes_[d] = op.window(rhs).axis(lhs.select(numbers.input_spatial_dimensions), d);
      reversed_[d] = op.window_reversal[d] != 0;
    }
    lhs_spatial_ = lhs_strides.select(numbers.input_spatial_dimensions);
    rhs_spatial_ = rhs_strides.select(numbers.kernel_spatial_dimensions);
    result_spatial_ = result_strides.select(numbers.output_spatial_dimensions);
    window_ = rhs.select(numbers.kernel_spatial_dimensions);
    pixels_ = result.select(numbers.output_spatial_dimensions);
    lhs_batch_ = lhs_strides[numbers.input_batch_dimension];
    lhs_feature_ = lhs_strides[numbers.input_feature_dimension];
    rhs_input_ = rhs_strides[numbers.kernel_input_feature_dimension];
    rhs_output_ = rhs_strides[numbers.kernel_output_feature_dimension];
    result_batch_ = result_strides[numbers.output_batch_dimension];
    result_feature_ = result_strides[numbers.output_feature_dimension];
    batch_ = result[numbers.output_batch_dimension];
    features_ = rhs[numbers.kernel_input_feature_dimension];
    groups_ = op.feature_group_count * op.batch_group_count;
    outputs_ = result[numbers.output_feature_dimension] / groups_;
    lhs_group_ = op.feature_group_count > 1 ? features_ * lhs_feature_ : batch_ * lhs_batch_;
    depth_ = window_.product() * features_;
    is_large_ = result.product() * depth_ >= tuning::least_shared_convolution;
    is_divided_ = is_large_ && helpers_.count() > 1 && e.epilogue.run == nullptr;
    scratch_bytes_ = op.scratch_bytes(e.operand_types, e.result_types);
    is_empty_ = result.product() == 0;
    sums_are_empty_ = lhs.product() == 0 || rhs.product() == 0;
  }

  // How tiled_convolution does it, in tiles of that number of lanes; `otherwise`: not at all.
  template <class Tile>
  constexpr product_branch way(index_t lanes) const {
    if (is_empty_ || sums_are_empty_) return product_branch::otherwise;
    const bool by_pixels = has_neighbouring_pixels();
    if (features_ == 1 && outputs_ == 1 && has_channels()) return product_branch::depthwise;
    if (result_feature_ == 1 && (outputs_ * 2 >= lanes || !by_pixels))
      return lhs_feature_ != 1 && batch_ >= Tile::rows ? product_branch::by_images : product_branch::by_outputs;
    return by_pixels ? product_branch::by_pixels : product_branch::otherwise;
  }
  template <class Tile>
  constexpr needs needs_of() const {
    needs all;
    const product_branch way = this->way<Tile>(Tile::vec::most_lanes);
    all.add(way);
    bool any_height = is_large_;
    for (int d = 0; d < spatial_; ++d) any_height = any_height || axes_[d].base_dilation != 1;
    if (way == product_branch::by_images) Tile::add_needs(all, batch_, outputs_, false, false);
    if (way == product_branch::by_outputs) Tile::add_needs(all, batch_ * pixel_count(), outputs_, any_height, false);
    if (way == product_branch::by_pixels) Tile::add_needs(all, outputs_, pixel_count(), false, true);
    return all;
  }

  static constexpr index_t nothing = INT64_MIN, most_places = 64;

  // Whether the features of images, weights and results are neighbours, each of a group of its own.
  constexpr bool has_channels() const {
    return groups_ > 1 && lhs_group_ == 1 && lhs_feature_ == 1 && rhs_output_ == 1 && result_feature_ == 1;
  }
  // Calls f(first, last, scratch) for ranges of [0, size), by whoever helps.
  void divide(index_t size, function_reference<void(index_t, index_t, void*)> f) const {
    if (!is_divided_) return f(0, size, own_scratch_);
    helpers_.for_each_range(size, 1,
                            [&](index_t first, index_t last) { f(first, last, helpers_.memory(scratch_bytes_)); });
  }
  // In how many parts each of so many pieces of work is worth dividing.
  index_t parts_of_each(index_t pieces) const {
    return is_divided_ ? (index_t(helpers_.count()) * 4 + pieces - 1) / pieces : 1;
  }

  constexpr bool has_neighbouring_pixels() const {
    index_t stride = 1;
    for (int d = spatial_ - 1; d >= 0; --d) {
      if (pixels_.at[d] != 1 && result_spatial_.at[d] != stride) return false;
      stride *= pixels_.at[d];
    }
    return true;
  }
  constexpr index_t pixel_count() const { return pixels_.product(); }

  ints pixel(index_t number) const { return pixel(number, pixels_); }
  static ints pixel(index_t number, const ints& pixels) {
    ints index = pixels;
    for (int d = pixels.size - 1; d >= 0; --d) {
      index.at[d] = number % pixels.at[d];
      number /= pixels.at[d];
    }
    return index;
  }

  // Pixels that lie alike among the holes of a dilated base: first + k * step, for 0 <= k < pixels, have elements under
  // the places first_place + j * place_step, for 0 <= j < window, and holes under all others.
  struct phase {
    ints first, step, pixels, first_place, place_step, window;

    ints pixel_at(const ints& k) const { return at(first, step, k); }
    ints place_at(const ints& j) const { return at(first_place, place_step, j); }

   private:
    static ints at(const ints& first, const ints& step, ints index) {
      for (int d = 0; d < index.size; ++d) index.at[d] = first.at[d] + step.at[d] * index.at[d];
      return index;
    }
  };
  // Calls f(phase) for all of them: one, unless the base is dilated.
  template <class Function>
  void for_each_phase(Function f) const {
    ints periods, some, index;
    for (int d = 0; d < spatial_; ++d) {
      periods.push(axes_[d].base_dilation / std::gcd(axes_[d].stride, axes_[d].base_dilation));
      some.push(periods.at[d] < pixels_.at[d] ? periods.at[d] : pixels_.at[d]);
      index.push(0);
    }
    do {
      phase each;
      for (int d = 0; d < spatial_; ++d) {
        const ops::window_axis& axis = axes_[d];
        const index_t first = index.at[d], period = periods.at[d];
        const index_t step = axis.base_dilation / std::gcd(axis.window_dilation, axis.base_dilation);
        index_t place = 0;
        const auto is_hole = [&] {
          return wrap::subtract(first * axis.stride + place * axis.window_dilation, axis.low) % axis.base_dilation != 0;
        };
        const index_t most = step < window_.at[d] ? step : window_.at[d];
        while (place < most && is_hole()) ++place;
        const bool has_places = place < most;
        each.first.push(first);
        each.step.push(period);
        each.pixels.push((pixels_.at[d] - first - 1) / period + 1);
        each.first_place.push(place);
        each.place_step.push(step);
        each.window.push(has_places ? (window_.at[d] - place + step - 1) / step : 0);
      }
      f(each);
    } while (advance(some, index));
  }
  // The distance between elements of neighbouring pixels of all images; `nothing` if it depends on the pixel.
  index_t rows_of(const ints& strides, index_t of_image, bool is_base) const {
    index_t row = nothing, below = 1;
    for (int d = spatial_ - 1; d >= -1; --d) {
      const index_t size = d < 0 ? batch_ : pixels_.at[d];
      if (size == 1) continue;
      const index_t step = d < 0 ? of_image : strides.at[d] * (is_base ? axes_[d].stride : 1);
      if (row == nothing) row = step;
      if (step != row * below) return nothing;
      below *= size;
    }
    return row == nothing ? 1 : row;
  }
  // Whether it multiplies one matrix by another as they lie.
  bool is_product() const {
    if (window_.product() != 1) return false;
    for (int d = 0; d < spatial_; ++d)
      if (axes_[d].low != 0 || axes_[d].base_dilation != 1 || (pixels_.at[d] - 1) * axes_[d].stride >= axes_[d].size)
        return false;
    return rows_of(lhs_spatial_, lhs_batch_, true) != nothing &&
           rows_of(result_spatial_, result_batch_, false) != nothing;
  }
  // Of the weight that meets this place.
  index_t weight_offset(const ints& place, int dimensions) const {
    index_t offset = 0;
    for (int d = 0; d < dimensions; ++d)
      offset += (reversed_[d] ? window_.at[d] - 1 - place.at[d] : place.at[d]) * rhs_spatial_.at[d];
    return offset;
  }
  // Of the element under this place in the first `dimensions` dimensions; `nothing` over padding and holes.
  index_t pixel_offset(const ints& index, const ints& place, int dimensions) const {
    index_t offset = 0;
    for (int d = 0; d < dimensions; ++d) {
      const index_t at = axes_[d].position(index.at[d], place.at[d]);
      if (at < 0) return nothing;
      offset += at * lhs_spatial_.at[d];
    }
    return offset;
  }

  int spatial_ = 0;
  ops::window_axis axes_[max_rank];
  bool reversed_[max_rank]{};
  ints window_, pixels_;                             // sizes
  ints lhs_spatial_, rhs_spatial_, result_spatial_;  // strides
  index_t lhs_batch_, lhs_feature_, rhs_input_, rhs_output_, result_batch_, result_feature_;
  index_t batch_, features_, outputs_, groups_;  // images, inputs and outputs of a group; groups
  index_t lhs_group_;
  index_t depth_;  // products in a sum
  bool is_empty_, sums_are_empty_;
  index_t scratch_bytes_;

 private:
  void* own_scratch_;
  workers helpers_;
  bool is_large_, is_divided_;
};

}  // namespace tenon::kernels
