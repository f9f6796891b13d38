// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/workers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace tenon;

namespace {

// Does the parts from the last to the first.
struct backwards {
  int count;
  std::vector<std::byte> room{};
  std::vector<int> asked{};

  int worker_count() const { return count; }
  void for_each(int parts, const divided_work& work) {
    asked.push_back(parts);
    for (int part = parts; part-- > 0;) work.run(work.self, part);
  }
  void* memory(index_t bytes) {
    room.resize(std::size_t(bytes));
    return room.data();
  }
};

struct range {
  index_t first, last;
};

// The ranges are behind each other, begin at multiples of `step`, and leave nothing out.
void check_ranges(std::vector<range> ranges, index_t size, index_t step, bool reversed) {
  index_t at = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const range& each = ranges[reversed ? ranges.size() - 1 - i : i];
    CHECK(each.first == at);
    CHECK(each.first % step == 0);
    CHECK(each.last > each.first);
    at = each.last;
  }
  CHECK(at == size);
}

}  // namespace

TEST_CASE("without an executor work is done in order, as a whole") {
  const workers nobody;
  CHECK(nobody.count() == 1);
  std::vector<int> parts;
  nobody.for_each(4, [&](int part) { parts.push_back(part); });
  CHECK(parts == std::vector<int>{0, 1, 2, 3});
  std::vector<range> ranges;
  nobody.for_each_range(1000, 8, [&](index_t first, index_t last) { ranges.push_back({first, last}); });
  CHECK(ranges.size() == 1);
  check_ranges(ranges, 1000, 8, false);
  nobody.for_each_range(0, 8, [&](index_t, index_t) { FAIL("there is no work"); });
}

TEST_CASE("an executor does all parts, and gives memory") {
  backwards executor{3};
  const workers some(executor);
  CHECK(some.count() == 3);
  std::vector<int> parts;
  some.for_each(4, [&](int part) { parts.push_back(part); });
  CHECK(parts == std::vector<int>{3, 2, 1, 0});
  CHECK(executor.asked == std::vector<int>{4});
  const void* const memory = some.memory(100);
  CHECK(executor.room.size() == 100);
  CHECK(memory == executor.room.data());
}

TEST_CASE("ranges are a few for every worker, of about the same size") {
  backwards executor{3};
  const workers some(executor);
  for (const index_t size : {1, 7, 8, 9, 96, 97, 1000, 1003})
    for (const index_t step : {1, 8, 64}) {
      std::vector<range> ranges;
      some.for_each_range(size, step, [&](index_t first, index_t last) { ranges.push_back({first, last}); });
      CAPTURE(size);
      CAPTURE(step);
      CHECK(ranges.size() <= 12);
      check_ranges(ranges, size, step, true);
      index_t least = size, most = 0;
      for (const range& each : ranges) {
        const index_t steps = (each.last - each.first + step - 1) / step;
        least = least < steps ? least : steps, most = most > steps ? most : steps;
      }
      CHECK(most - least <= 1);
    }
}
