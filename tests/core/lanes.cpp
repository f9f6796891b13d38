// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/lanes.hpp>

#include <doctest/doctest.h>

#include <tuple>
#include <vector>

namespace {

namespace hn = tenon::core::hn;

static_assert(tenon::core::has_lanes<float> && tenon::core::has_lanes<std::int8_t> &&
              tenon::core::has_lanes<std::uint64_t>);
static_assert(!tenon::core::has_lanes<bool> && !tenon::core::has_lanes<long double>);
static_assert(tenon::core::rounded(2.5f) == 2.5f);

template <class T>
void check_partial_access() {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t count = 0; count <= lanes; ++count) {
    // Exactly `count` elements: a sanitizer sees any access beyond.
    std::vector<T> from(count);
    for (std::size_t i = 0; i < count; ++i) from[i] = T(i + 1);
    const auto value = tenon::core::load_first(d, from.data(), count);

    std::vector<T> all(lanes, T(77));
    hn::StoreU(value, d, all.data());
    for (std::size_t i = 0; i < lanes; ++i) CHECK(all[i] == (i < count ? T(i + 1) : T(0)));

    std::vector<T> to(count);
    tenon::core::store_first(value, d, to.data(), count);
    CHECK(to == from);

    std::vector<T> larger(lanes + 1, T(77));
    tenon::core::store_first(value, d, larger.data(), count);
    for (std::size_t i = count; i <= lanes; ++i) CHECK(larger[i] == T(77));
  }
}

TEST_CASE("partial loads and stores touch no lane beyond the count") {
  check_partial_access<std::int8_t>();
  check_partial_access<std::uint16_t>();
  check_partial_access<std::int32_t>();
  check_partial_access<std::uint64_t>();
  check_partial_access<float>();
  if constexpr (tenon::core::has_lanes<double>) check_partial_access<double>();
}

TEST_CASE("a rounded product is not contracted") {
  // (1 + e)^2 = 1 + 2e + e^2: the last term is lost when the product is rounded, and kept by a fused operation.
  const float e = 1.0f / 4096 / 2;
  volatile float source = 1 + e;
  const float x = source;
  CHECK(tenon::core::rounded(x * x) - (1 + 2 * e) == 0.0f);

  const hn::ScalableTag<float> d;
  const auto v = hn::Set(d, x);
  CHECK(hn::GetLane(hn::Sub(tenon::core::rounded(hn::Mul(v, v)), hn::Set(d, 1 + 2 * e))) == 0.0f);
}

TEST_CASE("a vector that is loaded once is the same vector") {
  const hn::ScalableTag<float> d;
  float from[hn::MaxLanes(d)], to[hn::MaxLanes(d)];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) from[i] = float(i) - 2.5f;
  hn::StoreU(tenon::core::loaded_once(hn::LoadU(d, from)), d, to);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) CHECK(to[i] == from[i]);
}

}  // namespace
