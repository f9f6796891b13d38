// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/window_rows.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::kernels;

namespace {

struct windows {
  ops::window_attributes window;
  ints shape;

  ints results() const { return window.count(shape); }
  window_rows rows() const { return {window, shape, results()}; }
};
// Of windows over a matrix.
windows over(const ints& shape, const ints& dimensions, const ints& strides, const ints& base, const ints& dilations,
             const ints& low, const ints& high) {
  windows all;
  all.window = {dimensions, strides, base, dilations, {}};
  for (int i = 0; i < shape.size; ++i) all.window.padding.push({low[i], high[i]});
  all.shape = shape;
  return all;
}

constexpr int initial = -1;

// What lies under each place of each window, element by element.
std::vector<int> expected(const windows& all, const std::vector<int>& from) {
  std::vector<int> found;
  for_each_index(all.results(), [&](const ints& index) {
    for_each_index(all.window.dimensions, [&](const ints& place) {
      ints at;
      bool inside = true;
      for (int i = 0; i < index.size; ++i) {
        const index_t position = all.window.axis(all.shape, i).position(index[i], place[i]);
        inside = inside && position >= 0;
        at.push(position);
      }
      found.push_back(inside ? from[std::size_t(offset_of(all.shape, at))] : initial);
    });
  });
  return found;
}

// The same by rows.
std::vector<int> by_rows(const windows& all, const std::vector<int>& from) {
  const window_rows rows = all.rows();
  const index_t places = rows.places(), row = rows.row(), along = rows.last().window;
  std::vector<int> found(std::size_t(all.results().product() * places), 99);
  index_t line = 0;
  for_each_index(rows.rows(), [&](const ints& index) {
    index_t outer = 0;
    for_each_index(rows.rows_of_window(), [&](const ints& place) {
      const index_t start = rows.row_under(index, place);
      for (index_t k = 0; k < along; ++k) {
        std::vector<int> under(std::size_t(row), initial);
        // In two pieces, which need not begin at the first window.
        const index_t cut = row / 3;
        if (start >= 0) {
          rows.copy_under(from.data() + start, k, 0, cut, initial, under.data());
          rows.copy_under(from.data() + start, k, cut, row - cut, initial, under.data() + cut);
        }
        for (index_t j = 0; j < row; ++j)
          found[std::size_t((line * row + j) * places + outer * along + k)] = under[std::size_t(j)];
      }
      ++outer;
    });
    ++line;
  });
  return found;
}

void check(const windows& all) {
  std::vector<int> from;
  for (index_t i = 0; i < all.shape.product(); ++i) from.push_back(int(i));
  CHECK(by_rows(all, from) == expected(all, from));
}

}  // namespace

TEST_CASE("what lies under windows, row by row") {
  check(over({6, 9}, {2, 3}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}));
  check(over({6, 9}, {2, 3}, {2, 3}, {1, 1}, {1, 1}, {1, 2}, {0, 1}));
  check(over({6, 9}, {2, 3}, {1, 2}, {1, 1}, {3, 2}, {0, 4}, {2, 5}));
  check(over({6, 9}, {2, 3}, {1, 2}, {2, 3}, {1, 1}, {1, 0}, {0, 2}));
  // Padding that takes away, and windows that lie in padding only.
  check(over({6, 9}, {1, 2}, {1, 1}, {1, 1}, {1, 1}, {-2, -3}, {-1, -1}));
  check(over({1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {3, 4}, {2, 5}));
  check(over({0, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 1}, {0, 0}));
  check(over({7}, {3}, {2}, {1}, {1}, {1}, {1}));
}

TEST_CASE("dimensions that windows do not work along are one row") {
  const windows all = over({5, 3, 4}, {2, 1, 1}, {2, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 0, 0}, {0, 0, 0});
  const window_rows rows = all.rows();
  CHECK(rows.row() == 12);
  CHECK(rows.places() == 2);
  CHECK(rows.step() == 1);
  check(all);
  // A last dimension of one element: rows run along the one before it.
  const windows thin = over({4, 6, 1}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 1, 0});
  CHECK(thin.rows().row() == 6);
  check(thin);
}

TEST_CASE("rows that can be taken as they lie") {
  const auto of = [](index_t low, index_t high, index_t stride, index_t base) {
    return over({8, 40}, {2, 3}, {1, stride}, {1, base}, {1, 1}, {0, low}, {0, high}).rows();
  };
  CHECK(of(0, 0, 2, 1).lies_within());
  CHECK(!of(1, 0, 2, 1).lies_within());
  CHECK(!of(0, 1, 2, 1).lies_within());
  CHECK(!of(0, 0, 2, 2).lies_within());
  CHECK(of(0, 0, 1, 1).is_flat(1));
  // A row of 19 windows is 40 elements away from the next one, one of 13 windows too.
  CHECK(!of(0, 0, 2, 1).is_flat(1));
  CHECK(of(0, 0, 2, 1).is_flat(2));
  CHECK(!of(0, 0, 3, 1).is_flat(2));
  CHECK(of(0, 0, 3, 1).is_flat(3));
  CHECK(!of(1, 0, 1, 1).is_flat(8));
  CHECK(of(0, 0, 1, 1).distance() == 40);
}

TEST_CASE("windows that are inside") {
  const window_rows rows = over({10}, {4}, {3}, {1}, {2}, {5}, {6}).rows();
  for (index_t k = 0; k < 4; ++k) {
    const window_rows::range inside = rows.part_inside(k, 0, rows.row());
    for (index_t j = 0; j < rows.row(); ++j) {
      const index_t at = j * 3 + k * 2 - 5;
      CHECK((inside.begin <= j && j < inside.end) == (0 <= at && at < 10));
      if (0 <= at && at < 10) CHECK(rows.position(k, j) == at);
    }
  }
}
