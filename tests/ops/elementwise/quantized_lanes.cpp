// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/quantized_lanes.hpp>

#include <tenon/ops/elementwise/expressed_values.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::core;

namespace {

std::vector<f32> numbers() {
  std::vector<f32> result = {0.0f,
                             -0.0f,
                             0.25f,
                             0.5f,
                             0.75f,
                             1e30f,
                             -1e30f,
                             1e-40f,
                             73.75f,
                             std::numeric_limits<f32>::infinity(),
                             -std::numeric_limits<f32>::infinity(),
                             std::numeric_limits<f32>::quiet_NaN(),
                             3.4e38f};
  for (int i = 0; i < 3000; ++i) result.push_back(f32(i % 757) * 0.173f - 64.0f + f32(i) * 1e-4f);
  return result;
}

template <class T>
void check(double scale, index_t zero_point, index_t min, index_t max) {
  const quantization by{dtype_of<T>, dtype::f32, min, max, -1, {&scale, 1}, {&zero_point, 1}};
  const std::vector<f32> x = numbers();
  const index_t size = index_t(x.size());
  const tensor_type type = type_of(dtype_of<T>, {size});
  ops::scale_walk walk(by, type);
  REQUIRE(ops::quantizes_in_lanes<T>(by, walk) == ops::quantizes_lanes<T>);
  if constexpr (ops::quantizes_lanes<T>) {
    std::vector<T> stored(x.size()), wanted_stored(x.size());
    std::vector<f32> back(x.size()), wanted(x.size());
    ops::quantize_in_lanes(x.data(), stored.data(), size, walk);
    ops::dequantize_in_lanes(stored.data(), back.data(), size, walk);
    ops::expressed_values values;
    for (index_t i = 0; i < size; i += values.capacity) {
      const index_t count = size - i < values.capacity ? size - i : values.capacity;
      values.read(dtype::f32, x.data(), i, count);
      values.quantize(by, walk, count);
      values.write(wanted_stored.data(), i, count);
      values.read(dtype_of<T>, wanted_stored.data(), i, count);
      values.dequantize(by, walk, count);
      values.write(wanted.data(), i, count);
    }
    CHECK(stored == wanted_stored);
    CHECK(std::memcmp(back.data(), wanted.data(), x.size() * sizeof(f32)) == 0);
  }
}

}  // namespace

TEST_CASE("quantization in lanes is that of single numbers") {
  for (const double scale : {0.5, 0.1, 1.0, 3.0, 1e-3, 0x1p-126, 0x1p-140, 0x1p+127, 7.3e20, 0.33333333333}) {
    check<i8>(scale, 3, -128, 127);
    check<i8>(scale, -128, -127, 127);
    check<ui8>(scale, 200, 0, 255);
    check<ui8>(scale, 7, 5, 9);
    check<i16>(scale, -777, -32768, 32767);
    check<ui16>(scale, 40000, 0, 65535);
  }
}
