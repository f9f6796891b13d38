// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/window_fold.hpp>

#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/maximum.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;

namespace {

// Window by window, place by place.
template <class Body, class T>
std::vector<T> one_by_one(const ops::window_attributes& window, const ints& shape, const std::vector<T>& from,
                          T initial) {
  const ints strides = strides_of(shape);
  std::vector<T> result;
  for_each_index(window.count(shape), [&](const ints& index) {
    T total = initial;
    for_each_index(window.dimensions, [&](const ints& place) {
      index_t offset = 0;
      for (int i = 0; i < shape.size && offset >= 0; ++i) {
        const index_t at = window.axis(shape, i).position(index[i], place[i]);
        offset = at < 0 ? -1 : offset + at * strides[i];
      }
      total = combine_elements<Body, T>(total, offset < 0 ? initial : from[std::size_t(offset)]);
    });
    result.push_back(total);
  });
  return result;
}

template <class Body, class T>
void check(const ints& shape, const ops::window_attributes& window, f32 initial) {
  std::vector<T> from;
  for (index_t i = 0; i < shape.product(); ++i) from.push_back(convert_to<T>(f32(i * i % 37) * 0.75f - 9));
  const std::vector<T> wanted = one_by_one<Body, T>(window, shape, from, convert_to<T>(initial));
  std::vector<T> found(wanted.size() + 1);
  window_fold<Body, T>(window, shape, window.count(shape), from.data(), convert_to<T>(initial)).run(found.data());
  CHECK((wanted.empty() || std::memcmp(found.data(), wanted.data(), wanted.size() * sizeof(T)) == 0));
}

template <class T>
void check_shapes() {
  const auto both = [](const ints& shape, const ops::window_attributes& window) {
    check<ops::add, T>(shape, window, 0.5f);
    check<ops::maximum, T>(shape, window, -3);
  };
  const ints_table none{};
  both({1, 9, 11, 37}, {{1, 2, 2, 1}, {1, 2, 2, 1}, {}, {}, none});
  both({1, 9, 11, 3}, {{1, 3, 3, 1}, {1, 1, 1, 1}, {}, {}, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}});
  both({3, 9, 70}, {{1, 3, 3}, {1, 1, 1}, {}, {}, {{0, 0}, {1, 1}, {1, 1}}});
  both({3, 9, 70}, {{1, 3, 3}, {1, 2, 2}, {}, {}, {{0, 0}, {0, 1}, {2, 1}}});
  both({100}, {{8}, {1}, {}, {}, none});
  both({100}, {{100}, {1}, {}, {}, {{99, 0}}});
  both({40, 3}, {{5, 1}, {3, 1}, {2, 1}, {2, 1}, {{-2, 3}, {0, 0}}});
  both({40, 33}, {{2, 4}, {1, 1}, {1, 2}, {1, 3}, {{0, 0}, {-1, 2}}});
  both({3, 200}, {{1, 2}, {1, 2}, {}, {}, none});
  both({3, 131}, {{2, 3}, {1, 2}, {1, 1}, {1, 2}, {{0, 0}, {3, 2}}});
  both({7, 8, 130}, {{3, 3, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {{1, 1}, {2, 1}, {0, 0}}});
  both({7, 8, 67}, {{2, 2, 1}, {2, 3, 1}, {1, 2, 1}, {1, 1, 1}, {{-1, 1}, {1, 1}, {0, 0}}});
  both({300, 17}, {{70, 1}, {1, 1}, {}, {}, none});
  both({12, 12}, {{9, 9}, {1, 1}, {}, {}, none});
  both({5, 1}, {{2, 1}, {1, 1}, {}, {}, none});
  both({5, 6}, {{1, 1}, {1, 1}, {}, {}, none});
  both({5, 6}, {{6, 1}, {1, 1}, {}, {}, none});
  both({}, {{}, {}, {}, {}, none});
  both({4, 6}, {{1, 2}, {1, 1}, {}, {}, {{0, 0}, {-3, -3}}});
}

}  // namespace

TEST_CASE("windows of every kind, as one by one") {
  check_shapes<f32>();
  check_shapes<f64>();
  check_shapes<i8>();
  check_shapes<i32>();
  check_shapes<bf16>();
  check_shapes<f16>();
}
