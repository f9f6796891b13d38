// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/region/turns.hpp>

#include <tenon/ops/chlo/scan.hpp>

#include "kernels/alike.hpp"
#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// Adds the slice to the carry, and gives the sum twice; as a function of slices, too.
surroundings running_sum(index_t size) {
  surroundings around{[size](int, const void* const* arguments, void* const* results) {
                        for (index_t i = 0; i < size; ++i) {
                          const i32 sum =
                              static_cast<const i32*>(arguments[0])[i] + static_cast<const i32*>(arguments[1])[i];
                          static_cast<i32*>(results[0])[i] = static_cast<i32*>(results[1])[i] = sum;
                        }
                      },
                      {}};
  const auto lanes = std::make_shared<written_lanes>(std::initializer_list<dtype>{dtype::i32, dtype::i32}, size);
  const int sum = lanes->apply<ops::add, i32>({~0, ~1});
  lanes->give({sum, sum});
  around.lanes = every_region(lanes);
  return around;
}

}  // namespace

TEST_CASE("turns of a region that is ready are those of the op, along each dimension, from either end") {
  const ints shape{3, 4, 5};
  for (const index_t dimension : {0, 1, 2})
    for (const bool is_reverse : {false, true}) {
      const ops::scan op{.dimension = dimension,
                         .is_reverse = is_reverse,
                         .operand_segment_sizes = {1, 1},
                         .result_segment_sizes = {1, 1}};
      const ints slice = shape.without({dimension});
      evaluate_alike<void>(&scan_kernel<ops::scan>, op, {counting<i32>(shape), counting<i32>(slice)},
                           {type_of(dtype::i32, shape), type_of(dtype::i32, slice)}, running_sum(slice.product()));
    }
}
