// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/lanes/load_store.hpp>

#include <tenon/core/element.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;

namespace {

// 0, 1, 2 ..., as many as are read and no more, so that sanitizers see what reads further.
template <class T>
std::vector<T> numbers(index_t count) {
  std::vector<T> all;
  for (index_t i = 0; i < count; ++i) all.push_back(T(i));
  all.shrink_to_fit();
  return all;
}
template <class T, class D>
std::vector<T> lanes_of(D d, hn::Vec<D> value, index_t count) {
  std::vector<T> all(hn::Lanes(d));
  hn::StoreU(value, d, all.data());
  all.resize(std::size_t(count));
  return all;
}
template <class T>
std::vector<T> counted(index_t first, index_t step, index_t count) {
  std::vector<T> all;
  for (index_t i = 0; i < count; ++i) all.push_back(T(first + i * step));
  return all;
}

template <class T, bool IsOdd>
void check_every_other() {
  const hn::ScalableTag<T> d;
  const index_t w = index_t(hn::Lanes(d)), first = IsOdd ? 1 : 0;
  for (index_t count = 1; count <= w; ++count) {
    CAPTURE(count);
    const std::vector<T> all = numbers<T>(first + 2 * count - 1);
    const auto exact = load_every_other<IsOdd, true>(d, all.data() + first, std::size_t(count));
    CHECK(lanes_of<T>(d, exact, count) == counted<T>(first, 2, count));
  }
  const std::vector<T> more = numbers<T>(2 * w);
  const auto whole = load_every_other<IsOdd, false>(d, more.data() + first, std::size_t(w));
  CHECK(lanes_of<T>(d, whole, w) == counted<T>(first, 2, w));
}

template <index_t Stride, class T>
void check_apart() {
  const hn::ScalableTag<T> d;
  const index_t w = index_t(hn::Lanes(d)), size = 3 * w;
  const index_t distance = Stride < 0 ? -Stride : Stride, first = Stride < 0 ? (size - 1) * distance : 0;
  const std::vector<T> all = numbers<T>((size - 1) * distance + 1);
  for (index_t i = 0; i < size; ++i) {
    CAPTURE(i);
    const index_t count = size - i < w ? size - i : w;
    const auto loaded = load_apart<Stride>(d, all.data() + first, i, std::size_t(count), std::size_t(w));
    CHECK(lanes_of<T>(d, loaded, count) == counted<T>(first + i * Stride, Stride, count));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("every second element, and nothing behind the last one", T, f32, f64, i8, i16, i32, std::uint64_t) {
  check_every_other<T, false>();
  check_every_other<T, true>();
}

TEST_CASE_TEMPLATE("elements of short strides, and in reverse", T, f32, f64, i8, i16, i32, std::uint64_t) {
  check_apart<-1, T>();
  check_apart<2, T>();
  check_apart<3, T>();
  check_apart<4, T>();
}
