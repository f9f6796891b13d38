// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/lookup/indexed_fold.hpp>

#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// Calls use(region_scatter of floats by x * factor + y).
template <class Use>
void with_weighted(float factor, bool has_lanes_of_it, Use use) {
  const surroundings around = weighted<float>(factor, has_lanes_of_it);
  evaluation e;
  e.regions = {around.signatures.data(), int(around.signatures.size())};
  e.region_context = &around;
  if (has_lanes_of_it)
    e.find_lanes = [](const void* context, int which) {
      return static_cast<const surroundings*>(context)->lanes(which);
    };
  region_scatter region(e, 0, type_of(dtype::f32, {4}));
  use(region);
}

}  // namespace

TEST_CASE("regions that are not ready, or of other types, are not supported") {
  with_weighted(2, true, [](region_scatter& region) { CHECK(region.is_supported()); });
  with_weighted(2, false, [](region_scatter& region) { CHECK(!region.is_supported()); });
  evaluation e;
  e.regions = {&combining<dtype::f64>, 1};
  CHECK(!region_scatter(e, 0, type_of(dtype::f32, {4})).is_supported());
}

TEST_CASE("many elements at once") {
  with_weighted(3, true, [](region_scatter& region) {
    float sums[] = {1, 2, 3};
    const float values[] = {10, 20, 30};
    region.combine(sums, values, 3);
    CHECK(std::vector<float>(sums, sums + 3) == std::vector<float>{13, 26, 39});
  });
}

TEST_CASE("at positions, one after the other where they are the same, and not outside") {
  with_weighted(-1, true, [](region_scatter& region) {
    std::vector<float> to{1, 2, 3, 4}, values;
    std::vector<index_t> at;
    for (int k = 0; k < 300; ++k) values.push_back(float(k % 3)), at.push_back(k % 7 == 0 ? -1 : k % 3 == 0 ? 2 : 0);
    const scatter_positions positions{at.data(), false, 0, 3, 1};
    std::vector<float> expected = to;
    for (std::size_t k = 0; k < 300; ++k)
      if (at[k] >= 0) {
        float& sum = expected[std::size_t(at[k])];
        sum = values[k] - sum;
      }
    region.combine_at(to.data(), positions, values.data(), 1, 300, 1);
    CHECK(to == expected);
    // Of two elements each, the first of which follow each other.
    for (std::size_t k = 0; k + 1 < 300; ++k)
      for (std::size_t r = 0; r < 2 && at[k] >= 0; ++r) {
        float& sum = expected[std::size_t(at[k]) + r];
        sum = values[k + r] - sum;
      }
    region.combine_at(to.data(), positions, values.data(), 1, 299, 2);
    CHECK(to == expected);
  });
}
