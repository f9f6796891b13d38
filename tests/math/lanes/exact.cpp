// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/exact.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "math/samples.hpp"

namespace tenon {
using namespace core;
namespace {

// Calls use(result, error, x, y, z) for each element of what lanes(d, x, y, z, error) gives for vectors of numbers
// whose products and errors stay in range.
template <class T>
void for_each_result(auto lanes, auto use) {
  if constexpr (has_lanes<T>) {
    const hn::ScalableTag<T> d;
    const std::size_t size = hn::Lanes(d);
    std::mt19937_64 random(7);
    const auto number = [&] {
      const T size_of_it = T(std::ldexp(double(random() >> 11), -53 + int(random() % 24) - 12));
      return random() % 2 == 0 ? size_of_it : -size_of_it;
    };
    std::vector<T> xs(size), ys(size), zs(size), results(size), errors(size);
    for (int turn = 0; turn < 5000; ++turn) {
      for (std::size_t i = 0; i < size; ++i) xs[i] = number(), ys[i] = number(), zs[i] = number();
      const auto x = hn::LoadU(d, xs.data()), y = hn::LoadU(d, ys.data()), z = hn::LoadU(d, zs.data());
      hn::Vec<decltype(d)> error = hn::Zero(d);
      hn::StoreU(lanes(d, x, y, z, error), d, results.data());
      hn::StoreU(error, d, errors.data());
      for (std::size_t i = 0; i < size; ++i) use(results[i], errors[i], xs[i], ys[i], zs[i]);
    }
  }
}

// The rounding error of x * y.
template <class T>
T error_of_product(T x, T y) {
  const T high = x * y;
  return std::fma(x, y, -high);
}

TEST_CASE_TEMPLATE("sums and products come with their rounding errors", T, float, double) {
  int wrong = 0;
  for_each_result<T>([](auto, auto x, auto y, auto, auto& error) { return math::lanes::exact_sum(x, y, error); },
                     [&](T sum, T error, T x, T y, T) {
                       const T large = std::fabs(x) > std::fabs(y) ? x : y, small = large == x ? y : x;
                       wrong += sum != T(x + y) || error != T(small - T(sum - large));
                     });
  CHECK(wrong == 0);
  for_each_result<T>(
      [](auto, auto x, auto y, auto, auto& error) {
        const auto swaps = hn::Lt(hn::Abs(x), hn::Abs(y));
        return math::lanes::ordered_sum(hn::IfThenElse(swaps, y, x), hn::IfThenElse(swaps, x, y), error);
      },
      [&](T sum, T error, T x, T y, T) {
        const T large = std::fabs(x) > std::fabs(y) ? x : y, small = large == x ? y : x;
        wrong += sum != T(x + y) || error != T(small - T(sum - large));
      });
  CHECK(wrong == 0);
  for_each_result<T>(
      [](auto d, auto x, auto y, auto, auto& error) { return math::lanes::exact_product(d, x, y, error); },
      [&](T product, T error, T x, T y, T) { wrong += product != T(x * y) || error != error_of_product(x, y); });
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("halves of a number have exact products", T, float, double) {
  int wrong = 0;
  for_each_result<T>(
      [](auto d, auto x, auto, auto, auto& rest) {
        const auto high = math::lanes::upper_half(d, x);
        rest = hn::Sub(x, high);
        return high;
      },
      [&](T high, T low, T x, T, T) {
        wrong += high + low != x || error_of_product(high, high) != 0 || error_of_product(high, low) != 0 ||
                 error_of_product(low, low) != 0;
      });
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("quotients and long products have about twice the digits", T, float, double) {
  // Of what is left by the result and its error, a part of this size is allowed.
  const T tiny = 8 * std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon();
  int wrong = 0;
  for_each_result<T>([](auto d, auto x, auto y, auto,
                        auto& error) { return math::lanes::quotient(d, x, hn::Zero(d), y, hn::Zero(d), error); },
                     [&](T result, T error, T x, T y, T) {
                       // x - y * result is exact in a fused step, and so is what the error leaves of it, nearly.
                       const T rest = std::fma(-y, result, x);
                       wrong += !(std::fabs(std::fma(-y, error, rest)) <= std::fabs(x) * tiny);
                     });
  CHECK(wrong == 0);
  for_each_result<T>(
      [](auto d, auto x, auto y, auto, auto& error) {
        return math::lanes::long_product(d, x, hn::Zero(d), y, hn::Zero(d), error);
      },
      [&](T result, T error, T x, T y, T) { wrong += result != T(x * y) || error != error_of_product(x, y); });
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("powers of two, polynomials, bounds and signs", T, float, double) {
  if constexpr (has_lanes<T>) {
    const hn::ScalableTag<T> d;
    const math::lanes::bits_tag<hn::ScalableTag<T>> db;
    using bits = ieee::bits_of<T>;
    const auto first = [&](auto vector) { return hn::GetLane(vector); };
    constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
    for (int k = 2 - 2 * bias; k <= 2 * bias; k += 7) {
      CAPTURE(k);
      for (const T x : {T(1), T(-1.5), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
        const T scaled = first(math::lanes::scale(d, hn::Set(d, x), hn::Set(db, bits(k + 2 * bias))));
        // What is below the normal numbers may be rounded twice.
        const T expected = std::ldexp(x, k);
        CHECK((scaled == expected ||
               (std::fabs(expected) < std::numeric_limits<T>::min() && test::distance(scaled, expected) <= 1)));
      }
      if (1 - bias <= k && k <= bias)
        CHECK(first(math::lanes::power_of_two(d, hn::Set(db, bits(k + bias)))) == std::ldexp(T(1), k));
    }
    CHECK(first(math::lanes::polynomial(d, hn::Set(d, T(2)), T(5), T(-3), T(0.25))) == 0);
    CHECK(first(math::lanes::polynomial(d, hn::Set(d, T(2)), T(5))) == 5);
    CHECK(first(math::lanes::multiply_add(d, hn::Set(d, T(2)), hn::Set(d, T(3)), hn::Set(d, T(4)))) == 10);
    CHECK(first(math::lanes::negative_multiply_add(d, hn::Set(d, T(2)), hn::Set(d, T(3)), hn::Set(d, T(4)))) == -2);
    for (const T x : test::special_values<T>()) {
      CAPTURE(x);
      const T limited = first(math::lanes::limit(d, hn::Set(d, x), T(-2), T(3)));
      CHECK((std::isnan(x) ? std::isnan(limited) : limited == std::fmin(std::fmax(x, T(-2)), T(3))));
      CHECK(ieee::to_bits(first(math::lanes::sign_of(d, hn::Set(d, x)))) ==
            ieee::to_bits(ieee::is_negative(x) ? -T(0) : T(0)));
    }
  }
}

TEST_CASE_TEMPLATE("what is rare is computed lane by lane", T, float, double) {
  if constexpr (has_lanes<T>) {
    const hn::ScalableTag<T> d;
    const std::size_t size = hn::Lanes(d);
    std::vector<T> xs(size), ys(size), results(size);
    for (std::size_t i = 0; i < size; ++i) xs[i] = T(i) - 1, ys[i] = T(3 * i);
    const auto x = hn::LoadU(d, xs.data()), y = hn::LoadU(d, ys.data());
    int calls = 0;
    const auto add = [&](T a, T b) {
      ++calls;
      return a + b;
    };
    hn::StoreU(math::lanes::for_lanes(d, hn::Gt(x, hn::Zero(d)), hn::Set(d, T(-7)), x, y, add), d, results.data());
    int expected_calls = 0;
    for (std::size_t i = 0; i < size; ++i) {
      CHECK(results[i] == (xs[i] > 0 ? xs[i] + ys[i] : T(-7)));
      expected_calls += xs[i] > 0;
    }
    CHECK(calls == expected_calls);
    hn::StoreU(math::lanes::each_lane([](auto one, auto a, auto b) { return math::lanes::multiply_add(one, a, a, b); },
                                      d, x, y),
               d, results.data());
    for (std::size_t i = 0; i < size; ++i) CHECK(results[i] == xs[i] * xs[i] + ys[i]);
  }
}

}  // namespace
}  // namespace tenon
