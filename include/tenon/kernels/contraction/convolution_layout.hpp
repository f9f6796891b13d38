// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/ops/contraction/convolution.hpp>

namespace tenon {

// Where images, weights and results of a convolution lie, and who divides the work.
class convolution_layout {
 protected:
  convolution_layout(const ops::convolution& op, const evaluation& e) : own_scratch_(e.scratch) {
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
    is_divided_ = helpers_.count() > 1 && result.product() * depth_ >= least_shared_products;
    scratch_bytes_ = packing::convolution(depth_, storage_bytes(e.result_types.data[0].element));
    is_empty_ = result.product() == 0;
    sums_are_empty_ = lhs.product() == 0 || rhs.product() == 0;
  }

  // Fewer multiplications are not worth dividing.
  static constexpr index_t least_shared_products = 1 << 19;
  static constexpr index_t nothing = INT64_MIN;

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

  bool has_neighbouring_pixels() const {
    index_t stride = 1;
    for (int d = spatial_ - 1; d >= 0; --d) {
      if (pixels_.at[d] != 1 && result_spatial_.at[d] != stride) return false;
      stride *= pixels_.at[d];
    }
    return true;
  }
  index_t pixel_count() const { return pixels_.product(); }

  ints pixel(index_t number) const {
    ints index = pixels_;
    for (int d = spatial_ - 1; d >= 0; --d) {
      index.at[d] = number % pixels_.at[d];
      number /= pixels_.at[d];
    }
    return index;
  }
  // Of the weight that meets this place.
  index_t weight_offset(const ints& place, int dimensions) const {
    index_t offset = 0;
    for (int d = 0; d < dimensions; ++d)
      offset += (reversed_[d] ? window_.at[d] - 1 - place.at[d] : place.at[d]) * rhs_spatial_.at[d];
    return offset;
  }
  // Of the element under this place in the first `dimensions` dimensions, below 0 where strides are; `nothing` over
  // padding and holes.
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
  window_axis axes_[max_rank];
  bool reversed_[max_rank]{};
  ints window_, pixels_;                             // sizes
  ints lhs_spatial_, rhs_spatial_, result_spatial_;  // strides
  index_t lhs_batch_, lhs_feature_, rhs_input_, rhs_output_, result_batch_, result_feature_;
  index_t batch_, features_, outputs_, groups_;  // images, inputs and outputs of a group; groups
  index_t lhs_group_;
  index_t depth_;  // products in a sum
  bool is_empty_, sums_are_empty_;

 private:
  void* own_scratch_;
  workers helpers_;
  bool is_divided_;
  index_t scratch_bytes_;
};

}  // namespace tenon
