// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/convert.hpp>

#include <tenon/core/element.hpp>

#include <doctest/doctest.h>

#include "math/samples.hpp"

namespace tenon {
using namespace core;
namespace {

// Of floats those that tests of functions take, and what lies around the ends of integers; of integers what begins and
// ends them, and bits at random.
template <class T>
std::vector<T> numbers() {
  std::vector<T> result;
  if constexpr (std::is_floating_point_v<T>) {
    result = test::samples<T>();
    for (int bits = 7; bits <= 64; ++bits)
      for (const T sign : {T(1), T(-1)}) {
        const T power = sign * T(std::ldexp(1.0, bits));
        for (const T near : {power, std::nextafter(power, T(0)), power - T(0.5), power + T(0.5), power + T(1)})
          result.push_back(near);
      }
  } else {
    using limits = std::numeric_limits<T>;
    result = {T(0), T(1), T(-1), T(77), limits::min(), limits::max(), T(limits::max() - 1), T(limits::max() / 2)};
    std::mt19937_64 random(3);
    for (int i = 0; i < 1000; ++i) result.push_back(T(random() >> (random() % 64)));
  }
  return result;
}

// Bit for bit what one element gives, wherever it stands in the vector.
template <class To, class From>
void check_lanes() {
  if constexpr (math::lanes::converts_lanes<To, From>()) {
    using wide = std::conditional_t<(sizeof(From) > sizeof(To)), From, To>;
    const hn::Rebind<To, hn::ScalableTag<wide>> to;
    const hn::Rebind<From, hn::ScalableTag<wide>> from;
    const std::size_t size = hn::Lanes(to);
    std::vector<From> values = numbers<From>();
    values.resize(values.size() / size * size + 3 * size);
    std::vector<To> results(size);
    int differing = 0;
    From example{};
    for (const std::size_t shift : {std::size_t(0), size / 2})
      for (std::size_t start = shift; start + size <= values.size(); start += size) {
        hn::StoreU(math::lanes::convert_lanes<decltype(to), From>(to, from, hn::LoadU(from, values.data() + start)), to,
                   results.data());
        for (std::size_t i = 0; i < size; ++i) {
          const To expected = convert_to<To>(values[start + i]);
          bool is_same = results[i] == expected;
          if constexpr (std::is_floating_point_v<To>) is_same = test::same(results[i], expected);
          if (is_same) continue;
          ++differing;
          example = values[start + i];
        }
      }
    CAPTURE(+example);
    CHECK(differing == 0);
  }
}

template <class From, class... To>
void check_all() {
  (check_lanes<To, From>(), ...);
}

TEST_CASE_TEMPLATE("lanes of every type become those of every other as single elements do", From, i8, i16, i32, i64,
                   ui8, ui16, ui32, ui64, f32, f64) {
  check_all<From, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f32, f64>();
}

#if HWY_TARGET <= HWY_AVX3
TEST_CASE_TEMPLATE("four vectors of f32 become one of bytes", To, std::int8_t, std::uint8_t) {
  const hn::ScalableTag<f32> from;
  const hn::ScalableTag<To> to;
  const std::size_t size = hn::Lanes(from);
  std::vector<f32> values = numbers<f32>();
  values.resize(values.size() / (4 * size) * 4 * size);
  std::vector<To> results(4 * size);
  int differing = 0;
  for (std::size_t start = 0; start < values.size(); start += 4 * size) {
    const f32* const at = values.data() + start;
    hn::StoreU(math::lanes::convert_to_bytes<To>({hn::LoadU(from, at), hn::LoadU(from, at + size),
                                                  hn::LoadU(from, at + 2 * size), hn::LoadU(from, at + 3 * size)}),
               to, results.data());
    for (std::size_t i = 0; i < 4 * size; ++i) differing += results[i] != convert_to<To>(at[i]);
  }
  CHECK(differing == 0);
}
#endif

}  // namespace
}  // namespace tenon
