// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/random/numbers.hpp>

#include <tenon/math/logarithm.hpp>
#include <tenon/math/root.hpp>
#include <tenon/math/trigonometric.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::core;

TEST_CASE("random numbers in vectors are those made one by one") {
  if constexpr (has_random_lanes) {
    const hn::ScalableTag<std::uint64_t> d;
    const hn::ScalableTag<double> numbers;
    const std::size_t lanes = hn::Lanes(d);
    const std::uint64_t key = 0x0123456789ABCDEFu, draw = 0xFEDCBA9876543210u;
    for (std::uint64_t start : {std::uint64_t{0}, std::uint64_t{1} << 32, ~std::uint64_t{100}}) {
      const auto counters = hn::Iota(d, start), step = hn::Set(d, lanes);
      auto first_0 = counters, first_1 = hn::Add(first_0, step);
      auto first_2 = hn::Add(first_1, step), first_3 = hn::Add(first_2, step);
      auto second_0 = counters, second_1 = counters, second_2 = counters, second_3 = counters;
      philox_lanes(d, key, draw, first_0, second_0, first_1, second_1, first_2, second_2, first_3, second_3);
      const auto check = [&](const auto& first, const auto& second, std::uint64_t from) {
        std::uint64_t firsts[64], seconds[64];
        double fractions[64], uniform[64], normal[64];
        hn::StoreU(first, d, firsts), hn::StoreU(second, d, seconds);
        hn::StoreU(fraction_lanes(numbers, first), numbers, fractions);
        hn::StoreU(uniform_lanes(numbers, -1.25, 7.0, first), numbers, uniform);
        hn::StoreU(normal_lanes(numbers, 0.1, 3.3, first, second), numbers, normal);
        for (std::size_t i = 0; i < lanes; ++i) {
          const ops::philox_block block = ops::philox(key, from + i, draw);
          CHECK(firsts[i] == ops::joined(block.words[0], block.words[1]));
          CHECK(seconds[i] == ops::joined(block.words[2], block.words[3]));
          const double u = double(firsts[i] >> 11) * 0x1p-53, v = double(seconds[i] >> 11) * 0x1p-53;
          CHECK(fractions[i] == u);
          CHECK(uniform[i] == ieee::add(ieee::multiply(-1.25, 1 - u), ieee::multiply(7.0, u)));
          const double radius = math::sqrt(ieee::multiply(-2.0, math::log(1 - u)));
          const double z = ieee::multiply(radius, math::cosine(ieee::multiply(6.283185307179586, v)));
          CHECK(normal[i] == ieee::add(0.1, ieee::multiply(3.3, z)));
        }
      };
      check(first_0, second_0, start);
      check(first_1, second_1, start + lanes);
      check(first_2, second_2, start + 2 * lanes);
      check(first_3, second_3, start + 3 * lanes);
    }
  } else {
    MESSAGE("left out: this target makes no random numbers in vectors");
  }
}

TEST_CASE("fractions at the ends of their range") {
  if constexpr (has_random_lanes) {
    const hn::ScalableTag<std::uint64_t> d;
    const hn::ScalableTag<double> numbers;
    for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 11,
                                     std::uint64_t{1} << 43, (std::uint64_t{1} << 43) - 1, std::uint64_t{1} << 63}) {
      double result[64];
      hn::StoreU(fraction_lanes(numbers, hn::Set(d, bits)), numbers, result);
      CHECK(result[0] == double(bits >> 11) * 0x1p-53);
    }
  } else {
    MESSAGE("left out: this target makes no random numbers in vectors");
  }
}
