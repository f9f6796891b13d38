// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstddef>

// Where one way of doing something becomes faster than another, for more than one loop or for the machine as a whole.
// Thresholds that several loops share; those of one loop are in its header. bench/run.sh NAME measures each.
namespace tenon::kernels::tuning {

// The part of the first cache that one operand may fill: larger ones are folded in the order of memory
// (ops_reduction).
inline constexpr index_t first_cache_bytes = 32768;
// Results larger than a core's share of the last cache are written past all caches (elementwise).
inline constexpr index_t last_cache_bytes = index_t(8) * 1024 * 1024;

// Work that is smaller is done by the thread that asks for it: elements of a group or a fold, multiplications of a
// product, and of a convolution, whose parts are longer (elementwise, ops_reduction, contraction; with threads).
inline constexpr index_t least_shared_elements = 32768;
inline constexpr index_t least_shared_multiplications = 1 << 20;
inline constexpr index_t least_shared_convolution = 1 << 19;
// Elements of a group that a thread takes together.
inline constexpr index_t shared_elements = 4096;

// Results of a fold along other axes than the innermost one that are worked on together (ops_reduction).
inline constexpr index_t results_together = 2048;
// Folds by a region: fewer results than these are not worked on side by side, but rows that are at least so long in
// parts; rows of windows that are at least so long by themselves (ops_bodies).
inline constexpr index_t least_side_by_side = 32, least_row_in_parts = 1024;

// The number of keys of a size in bytes from which radix sort is worth its tables (ops_reduction).
constexpr index_t least_sorted_by_digits(std::size_t key_bytes) { return key_bytes <= 4 ? 64 : 128; }

}  // namespace tenon::kernels::tuning
