// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/scatter_positions.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;

TEST_CASE("positions of indices of either width, inside and outside") {
  const std::int32_t narrow[] = {0, 2, 3, -1, INT32_MAX, INT32_MIN};
  const index_t wide[] = {0, 2, 3, -1, INT64_MAX, INT64_MIN};
  const index_t exact[] = {100, 114, -1, -1, -1, -1}, nearest[] = {100, 114, 114, 100, 114, 100};
  for (const scatter_positions& positions : {scatter_positions{narrow, true, 100, 2, 7}, {wide, false, 100, 2, 7}})
    for (index_t i = 0; i < 6; ++i) {
      CHECK(positions.exact(i) == exact[i]);
      CHECK(positions.nearest(i) == nearest[i]);
    }
  for (const scatter_positions& positions : {scatter_positions{narrow, true, 100, 2, 7}, {wide, false, 100, 2, 7}}) {
    index_t inside = 0, found[5];
    positions.for_each_inside(6, [&](index_t i, index_t at) {
      CHECK(i == inside++);
      CHECK(at == exact[i]);
    });
    CHECK(inside == 2);
    positions.find_nearest(1, 5, found);
    for (index_t i = 0; i < 5; ++i) CHECK(found[i] == nearest[i + 1]);
  }
  const scatter_positions anywhere{wide, false, 0, INT64_MAX, 1};
  CHECK(anywhere.exact(4) == INT64_MAX);
  CHECK(anywhere.exact(5) == -1);
}
