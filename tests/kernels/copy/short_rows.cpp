// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/copy/strided.hpp>

#include <tenon/kernels/copy/strided.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using namespace tenon;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

struct walk {
  ints sizes, strides;
};

template <class Bytes>
void check(const walk& given, index_t first, index_t count) {
  index_t lowest = 0, highest = 0;
  for (int d = 0; d < given.sizes.size; ++d) {
    const index_t reach = (given.sizes[d] - 1) * given.strides[d];
    (reach < 0 ? lowest : highest) += reach;
  }
  // Exactly what the walk reaches, so that nothing else may be read.
  const std::size_t reached = std::size_t(highest - lowest + 1);
  const std::unique_ptr<Bytes[]> from(new Bytes[reached]);
  std::vector<Bytes> to(std::size_t(count) + 2);
  for (std::size_t i = 0; i < reached; ++i) from[i] = Bytes(i * 2654435761u >> 7);
  const strided_access access{given.sizes, given.strides, -lowest};
  copy_strided(to.data() + 1, from.get(), access, first, count);
  bool right = to[0] == 0 && to[std::size_t(count) + 1] == 0;
  for (index_t i = 0; i < count; ++i)
    right = right && to[std::size_t(i) + 1] == from[std::size_t(position_at(access, first + i))];
  CHECK(right);
}

}  // namespace

TEST_CASE_TEMPLATE("short rows: what a loop over the walk gives, and nothing beyond", Bytes, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  const walk walks[] = {
      {{8000, 3}, {4, 1}},             // a part of rows
      {{8000, 3}, {3, -1}},            // turned round
      {{8000, 3}, {-3, 1}},            // from the last row to the first
      {{8000, 7}, {1, 0}},             // repeated along rows
      {{4000, 7}, {0, 1}},             // repeated rows
      {{2000, 4, 4}, {16, 1, 4}},      // small matrices, transposed
      {{500, 8, 8}, {64, 1, 8}},       // larger ones
      {{40, 160, 3}, {160, 1, 6400}},  // channels put last
      {{33, 5, 40, 3}, {700, 130, 3, 1}},
      {{70, 500}, {1600, 2}},
      {{70, 500}, {1600, 3}},
      {{30000}, {4}},
      {{70, 507}, {1600, 2}},
      {{30000}, {2}},
      {{3000, 5}, {6, 1}},  // an element of each row left out
      {{3000, 7}, {8, 1}},
      {{3000, 16}, {17, 1}},
      {{2000, 32}, {32, -1}},  // rows of more than a vector
      {{128, 128, 3}, {3, 384, 1}},
      {{900, 4, 4}, {16, 1, 4}},  // small matrices, transposed
      {{900, 3, 2, 2}, {12, 4, 1, 2}},
      {{1000, 2, 3}, {-6, 3, 1}},
      {{9000, 5}, {1000, 100}},  // too far apart
  };
  for (const walk& each : walks) {
    const index_t all = each.sizes.product();
    check<Bytes>(each, 0, all);
    check<Bytes>(each, 5, all - 11);
    check<Bytes>(each, all / 3, all / 2);
  }
}

TEST_CASE_TEMPLATE("every other element, and nothing beyond", Bytes, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  for (index_t count = 0; count <= 300; ++count) {
    const std::size_t reached = count == 0 ? 0 : std::size_t(2 * count - 1);
    const std::unique_ptr<Bytes[]> from(new Bytes[reached]);
    std::vector<Bytes> to(std::size_t(count) + 1, Bytes(77));
    for (std::size_t i = 0; i < reached; ++i) from[i] = Bytes(i * 2654435761u >> 7);
    copy_every_other(to.data(), from.get(), count);
    bool right = to.back() == Bytes(77);
    for (std::size_t i = 0; i < std::size_t(count); ++i) right = right && to[i] == from[2 * i];
    CHECK(right);
  }
}

TEST_CASE("patterns are for short rows, of which there are many") {
  row_pattern<std::uint32_t> pattern;
  CHECK(pattern.prepare({{8000, 3}, {4, 1}}, 24000));
  CHECK(pattern.row() == 3);
  CHECK(pattern.prepare({{4000, 4, 4}, {16, 1, 4}}, 64000));
  CHECK(pattern.row() == 16);
  CHECK(!pattern.prepare({{8000, 17}, {20, 1}}, 8000 * 17));
  CHECK(!pattern.prepare({{8, 3}, {4, 1}}, 24));
  CHECK(!pattern.prepare({{30000}, {2}}, 30000));
}
