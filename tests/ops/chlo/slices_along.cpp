// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/slices_along.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tenon;

namespace {

constexpr ops::slices_along along(index_t dimension) { return {type_of(dtype::ui16, {2, 3, 2}), dimension}; }
static_assert(along(0).outer == 1 && along(0).count == 2 && along(0).inner == 12 && along(0).in_place());
static_assert(along(1).outer == 2 && along(1).count == 3 && along(1).inner == 4 && along(1).copied_bytes() == 8);
static_assert(along(2).outer == 6 && along(2).count == 2 && along(2).inner == 2 && along(2).copied_bytes() == 12);

static_assert(ops::shape_of_slices({2, 3}, 0, 7) == ints{7, 2, 3});
static_assert(ops::shape_of_slices({2, 3}, 2, 7) == ints{2, 3, 7});

}  // namespace

TEST_CASE("slices in one piece are used where they lie, others are put together and taken apart") {
  const std::uint16_t whole[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::uint16_t copy[6];
  CHECK(along(0).read(whole, 1, copy) == whole + 6);
  CHECK(along(1).read(whole, 2, copy) == copy);
  CHECK(std::vector<std::uint16_t>(copy, copy + 4) == std::vector<std::uint16_t>{4, 5, 10, 11});
  std::uint16_t to[12]{};
  CHECK(along(0).room(to, 1, copy) == to + 6);
  CHECK(along(1).room(to, 0, copy) == copy);
  along(1).write(to, 0, copy);
  CHECK(std::vector<std::uint16_t>(to, to + 12) == std::vector<std::uint16_t>{4, 5, 0, 0, 0, 0, 10, 11, 0, 0, 0, 0});
}
