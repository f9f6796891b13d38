// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/sort/side_by_side_sort.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

namespace {

using bytes = std::vector<std::uint64_t>;  // which are aligned for all elements

// Elements, and the memory they move to.
template <class T>
struct column {
  explicit column(const std::vector<T>& all) : elements(all.size() * sizeof(T) / 8 + 1), other(elements) {
    if (!all.empty()) std::memcpy(elements.data(), all.data(), all.size() * sizeof(T));
  }
  bytes elements, other;
};
template <class T>
std::vector<T> read(const void* from, index_t count) {
  std::vector<T> result{};
  result.resize(std::size_t(count));
  if (count > 0) std::memcpy(static_cast<void*>(result.data()), from, std::size_t(count) * sizeof(T));
  return result;
}

// A comparator of elements of column `Column`, asked about many pairs.
template <class T, int Column = 0, class IsLess>
auto asked(IsLess is_less) {
  return [is_less](const void* const* first, const void* const* second, void* answers, index_t count) {
    REQUIRE(count > 0);
    const T *const a = static_cast<const T*>(first[Column]), *const b = static_cast<const T*>(second[Column]);
    for (index_t k = 0; k < count; ++k) static_cast<bool*>(answers)[k] = is_less(a[k], b[k]);
  };
}

unsigned state = 1;
int drawn(int below) {
  state = state * 1664525u + 1013904223u;
  return int(state >> 8) % below;
}
std::vector<index_t> lengths() {
  std::vector<index_t> all{};
  for (index_t length = 0; length <= 70; ++length) all.push_back(length);
  for (index_t length : {127, 128, 129, 255, 256, 257, 1000, 4097, 65536}) all.push_back(length);
  return all;
}

struct wide {
  double key, rest;
};

}  // namespace

TEST_CASE("numbers by themselves, descending") {
  const auto is_less = [](float a, float b) { return a > b; };
  for (const index_t length : lengths()) {
    CAPTURE(length);
    std::vector<float> numbers{};
    for (index_t i = 0; i < length; ++i) numbers.push_back(float(drawn(1 << 20)) - 5e5f);
    column<float> all(numbers);
    batched_merge merge(asked<float>(is_less));
    merge.add_moved(4, all.elements.data(), all.other.data());
    merge.sort(1, length);
    std::sort(numbers.begin(), numbers.end(), is_less);
    CHECK(read<float>(merge.elements(0), length) == numbers);
  }
}

TEST_CASE("equal elements keep their order, in many rows too") {
  const auto is_less = [](std::int16_t a, std::int16_t b) { return std::abs(a) < std::abs(b); };
  for (const index_t rows : {1, 2, 5, 300})
    for (const index_t length : lengths()) {
      if (rows * length > 70000) continue;
      CAPTURE(rows);
      CAPTURE(length);
      const int below = drawn(2) == 0 ? 5 : 1000;
      std::vector<std::int16_t> keys{};
      std::vector<std::uint64_t> numbers{};
      for (index_t i = 0; i < rows * length; ++i) {
        keys.push_back(std::int16_t(drawn(below) - below / 2));
        numbers.push_back(std::uint64_t(i));
      }
      column<std::int16_t> moved(keys);
      column<std::uint64_t> with_it(numbers);
      batched_merge merge(asked<std::int16_t>(is_less));
      merge.add_moved(2, moved.elements.data(), moved.other.data());
      merge.add_moved(8, with_it.elements.data(), with_it.other.data());
      merge.sort(rows, length);
      for (index_t r = 0; r < rows; ++r)
        std::sort(numbers.begin() + r * length, numbers.begin() + (r + 1) * length,
                  [&](std::uint64_t a, std::uint64_t b) {
                    return is_less(keys[a], keys[b]) || (!is_less(keys[b], keys[a]) && a < b);
                  });
      std::vector<std::int16_t> sorted{};
      for (const std::uint64_t each : numbers) sorted.push_back(keys[each]);
      REQUIRE(read<std::int16_t>(merge.elements(0), rows * length) == sorted);
      REQUIRE(read<std::uint64_t>(merge.elements(1), rows * length) == numbers);
    }
}

TEST_CASE("rows that are sorted already, one way or the other") {
  for (const bool descends : {false, true})
    for (const index_t length : {100, 1000, 65536}) {
      std::vector<std::uint8_t> numbers{};
      for (index_t i = 0; i < length; ++i)
        numbers.push_back(std::uint8_t((descends ? length - 1 - i : i) * 256 / length));
      column<std::uint8_t> all(numbers);
      batched_merge merge(asked<std::uint8_t>([](std::uint8_t a, std::uint8_t b) { return a < b; }));
      merge.add_moved(1, all.elements.data(), all.other.data());
      merge.sort(1, length);
      std::sort(numbers.begin(), numbers.end());
      CHECK(read<std::uint8_t>(merge.elements(0), length) == numbers);
    }
}

TEST_CASE("several keys, which stay where they are or are of sixteen bytes") {
  for (const index_t length : lengths()) {
    CAPTURE(length);
    std::vector<std::uint32_t> places{};
    std::vector<wide> first{};
    std::vector<float> second{};
    for (index_t i = 0; i < length; ++i) {
      places.push_back(std::uint32_t(length - 1 - i));
      first.push_back({double(drawn(7)), double(i)});
      second.push_back(float(drawn(7)));
    }
    const auto is_less = [&](std::uint32_t a, std::uint32_t b) {
      return first[a].key != first[b].key ? first[a].key < first[b].key : second[a] > second[b];
    };
    const auto less = [](const void* const* a, const void* const* b, void* answers, index_t count) {
      const wide *const x = static_cast<const wide*>(a[1]), *const y = static_cast<const wide*>(b[1]);
      const float *const u = static_cast<const float*>(a[2]), *const v = static_cast<const float*>(b[2]);
      for (index_t k = 0; k < count; ++k)
        static_cast<bool*>(answers)[k] = x[k].key != y[k].key ? x[k].key < y[k].key : u[k] > v[k];
    };
    std::vector<std::uint32_t> wanted = places;
    std::sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) {
      return is_less(a, b) || (!is_less(b, a) && a > b);  // as places descend
    });
    const auto check = [&](bool moves) {
      column<std::uint32_t> numbers(places);
      std::vector<wide> in_order{};
      for (const std::uint32_t each : places) in_order.push_back(first[each]);
      column<wide> moved(in_order);
      batched_merge merge(less);
      merge.add_moved(4, numbers.elements.data(), numbers.other.data());
      if (moves)
        merge.add_moved(16, moved.elements.data(), moved.other.data());
      else
        merge.add_found(16, first.data());
      merge.add_found(4, second.data());
      merge.sort(1, length);
      REQUIRE(read<std::uint32_t>(merge.elements(0), length) == wanted);
      CHECK((merge.elements(1) != nullptr) == moves);
      CHECK(merge.elements(2) == nullptr);
    };
    check(false);
    check(true);
  }
}

TEST_CASE("as many columns as there is room for") {
  std::vector<std::uint32_t> keys(100);
  for (std::uint32_t& each : keys) each = std::uint32_t(drawn(50));
  std::vector<column<std::uint32_t>> columns(16, column<std::uint32_t>(keys));
  batched_merge merge(asked<std::uint32_t, 15>([](std::uint32_t a, std::uint32_t b) { return a < b; }));
  for (column<std::uint32_t>& each : columns) {
    REQUIRE(merge.has_room());
    merge.add_moved(4, each.elements.data(), each.other.data());
  }
  CHECK(!merge.has_room());
  merge.sort(1, 100);
  std::sort(keys.begin(), keys.end());
  for (int c = 0; c < 16; ++c) CHECK(read<std::uint32_t>(merge.elements(c), 100) == keys);
}

TEST_CASE("a comparator that is no order permutes") {
  const auto check = [](index_t length, auto is_less) {
    CAPTURE(length);
    std::vector<std::uint32_t> numbers(std::size_t(length), 0u);
    std::iota(numbers.begin(), numbers.end(), 0u);
    column<std::uint32_t> all(numbers);
    batched_merge merge(asked<std::uint32_t>(is_less));
    merge.add_moved(4, all.elements.data(), all.other.data());
    merge.sort(1, length);
    std::vector<std::uint32_t> sorted = read<std::uint32_t>(merge.elements(0), length);
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(sorted == numbers);
  };
  for (const index_t length : lengths()) {
    check(length, [](std::uint32_t, std::uint32_t) { return true; });
    check(length, [](std::uint32_t, std::uint32_t) { return false; });
    check(length, [](std::uint32_t a, std::uint32_t b) { return a <= b; });
    check(length, [](std::uint32_t a, std::uint32_t b) { return (a ^ b) % 3 == 1; });
    for (int draw = 0; draw < 3; ++draw) check(length, [](std::uint32_t, std::uint32_t) { return drawn(2) == 0; });
  }
}
