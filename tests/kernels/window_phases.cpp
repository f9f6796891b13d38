// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/window_phases.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;

namespace {

// Whether every place under every window finds its element, or the initial value, and every window is in one part.
template <class T>
bool finds_all(const ints& shape, const window_attributes& window, index_t most, index_t most_together) {
  const ints result = window.count(shape), strides = strides_of(shape);
  const T initial = 99;
  std::vector<T> operand, wanted;
  for (index_t i = 0; i < shape.product(); ++i) operand.push_back(T(i % 97));
  for_each_index(window.dimensions, [&](const ints& place) {
    for_each_index(result, [&](const ints& index) {
      index_t offset = 0;
      for (int i = 0; i < shape.size && offset >= 0; ++i) {
        const index_t at = window.axis(shape, i).position(index[i], place[i]);
        offset = at < 0 ? -1 : offset + at * strides[i];
      }
      wanted.push_back(offset < 0 ? initial : operand[std::size_t(offset)]);
    });
  });
  const window_phases phases(window, shape, result, most, most_together);
  if (!phases.fits()) return false;
  std::vector<T> found(wanted.size(), T(98));
  std::vector<T> memory;
  memory.resize(std::size_t(most));
  bool fits = true;
  phases.for_each_part([&](const window_phases::part& part, index_t first) {
    phases.lay_out(part, operand.data(), initial, memory.data());
    fits = fits && phases.together(part) <= most_together;
    index_t number = 0;
    phases.for_each_place([&](index_t offset) {
      fits = fits && offset + phases.together(part) <= most;
      for (index_t r = 0; r < part.rows && fits; ++r)
        for (index_t c = 0; c < part.columns; ++c)
          found[std::size_t(number * result.product() + first + r * phases.row() + c)] =
              memory[std::size_t(offset + r * phases.length() + c)];
      ++number;
    });
  });
  return fits && found == wanted;
}

template <class T>
void check() {
  const auto finds = [](const ints& shape, const window_attributes& window) {
    CHECK(finds_all<T>(shape, window, 3072, 1024));
    CHECK(finds_all<T>(shape, window, 900, 200));
  };
  finds({4, 8, 34}, {{1, 2, 2}, {1, 2, 2}, {}, {}, {}});
  finds({9, 21}, {{3, 3}, {2, 2}, {}, {}, {{1, 1}, {1, 1}}});
  finds({9, 22}, {{3, 3}, {2, 2}, {}, {}, {{0, 1}, {0, 1}}});
  finds({9, 21}, {{3, 3}, {}, {}, {}, {{1, 1}, {1, 1}}});
  finds({9, 21}, {{2, 4}, {3, 2}, {2, 3}, {1, 3}, {{-1, 2}, {4, -2}}});
  finds({9, 21}, {{2, 3}, {2, 4}, {}, {3, 2}, {{5, 5}, {7, 9}}});
  finds({40}, {{5}, {2}, {}, {3}, {{4, 9}}});
  finds({4, 5, 6}, {{2, 2, 2}, {2, 2, 2}, {}, {}, {{1, 0}, {0, 1}, {1, 1}}});
  finds({3, 500}, {{2, 2}, {2, 2}, {}, {}, {{1, 0}, {1, 1}}});
}

}  // namespace

TEST_CASE("what lies under windows, laid out place by place") {
  check<std::uint8_t>(), check<std::uint16_t>(), check<std::uint32_t>(), check<std::uint64_t>();
}

TEST_CASE("windows that are too far apart, or too large, are left alone") {
  const auto fits = [](const ints& shape, const window_attributes& window, index_t most) {
    return window_phases(window, shape, window.count(shape), most, 1024).fits();
  };
  CHECK(fits({40, 40}, {{2, 2}, {8, 8}, {}, {}, {}}, 3072));
  CHECK(!fits({40, 40}, {{2, 2}, {8, 9}, {}, {}, {}}, 3072));
  CHECK(!fits({40, 40}, {{2, 2}, {}, {}, {}, {}}, 60));
  CHECK(!fits({100, 100, 40}, {{65, 1, 2}, {}, {}, {}, {}}, 3072));
  CHECK(!fits({40, 5000}, {{2, 4900}, {}, {}, {}, {}}, 3072));
}
