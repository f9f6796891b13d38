// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

// How much of a factor a matrix product copies at a time. The same on every target, since ops ask for the memory.
namespace tenon::ops::packing {

// No target uses more of a vector than this.
inline constexpr index_t vector_bytes = 64;
// A panel is as wide as two vectors.
inline constexpr index_t panel_bytes = 2 * vector_bytes;
// The depth of a block: one panel of it stays in the first cache.
inline constexpr index_t block_depth = 192;
// The width of a block: all of its panels stay in the second cache.
inline constexpr index_t block_bytes = 8 * panel_bytes;

// For a copy of one block of a k x n matrix.
constexpr index_t block_of(index_t n, index_t k, index_t element_bytes) {
  const index_t per_panel = panel_bytes / element_bytes, block_columns = block_bytes / element_bytes;
  const index_t columns = n < block_columns ? n : block_columns, depth = k < block_depth ? k : block_depth;
  return (columns + per_panel - 1) / per_panel * panel_bytes * depth;
}

// Planes of a block of a convolution, which stay in the first cache, and what tiles may read behind the last one.
inline constexpr index_t block_planes = 32768, planes_tail = 8 * vector_bytes;

// The bytes that the product of an m x k and a k x n matrix needs, and every product of parts of them.
constexpr index_t product(index_t m, index_t n, index_t k, index_t element_bytes) {
  const index_t of_b = block_of(n, k, element_bytes), of_a = n == 1 ? block_of(m, k, element_bytes) : 0;
  return of_a > of_b ? of_a : of_b;
}

// The most rows of a tile on any target.
inline constexpr index_t most_rows = 8;

// The bytes that a product of elements narrower than its lanes needs besides: rows of the first factor in lanes,
constexpr index_t widened_rows(index_t k, index_t lane_bytes) {
  return most_rows * (k < block_depth ? k : block_depth) * lane_bytes;
}
// and, if the result's elements are narrow as well, a block of it in lanes.
inline constexpr index_t result_rows = 64;
constexpr index_t result_block(index_t m, index_t n, index_t lane_bytes) {
  const index_t block_columns = block_bytes / lane_bytes;
  return (m < result_rows ? m : result_rows) * (n < block_columns ? n : block_columns) * lane_bytes;
}

// So many tiles of rows meet the panels of a block together: they stay in the second cache beside them.
inline constexpr index_t tiles_together = 8;

// Scratch of a convolution with sums of `depth` products: a block of one factor, rows of the other, a row of zeros.
constexpr index_t convolution(index_t outputs, index_t depth, index_t element_bytes) {
  const index_t deep = depth < block_depth ? depth : block_depth;
  return block_of(outputs, depth, element_bytes) + deep * (tiles_together * most_rows + 1) * element_bytes;
}

}  // namespace tenon::ops::packing
