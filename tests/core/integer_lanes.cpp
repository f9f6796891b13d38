// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/integer_lanes.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;

namespace {

// Vectors of at most `Most` lanes of the wider type.
template <class From, class To, std::size_t Most = 64>
void check() {
  if constexpr (has_lanes<From> && has_lanes<To>) {
    using widest = std::conditional_t<(sizeof(From) > sizeof(To)), From, To>;
    const hn::Rebind<From, hn::CappedTag<widest, Most>> source;
    const hn::Rebind<To, hn::CappedTag<widest, Most>> target;
    INFO(sizeof(From), " bytes to ", sizeof(To), ", at most ", Most, " lanes");
    From from[64];
    To to[64] = {};
    for (int i = 0; i < 64; ++i) from[i] = From(std::uint64_t(i) * 0x9E3779B97F4A7C15u >> (i % 9 * 7));
    using target_tag = std::remove_cv_t<decltype(target)>;
    hn::StoreU(resize_lanes<target_tag, From>(target, source, hn::LoadU(source, from)), target, to);
    for (std::size_t i = 0; i < hn::Lanes(target); ++i) CHECK(to[i] == To(from[i]));
  }
  if constexpr (Most > 1) check<From, To, Most / 2>();
}

template <class From>
void check_from() {
  check<From, std::int8_t>(), check<From, std::uint8_t>(), check<From, std::int16_t>(), check<From, std::uint16_t>();
  check<From, std::int32_t>(), check<From, std::uint32_t>(), check<From, std::int64_t>(), check<From, std::uint64_t>();
}

}  // namespace

TEST_CASE("integers of other widths keep their low bits and their sign, in vectors of every size") {
  check_from<std::int8_t>(), check_from<std::uint8_t>(), check_from<std::int16_t>(), check_from<std::uint16_t>();
  check_from<std::int32_t>(), check_from<std::uint32_t>(), check_from<std::int64_t>(), check_from<std::uint64_t>();
}
