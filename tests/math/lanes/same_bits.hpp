// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

#include "math/samples.hpp"

namespace tenon::test {

using namespace core;
// The lanes give what the scalar function gives, bit for bit, wherever an element stands in the vector.
template <class T>
void check_same_bits(auto lanes, auto scalar) {
  if constexpr (has_lanes<T>) {
    const hn::ScalableTag<T> d;
    const std::size_t size = hn::Lanes(d);
    std::vector<T> values = samples<T>();
    values.resize(values.size() / size * size + 3 * size);
    std::vector<T> results(size);
    int differing = 0;
    T example = 0;
    // A step that is prime to the size puts every element at another place the next time.
    for (const std::size_t shift : {std::size_t(0), std::size_t(1), size / 2}) {
      for (std::size_t start = shift; start + size <= values.size(); start += size) {
        hn::StoreU(lanes(d, hn::LoadU(d, values.data() + start)), d, results.data());
        for (std::size_t i = 0; i < size; ++i) {
          const T x = values[start + i];
          if (same(results[i], scalar(x))) continue;
          ++differing;
          example = x;
        }
      }
    }
    CAPTURE(example);
    CHECK(differing == 0);
  }
}

template <class T>
void check_same_bits_of_two(auto lanes, auto scalar) {
  if constexpr (has_lanes<T>) {
    const hn::ScalableTag<T> d;
    const std::size_t size = hn::Lanes(d);
    const std::vector<T> values = samples<T>();
    std::vector<T> xs, ys;
    for (const T x : special_values<T>())
      for (const T y : special_values<T>()) xs.push_back(x), ys.push_back(y);
    for (std::size_t i = 0; i < values.size(); ++i)
      xs.push_back(values[i]), ys.push_back(values[(i * 7919 + 13) % values.size()]);
    std::vector<T> results(size);
    int differing = 0;
    T example[2] = {};
    for (std::size_t start = 0; start + size <= xs.size(); start += size) {
      hn::StoreU(lanes(d, hn::LoadU(d, xs.data() + start), hn::LoadU(d, ys.data() + start)), d, results.data());
      for (std::size_t i = 0; i < size; ++i) {
        const T x = xs[start + i], y = ys[start + i];
        if (same(results[i], scalar(x, y))) continue;
        ++differing;
        example[0] = x, example[1] = y;
      }
    }
    CAPTURE(example[0]);
    CAPTURE(example[1]);
    CHECK(differing == 0);
  }
}

}  // namespace tenon::test
