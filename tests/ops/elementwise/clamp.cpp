// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/clamp.hpp>

#include "ops/elementwise/lanes.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <iterator>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

// types
static_assert(result_type(ops::clamp{}, {f32_2x3, f32_2x3, f32_2x3}) == f32_2x3);
static_assert(result_type(ops::clamp{}, {f32_scalar, f32_2x3, f32_scalar}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::clamp{}, {i32_2x3, i32_2x3, i32_scalar}) == i32_2x3);
static_assert(result_type(ops::clamp{}, {q8_2x3, other_scale_2x3, q8_2x3}, {q8_2x3}, {}, &quantized_details) == q8_2x3);

// broken rules
static_assert(broken_by(ops::clamp{}, {token, f32_2x3, f32_2x3}) == "clamp_i1");
static_assert(broken_by_quantized(ops::clamp{}, {q8_2x3, axis0_2x3, q8_2x3}) == "clamp_i2");
static_assert(broken_by(ops::clamp{}, {f32_2x3, f32_2x3, token}) == "clamp_i3");
static_assert(broken_by(ops::clamp{}, {f32_3x2, f32_2x3, f32_2x3}) == "clamp_c1");
static_assert(broken_by(ops::clamp{}, {f32_scalar, f32_2x3, f32_3x2}) == "clamp_c2");
static_assert(broken_by(ops::clamp{}, {f64_scalar, f32_2x3, f32_scalar}) == "clamp_c3");
static_assert(broken_by(ops::clamp{}, {f32_scalar, f32_2x3, f64_scalar}) == "clamp_c3");
static_assert(broken_by(ops::clamp{}, {f32_scalar, f32_2x3, f32_scalar}, {f32_scalar}) == "clamp_c4");
static_assert(broken_by_quantized(ops::clamp{}, {q8_2x3, q8_2x3, q8_2x3}, {axis0_2x3}) == "clamp_o1");

// values
static_assert(ops::clamp::element(5, 3, 10) == 5 && ops::clamp::element(10, 13, 15) == 13);
static_assert(ops::clamp::element(15, 23, 20) == 20);
static_assert(ops::clamp::element(5, 7, 3) == 3);
static_assert(ops::clamp::element(-1.0f, -2.0f, 1.0f) == -1.0f);
static_assert(ieee::is_nan(ops::clamp::element(0.0f, ieee::nan<float>, 1.0f)));
static_assert(ieee::is_nan(ops::clamp::element(0.0f, 0.5f, ieee::nan<float>)));
static_assert(ops::clamp::element(complex<float>{1, 1}, complex<float>{0, 9}, complex<float>{2, 2}) ==
              complex<float>{1, 1});

TEST_CASE("clamp in lanes") {
  check_lanes<float, 3>(ops::clamp{});
  check_lanes<std::int32_t, 3>(ops::clamp{});
  check_lanes<std::uint8_t, 3>(ops::clamp{});
}

TEST_CASE_TEMPLATE("clamp in lanes gives the bits of maximum and minimum, also of NaN", T, float, double) {
  using bits = ieee::bits_of<T>;
  const bits quiet = ieee::to_bits(ieee::nan<T>), sign = ieee::to_bits(T(-0.0));
  const bits loud = bits(ieee::to_bits(ieee::infinity<T>) + 5);
  const T numbers[] = {0,
                       T(-0.0),
                       1,
                       -1,
                       ieee::from_bits<T>(1),
                       ieee::infinity<T>,
                       -ieee::infinity<T>,
                       ieee::from_bits<T>(bits(quiet + 1)),
                       ieee::from_bits<T>(bits((quiet | sign) + 2)),
                       ieee::from_bits<T>(loud),
                       ieee::from_bits<T>(bits(loud | sign))};
  const hn::ScalableTag<T> d;
  const auto at = [&](std::size_t i) {
    alignas(64) T same[hn::MaxLanes(d)];
    for (T& each : same) std::memcpy(&each, &numbers[i], sizeof each);
    return hn::LoadU(d, same);
  };
  constexpr std::size_t count = std::size(numbers);
  bool same = true;
  for (std::size_t i = 0; i < count * count * count; ++i) {
    const auto min = at(i % count), operand = at(i / count % count), max = at(i / count / count);
    alignas(64) T got[hn::MaxLanes(d)], wanted[hn::MaxLanes(d)];
    hn::Store(ops::clamp::lanes(d, min, operand, max), d, got);
    hn::Store(ops::minimum::lanes(d, ops::maximum::lanes(d, operand, min), max), d, wanted);
    same = same && std::memcmp(got, wanted, hn::Lanes(d) * sizeof(T)) == 0;
  }
  CHECK(same);
}

}  // namespace
