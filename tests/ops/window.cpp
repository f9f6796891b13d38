// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/window.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

using namespace tenon;

static_assert(ops::window_axis{10, 3, 1}.count() == 8 && ops::window_axis{10, 3, 2}.count() == 4);
static_assert(ops::window_axis{10, 3, 1, 1, 1, 1, 1}.count() == 10);
static_assert(ops::window_axis{4, 2, 1, 3, 2}.count() == 8);           // 10 dilated elements, windows of 3
static_assert(ops::window_axis{10, 3, 1, 1, 1, -4, -4}.count() == 0);  // negative padding leaves 2
static_assert(ops::window_axis{0, 1, 1}.count() == 0 && ops::window_axis{0, 1, 1, 1, 1, 2, 0}.count() == 2);
static_assert(ops::window_axis{4, 5, 1}.count() == 0 && ops::window_axis{4, 4, 9}.count() == 1);
// Values that break rules give no windows, and nothing overflows.
static_assert(ops::window_axis{4, 2, 0}.count() == 0 && ops::window_axis{4, 2, 1, -1}.count() == 0);
static_assert(ops::window_axis{INT64_MAX, 1, 1, INT64_MAX, 1, INT64_MAX, INT64_MAX}.count() > 0);
static_assert(ops::window_axis{8, 0, 1, 1, 1, INT64_MAX, INT64_MAX}.count() == INT64_MAX);

constexpr ops::window_attributes attributes = [] {
  ops::window_attributes w;
  w.dimensions = {1, 2, 3};
  w.strides = {1, 2, 1};
  return w;
}();
static_assert(attributes.count({5, 6, 7}) == ints{5, 3, 5});
static_assert(attributes.axis({5, 6, 7}, 1).stride == 2 && attributes.axis({5, 6, 7}, 1).base_dilation == 1);

}  // namespace

// The operand written out with padding and holes: -1, or the index of the element.
TEST_CASE("positions under a window are those of the padded, dilated operand") {
  for (index_t size : {0, 1, 2, 5})
    for (index_t window : {1, 2, 3})
      for (index_t stride : {1, 2, 3})
        for (index_t base : {1, 2, 3})
          for (index_t dilation : {1, 2})
            for (index_t low : {-2, 0, 1, 3})
              for (index_t high : {-1, 0, 2}) {
                const ops::window_axis axis{size, window, stride, base, dilation, low, high};
                std::vector<index_t> line;
                for (index_t i = 0; i < low; ++i) line.push_back(-1);
                for (index_t i = 0; i < size; ++i) {
                  line.push_back(i);
                  if (i + 1 < size) line.insert(line.end(), std::size_t(base - 1), -1);
                }
                for (index_t i = 0; i < high; ++i) line.push_back(-1);
                for (index_t i = low; i < 0 && !line.empty(); ++i) line.erase(line.begin());
                for (index_t i = high; i < 0 && !line.empty(); ++i) line.pop_back();
                index_t count = 0;
                for (index_t start = 0; start + (window - 1) * dilation < index_t(line.size()); start += stride) {
                  for (index_t place = 0; place < window; ++place)
                    CHECK(axis.position(count, place) == line[std::size_t(start + place * dilation)]);
                  ++count;
                }
                CHECK(axis.count() == count);
                if (base != 1) continue;
                for (index_t place = 0; place < window; ++place)
                  for (index_t wanted : {-1, 0, 1, 4}) {
                    index_t first = 0;
                    while (first < count && first * stride + place * dilation - low < wanted) ++first;
                    CHECK(axis.first_not_below(wanted, place, 0, count) == first);
                  }
              }
}
