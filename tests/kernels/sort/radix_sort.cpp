// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/key_columns.hpp>

#include <tenon/core/element.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

namespace {

static_assert(order_key(-0.0f) == order_key(0.0f));
static_assert(order_key(-1.5f) < order_key(-0x1p-149f) && order_key(-0x1p-149f) < order_key(0.0f));
static_assert(order_key(0.0f) < order_key(0x1p-149f) && order_key(1e30f) < order_key(1.5e30f));
static_assert(order_key(-std::numeric_limits<f64>::infinity()) < order_key(std::numeric_limits<f64>::lowest()));
static_assert(order_key(std::numeric_limits<f64>::max()) < order_key(std::numeric_limits<f64>::infinity()));
static_assert(order_key(i8(-128)) == 0 && order_key(i8(127)) == 255 && order_key(i8(-1)) < order_key(i8(0)));
static_assert(order_key(INT64_MIN) == 0 && order_key(INT64_MAX) == UINT64_MAX);
static_assert(order_key(std::uint16_t(7)) == 7);

template <class T>
struct numbered {
  T number;
  std::uint32_t place;
};

template <class T>
void check_sorted(index_t count, std::uint64_t few) {
  std::vector<numbered<T>> items, other(std::size_t(count) + 1);
  std::uint64_t state = 5;
  for (index_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t drawn = (state >> 17) % few;
    T number = T(T(drawn) * T(few > 100 ? 3 : 1));
    if (drawn % 2 == 1 && std::numeric_limits<T>::is_signed) number = T(-number);
    items.push_back({number, std::uint32_t(i)});
  }
  std::vector<numbered<T>> wanted = items;
  std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
    return a.number < b.number || (a.number == b.number && a.place < b.place);
  });
  digit_counts counts;
  const numbered<T>* const sorted = sort_by_digits(items.data(), other.data(), count, counts,
                                                   [](const numbered<T>& each) { return order_key(each.number); });
  for (index_t i = 0; i < count; ++i) REQUIRE(sorted[i].place == wanted[std::size_t(i)].place);
}

}  // namespace

TEST_CASE_TEMPLATE("every number of items is sorted by digits, equal ones in their order", T, f32, f64, i8, i16, i32,
                   i64, ui8, ui16, ui32, ui64) {
  for (index_t count : {0, 1, 2, 3, 17, 64, 255, 256, 257, 1000})
    for (std::uint64_t few : {std::uint64_t(1), std::uint64_t(3), std::uint64_t(41), std::uint64_t(60000)})
      check_sorted<T>(count, few);
}
