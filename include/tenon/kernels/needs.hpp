// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/ints.hpp>

#include <cstdint>

namespace tenon::kernels {

// The branches of a kernel that a program takes: a constant that follows from its plan, and an argument of the kernel,
// which has no code for the others. Programs that are read take all. Branches are named by enums of the kernels.
struct needs {
  std::uint64_t bits = 0;

  static constexpr needs all() { return {~std::uint64_t(0)}; }
  constexpr bool has(auto branch, int nth = 0) const { return (bits >> (int(branch) + nth) & 1) != 0; }
  constexpr void add(auto branch, index_t nth = 0) { bits |= std::uint64_t(1) << (index_t(branch) + nth); }
  constexpr void add(needs others) { bits |= others.bits; }
  // Sizes of elements, in bytes: the sum of all.
  constexpr unsigned sizes(auto branch) const { return unsigned(bits >> int(branch)) & 31; }
  constexpr void add_size(auto branch, index_t bytes) { bits |= std::uint64_t(bytes) << int(branch); }
};

// Of products and convolutions, with tiles of each height.
enum class product_branch {
  tile_of_a_vector,
  tile_of_two_vectors = 8,
  tile_of_a_row = 16,
  short_rows,
  rows,
  transposed,
  as_it_lies,
  packed,
  depthwise,
  by_images,
  by_outputs,
  by_pixels,
  otherwise
};

// Where a branch begins. One that has no code is never reached, or the needs were not all found.
template <needs Needs, auto Branch>
[[gnu::always_inline]] inline void begin_branch() {
#ifdef NDEBUG
  if constexpr (!Needs.has(Branch)) __builtin_unreachable();
#else
  if constexpr (!Needs.has(Branch))
    fail("a kernel has no code for this branch: ", std::string_view(__PRETTY_FUNCTION__));
#endif
}

}  // namespace tenon::kernels
