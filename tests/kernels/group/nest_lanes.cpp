// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/nest_lanes.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;

namespace {

template <ints Sizes, ints Strides>
struct group {
  static constexpr loop_nest program = [] {
    loop_nest nest;
    nest.sizes = Sizes;
    nest.input_count = 2;
    nest.inputs[0].strides = Strides;
    nest.inputs[1].strides = strides_of(Sizes);
    return nest;
  }();
};

// Where the rows of a nest of these sizes begin in an input of these strides, walked from one of them on.
template <ints Sizes, ints Strides>
bool walks(index_t from) {
  constexpr index_t row_size = group<Sizes, Strides>::program.row();
  row_walk<group<Sizes, Strides>> walk(from);
  for (index_t row = from; row < Sizes.product() / row_size; ++row, walk.step()) {
    index_t expected = 0, rest = row;
    for (int d = Sizes.size - 2; d >= 0; --d) {
      expected += rest % Sizes[d] * Strides[d];
      rest /= Sizes[d];
    }
    if (walk.offsets[0] != expected || walk.offsets[1] != row * row_size) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("rows are walked from any of them on") {
  for (index_t from = 0; from < 6; ++from) {
    CHECK(walks<ints{2, 3, 4}, ints{1, 50, 0}>(from));
    CHECK(walks<ints{2, 3, 4}, ints{-12, 0, 1}>(from));
  }
  CHECK(walks<ints{8}, ints{1}>(0));
}
