// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/nest_lanes.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

// Where the rows of a nest of these sizes begin in an input of these strides, walked from one of them on.
bool walks(const ints& sizes, const ints& strides, index_t from) {
  loop_nest nest;
  nest.sizes = sizes;
  nest.input_count = 2;
  nest.inputs[0].strides = strides;
  nest.inputs[1].strides = strides_of(sizes);
  row_walk<2> walk;
  walk.begin(nest, from);
  const index_t rows = nest.count() / nest.row();
  for (index_t row = from; row < rows; ++row, walk.step(nest)) {
    index_t expected = 0, rest = row;
    for (int d = sizes.size - 2; d >= 0; --d) {
      expected += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
    if (walk.offsets[0] != expected || walk.offsets[1] != row * nest.row()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("rows are walked from any of them on") {
  for (index_t from = 0; from < 6; ++from) {
    CHECK(walks({2, 3, 4}, {1, 50, 0}, from));
    CHECK(walks({2, 3, 4}, {-12, 0, 1}, from));
  }
  CHECK(walks({8}, {1}, 0));
}
