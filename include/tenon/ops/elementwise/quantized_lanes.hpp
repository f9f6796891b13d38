// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/math/lanes/convert.hpp>
#include <tenon/math/lanes/rounding.hpp>

#include <concepts>
#include <cstdint>

namespace tenon::ops::inline HWY_NAMESPACE {

// How the numbers of a run are quantized, in the expressed type f32.
struct lane_scale {
  f32 scale = 1, zero_point = 0;
  f32 min = 0, max = 0;  // of the storage
};

// Integers of at most 16 bits: f32 holds them, and what is in between, exactly.
template <class Storage>
inline constexpr bool quantizes_lanes =
    has_lanes<Storage> && std::integral<Storage> && sizeof(Storage) <= 2 &&
    math::lanes::converts_lanes<Storage, f32>() && math::lanes::converts_lanes<f32, Storage>();

namespace lanes_detail {

// Calls work(first, count) for each vector of `count` lanes and for the remainder.
template <class Work>
HWY_INLINE void for_each_vector(index_t count, std::size_t lanes, Work work) {
  index_t i = 0;
  for (; i + index_t(lanes) <= count; i += index_t(lanes)) work(i, lanes);
  if (i < count) work(i, std::size_t(count - i));
}

}  // namespace lanes_detail

// (stored - zero_point) * scale
template <class Storage>
void dequantize_run(const Storage* from, f32* to, index_t count, const lane_scale& by) {
  const hn::ScalableTag<f32> d;
  const hn::Rebind<Storage, decltype(d)> stored;
  using D = std::remove_cv_t<decltype(d)>;
  const auto scale = hn::Set(d, by.scale), zero_point = hn::Set(d, by.zero_point);
  const std::size_t lanes = hn::Lanes(d);
  lanes_detail::for_each_vector(count, lanes, [&](index_t i, std::size_t some) HWY_ATTR {
    const auto value = math::lanes::convert_lanes<D, Storage>(d, stored, load_elements(stored, from + i, some, lanes));
    store_elements(rounded(hn::Mul(hn::Sub(value, zero_point), scale)), d, to + i, some, lanes);
  });
}

// round_nearest_even(clamp(min, value / scale + zero_point, max)); NaN gives 0.
template <class Storage>
void quantize_run(const f32* from, Storage* to, index_t count, const lane_scale& by) {
  const hn::ScalableTag<f32> d;
  const hn::Rebind<Storage, decltype(d)> stored;
  using stored_tag = std::remove_cv_t<decltype(stored)>;
  const auto scale = hn::Set(d, by.scale), zero_point = hn::Set(d, by.zero_point);
  const auto min = hn::Set(d, by.min), max = hn::Set(d, by.max);
  const std::size_t lanes = hn::Lanes(d);
  const auto run = [&](auto divided) HWY_ATTR {
    lanes_detail::for_each_vector(count, lanes, [&](index_t i, std::size_t some) HWY_ATTR {
      const auto value = hn::Add(divided(load_elements(d, from + i, some, lanes)), zero_point);
      const auto whole = math::lanes::round_nearest_even(d, hn::Min(hn::Max(value, min), max));
      const auto number = hn::IfThenElseZero(hn::Eq(value, value), whole);
      store_elements(math::lanes::convert_lanes<stored_tag, f32>(stored, d, number), stored, to + i, some, lanes);
    });
  };
  // Products with a power of two are exact, and so are quotients.
  const std::uint32_t bits = bit_cast<std::uint32_t>(by.scale), exponent = bits >> 23;
  if (bits << 9 == 0 && 1 < exponent && exponent < 253) {
    const auto inverse = hn::Set(d, 1 / by.scale);
    run([&](auto value) HWY_ATTR { return rounded(hn::Mul(value, inverse)); });
  } else {
    run([&](auto value) HWY_ATTR { return hn::Div(value, scale); });
  }
}

}  // namespace tenon::ops::inline HWY_NAMESPACE
