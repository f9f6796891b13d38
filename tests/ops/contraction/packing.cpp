// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/packing.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_CASE("a block holds all its columns, in whole panels, and stays bounded") {
  for (index_t bytes : {4, 8})
    for (index_t n : {1, 7, 32, 33, 1000, 1000000})
      for (index_t k : {1, 191, 192, 193, 1000000}) {
        const index_t block = ops::packing::block_of(n, k, bytes);
        const index_t columns = n < ops::packing::block_bytes / bytes ? n : ops::packing::block_bytes / bytes;
        const index_t depth = k < ops::packing::block_depth ? k : ops::packing::block_depth;
        CHECK(block >= columns * depth * bytes);
        CHECK(block % ops::packing::panel_bytes == 0);
        CHECK(block <= ops::packing::block_bytes * ops::packing::block_depth);
        CHECK(ops::packing::product(5, n, k, bytes) >= block);
        // A product with a vector packs the matrix on its other side.
        CHECK(ops::packing::product(n, 1, k, bytes) >= block);
      }
  CHECK(ops::packing::widened_rows(1000000, 4) == ops::packing::widened_rows(ops::packing::block_depth, 4));
  CHECK(ops::packing::widened_rows(7, 4) == ops::packing::most_rows * 28);
  CHECK(ops::packing::result_block(1000000, 1000000, 4) == ops::packing::result_rows * ops::packing::block_bytes);
  CHECK(ops::packing::result_block(3, 5, 4) == 60);
  CHECK(ops::packing::convolution(1000000, 1000000, 4) ==
        ops::packing::convolution(ops::packing::block_bytes / 4, ops::packing::block_depth, 4));
  CHECK(ops::packing::convolution(5, 7, 4) >= ops::packing::block_of(5, 7, 4) + 7 * 4);
}
