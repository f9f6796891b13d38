// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders/reduction.hpp>

// Maps of products and convolutions.
namespace tenon::indexing {

namespace detail {

template <class Map>
constexpr Map dot_general_operand_map(const ints& result, const ints& operand, const ints& batching_dimensions,
                                      const ints& contracting_dimensions, int first_free) {
  Map map = map_over<Map>(result);
  expression<Map> index[max_rank]{};
  for (const std::int64_t axis : contracting_dimensions)
    if (0 <= axis && axis < operand.size) index[axis] = map.add_range({0, operand[axis] - 1});
  for (int i = 0; i < operand.size; ++i) {
    const int batch = batching_dimensions.find(i);
    if (contracting_dimensions.contains(i))
      map.add_result(index[i]);
    else
      map.add_result(map.dimension(batch >= 0 ? batch : first_free++));
  }
  return map;
}

template <class Map>
constexpr Map dot_general_operand_output_map(const ints& result, const ints& operand, const ints& batching_dimensions,
                                             const ints& contracting_dimensions, int first_free) {
  Map map = map_over<Map>(operand);
  int free = 0;
  for (int i = 0; i < result.size; ++i) {
    if (i < batching_dimensions.size) {
      map.add_result(map.dimension(batching_dimensions[i]));
    } else if (i < first_free ||
               i >= first_free + operand.size - batching_dimensions.size - contracting_dimensions.size) {
      map.add_result(map.add_range({0, result[i] - 1}));
    } else {
      while (batching_dimensions.contains(free) || contracting_dimensions.contains(free)) ++free;
      map.add_result(map.dimension(free++));
    }
  }
  return map;
}

}  // namespace detail

// The result has the batching dimensions, then the free ones of lhs, then the free ones of rhs; contracting dimensions
// run freely, in the order in which they are listed.
// @post the elements of lhs, or of rhs, whose products make up the element of the result: at equal symbols, one pair
template <class Map = indexing_map>
constexpr Map dot_general_lhs_map(const ints& result, const ints& lhs, const ints& lhs_batching_dimensions,
                                  const ints& lhs_contracting_dimensions) {
  return detail::dot_general_operand_map<Map>(result, lhs, lhs_batching_dimensions, lhs_contracting_dimensions,
                                              lhs_batching_dimensions.size);
}
// @post as above, for rhs
template <class Map = indexing_map>
constexpr Map dot_general_rhs_map(const ints& result, const ints& rhs, const ints& rhs_batching_dimensions,
                                  const ints& rhs_contracting_dimensions) {
  const int free = rhs.size - rhs_batching_dimensions.size - rhs_contracting_dimensions.size;
  return detail::dot_general_operand_map<Map>(result, rhs, rhs_batching_dimensions, rhs_contracting_dimensions,
                                              result.size - free);
}
// @post the elements of the result that an element of lhs takes part in: the inverse of dot_general_lhs_map
template <class Map = indexing_map>
constexpr Map dot_general_lhs_output_map(const ints& result, const ints& lhs, const ints& lhs_batching_dimensions,
                                         const ints& lhs_contracting_dimensions) {
  return detail::dot_general_operand_output_map<Map>(result, lhs, lhs_batching_dimensions, lhs_contracting_dimensions,
                                                     lhs_batching_dimensions.size);
}
// @post the inverse of dot_general_rhs_map
template <class Map = indexing_map>
constexpr Map dot_general_rhs_output_map(const ints& result, const ints& rhs, const ints& rhs_batching_dimensions,
                                         const ints& rhs_contracting_dimensions) {
  const int free = rhs.size - rhs_batching_dimensions.size - rhs_contracting_dimensions.size;
  return detail::dot_general_operand_output_map<Map>(result, rhs, rhs_batching_dimensions, rhs_contracting_dimensions,
                                                     result.size - free);
}

// Attributes of a convolution that say which elements meet.
struct convolution_numbers {
  ints window_strides{};
  ints padding_low{};
  ints lhs_dilation{};
  ints rhs_dilation{};
  ints reversed_windows{};  // 1 where the window is reversed
  std::int64_t input_batch_dimension = 0;
  std::int64_t input_feature_dimension = 0;
  ints input_spatial_dimensions{};
  std::int64_t kernel_input_feature_dimension = 0;
  std::int64_t kernel_output_feature_dimension = 0;
  ints kernel_spatial_dimensions{};
  std::int64_t output_batch_dimension = 0;
  std::int64_t output_feature_dimension = 0;
  ints output_spatial_dimensions{};
  std::int64_t feature_group_count = 1;
  std::int64_t batch_group_count = 1;
  bool padding_at_run_time = false;  // one runtime variable for each spatial dimension stands for padding_low
};

// Range variables: the place in the window along each spatial dimension, then the input feature within its group; those
// with one value are left out.
// @post the elements of lhs whose products with those of convolution_rhs_map make up the element of the result: at
// equal
//       symbols, one pair; places over padding and holes are not in the domain
template <class Map = indexing_map>
constexpr Map convolution_lhs_map(const ints& result, const ints& lhs, const ints& rhs,
                                  const convolution_numbers& numbers) {
  Map map = map_over<Map>(result);
  const int spatial = numbers.input_spatial_dimensions.size;
  for (int i = 0; numbers.padding_at_run_time && i < spatial; ++i)
    map.add_runtime({saturating_negate(INT32_MAX), INT32_MAX});
  expression<Map> place[max_rank]{};
  for (int i = 0; i < spatial; ++i) {
    const std::int64_t size = rhs[numbers.kernel_spatial_dimensions[i]];
    place[i] = size == 1 ? map.constant(0) : map.add_range({0, size - 1});
  }
  const std::int64_t group_features = rhs[numbers.kernel_input_feature_dimension];
  const expression<Map> feature = group_features == 1 ? map.constant(0) : map.add_range({0, group_features - 1});
  const std::int64_t output_features = rhs[numbers.kernel_output_feature_dimension];
  const expression<Map> output_feature = map.dimension(numbers.output_feature_dimension);
  for (int i = 0; i < lhs.size; ++i) {
    if (i == numbers.input_batch_dimension) {
      expression<Map> batch = map.dimension(numbers.output_batch_dimension);
      if (numbers.batch_group_count > 1)
        batch = batch + floordiv(output_feature, output_features / numbers.batch_group_count) *
                            (lhs[i] / numbers.batch_group_count);
      map.add_result(batch);
    } else if (i == numbers.input_feature_dimension) {
      expression<Map> index = feature;
      if (numbers.feature_group_count > 1)
        index = floordiv(output_feature, output_features / numbers.feature_group_count) * group_features + index;
      map.add_result(index);
    } else {
      const int axis = numbers.input_spatial_dimensions.find(i);
      expression<Map> outer = map.dimension(numbers.output_spatial_dimensions[axis]) * numbers.window_strides[axis];
      if (numbers.padding_at_run_time) outer = outer - map.runtime(axis);
      detail::add_window_result(map, outer + place[axis < 0 ? 0 : axis] * numbers.rhs_dilation[axis],
                                numbers.padding_low[axis], numbers.lhs_dilation[axis], lhs[i]);
    }
  }
  return map;
}

// The same range variables.
// @post as above, for rhs
template <class Map = indexing_map>
constexpr Map convolution_rhs_map(const ints& result, const ints& rhs, const convolution_numbers& numbers) {
  Map map = map_over<Map>(result);
  expression<Map> index[max_rank]{};
  for (int i = 0; i < numbers.kernel_spatial_dimensions.size; ++i) {
    const std::int64_t axis = numbers.kernel_spatial_dimensions[i];
    const std::int64_t size = rhs[axis];
    const expression<Map> place = size == 1 ? map.constant(0) : map.add_range({0, size - 1});
    index[axis % max_rank] = numbers.reversed_windows[i] != 0 ? -place + (size - 1) : place;
  }
  const std::int64_t group_features = rhs[numbers.kernel_input_feature_dimension];
  index[numbers.kernel_input_feature_dimension % max_rank] =
      group_features == 1 ? map.constant(0) : map.add_range({0, group_features - 1});
  index[numbers.kernel_output_feature_dimension % max_rank] = map.dimension(numbers.output_feature_dimension);
  for (int i = 0; i < rhs.size; ++i) map.add_result(index[i]);
  return map;
}

}  // namespace tenon::indexing
