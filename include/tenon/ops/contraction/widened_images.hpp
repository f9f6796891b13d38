// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/own_lanes.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

#include <cstdint>

namespace tenon::ops {

// Whether convolutions of elements narrower than the lanes of their products copy them. Processors without vectors, or
// with some that read narrow integers where they lie, have little memory and sum up element by element.
inline constexpr bool widens_convolutions =
    has_own_lanes<std::uint32_t> ? !has_own_sums<std::uint32_t, std::int8_t> : !has_emulated_lanes;

// What a convolution copies to lanes where elements are narrower than these: the weights, and some images at a time
// with their sums.
struct widened_images {
  static constexpr index_t lane_bytes = 4;
  // Of images and sums, if they are several: what stays in the second cache.
  static constexpr index_t most_bytes = 512 * 1024;

  index_t together;                      // images
  index_t lhs = 0, rhs = 0, result = 0;  // elements

  // `lies_apart`: each of the images lies behind the one before it, in lhs and in the result.
  constexpr widened_images(const tensor_type& of_lhs, const tensor_type& of_rhs, const tensor_type& of_result,
                           index_t images, bool lies_apart)
      : together(images) {
    const index_t of_image = images > 0 ? (of_lhs.size() + of_result.size()) / images * lane_bytes : 0;
    if (lies_apart && of_image * images > most_bytes) together = of_image < most_bytes ? most_bytes / of_image : 1;
    const auto share = [&](index_t size) { return images > 0 ? size / images * together : 0; };
    if (!product_dimensions::fills_lanes(of_lhs.element)) lhs = share(of_lhs.size()), rhs = of_rhs.size();
    if (!product_dimensions::fills_lanes(of_result.element)) result = share(of_result.size());
  }
  constexpr index_t bytes() const { return (lhs + rhs + result) * lane_bytes; }
};

}  // namespace tenon::ops
